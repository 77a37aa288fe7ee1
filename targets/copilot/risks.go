package copilot

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

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
func (c *comparison) add(name, format string, args ...any) {
	dest, ok := c.after.dests[name]
	if !ok {
		dest = c.before.dests[name]
	}
	c.risks = append(c.risks, target.Risk{Dest: dest, Text: fmt.Sprintf(format, args...)})
}

// server is what of an entry of mcp-config.json gives power.
type server struct {
	Command      string
	Args         []string
	Cwd          string
	URL          string
	Tools        []string
	ExcludeTools []string
	Auth, Oidc   any
}

// runs is the command line of a local server, without the part that hands it its secrets; "" for a remote one.
func (s server) runs() string {
	argv := append([]string{s.Command}, s.Args...)
	if len(s.Args) > 0 && s.Args[0] == "secret-exec" {
		if i := slices.Index(s.Args, "--"); i >= 0 {
			argv = s.Args[i+1:]
		}
	}
	if s.Command == "" {
		return ""
	}
	line := make([]string, len(argv))
	for i, word := range argv {
		line[i] = shellQuote(word)
	}
	text := strings.Join(line, " ")
	if s.Cwd != "" {
		text += " in " + s.Cwd
	}
	return text
}

// talksTo is the scheme and the host of a remote server.
func (s server) talksTo() string {
	if s.URL == "" {
		return ""
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return s.URL
	}
	return u.Scheme + "://" + u.Host
}

func (c *comparison) servers() {
	type file struct{ McpServers map[string]server }
	var before, after file
	c.before.json(mcpPath, &before)
	c.after.json(mcpPath, &after)
	for _, name := range slices.Sorted(maps.Keys(after.McpServers)) {
		now := after.McpServers[name]
		was, old := before.McpServers[name]
		if now.runs() != was.runs() && now.Command != "" {
			c.add(mcpPath, "mcp %q now runs %s", name, now.runs())
		}
		if now.talksTo() != was.talksTo() && now.URL != "" {
			c.add(mcpPath, "mcp %q now talks to %s", name, now.talksTo())
		}
		if old {
			if more := newTools(was, now); more != "" {
				c.add(mcpPath, "mcp %q now offers %s", name, more)
			}
		}
		if signsIn(now) && !signsIn(was) {
			c.add(mcpPath, "mcp %q now signs in", name)
		}
	}
}

func signsIn(s server) bool {
	return s.Auth != nil && s.Auth != false || s.Oidc != nil && s.Oidc != false
}

// newTools says which tools a server gains, or nothing.
func newTools(was, now server) string {
	var more []string
	all := slices.Contains(was.Tools, "*")
	for _, tool := range now.Tools {
		if tool == "*" && !all {
			return "all its tools"
		}
		if !all && !slices.Contains(was.Tools, tool) {
			more = append(more, tool)
		}
	}
	for _, tool := range was.ExcludeTools {
		if !slices.Contains(now.ExcludeTools, tool) {
			more = append(more, tool)
		}
	}
	return strings.Join(more, ", ")
}

func (c *comparison) environment() {
	var was, now map[string]string
	if data, ok := c.before.read(envPath); ok {
		was = readEnvironment(string(data))
	}
	if data, ok := c.after.read(envPath); ok {
		now = readEnvironment(string(data))
	}
	if now[allowAllVariable] != "" && was[allowAllVariable] == "" {
		c.add(envPath, "allowAll is on: every tool runs without a question, and a repository's own hooks are loaded")
	}
	if b := now[browserVariable]; b != "" && b != was[browserVariable] {
		c.add(envPath, "a page is now opened by %s", b)
	}
}

func (c *comparison) hooks() {
	type file struct{ Hooks map[string][]entry }
	var was, now file
	c.before.json(hooksPath, &was)
	c.after.json(hooksPath, &now)
	_, there := c.before.read(hooksPath) // and cannot be read: it may have been registered
	if (registered(was.Hooks) || there && was.Hooks == nil) && !registered(now.Hooks) {
		c.add(hooksPath, "the hook is no longer registered: no guard runs")
	}
	for _, event := range slices.Sorted(maps.Keys(now.Hooks)) {
		for _, e := range now.Hooks[event] {
			same := func(o entry) bool { return compact(o) == compact(e) }
			if !ownEntry(e) && !slices.ContainsFunc(was.Hooks[event], same) {
				c.add(hooksPath, "a hook at %s: %s", event, e.does())
			}
		}
	}
}

func registered(hooks map[string][]entry) bool {
	return slices.ContainsFunc(hooks["preToolUse"], ownEntry)
}

// ownEntry reports whether an entry runs the guards.
func ownEntry(e entry) bool {
	return strings.HasSuffix(e.Exec, "/bin/agentihooks-hook") && len(e.Args) == 2 && e.Args[0] == "copilot"
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
	return strings.Join(append([]string{e.Exec}, e.Args...), " ") + " runs"
}

// settings looks for what a setting makes Copilot run, and no longer run.
func (c *comparison) settings() {
	type file struct {
		StatusLine      struct{ Command string }
		DisableAllHooks bool
	}
	var was, now file
	c.before.json(settingsPath, &was)
	c.after.json(settingsPath, &now)
	if line := now.StatusLine.Command; line != "" && line != was.StatusLine.Command && !strings.HasSuffix(line, hookStatusLine) {
		c.add(settingsPath, "the status line now runs %s", line)
	}
	if now.DisableAllHooks && !was.DisableAllHooks {
		c.add(settingsPath, "disableAllHooks is on: no hook and no guard runs")
	}
}

func (c *comparison) skills() {
	var was, now []string
	c.before.json(executablesPath, &was)
	c.after.json(executablesPath, &now)
	for _, name := range now {
		if !slices.Contains(was, name) {
			folder, file, _ := strings.Cut(name, "/")
			c.add("agents/skills/"+folder, "new executable %s in skill %q", file, folder)
		}
	}
}
