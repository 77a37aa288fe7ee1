package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// movesIn: a home made by hand becomes a manifest, and the model is told after the switch what it was told before.
func movesIn(h *home) {
	theirs := func(name, text string) { h.writeFile(filepath.Join(h.dir, filepath.FromSlash(name)), text) }
	theirs(".copilot/copilot-instructions.md", "The word is own-wigeon.\n")
	theirs(".copilot/instructions/go/style.instructions.md", "---\napplyTo: \"**\"\n---\nThe word is scoped-garganey.\n")
	theirs(".copilot/agents/reviewer.md", "---\ndescription: >\n  Reviews,\n  word agent-pintail.\ntools: [view, grep]\n---\nReview.\n")
	theirs(".copilot/settings.json", "// mine\n{\n  \"beep\": false, // quiet\n}\n")
	theirs(".copilot/mcp-config.json", fmt.Sprintf("{\"mcpServers\": {\"own\": {\"command\": %q, \"tools\": [\"echo\"]}}}\n", h.tools.mcpserver))
	theirs(".agents/skills/release/SKILL.md", "---\nname: release\ndescription: Releases, word skill-shoveler.\n---\nRelease.\n")
	before := h.prompt("go", nil).last(h.t)

	manifest := filepath.Join(h.src, "machine.hcl")
	if r := h.agentihooks("init", "--from-home", "-f", manifest); r.code != 0 || strings.Contains(r.stdout, "stay yours") {
		h.t.Fatalf("init: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	h.moved("switch", "-f", manifest, "--json")
	after := h.prompt("go", nil).last(h.t)

	for _, word := range []string{"own-wigeon", "scoped-garganey", "agent-pintail", "skill-shoveler"} {
		if n, want := strings.Count(after.Text(), word), strings.Count(before.Text(), word); n != want || want == 0 {
			h.t.Errorf("the model is told %s %d times, and was told it %d times", word, n, want)
		}
	}
	if got, want := after.ToolNames(), before.ToolNames(); !slices.Equal(got, want) || !slices.Contains(want, "own-echo") {
		h.t.Errorf("tools %q, before %q", got, want)
	}
	if got, want := systemText(after), systemText(before); got != want {
		h.t.Errorf("the system message was\n%s\nand is\n%s", want, got)
	}
	if got := h.read(filepath.Join(h.dir, ".copilot", "settings.json")); got != "// mine\n{\n  \"beep\": false, // quiet\n}\n" {
		h.t.Errorf("settings.json became %q", got)
	}
}

// perSession is what differs from one session to the next.
var perSession = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

func systemText(req modelserver.Request) string {
	var out []string
	for _, m := range req.Messages {
		if m.Role == "system" {
			out = append(out, perSession.ReplaceAllString(m.Text, "*"))
		}
	}
	return strings.Join(out, "\n")
}
