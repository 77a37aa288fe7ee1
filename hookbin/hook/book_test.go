package hook

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// byCommand is a guard whose verdict is the command itself.
func byCommand(call *guard.Call) guard.Verdict {
	v := guard.Verdict{Reason: "about " + call.Command}
	switch call.Command {
	case "note":
		v.Kind = guard.Note
	case "ask":
		v.Kind = guard.Ask
	case "deny":
		v.Kind = guard.Deny
	case "panic":
		panic("at hunter2")
	}
	return v
}

func recorded(t *testing.T, state, session string) []ledger.Entry {
	t.Helper()
	entries, odd, err := ledger.Of(state, session).Next()
	if err != nil || odd > 0 {
		t.Errorf("%d odd lines, %v", odd, err)
	}
	return entries
}

// TestVerdictsAreRecorded: what was said is in the ledger, and silence is not.
func TestVerdictsAreRecorded(t *testing.T) {
	const one = `{"sessionId":"s","toolName":"bash","toolArgs":{"command":%q}}`
	const two = `{"sessionId":"s","toolCalls":[{"name":"bash","args":{"command":%q}},{"name":"bash","args":{"command":%q}}]}`
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	entry := func(event, tool, guard, verdict, reason string) ledger.Entry {
		return ledger.Entry{Version: 1, Time: at, Session: "s", Event: event, Tool: tool, Guard: guard, Verdict: verdict, Reason: reason}
	}
	for _, tt := range []struct {
		event, payload string
		want           []ledger.Entry
	}{
		{"preToolUse", fmt.Sprintf(one, "pass"), nil},
		{"postToolUse", fmt.Sprintf(one, "deny"), nil},
		{"preToolUse", fmt.Sprintf(one, "note"), []ledger.Entry{entry("preToolUse", "bash", "k", "note", "")}},
		{"preToolUse", fmt.Sprintf(one, "ask"), []ledger.Entry{entry("preToolUse", "bash", "k", "ask", "")}},
		{"PreToolUse", fmt.Sprintf(one, "deny"), []ledger.Entry{entry("preToolUse", "bash", "k", "deny", "")}},
		{"preToolUse", fmt.Sprintf(two, "note", "deny"), []ledger.Entry{
			entry("preToolUse", "bash", "k", "note", ""), entry("preToolUse", "bash", "k", "deny", ""),
		}},
		{"permissionRequest", fmt.Sprintf(one, "note"), nil}, // nobody is told there
		{"permissionRequest", fmt.Sprintf(one, "deny"), []ledger.Entry{entry("permissionRequest", "bash", "k", "deny", "")}},
		{"preToolUse", fmt.Sprintf(one, "panic"), []ledger.Entry{entry("preToolUse", "bash", "", "deny", "its check broke down")}},
	} {
		p := policy.Policy{StateDir: t.TempDir(), Guards: []policy.Guard{{Kind: "k"}}}
		w, _ := world(t, p, byCommand, []byte(tt.payload), "copilot", tt.event)
		Run(w)
		if got := recorded(t, p.StateDir, "s"); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", tt.event, tt.payload, got, tt.want)
		}
	}
}

// TestLateVerdictIsRecorded: the denial of the deadline is in the ledger, too.
func TestLateVerdictIsRecorded(t *testing.T) {
	p := policy.Policy{StateDir: t.TempDir(), Guards: []policy.Guard{{Kind: "k"}}}
	exited := make(chan int)
	w, _ := world(t, p, func(*guard.Call) guard.Verdict { select {} }, []byte(`{"sessionId":"s","toolName":"view"}`), "copilot", "preToolUse")
	w.Deadline = 50 * time.Millisecond
	w.Exit = func(code int) { exited <- code; select {} }
	go Run(w)
	if code := <-exited; code != exitDenied {
		t.Errorf("exit %d", code)
	}
	if got := recorded(t, p.StateDir, "s"); len(got) != 1 || got[0].Reason != "its check took too long" || got[0].Tool != "view" {
		t.Errorf("%+v", got)
	}
}

// TestLedgerHidesTheCommand runs the hook as users get it on calls that hold a password, and looks for it.
func TestLedgerHidesTheCommand(t *testing.T) {
	p := denying(t, "git push --force", "curl -u *")
	p.StateDir = t.TempDir()
	self := tree(t, policy.Encode(p))
	payloads := []string{
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"git push --force https://u:hunter2@example.net"}}`,
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"curl -u me:hunter2 x"}}`,
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"git push $hunter2; echo --force"}}`,
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"git push --force hunter2 ((( \""}}`,
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"python -c 'git push --force hunter2'"}}`,
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"` + strings.Repeat("hunter2;", 1<<18) + `"}}`,
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":["hunter2"]}}`,
		`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"hunter2"`,
	}
	for _, payload := range payloads {
		wantDenied(t, "preToolUse", run(t, strings.NewReader(payload), nil, self, "copilot", "preToolUse"))
	}
	q := policy.Policy{StateDir: p.StateDir, Guards: []policy.Guard{{Kind: "k"}}}
	w, _ := world(t, q, byCommand, []byte(`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"panic"}}`), "copilot", "preToolUse")
	Run(w)
	files, err := filepath.Glob(filepath.Join(p.StateDir, "ledger", "*"))
	if err != nil || len(files) != 2 { // of the session, and of payloads that name none
		t.Fatalf("%q, %v", files, err)
	}
	lines := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(data, []byte("\n"))
		if bytes.Contains(data, []byte("hunter2")) || bytes.Contains(data, []byte("example")) {
			t.Errorf("the ledger shows what was judged:\n%s", data)
		}
	}
	if lines != len(payloads)+1 {
		t.Errorf("%d lines for %d denials", lines, len(payloads)+1)
	}
}

// TestLedgerChangesNoVerdict: whatever becomes of the ledger, the answer is the same.
func TestLedgerChangesNoVerdict(t *testing.T) {
	for name, record := range map[string]func(string, string, ...ledger.Entry) error{
		"full disk": func(string, string, ...ledger.Entry) error { return syscall.ENOSPC },
		"panic":     func(string, string, ...ledger.Entry) error { panic("no") },
		"hangs":     func(string, string, ...ledger.Entry) error { select {} },
	} {
		for _, command := range []string{"pass", "note", "ask", "deny"} {
			p := policy.Policy{StateDir: t.TempDir(), Guards: []policy.Guard{{Kind: "k"}}}
			payload := fmt.Appendf(nil, `{"sessionId":"s","toolName":"bash","toolArgs":{"command":%q}}`, command)
			plain, want := world(t, p, byCommand, payload, "copilot", "preToolUse")
			wantCode := Run(plain)
			w, got := world(t, p, byCommand, payload, "copilot", "preToolUse")
			w.Record = record
			if code := Run(w); code != wantCode || got.String() != want.String() {
				t.Errorf("%s, %s: exit %d, %s, want %d, %s", name, command, code, got, wantCode, want)
			}
		}
	}
}
