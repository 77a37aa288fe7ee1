// Package doctor looks for what keeps agentihooks or its hook from working, each with its cause and what to do.
package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Check is one thing that was looked at. Detail says what was found, Fix what to do about it; it is empty where OK is set.
type Check struct {
	ID     string `json:"id"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
}

// Machine is what to look at. Paths are absolute.
type Machine struct {
	Home, StateDir, CopilotHome string
	WorkDir                     string              // whose repository is looked at
	Env                         func(string) string // the environment of the shell that an agent would be started from
	Environ                     []string            // all of it, for the probe
	HookPath, PolicyPath        string              // in the tree

	Copilot string // the CLI's program, "" where there is none
	Version string // of it, "" if unknown
	Probe   bool   // ask the CLI itself

	Variables map[string]string // what the live generation's file with the environment sets
	AllowAll  string            // the name of the variable that allows every tool
	// Catalogue is the release whose settings are known best for a version, and whether that is an older one.
	Catalogue func(version string) (release string, older bool)
	// CheckSettings is what of Copilot's settings, as plain JSON, costs it the whole file.
	CheckSettings func(text []byte, version string) []string
	// Built is the tree that a manifest makes now for a host of this machine; "" if it makes none.
	Built func(manifest, host string) (tree.Name, error)
}

// Run makes all checks, always in the same order. One that needs what an earlier one missed is left out. It writes nothing
// that stays, but for what the CLI that is probed keeps outside its own home, as its package cache.
func Run(ctx context.Context, m Machine) []Check {
	d := doctor{Machine: m}
	judging := false // there is a hook, and what it judges by is known
	if d.state() {
		d.recovery()
		if d.live() {
			d.tree()
			d.links()
			d.hook(ctx)
			if judging = d.policy(); judging {
				d.environment()
				d.allowAll()
				d.secrets()
			}
			d.home()
			d.manifest()
			d.log()
		}
	}
	d.json("settings", "settings.json", d.voids)
	d.hooksOff()
	d.json("mcp", "mcp-config.json", nil)
	d.python()
	d.skills()
	d.agents()
	d.context()
	d.repository()
	d.copilot()
	d.catalogue()
	if m.Probe && m.Copilot != "" {
		d.probe(ctx, judging)
	}
	return d.checks
}

type doctor struct {
	Machine
	checks []Check

	generation generation.State
	record     generation.Record // of the live generation
	store      store.Store
	storeAt    store.Path  // of the live tree
	index      *tree.Index // of the live tree; nil if it cannot be read
	compiled   policy.Policy

	skill, agent described // that Copilot loads
}

func (d *doctor) pass(id, format string, args ...any) bool {
	d.checks = append(d.checks, Check{ID: id, OK: true, Detail: fmt.Sprintf(format, args...)})
	return true
}

func (d *doctor) fail(id, detail, fix string) bool {
	d.checks = append(d.checks, Check{ID: id, Detail: detail, Fix: fix})
	return false
}

// state looks at the state folder: that it is there, ours, and closed to others.
func (d *doctor) state() bool {
	var err error
	if d.generation, err = generation.LookState(d.StateDir, d.Home); err != nil {
		return d.fail("state", err.Error(), "Do what it says: nothing is read from or written to a folder that others may change.")
	}
	info, err := os.Stat(d.StateDir)
	if err != nil && d.generation.LeadsHere(filepath.Join(d.CopilotHome, HooksFile)) {
		return d.fail("state", d.StateDir+" is gone, and links of this home lead into it: no hook runs, and no guard",
			"Run `agentihooks switch`. To leave, run `agentihooks uninstall` after that.")
	}
	if err != nil {
		return d.fail("state", "there is no state folder "+d.StateDir+": this home was never switched", "Run `agentihooks switch`.")
	}
	if mode := info.Mode().Perm(); mode != 0o700 {
		return d.fail("state", fmt.Sprintf("%s has mode %04o", d.StateDir, mode), "Run `chmod 700` on it: what you took over may lie in it.")
	}
	d.store = store.New(d.StateDir)
	return d.pass("state", "%s is yours alone", d.StateDir)
}

// live finds the live tree.
func (d *doctor) live() bool {
	n, ok, err := d.generation.Current()
	if err == nil && !ok {
		return d.fail("live", "no generation is live", "Run `agentihooks switch`.")
	}
	if err == nil {
		d.record, err = d.generation.Read(n)
	}
	if err != nil {
		return d.fail("live", err.Error(), "Run `agentihooks rollback N` to a generation that `agentihooks generations` lists, or `agentihooks switch`.")
	}
	d.storeAt = d.store.PathOf(d.record.Store)
	if idx, err := d.store.ReadIndex(d.storeAt); err == nil {
		d.index = &idx
	}
	return d.pass("live", "generation %s of %s is live", n, d.record.Host)
}

// tree hashes the live tree again.
func (d *doctor) tree() {
	if err := d.store.Verify(d.storeAt); err != nil {
		d.fail("tree", err.Error(), "Run `agentihooks verify --repair`, or `agentihooks switch`.")
		return
	}
	d.pass("tree", "the live tree is what its name says")
}

// environment looks whether the file with the environment was loaded, that of the live generation.
func (d *doctor) environment() {
	if len(d.Variables) == 0 {
		d.pass("environment", "the manifest sets no variable")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(d.Variables)) {
		switch got, want := d.Env(name), d.Variables[name]; {
		case got == want:
		case got == "":
			d.fail("environment", name+" is not set in this shell",
				"Put `eval \"$(agentihooks shell-init bash)\"` into ~/.bashrc (zsh and fish likewise), and start a new shell.")
			return
		default:
			d.fail("environment", name+" has another value in this shell than the live generation gives it",
				"Start a new shell, and the agent from it.")
			return
		}
	}
	d.pass("environment", "it is loaded in this shell")
}

// allowAll looks for what undermines the guards: with it Copilot also loads the hooks of any repository, and one that runs
// after ours can change what was judged (seen on 1.0.102).
func (d *doctor) allowAll() {
	from := ""
	switch {
	case d.Env(d.AllowAll) != "":
		from = d.AllowAll + " is set in this shell"
	case d.Variables[d.AllowAll] != "":
		from = "the manifest has allowAll"
	}
	if from != "" && len(d.compiled.Guards) > 0 {
		d.fail("allow-all", from+": Copilot then loads the hooks of every repository, which may change a call after the guards judged it",
			"Remove allowAll from the manifest and run `agentihooks switch`, and `unset "+d.AllowAll+"`. `copilot --allow-all-tools` asks nothing either, and loads no hooks.")
		return
	}
	d.pass("allow-all", "no repository's hooks are loaded unasked beside guards")
}

// secrets looks for references whose value is not there now. Values are not read, commands not run.
func (d *doctor) secrets() {
	var missing []string
	for _, s := range d.compiled.Secrets {
		switch {
		case s.Env != "":
			if d.Env(s.Env) == "" {
				missing = append(missing, fmt.Sprintf("%s (the variable %s is not set in this shell)", s.Name, s.Env))
			}
		case s.File != "":
			path := s.File
			if rest, ok := strings.CutPrefix(path, "~/"); ok {
				path = filepath.Join(d.Home, rest)
			}
			if _, err := os.Stat(path); err != nil {
				missing = append(missing, fmt.Sprintf("%s (%v)", s.Name, err))
			}
		}
	}
	if len(missing) > 0 {
		d.fail("secrets", "without a value: "+strings.Join(missing, ", "), "Set them before the agent starts; the servers that need them do not start otherwise.")
		return
	}
	d.pass("secrets", "references: %d, none without a value", len(d.compiled.Secrets))
}

// home looks whether Copilot reads the folder that was switched.
func (d *doctor) home() {
	if d.index == nil {
		return // told with the tree
	}
	if d.index.Copilot != d.CopilotHome {
		d.fail("home", fmt.Sprintf("COPILOT_HOME makes Copilot read %s, the live generation is in %s", d.CopilotHome, d.index.Copilot),
			"Unset COPILOT_HOME, or run `agentihooks switch` in this shell.")
		return
	}
	d.pass("home", "Copilot reads %s", d.CopilotHome)
}

// copilot looks for the CLI. It may be missing where nobody asks it.
func (d *doctor) copilot() {
	switch {
	case d.Copilot == "" && d.Probe:
		d.fail("copilot", "there is no copilot in PATH", "Install it, for example with `npm install -g @github/copilot`, or put its folder into PATH.")
	case d.Copilot == "":
		d.pass("copilot", "there is no copilot in PATH: nothing was asked of it")
	case d.Version == "":
		d.pass("copilot", "%s, whose version cannot be told", d.Copilot)
	default:
		d.pass("copilot", "%s, version %s", d.Copilot, d.Version)
	}
}

// OK reports whether every check passed.
func OK(checks []Check) bool {
	return !slices.ContainsFunc(checks, func(c Check) bool { return !c.OK })
}
