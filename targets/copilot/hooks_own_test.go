package copilot

import (
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func TestOwnHooks(t *testing.T) {
	m := machine()
	m.Hooks = []model.Block{
		block("hook", "audit", "event", text("preToolUse"), "url", text("https://h.example/a"), "headers", dict("X", text("y"))),
		block("hook", "errorOccurred", "command", text("echo >&2")),
		block("hook", "greet", "event", text("sessionStart"), "prompt", text("Read NOTES.md.")),
		block("hook", "preToolUse", "exec", text("/bin/lint"), "args", list("a b"), "matcher", text("bash|edit"), "timeoutSec", number("0.5"), "env", dict("A", text("$B")), "cwd", text("tools")),
	}
	got := made(rendered(t, m), hooksPath)
	for _, want := range []string{
		`"sessionStart": [{"type":"prompt","prompt":"Read NOTES.md."},{"type":"command","exec":"` + input(m).Hook + `","args":["copilot","sessionStart"],"timeoutSec":30}],`,
		`"preToolUse": [{"type":"http","url":"https://h.example/a","headers":{"X":"y"}},{"type":"command","exec":"/bin/lint","args":["a b"],"matcher":"bash|edit","timeoutSec":0.5,"env":{"A":"$B"},"cwd":"tools"},{"type":"command","exec":"` + input(m).Hook + `",`,
		`    "errorOccurred": [{"type":"command","command":"echo >&2"}]` + "\n  }",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	m.Targets[0] = machine("hooks", truth(false)).Targets[0]
	if got := made(rendered(t, m), hooksPath); strings.Contains(got, "agentihooks-hook") || strings.Count(got, `"type"`) != 4 {
		t.Errorf("without ours:\n%s", got)
	}
}

func TestLoopbackHook(t *testing.T) {
	for address, want := range map[string][]string{
		"http://localhost:8080/x": {"hook-loopback"}, "http://127.0.0.1/": {"hook-loopback"}, "http://[::1]:1/": {"hook-loopback"}, "https://h.example": nil,
	} {
		m := machine()
		m.Hooks = []model.Block{block("hook", "preToolUse", "url", text(address))}
		_, diags := Render(input(m))
		wantDiags(t, diags, want...)
		m.Hooks = []model.Block{block("hook", "postToolUse", "url", text(address))}
		_, diags = Render(input(m))
		wantDiags(t, diags)
	}
}
