package e2e

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// writeMachine writes one file of every kind beside the manifest, each with a word of its own that occurs nowhere else.
func writeMachine(h *home) {
	h.write("persona/base.md", "# Persona\n\nYou keep the word persona-kestrel.\n")
	h.write("rules/tests.md", "Run the tests. The word is rule-merganser.\n")
	h.write("skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Deploys the site, word skill-avocet.\n---\nUse ./deploy.sh.\n")
	h.write("skills/deploy/deploy.sh", "#!/bin/sh\necho deployed\n")
	h.write("commands/ship.md", "---\ndescription: Ships it, word command-bittern.\n---\nShip $ARGUMENTS now.\n")
	h.write("agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews, word agent-curlew.\n---\nYou review. The word is body-dunlin.\n")
	h.write("instructions/all.instructions.md", "---\napplyTo: \"**\"\n---\nThe word is instruction-egret.\n")
}

const files = `
persona      = ["persona/*.md"]
rules        = ["rules/*.md"]
skills       = ["skills/*"]
commands     = ["commands/*.md"]
agents       = ["agents/*.md"]
instructions = ["instructions/*.instructions.md"]
`

// modelGetsTheMachine: what reaches the model is what the manifest says, and is the next generation's after a switch.
func modelGetsTheMachine(h *home) {
	writeMachine(h)
	manifest := files + fmt.Sprintf(`
target "copilot" {
  settings = { theme = "dim" }
}

mcp "probe" {
  command = %q
  tools   = ["echo"]
}

guard "commands" {
  deny = ["git push --force", "git push -f"]
}
`, h.tools.mcpserver)
	first := h.switchTo(manifest)
	if !first.Changed || first.Generation != 1 {
		h.t.Fatalf("the first switch: %+v", first)
	}
	req := h.prompt("go", nil).last(h.t)
	text := req.Text()
	for _, word := range []string{"persona-kestrel", "rule-merganser", "skill-avocet", "command-bittern", "agent-curlew", "instruction-egret"} {
		if n := strings.Count(text, word); n != 1 {
			h.t.Errorf("the request has %s %d times, want once", word, n)
		}
	}
	if strings.Contains(text, "body-dunlin") {
		h.t.Error("the agent's body reached a session without --agent")
	}
	for _, name := range []string{"deploy", "ship"} {
		if !strings.Contains(text, "<name>"+name+"</name>") {
			h.t.Errorf("skill %s is not in the list of skills", name)
		}
	}
	if names := req.ToolNames(); !slices.Contains(names, "probe-echo") || slices.Contains(names, "probe-whoami") {
		h.t.Errorf("tools of the MCP server: %q, want echo alone", names)
	}
	checkBanner(h, req, 1)

	req = h.prompt("go", nil, "--agent", "reviewer").last(h.t)
	if !strings.Contains(req.Text(), "body-dunlin") {
		h.t.Error("the agent's body did not reach a session with --agent")
	}

	h.write("persona/base.md", "You keep the word persona-osprey.\n")
	if second := h.switchTo(manifest); second.Generation != 2 {
		h.t.Fatalf("the second switch: %+v", second)
	}
	req = h.prompt("go", nil).last(h.t)
	if text := req.Text(); !strings.Contains(text, "persona-osprey") || strings.Contains(text, "persona-kestrel") {
		h.t.Error("after a switch the session does not have exactly the new persona")
	}
	checkBanner(h, req, 2)
}

// checkBanner looks for the context that our hook gives at a session's start: a message that names the generation and
// the commands that the guard denies.
func checkBanner(h *home, req modelserver.Request, generation int) {
	h.t.Helper()
	want := fmt.Sprintf("generation %d", generation)
	i := slices.IndexFunc(req.Messages, func(m modelserver.Message) bool {
		return m.Role == "user" && strings.Contains(strings.ToLower(m.Text), want)
	})
	if i < 0 {
		h.t.Errorf("no message says %q:\n%s", want, userMessages(req))
		return
	}
	if banner := req.Messages[i].Text; !strings.Contains(banner, "git push --force") {
		h.t.Errorf("the session's start does not name what the guard denies: %q", banner)
	}
}

func userMessages(req modelserver.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		if m.Role == "user" {
			fmt.Fprintf(&b, "%q\n", m.Text)
		}
	}
	return b.String()
}
