package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// bundleMovesOver: what a folder with Claude Code's layout holds reaches the model and the servers, a profile over the rest.
func bundleMovesOver(h *home) {
	h.write("team/CLAUDE.md", "The word is team-kestrel.\n")
	h.write("team/.claude/rules/tests.md", "The word is rule-merganser.\n")
	h.write("team/.claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Deploys, word skill-avocet.\n---\nDeploy.\n")
	h.write("team/.claude/commands/ship.md", "---\ndescription: Ships, word command-bittern.\n---\nShip $ARGUMENTS.\n")
	h.write("team/.claude/agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews, word agent-curlew.\ntools: Read, Grep\n---\nReview.\n")
	h.write("team/.mcp.json", fmt.Sprintf(`{"mcpServers": {
  // Started through the hook, which reads the secret.
  "vault": {"type": "stdio", "command": %q, "env": {"TOKEN": "${KEY}"}},
  "old": {"command": "/nowhere"}
}}`, h.tools.mcpserver))
	h.write("team/profiles/dev/CLAUDE.md", "The word is dev-osprey.\n")
	h.write("team/profiles/dev/.claude/rules/tests.md", "The word is rule-goosander.\n")
	h.write("team/profiles/dev/.mcp.json", fmt.Sprintf(`{"mcpServers": {"old": {"command": %q, "tools": ["echo"]}}}`, h.tools.mcpserver))
	h.switchTo(fmt.Sprintf(`
bundle "team" {
  source   = "./team"
  profiles = ["dev"]
}

secret "KEY" {
  file = %q
}

target "copilot" {
}
`, h.secretFile()))
	r := h.prompt("go", []modelserver.Turn{{Calls: []modelserver.Call{{Tool: "vault-whoami", Args: map[string]any{}}}}})
	sum := sha256.Sum256([]byte(secretValue))
	if got, want := r.toolResult(h.t, 0, 0), "token sha256 "+hex.EncodeToString(sum[:]); !strings.Contains(got, want) {
		h.t.Errorf("the server says %q, want %q", got, want)
	}
	req := r.last(h.t)
	text := req.Text()
	for word, want := range map[string]int{
		"team-kestrel": 1, "dev-osprey": 1, "rule-goosander": 1, "skill-avocet": 1, "command-bittern": 1, "agent-curlew": 1,
		"rule-merganser": 0,
	} {
		if n := strings.Count(text, word); n != want {
			h.t.Errorf("the request has %s %d times, want %d", word, n, want)
		}
	}
	if names := req.ToolNames(); !slices.Contains(names, "old-echo") || slices.Contains(names, "old-whoami") {
		h.t.Errorf("tools of the MCP servers: %q, want echo alone of the profile's", names)
	}
}
