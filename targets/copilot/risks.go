package copilot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/target"
)

// Risks is the power that a change from one tree to another gives: for the user to read before the switch. Either
// reader may be nil. The order is that of the destinations' paths in the tree, then of the names.
func Risks(before, after target.Reader) []target.Risk {
	c := comparison{before: readTree(before), after: readTree(after)}
	c.agents()
	c.skills()
	c.hooks()
	c.servers()
	c.settings()
	c.environment()
	return c.risks
}

// comparison collects what a change gives.
type comparison struct {
	before, after side
	risks         []target.Risk
}

// side is one of the two trees.
type side struct {
	read  target.Reader
	dests map[string]tree.Dest // by path in the tree
}

// readTree reads a tree's index. A tree that cannot be read has nothing: all of the other's power is then new.
func readTree(read target.Reader) side {
	s := side{read: read, dests: map[string]tree.Dest{}}
	if read == nil {
		s.read = func(string) ([]byte, bool) { return nil, false }
		return s
	}
	data, _ := s.read(tree.IndexPath)
	index, err := tree.DecodeIndex(data)
	if err != nil {
		return s
	}
	for _, e := range index.Entries {
		s.dests[e.Path] = e.Dest
	}
	return s
}

// json decodes a file of the tree into v. What is not there, or is no JSON, leaves v empty or partly filled.
func (s side) json(name string, v any) {
	if data, ok := s.read(name); ok {
		_ = json.Unmarshal(data, v) // a tree that we cannot read has no power: all of the other's is then new
	}
}

// add reports a risk at a file of the tree.
func (c *comparison) add(kind target.RiskKind, name, format string, args ...any) {
	dest, ok := c.after.dests[name]
	if !ok {
		dest = c.before.dests[name]
	}
	c.risks = append(c.risks, target.Risk{Kind: kind, Dest: dest, Text: fmt.Sprintf(format, args...)})
}

func (c *comparison) environment() {
	was, wasExported := environmentOf(c.before.read)
	now, exported := environmentOf(c.after.read)
	if now[AllowAllVariable] != "" && was[AllowAllVariable] == "" {
		c.add(target.RiskAllowAll, envPath, "allowAll is on: every tool runs without a question, and a repository's own hooks are loaded")
	}
	for _, name := range exported {
		if !slices.Contains(wasExported, name) {
			c.add(target.RiskSecretExport, envPath, "secret %q is exported: every program of a shell that loads it can read it, the agent's too", name)
		}
	}
	if b := now[browserVariable]; b != "" && b != was[browserVariable] {
		c.add(target.RiskProgram, envPath, "a page is now opened by %s", b)
	}
}

func (c *comparison) hooks() {
	type file struct{ Hooks map[string][]entry }
	var was, now file
	c.before.json(hooksPath, &was)
	c.after.json(hooksPath, &now)
	before, after := c.before.hook(), c.after.hook()
	_, there := c.before.read(hooksPath) // and cannot be read: it may have been registered
	if (registered(was.Hooks, before) || there && was.Hooks == nil) && !registered(now.Hooks, after) {
		c.add(target.RiskGuard, hooksPath, "the hook is no longer registered: no guard runs")
	}
	for _, event := range slices.Sorted(maps.Keys(now.Hooks)) {
		for _, e := range now.Hooks[event] {
			same := func(o entry) bool { return compact(o) == compact(e) }
			if !ownEntry(e, after) && !slices.ContainsFunc(was.Hooks[event], same) {
				c.add(target.RiskHook, hooksPath, "a hook at %s: %s", event, e.does())
			}
		}
	}
}

// hook is the end of our hook's path; all of it where the tree's policy says where the state folder is, so that no
// other program of that name is taken for it.
func (s side) hook() string {
	const below = "/current/tree/bin/agentihooks-hook"
	data, _ := s.read("policy/policy.bin")
	if p, err := policy.Decode(data); err == nil {
		return p.StateDir + below
	}
	return below
}

func registered(hooks map[string][]entry, hook string) bool {
	return slices.ContainsFunc(hooks["preToolUse"], func(e entry) bool { return ownEntry(e, hook) })
}

// ownEntry reports whether an entry runs the guards.
func ownEntry(e entry, hook string) bool {
	ours := e.Exec == hook || strings.HasPrefix(hook, "/current/") && strings.HasSuffix(e.Exec, hook)
	return ours && len(e.Args) == 2 && e.Args[0] == "copilot" && e.Matcher == ""
}

// does says what an entry makes Copilot do.
func (e entry) does() string {
	switch e.Type {
	case "http":
		return "the event is sent to " + e.URL
	case "prompt":
		return "a session begins with a prompt"
	}
	if e.Command != "" {
		return "bash runs " + e.Command
	}
	return strings.Join(withoutSecrets(e.Exec, e.Args), " ") + " runs"
}

// settings looks for what a setting makes Copilot run.
func (c *comparison) settings() {
	type file struct{ StatusLine struct{ Command string } }
	var was, now file
	c.before.json(SettingsPath, &was)
	c.after.json(SettingsPath, &now)
	if line := now.StatusLine.Command; line != "" && line != was.StatusLine.Command && !strings.HasSuffix(line, hookStatusLine) {
		c.add(target.RiskProgram, SettingsPath, "the status line now runs %s", line)
	}
}

// skills looks for executable files that are new, or have another text. The destination is that of the file.
func (c *comparison) skills() {
	var was, now []string
	c.before.json(executablesPath, &was)
	c.after.json(executablesPath, &now)
	for _, name := range now {
		what := "new"
		if slices.Contains(was, name) {
			old, _ := c.before.read("agents/skills/" + name)
			data, _ := c.after.read("agents/skills/" + name)
			if bytes.Equal(old, data) {
				continue
			}
			what = "changed"
		}
		folder, file, _ := strings.Cut(name, "/")
		dest := c.after.dests["agents/skills/"+folder] + tree.Dest("/"+file)
		c.risks = append(c.risks, target.Risk{
			Kind: target.RiskExecutable, Dest: dest, Text: fmt.Sprintf("%s executable %s in skill %q", what, file, folder),
		})
	}
}
