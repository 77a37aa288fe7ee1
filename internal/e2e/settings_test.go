package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// copilotListsTheMachine: Copilot's own commands show what was declared.
func copilotListsTheMachine(h *home) {
	writeMachine(h)
	h.switchTo(files + fmt.Sprintf(`
target "copilot" {
  mcpDefaultDisabled = true
  mcpAlwaysEnabled   = ["probe"]
}

mcp "probe" {
  command = %q
  args    = ["one", "two words"]
}

mcp "gateway" {
  url     = "https://mcp.example.net/gateway"
  headers = { "X-Team" = "blue" }
}
`, h.tools.mcpserver))
	servers := h.listServers()
	if len(servers) != 2 {
		h.t.Errorf("servers: %+v, want two", servers)
	}
	probe := servers["probe"]
	if probe.Command != h.tools.mcpserver || !slices.Equal(probe.Args, []string{"one", "two words"}) || !probe.Enabled {
		h.t.Errorf("probe: %+v", probe)
	}
	gateway := servers["gateway"]
	if gateway.URL != "https://mcp.example.net/gateway" || gateway.Headers["X-Team"] != "blue" || gateway.Enabled {
		h.t.Errorf("gateway: %+v, want disabled", gateway)
	}
	text := h.copilot("mcp", "list").stdout
	for _, want := range []string{"probe (local)\n", "gateway (http, disabled)\n"} {
		if !strings.Contains(text, want) {
			h.t.Errorf("copilot mcp list does not say %q:\n%s", want, text)
		}
	}

	skills := h.listSkills()
	for name, description := range map[string]string{
		"deploy": "Deploys the site, word skill-avocet.", "ship": "Ships it, word command-bittern.",
	} {
		want := skill{
			Name: name, Description: description, Source: "personal-agents", Enabled: true,
			Path: filepath.Join(h.dir, ".agents", "skills", name),
		}
		if got := skills[name]; got != want {
			h.t.Errorf("skill %s: %+v, want %+v", name, got, want)
		}
	}
	for name, s := range skills {
		if s.Source != "builtin" && name != "deploy" && name != "ship" {
			h.t.Errorf("a skill that nobody declared: %+v", s)
		}
	}
}

// copilotChangesSettings: what Copilot writes into settings.json itself stays over the next switch, which still
// updates and withdraws the keys that are ours.
func copilotChangesSettings(h *home) {
	manifest := func(target string) string {
		return fmt.Sprintf(`
target "copilot" {
  mcpDefaultDisabled = true
  mcpAlwaysEnabled   = ["probe"]
  settings           = { %s }
}

mcp "probe" {
  command = %q
}

mcp "spare" {
  command = %[2]q
}
`, target, h.tools.mcpserver)
	}
	h.switchTo(manifest(`theme = "dim", keepAlive = "busy"`))
	if got := h.settings(); got.Theme != "dim" || !slices.Equal(got.DisabledMCP, []string{"spare"}) {
		h.t.Fatalf("settings.json after the switch: %+v", got)
	}
	h.disableServer("probe")
	if got := h.settings(); !slices.Equal(got.DisabledMCP, []string{"probe", "spare"}) {
		h.t.Fatalf("Copilot did not disable probe: %+v", got)
	}

	if s := h.switchTo(manifest(`theme = "github"`)); s.Generation != 2 {
		h.t.Fatalf("the second switch: %+v", s)
	}
	got := h.settings()
	if got.Theme != "github" {
		h.t.Errorf("our key is %q, want github", got.Theme)
	}
	if got.KeepAlive != "" {
		h.t.Errorf("our key that left the manifest is still %q", got.KeepAlive)
	}
	if !slices.Equal(got.DisabledMCP, []string{"probe", "spare"}) {
		h.t.Errorf("disabled servers are %q, want what Copilot wrote", got.DisabledMCP)
	}
	if servers := h.listServers(); servers["probe"].Enabled || servers["spare"].Enabled {
		h.t.Errorf("Copilot lists %+v, want both disabled", servers)
	}

	if back := h.moved("rollback", "--json"); back.Generation != 1 {
		h.t.Fatalf("rollback: %+v", back)
	}
	got = h.settings()
	if got.Theme != "dim" || got.KeepAlive != "busy" || !slices.Equal(got.DisabledMCP, []string{"probe", "spare"}) {
		h.t.Errorf("settings.json after the rollback: %+v", got)
	}
}

// settings is what the tests read of settings.json.
type settings struct {
	Theme       string   `json:"theme"`
	KeepAlive   string   `json:"keepAlive"`
	DisabledMCP []string `json:"disabledMcpServers"`
}

// settings reads settings.json, the disabled servers sorted.
func (h *home) settings() settings {
	h.t.Helper()
	var s settings
	h.decode(h.read(filepath.Join(h.dir, ".copilot", "settings.json")), &s)
	slices.Sort(s.DisabledMCP)
	return s
}

// disableServer lets Copilot disable an MCP server for good: 1.0.92 and 1.0.102 have a command for it, 1.0.83 has another.
// 1.0.80 has none outside of its screen, and the test ends there.
func (h *home) disableServer(name string) {
	h.t.Helper()
	var tried []result
	for _, args := range [][]string{{"mcp", "disable", name}, {"plugins", "disable", name, "--mcp"}} {
		r := h.copilot(args...)
		if r.code == 0 {
			return
		}
		tried = append(tried, r)
	}
	if h.cli.version == "1.0.80" {
		h.t.Skipf("Copilot %s has no command that disables a server", h.cli.version)
	}
	h.t.Fatalf("Copilot does not disable the server: %+v", tried)
}

type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Enabled bool              `json:"enabled"`
}

func (h *home) listServers() map[string]server {
	h.t.Helper()
	r := h.copilot("mcp", "list", "--json")
	var list struct {
		Servers map[string]server `json:"mcpServers"`
	}
	if r.code != 0 || r.stderr != "" {
		h.t.Fatalf("copilot mcp list: exit %d: %s", r.code, r.stderr)
	}
	h.decode(r.stdout, &list)
	return list.Servers
}

type skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Path        string `json:"path"`
	Enabled     bool   `json:"enabled"`
}

func (h *home) listSkills() map[string]skill {
	h.t.Helper()
	r := h.copilot("skill", "list", "--json")
	if r.code != 0 || r.stderr != "" {
		h.t.Fatalf("copilot skill list: exit %d: %s", r.code, r.stderr)
	}
	var list []skill
	h.decode(r.stdout, &list)
	byName := make(map[string]skill)
	for _, s := range list {
		byName[s.Name] = s
	}
	return byName
}

func (h *home) decode(text string, into any) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		h.t.Fatalf("%v in %s", err, text)
	}
}
