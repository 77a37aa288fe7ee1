// Package doctor looks for what keeps agentihooks or its hook from working, each with its cause and what to do.
package doctor

import (
	"context"
	"fmt"
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
}

// Run makes all checks, always in the same order. One that needs what an earlier one missed is left out. It writes nothing,
// but for what the CLI that is probed writes itself.
func Run(ctx context.Context, m Machine) []Check {
	d := doctor{Machine: m}
	if d.state() {
		d.recovery()
		if d.live() {
			d.tree()
			d.links()
			d.hook(ctx)
			if d.policy() {
				d.environment()
				d.secrets()
			}
			d.home()
		}
	}
	d.json("settings", "settings.json")
	d.json("mcp", "mcp-config.json")
	d.repository()
	d.copilot()
	if m.Probe && m.Copilot != "" {
		d.probe(ctx)
	}
	return d.checks
}

type doctor struct {
	Machine
	checks []Check

	generation generation.State
	store      store.Store
	storeAt    store.Path  // of the live tree
	index      *tree.Index // of the live tree; nil if it cannot be read
	compiled   policy.Policy
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
	var rec generation.Record
	if err == nil {
		rec, err = d.generation.Read(n)
	}
	if err != nil {
		return d.fail("live", err.Error(), "Run `agentihooks rollback N` to a generation that `agentihooks generations` lists, or `agentihooks switch`.")
	}
	d.storeAt = d.store.PathOf(rec.Store)
	if idx, err := d.store.ReadIndex(d.storeAt); err == nil {
		d.index = &idx
	}
	return d.pass("live", "generation %s of %s is live", n, rec.Host)
}

// tree hashes the live tree again.
func (d *doctor) tree() {
	if err := d.store.Verify(d.storeAt); err != nil {
		d.fail("tree", err.Error(), "Run `agentihooks verify --repair`, or `agentihooks switch`.")
		return
	}
	d.pass("tree", "the live tree is what its name says")
}

// environment looks whether the file with the environment was loaded. What it sets first is the channels, if there are any.
func (d *doctor) environment() {
	want := strings.Join(d.compiled.Channels, ",")
	switch got := d.Env("AGENTIHOOKS_BASE_CHANNELS"); {
	case want == "":
		d.pass("environment", "the manifest has no channels to load")
	case got == want:
		d.pass("environment", "it is loaded in this shell")
	case got == "":
		d.fail("environment", "AGENTIHOOKS_BASE_CHANNELS is not set in this shell",
			"Put `eval \"$(agentihooks shell-init bash)\"` into ~/.bashrc (zsh and fish likewise), and start a new shell.")
	default:
		d.fail("environment", fmt.Sprintf("AGENTIHOOKS_BASE_CHANNELS is %q in this shell, the live generation says %q", got, want),
			"Start a new shell, and the agent from it.")
	}
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

func (d *doctor) copilot() {
	switch {
	case d.Copilot == "":
		d.fail("copilot", "there is no copilot in PATH", "Install it, for example with `npm install -g @github/copilot`, or put its folder into PATH.")
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
