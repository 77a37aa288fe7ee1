package hook

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, file, got string) {
	t.Helper()
	file = filepath.Join("testdata", file)
	if *update {
		writeFile(t, file, []byte(got), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update and read the diff):\n%s", file, got)
	}
}

// world is a world in this process: a tree with the policy, and verdicts by the command that is judged.
func world(t *testing.T, p policy.Policy, judge func(*guard.Call) guard.Verdict, stdin []byte, args ...string) (World, *bytes.Buffer) {
	t.Helper()
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "policy", "policy.bin"), policy.Encode(p), 0o644)
	stdout := new(bytes.Buffer)
	return World{
		Args: args, Stdin: bytes.NewReader(stdin), Stdout: stdout, Stderr: new(bytes.Buffer),
		Environ:    func() []string { return nil },
		Executable: func() (string, error) { return filepath.Join(root, "bin", "agentihooks-hook"), nil },
		Exit:       func(code int) { panic(fmt.Sprintf("the deadline ended a test with exit %d", code)) },
		Parent:     os.Getpid,
		Now:        func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
		Judge:      func(_ string, _ []byte, call *guard.Call) (guard.Verdict, error) { return judge(call), nil },
		Record:     ledger.Append,
		Deadline:   time.Minute, Grace: time.Minute, Command: time.Minute,
	}, stdout
}

// TestShapes holds every answer still, as Copilot reads it.
func TestShapes(t *testing.T) {
	const one = `{"toolName":"bash","toolArgs":{"command":%q}}`
	const two = `{"toolCalls":[{"name":"bash","args":{"command":%q}},{"name":"bash","args":{"command":%q}}]}`
	judge := func(call *guard.Call) guard.Verdict {
		reason := "no <" + call.Command + "> & \"quotes\"\u202e\n"
		switch call.Command {
		case "note", "note2":
			return guard.Verdict{Kind: guard.Note, Reason: call.Command}
		case "ask":
			return guard.Verdict{Kind: guard.Ask, Reason: reason}
		case "deny":
			return guard.Verdict{Kind: guard.Deny, Reason: reason}
		case "wordless":
			return guard.Verdict{Kind: guard.Deny}
		}
		return guard.Verdict{}
	}
	p := policy.Policy{Guards: []policy.Guard{{Kind: "k"}}}
	var out strings.Builder
	for _, event := range guarded {
		for _, payload := range []string{
			fmt.Sprintf(one, "pass"), fmt.Sprintf(one, "note"), fmt.Sprintf(one, "ask"), fmt.Sprintf(one, "deny"), fmt.Sprintf(one, "wordless"),
			fmt.Sprintf(two, "note", "note2"), fmt.Sprintf(two, "note", "ask"), fmt.Sprintf(two, "ask", "deny"), fmt.Sprintf(two, "pass", "deny"),
		} {
			w, stdout := world(t, p, judge, []byte(payload), "copilot", event)
			fmt.Fprintf(&out, "%s %s\n  exit %d %s\n", event, payload, Run(w), stdout)
		}
	}
	golden(t, "shapes.golden", out.String())
	if strings.Contains(out.String(), "allow") {
		t.Error("an answer says allow")
	}
}

// TestLostAnswer: where stdout is gone, a question becomes a denial, and a note is only lost.
func TestLostAnswer(t *testing.T) {
	p := policy.Policy{Guards: []policy.Guard{{Kind: "k"}}}
	for kind, want := range map[guard.VerdictKind]int{guard.Note: exitDone, guard.Ask: exitDenied, guard.Deny: exitDenied} {
		judge := func(*guard.Call) guard.Verdict { return guard.Verdict{Kind: kind, Reason: "r"} }
		w, _ := world(t, p, judge, []byte(`{"toolName":"view"}`), "copilot", "preToolUse")
		w.Stdout = closedWriter{}
		if code := Run(w); code != want {
			t.Errorf("verdict %v: exit %d, want %d", kind, code, want)
		}
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestCaptured runs the hook on every payload of its twelve events that Copilot was seen to send.
func TestCaptured(t *testing.T) {
	self := tree(t, policy.Encode(denying(t, "echo ok")))
	files, err := filepath.Glob(payloads + "*/*.json")
	if err != nil || len(files) < 300 {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	denied := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		event, _, _ := strings.Cut(filepath.Base(file), ".")
		event, _, _ = strings.Cut(event, "-")
		got := run(t, bytes.NewReader(data), nil, self, "copilot", event)
		isGuarded := strings.EqualFold(event, "preToolUse") || strings.EqualFold(event, "permissionRequest")
		switch {
		case isGuarded && bytes.Contains(data, []byte("echo ok")):
			denied++
			wantDenied(t, event, got)
		case strings.EqualFold(event, "sessionStart"):
			if got.code != exitDone || !strings.HasPrefix(got.stdout, `{"additionalContext":"agentihooks: `) {
				t.Errorf("%s: exit %d, stdout %s", file, got.code, got.stdout)
			}
		case event == "statusLine":
			if got.code != exitDone || !strings.Contains(got.stdout, "ctx ") {
				t.Errorf("%s: exit %d, stdout %s", file, got.code, got.stdout)
			}
		default:
			wantSilent(t, file, got)
		}
	}
	if denied < 16 {
		t.Errorf("only %d payloads had the denied command", denied)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		nil, {"copilot"}, {"copilot", "preToolUse", "x"}, {"claude", "preToolUse"}, {"version", "x"}, {"--help"},
	} {
		w, stdout := world(t, policy.Policy{}, nil, nil, args...)
		stderr := new(bytes.Buffer)
		w.Stderr = stderr
		if code := Run(w); code != exitUsage || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "usage: ") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestVersion(t *testing.T) {
	got := run(t, nil, nil, tree(t, nil), "version")
	if got.code != exitDone || !strings.HasPrefix(got.stdout, "agentihooks-hook, policy format 2, go1.") {
		t.Errorf("%+v", got)
	}
}

func TestMessage(t *testing.T) {
	if got := message("two\nlines\x1b\u202e"); got != "two\nlines\\x1b\\u202e" {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{strings.Repeat("x", maxText+1), strings.Repeat("ü", maxText), strings.Repeat("x", maxText-15) + strings.Repeat("😀", 9)} {
		got := message(text)
		if len(got) > maxText || len(got) < maxText-8 || !utf8.ValidString(got) || !strings.HasSuffix(got, "… (cut)") {
			t.Errorf("%d bytes became %d: …%q", len(text), len(got), got[len(got)-20:])
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"brain, a-b 'ü' 日本": "brain, a-b 'ü' 日本",
		"a\nb\tc\x1b[31m":   `a\nb\tc\x1b[31m`,
		"\u202eabc\u2066":   `\u202eabc\u2066`,
		"\xff":              `�`,
	} {
		if got := visible(text); got != want {
			t.Errorf("visible(%q) = %q, want %q", text, got, want)
		}
	}
}
