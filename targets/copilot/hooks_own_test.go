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

// A hook with a secret is started by our program; the rest of its environment stands in the file.
func TestHookWithSecret(t *testing.T) {
	m := machine()
	m.Secrets = []model.Block{block("secret", "TOKEN", "file", text("/t"))}
	env := dict("A", text("b"), "TOKEN", template("@TOKEN"), "U", template("{$x}", "@TOKEN"))
	m.Hooks = []model.Block{
		block("hook", "agentStop", "exec", text("/bin/lint"), "args", list("a b"), "env", env),
		block("hook", "sessionEnd", "command", text("lint | tee x"), "env", env),
	}
	got := made(rendered(t, m), hooksPath)
	for _, want := range []string{
		`[{"type":"command","exec":"` + input(m).Hook + `","args":["secret-exec","TOKEN","U={{$x}}{TOKEN}","--","/bin/lint","a b"],"env":{"A":"b"}},`,
		`[{"type":"command","exec":"` + input(m).Hook + `","args":["secret-exec","TOKEN","U={{$x}}{TOKEN}","--","bash","--norc","--noprofile","-c","lint | tee x"],"env":{"A":"b"}},`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// A secret in a header is a variable that Copilot may expand; any other variable there would become nothing.
func TestHookHeaders(t *testing.T) {
	m := machine()
	m.Secrets = []model.Block{block("secret", "TOKEN", "env", text("TOKEN_VAR")), block("secret", "FILE", "file", text("/t"))}
	hook := func(headers model.Value) []model.Block {
		return []model.Block{block("hook", "agentStop", "url", text("https://h.example"), "headers", headers)}
	}
	m.Hooks = hook(dict("A", template("Bearer ", "@TOKEN"), "B", template("@TOKEN"), "C", text("5 $ 5")))
	want := `"headers":{"A":"Bearer ${TOKEN_VAR}","B":"${TOKEN_VAR}","C":"5 $ 5"},"allowedEnvVars":["TOKEN_VAR"]}`
	if got := made(rendered(t, m), hooksPath); !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
	for _, tt := range []struct {
		value model.Value
		code  string
	}{{text("$HOME"), "hook-header"}, {text("a ${B}"), "hook-header"}, {template("$", "@TOKEN"), "hook-header"}, {template("@FILE"), "secret-needs-env"}} {
		m.Hooks = hook(dict("A", tt.value))
		_, diags := Render(input(m))
		wantDiags(t, diags, tt.code)
	}
}

// Where the answer decides, or a secret is sent, Copilot wants TLS or an address of this machine that it was allowed.
func TestHookAddress(t *testing.T) {
	for _, tt := range []struct {
		event, address string
		secret         bool
		want           []string
	}{
		{"preToolUse", "http://localhost:8080/x", false, []string{"hook-loopback"}},
		{"preToolUse", "http://127.0.0.1/", false, []string{"hook-loopback"}},
		{"permissionRequest", "http://[::1]:1/", false, []string{"hook-loopback"}},
		{"preMcpToolCall", "http://h.example", false, []string{"hook-plain-http"}},
		{"preToolUse", "https://h.example", false, nil},
		{"postToolUse", "http://localhost", false, nil},
		{"postToolUse", "http://h.example", false, nil},
		{"postToolUse", "http://h.example", true, []string{"hook-plain-http"}},
		{"postToolUse", "https://h.example", true, nil},
	} {
		m := machine()
		m.Secrets = []model.Block{block("secret", "TOKEN", "env", text("TOKEN_VAR"))}
		headers := dict("A", text("b"))
		if tt.secret {
			headers = dict("A", template("@TOKEN"))
		}
		m.Hooks = []model.Block{block("hook", "x", "event", text(tt.event), "url", text(tt.address), "headers", headers)}
		_, diags := Render(input(m))
		wantDiags(t, diags, tt.want...)
	}
}
