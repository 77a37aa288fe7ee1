package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// payloads is the folder of payloads as Copilot sent them.
const payloads = "../../testdata/payloads/"

// The variables with which the test binary becomes a hook whose guards misbehave.
const (
	oddGuard = "HOOK_TEST_GUARD"
	oddSelf  = "HOOK_TEST_SELF" // what it takes for its own path
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(oddGuard); kind != "" {
		os.Exit(Run(oddWorld(kind)))
	}
	code := m.Run()
	if scratch != "" {
		os.RemoveAll(scratch)
	}
	os.Exit(code)
}

// oddWorld is the real world with a guard that never comes to a proper verdict, and less patience.
func oddWorld(kind string) World {
	debug.SetMaxStack(maxStack)
	w := machine()
	w.Executable = func() (string, error) { return os.Getenv(oddSelf), nil }
	w.Deadline, w.Grace, w.Command = 200*time.Millisecond, 200*time.Millisecond, 300*time.Millisecond
	if kind == "overflows" {
		w.Deadline = deadline
	}
	w.Judge = func(string, []byte, *guard.Call) (guard.Verdict, error) {
		switch kind {
		case "panics":
			var none *guard.Call
			return guard.Verdict{Reason: none.Tool}, nil
		case "spins":
			for i := 0; ; i++ {
				if i < 0 {
					return guard.Verdict{}, nil
				}
			}
		case "hangs":
			select {}
		case "races":
			time.Sleep(w.Deadline)
			return guard.Verdict{Kind: guard.Deny, Reason: "late"}, nil
		case "overflows":
			return guard.Verdict{Reason: fmt.Sprint(deep(1))}, nil
		case "unknown verdict":
			return guard.Verdict{Kind: 200, Reason: "odd"}, nil
		case "denies":
			return guard.Verdict{Kind: guard.Deny, Reason: strings.Repeat("r", maxText)}, nil
		}
		return guard.Verdict{}, nil
	}
	return w
}

// deep does not come back: its argument never gets below zero on any stack.
func deep(n int) int {
	if n < 0 {
		return 0
	}
	return deep(n+1) + n
}

var scratch string // holds the built hook; removed at the end

// built is the hook, built once for all tests as a user gets it, but for this system.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if scratch, err = os.MkdirTemp("", "hook"); err != nil {
		return "", err
	}
	path := filepath.Join(scratch, "agentihooks-hook")
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "../agentihooks-hook")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(text))
	}
	return path, nil
})

// tree makes the part of a tree that the hook knows, and returns the path of its hook.
func tree(t *testing.T, encoded []byte) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	self := filepath.Join(root, "bin", "agentihooks-hook")
	data, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, self, data, 0o755)
	if encoded != nil {
		writeFile(t, filepath.Join(root, "policy", "policy.bin"), encoded, 0o644)
	}
	return self
}

func writeFile(t *testing.T, path string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
}

// denying is a policy with one guard of the real kind.
func denying(t *testing.T, patterns ...string) policy.Policy {
	t.Helper()
	g, problems := policy.Compile("commands", guard.Args{"deny": patterns})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return policy.Policy{Host: "wl-0431", Guards: []policy.Guard{g}}
}

// result is what came of one run.
type result struct {
	code           int
	stdout, stderr string
}

// run runs a program with no environment but the given, and stdin.
func run(t *testing.T, stdin io.Reader, env []string, argv ...string) result {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append([]string{}, env...)
	cmd.Stdin = stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// payload is a captured payload.
func payload(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(payloads + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// wantDenied checks that the run denied in the event's own shape, with exactly one object, and gives the reason.
func wantDenied(t *testing.T, event string, got result) (reason string) {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || got.code != exitDenied {
		t.Errorf("%s: exit %d, stdout %q, stderr %q: %v", event, got.code, got.stdout, got.stderr, err)
		return ""
	}
	verdict, text := "permissionDecision", "permissionDecisionReason"
	if strings.EqualFold(event, "permissionRequest") {
		verdict, text = "behavior", "message"
	}
	reason, _ = out[text].(string)
	if out[verdict] != "deny" || strings.TrimSpace(reason) == "" {
		t.Errorf("%s: stdout %s", event, got.stdout)
	}
	return reason
}

func wantSilent(t *testing.T, event string, got result) {
	t.Helper()
	if got.code != exitDone || got.stdout != "" {
		t.Errorf("%s: exit %d, stdout %q, stderr %q", event, got.code, got.stdout, got.stderr)
	}
}
