package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// logEntry matches the first line of an entry of Copilot's log: time, level, text. Other lines continue an entry.
var logEntry = regexp.MustCompile(`^\S+Z \[([A-Z]+)\] (.*)`)

// ours matches what Copilot 1.0.83 and 1.0.102 say of the files that a person or a program of theirs gives them. At
// these levels they also say much of their own life, above all on a slow machine, and more with each version.
var ours = regexp.MustCompile(`(?i)agentihooks|settings|hook|agents?/|skill|instruction|frontmatter|mcp-config|mcpServers|` +
	`mcp server|server_name|ignor|invalid|unknown|unrecogni|malformed|deprecat|skipped|\.agents/`)

// noise is what ours matches in a home that holds nothing but what Copilot made itself, or that may do everything.
var noise = []string{
	`[rust:rt_network::tls_certs] Ignoring distrusted `,
	`[rust:copilot_runtime::session::api_session_options_update] Failed to reload managed hooks after enabling managed settings {"error":"no hook session for session id `,
	`Skipping disabled MCP server: `, // 1.0.80 calls this an error
	`Loading repo hooks in prompt mode (folder is trusted or opt-in set)`,
}

// complaints are the entries of a log at level all in which Copilot finds fault with what it was given. Unknown events
// of a hooks file are only named at level debug.
func complaints(log string) []string {
	var found []string
	for line := range strings.Lines(log) {
		m := logEntry.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		level, text := m[1], m[2]
		loud := (level == "WARNING" || level == "ERROR") && ours.MatchString(text)
		known := slices.ContainsFunc(noise, func(n string) bool { return strings.HasPrefix(text, n) })
		if loud && !known || strings.Contains(text, "Ignoring unknown hook event(s)") {
			found = append(found, level+" "+text)
		}
	}
	return found
}

// faultsAreSeen is the control of complaints: every kind of broken file that Copilot reports is found in its log.
func faultsAreSeen(h *home) {
	h.mayComplain = true
	dir := filepath.Join(h.dir, ".copilot")
	h.writeFile(filepath.Join(dir, "settings.json"), `{"noSuchSetting": 1}`)
	h.writeFile(filepath.Join(dir, "agents", "extra.md"), "---\nname: extra\ndescription: d\nnoSuchField: 1\n---\nbody\n")
	h.writeFile(filepath.Join(dir, "agents", "bare.md"), "---\nname: bare\n---\nbody\n")
	h.writeFile(filepath.Join(dir, "mcp-config.json"),
		`{"mcpServers": {"absent": {"type": "local", "command": "/nonexistent/server", "args": [], "tools": ["*"]}}}`)
	h.writeFile(filepath.Join(dir, "hooks", "bad.json"), `{"version": 1, "hooks": {
		"noSuchEvent": [{"type": "command", "exec": "/bin/true"}],
		"postToolUse": [{"type": "command", "exec": "/nonexistent/hook"}],
		"preToolUse": [{"type": "command", "exec": "/bin/true", "timeoutSec": 0}]}}`)
	h.writeFile(filepath.Join(dir, "hooks", "newer.json"), `{"version": 2, "hooks": {}}`)
	if err := os.Symlink("/nonexistent/file", filepath.Join(dir, "hooks", "dangling.json")); err != nil {
		h.t.Fatal(err)
	}
	r := h.prompt("go", []modelserver.Turn{modelserver.Bash("git status")})
	found := strings.Join(complaints(r.log), "\n")
	for _, want := range []string{
		`"noSuchSetting"`,
		"unknown field ignored: noSuchField",
		"agents/bare.md: custom agent markdown frontmatter is malformed",
		map[bool]string{false: `MCP server connection failed {"server_name":"absent"`, true: "Failed to start MCP client for absent"}[h.cli.version == "1.0.80"],
		"noSuchEvent",
		`Error in postToolUse hook from "` + filepath.Join(dir, "hooks", "bad.json"),
		"timeoutSec must be positive",
		"Invalid hook configuration in " + filepath.Join(dir, "hooks", "newer.json"),
		"Error loading hook config from " + filepath.Join(dir, "hooks", "dangling.json"),
	} {
		if !strings.Contains(found, want) {
			h.t.Errorf("no complaint has %q; all of them:\n%s", want, found)
		}
	}
	h.writeFile(filepath.Join(dir, "settings.json"), `{"beep": "yes"}`)
	r = h.prompt("go", nil)
	if found := fmt.Sprint(complaints(r.log)); !strings.Contains(found, "beep: Expected boolean") {
		h.t.Errorf("a setting of the wrong type is no complaint: %s", found)
	}
}
