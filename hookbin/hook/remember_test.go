package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/session"
)

const oneCall = `{"sessionId":"s","toolName":"bash","toolArgs":{"command":%q,"description":"d"}}`

// asked is what a hook with a state folder answers to a payload.
func asked(t *testing.T, state, event, payload string, judge func(*guard.Call) guard.Verdict) (stdout string, code int) {
	t.Helper()
	w, out := world(t, policy.Policy{StateDir: state, Guards: []policy.Guard{{Kind: "k"}}}, judge, []byte(payload), "copilot", event)
	code = Run(w)
	return out.String(), code
}

// warning is a guard that warns of every command.
func warning(call *guard.Call) guard.Verdict {
	if call.Command == "deny" {
		return guard.Verdict{Kind: guard.Deny, Reason: "no"}
	}
	return guard.Verdict{Kind: guard.Warn, Reason: "careful", Rule: "r"}
}

func TestWarnedOnce(t *testing.T) {
	state := t.TempDir()
	for i, test := range []struct {
		event, payload string
		denied         bool
	}{
		{"preToolUse", fmt.Sprintf(oneCall, "a"), true},
		{"preToolUse", fmt.Sprintf(oneCall, "b"), true},
		{"permissionRequest", `{"sessionId":"s","toolName":"bash","toolInput":{"command":"a"}}`, false},
		{"preToolUse", `{"toolArgs":{"description": "d", "command":"a"},"sessionId":"s","toolName":"bash"}`, false}, // as the first
		{"preToolUse", fmt.Sprintf(oneCall, "a"), true},                                                             // it was used up
		{"preToolUse", strings.Replace(fmt.Sprintf(oneCall, "b"), `"s"`, `"other"`, 1), true},
		{"preToolUse", fmt.Sprintf(oneCall, "b"), false},
	} {
		stdout, code := asked(t, state, test.event, test.payload, warning)
		if denied := code == exitDenied; denied != test.denied || denied != strings.Contains(stdout, "careful") {
			t.Errorf("call %d: exit %d, %s", i, code, stdout)
		}
	}
}

// TestOvertaken: a call that ran with other arguments than those that were judged has its result hidden; any other has
// not, whatever the version and the spelling.
func TestOvertaken(t *testing.T) {
	pass := func(*guard.Call) guard.Verdict { return guard.Verdict{} }
	state := t.TempDir()
	post := func(command string) (string, int) {
		return asked(t, state, "postToolUse", fmt.Sprintf(oneCall, command), pass)
	}
	if out, code := post("a"); out != "" || code != exitDone {
		t.Errorf("a session of which nothing is known: exit %d, %s", code, out)
	}
	for range 2 { // the same call twice, at once
		asked(t, state, "preToolUse", fmt.Sprintf(oneCall, "a"), pass)
	}
	for i, hidden := range []bool{false, false, true} {
		out, code := post("a")
		if strings.HasPrefix(out, `{"decision":"block","reason":"agentihooks: another hook`) != hidden || code != exitDone || (out != "") != hidden {
			t.Errorf("result %d: exit %d, %s", i, code, out)
		}
	}
	if out, _ := asked(t, state, "postToolUseFailure", fmt.Sprintf(oneCall, "x"), pass); out != "" {
		t.Errorf("a call that failed: %s", out)
	}
	if out, _ := asked(t, state, "postToolUse", `{"sessionId":"s","toolName":"read_bash","toolArgs":{"shellId":"1"}}`, pass); out != "" {
		t.Errorf("what a background shell wrote: %s", out)
	}
	// A call that was denied is not let through later.
	asked(t, state, "preToolUse", fmt.Sprintf(oneCall, "deny"), warning)
	if out, _ := post("deny"); out == "" {
		t.Error("a denied call that ran is not noticed")
	}
	entries := recorded(t, state, "s")
	if last := entries[len(entries)-1]; last.Event != "postToolUse" || last.Verdict != "deny" || !strings.Contains(last.Reason, "another hook") {
		t.Errorf("in the ledger: %+v", last)
	}
}

// TestCapturedResults: what Copilot sent before and after a call is taken for one call, on each version and in either
// spelling. The captures of bash are of different calls.
func TestCapturedResults(t *testing.T) {
	files, err := filepath.Glob(payloads + "*/[pP]ostToolUse*.json")
	if err != nil {
		t.Fatal(err)
	}
	decode := func(name event.Name, file string) event.Call {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := event.Decode(name, data)
		if err != nil || len(e.Calls) != 1 {
			t.Fatalf("%s: %d calls, %v", file, len(e.Calls), err)
		}
		return e.Calls[0]
	}
	compared := 0
	for _, after := range files {
		before := strings.NewReplacer("ostToolUseFailure", "reToolUse", "ostToolUse", "reToolUse").Replace(after)
		if _, err := os.Lstat(before); err != nil {
			continue
		}
		one, two := decode(event.PreToolUse, before), decode(event.PostToolUse, after)
		if one.Tool != two.Tool || one.Tool == "bash" {
			continue
		}
		compared++
		if digestOf("", one) != digestOf("", two) {
			t.Errorf("%s is not the call of %s", after, before)
		}
	}
	if compared < 40 {
		t.Errorf("only %d pairs of payloads were compared", compared)
	}
}

// TestStateUnwritable: a call that cannot be remembered is refused, with what to do; other events are left alone.
func TestStateUnwritable(t *testing.T) {
	pass := func(*guard.Call) guard.Verdict { return guard.Verdict{} }
	state := t.TempDir()
	asked(t, state, "preToolUse", fmt.Sprintf(oneCall, "a"), pass)
	if err := os.Truncate(filepath.Join(session.Folder(state, "s"), session.MemoryFile), 7); err != nil {
		t.Fatal(err)
	}
	out, code := asked(t, state, "preToolUse", fmt.Sprintf(oneCall, "a"), pass)
	if code != exitDenied || !strings.Contains(out, "its memory of the session cannot be used") || !strings.Contains(out, "new session") {
		t.Errorf("exit %d, %s", code, out)
	}
	if out, code := asked(t, state, "postToolUse", fmt.Sprintf(oneCall, "a"), pass); out != "" || code != exitDone {
		t.Errorf("after it: exit %d, %s", code, out)
	}
	// A home that was uninstalled has no state, and its hook may still run for a moment.
	if out, code := asked(t, filepath.Join(state, "gone"), "preToolUse", fmt.Sprintf(oneCall, "a"), pass); out != "" || code != exitDone {
		t.Errorf("without a state folder: exit %d, %s", code, out)
	}
}

// TestFailures: a call that fails again and again in the same way is known to a guard, until something else succeeds.
func TestFailures(t *testing.T) {
	state := t.TempDir()
	tell := func(event, payload string) string {
		w, out := world(t, policy.Policy{StateDir: state, Guards: []policy.Guard{{Kind: "retry"}}}, func(call *guard.Call) guard.Verdict {
			return guard.Verdict{Kind: guard.Note, Reason: fmt.Sprintf("failed %d times", call.Failures())}
		}, []byte(payload), "copilot", event)
		Run(w)
		return out.String()
	}
	const result = `{"sessionId":"s","toolName":"bash","toolArgs":{"command":%q,"description":"d"},"toolResult":{"resultType":"success","textResultForLlm":"%s<shellId: %d completed with exit code %d>"}}`
	for i, step := range []struct {
		command, out string
		code, want   int // before it: so many failures
	}{
		{"make", `no\n`, 2, 0},
		{"make", `no\n`, 2, 1},
		{"make", `no\n`, 2, 2},
		{"make", `other\n`, 2, 3},
		{"make", `no\n`, 2, 3},
		{"ls", "", 0, 0},
		{"make", `no\n`, 2, 3},
		{"make", `yes\n`, 0, 4},
		{"make", `no\n`, 2, 0},
		{"make", `no\n`, 2, 1},
	} {
		if got, want := tell("preToolUse", fmt.Sprintf(oneCall, step.command)), fmt.Sprintf("failed %d times", step.want); !strings.Contains(got, want) {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
		tell("postToolUse", fmt.Sprintf(result, step.command, step.out, i, step.code))
	}
	const view = `{"sessionId":"s","toolName":"view","toolArgs":{"path":"/missing"},"error":"Path does not exist"}`
	for i := range 3 {
		if got, want := tell("preToolUse", view), fmt.Sprintf("failed %d times", i); !strings.Contains(got, want) {
			t.Errorf("view %d: %s", i, got)
		}
		tell("postToolUseFailure", view)
	}
	tell("preToolUse", strings.Replace(view, "missing", "there", 1))
	tell("postToolUse", strings.Replace(view, "missing", "there", 1)) // reading makes up for nothing
	if got := tell("preToolUse", view); !strings.Contains(got, "failed 3 times") {
		t.Errorf("after another view: %s", got)
	}
}
