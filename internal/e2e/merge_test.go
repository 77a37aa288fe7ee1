package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// copilotAddsAServer: a server that Copilot itself adds between two switches, and one of ours that it disables, stay; ours
// change and go as declared.
func copilotAddsAServer(h *home) {
	manifest := func(arg string) string {
		return fmt.Sprintf("target \"copilot\" {\n  settings = { theme = \"dim\" }\n}\n\nmcp \"probe\" {\n  command = %q\n  args    = [%q]\n}\n",
			h.tools.mcpserver, arg)
	}
	h.switchTo(manifest("one"))
	if r := h.copilot("mcp", "add", "mine", "--", h.tools.mcpserver, "theirs"); r.code != 0 {
		h.t.Fatalf("copilot mcp add: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	h.disableServer("probe")
	h.switchTo(manifest("two"))
	servers := h.listServers()
	if got := servers["mine"]; got.Command != h.tools.mcpserver || !slices.Equal(got.Args, []string{"theirs"}) {
		h.t.Errorf("the server that Copilot added: %+v", got)
	}
	if got := servers["probe"]; !slices.Equal(got.Args, []string{"two"}) || got.Enabled {
		h.t.Errorf("ours: %+v, want the new argument, disabled", got)
	}
	if r := h.agentihooks("status", "--exit-code"); r.code != 0 {
		h.t.Errorf("what Copilot wrote counts as drift: exit %d: %s", r.code, r.stdout)
	}
	h.switchTo("target \"copilot\" {}\n")
	text := h.read(filepath.Join(h.dir, ".copilot", "mcp-config.json"))
	if !strings.Contains(text, `"mine"`) || strings.Contains(text, `"probe"`) {
		h.t.Errorf("after ours left the manifest: %s", text)
	}
	if got := h.settings(); got.Theme != "" || !slices.Equal(got.DisabledMCP, []string{"probe"}) {
		h.t.Errorf("settings.json: %+v", got)
	}
}
