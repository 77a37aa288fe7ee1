package copilot

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/targets/target"
)

// server is what of an entry of mcp-config.json, or of an agent's mcp-servers, gives power.
type server struct {
	Command      string
	Args         []string
	Cwd          string
	URL          string
	Headers      map[string]string
	Tools        []string
	ExcludeTools []string
	Auth, Oidc   any
	Disabled     bool
}

// runs is the command line of a local server, without the part that hands it its secrets; "" for a remote one.
func (s server) runs() string {
	argv := withoutSecrets(s.Command, s.Args)
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

// reference is a variable as Copilot expands it.
var reference = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

// takes is the variables of Copilot's environment that a remote server is sent, sorted, each once.
func (s server) takes() []string {
	var out []string
	for _, text := range append(slices.Collect(maps.Values(s.Headers)), s.URL) {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// asRead is an entry of mcp-config.json with what Copilot takes for granted where it does not say so: all tools, and that it
// signs in to a remote server which asks for that.
func (s server) asRead() server {
	if s.Tools == nil {
		s.Tools = []string{"*"}
	}
	if s.URL != "" && s.Auth == nil {
		s.Auth = true
	}
	return s
}

// offers reports whether the model gets a tool.
func (s server) offers(tool string) bool {
	return (slices.Contains(s.Tools, tool) || slices.Contains(s.Tools, "*")) && !slices.Contains(s.ExcludeTools, tool)
}

func (s server) signsIn() bool {
	return s.Auth != nil && s.Auth != false || s.Oidc != nil && s.Oidc != false
}

// servers compares the servers of mcp-config.json, and which of them settings.json disables.
func (c *comparison) servers() {
	type file struct{ McpServers map[string]server }
	var before, after file
	c.before.json(mcpPath, &before)
	c.after.json(mcpPath, &after)
	for _, all := range []map[string]server{before.McpServers, after.McpServers} {
		for name, s := range all {
			all[name] = s.asRead()
		}
	}
	c.compareServers(mcpPath, "", before.McpServers, after.McpServers)

	type disabled struct{ DisabledMcpServers []string }
	var was, now disabled
	c.before.json(SettingsPath, &was)
	c.after.json(SettingsPath, &now)
	for _, name := range slices.Sorted(maps.Keys(after.McpServers)) {
		old, ok := before.McpServers[name]
		started := !after.McpServers[name].Disabled && !slices.Contains(now.DisabledMcpServers, name)
		if ok && started && (old.Disabled || slices.Contains(was.DisabledMcpServers, name)) {
			c.add(target.RiskMCPServer, mcpPath, "mcp %q is no longer disabled", name)
		}
	}
}

// compareServers compares the servers of one file; of says whose they are.
func (c *comparison) compareServers(path, of string, before, after map[string]server) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		now := after[name]
		was, old := before[name]
		if now.Command != "" && now.runs() != was.runs() {
			c.add(target.RiskMCPServer, path, "%smcp %q now runs %s", of, name, now.runs())
		}
		host := now.talksTo()
		// The same host with TLS is no new power.
		if host != "" && host != was.talksTo() && strings.Replace(host, "https:", "http:", 1) != was.talksTo() {
			c.add(target.RiskHost, path, "%smcp %q now talks to %s", of, name, host)
		}
		if old {
			if more := newTools(was, now); more != "" {
				c.add(target.RiskTools, path, "%smcp %q now offers %s", of, name, more)
			}
		}
		if now.signsIn() && !was.signsIn() {
			c.add(target.RiskSignIn, path, "%smcp %q now signs in", of, name)
		}
		for _, variable := range now.takes() {
			if !slices.Contains(was.takes(), variable) {
				c.add(target.RiskSecretExport, path, "%smcp %q is now sent the variable %s", of, name, variable)
			}
		}
	}
}

// newTools says which tools a server gains, or nothing.
func newTools(was, now server) string {
	if slices.Contains(now.Tools, "*") && !slices.Contains(was.Tools, "*") {
		return "all its tools"
	}
	var more []string
	for _, tool := range slices.Concat(now.Tools, was.ExcludeTools) {
		if tool != "*" && now.offers(tool) && !was.offers(tool) && !slices.Contains(more, tool) {
			more = append(more, tool)
		}
	}
	return strings.Join(more, ", ")
}
