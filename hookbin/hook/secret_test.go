package hook

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// value is the secret of every test: it may be in the command's environment and nowhere else.
const value = `hunter2 $(id) '"\` + "`" + `é`

// secrets is a tree with secrets of every source, and of every fault.
func secrets(t *testing.T) (self, home string) {
	t.Helper()
	home = t.TempDir()
	put := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(home, name)
		writeFile(t, path, []byte(text), mode)
		return path
	}
	pipe := filepath.Join(home, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	sh := func(script string) []string { return []string{"/bin/sh", "-c", script} }
	return tree(t, policy.Encode(policy.Policy{Secrets: []policy.Secret{
		{Name: "ENV", Env: "SOURCE"},
		{Name: "ENV_EMPTY", Env: "EMPTY"},
		{Name: "ENV_UNSET", Env: "UNSET"},
		{Name: "FILE", File: put("file", value, 0o600)},
		{Name: "FILE_CRLF", File: put("crlf", value+"\r\n", 0o600)},
		{Name: "FILE_EMPTY", File: put("empty", "\n", 0o600)},
		{Name: "FILE_FOLDER", File: home},
		{Name: "FILE_HOME", File: "~/file"},
		{Name: "FILE_LINES", File: put("lines", "a\nb\n\n", 0o600)},
		{Name: "FILE_LONG", File: put("long", strings.Repeat("x", maxSecret+1), 0o600)},
		{Name: "FILE_MAX", File: put("max", strings.Repeat("x", maxSecret), 0o600)},
		{Name: "FILE_MISSING", File: filepath.Join(home, "missing")},
		{Name: "FILE_NUL", File: put("nul", value+"\x00", 0o600)},
		{Name: "FILE_OPEN", File: put("open", value, 0o644)},
		{Name: "FILE_PIPE", File: pipe},
		{Name: "RUN", Command: []string{"cat", filepath.Join(home, "file")}},
		{Name: "RUN_DAEMON", Command: sh(`printf %s "$SOURCE"; sleep 30 &`)},
		{Name: "RUN_EMPTY", Command: []string{"true"}},
		{Name: "RUN_FAILS", Command: sh(`echo "$SOURCE"; echo "$SOURCE" >&2; exit 3`)},
		{Name: "RUN_LONG", Command: sh(`yes | head -c 100000`)},
		{Name: "RUN_MISSING", Command: []string{"no-such-program"}},
		{Name: "RUN_SLOW", Command: sh(`echo "$SOURCE"; sleep 30`)},
		{Name: "RUN_STDIN", Command: sh(`cat; printf %s "$SOURCE"`)},
	}})), home
}

// show prints the variable X, then the arguments, between brackets.
var show = []string{"/bin/sh", "-c", `printf '[%s]' "$X" "$@"`, "sh"}

func TestSecretExec(t *testing.T) {
	self, home := secrets(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SOURCE=" + value, "X=before", "EMPTY="}
	for assignment, want := range map[string]string{
		"X={ENV}":                     value,
		"X={FILE}":                    value,
		"X={FILE_CRLF}":               value,
		"X={FILE_HOME}":               value,
		"X={FILE_LINES}":              "a\nb\n",
		"X={FILE_MAX}":                strings.Repeat("x", maxSecret),
		"X={FILE_OPEN}":               value,
		"X={RUN}":                     value,
		"X={RUN_DAEMON}":              value,
		"X={RUN_STDIN}":               value,
		"X=Bearer {ENV}, {{{FILE}}} ": "Bearer " + value + ", {" + value + "} ",
		"X=":                          "",
		"X=a=b":                       "a=b",
	} {
		argv := append([]string{self, "secret-exec", assignment, "--"}, append(show, "--", "a b", "*")...)
		got := run(t, strings.NewReader("the server's input"), env, argv...)
		if got.code != 0 || got.stdout != "["+want+"][--][a b][*]" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", assignment, got.code, got.stdout, got.stderr)
		}
		if warns := assignment == "X={FILE_OPEN}"; strings.Contains(got.stderr, "chmod 600") != warns || !warns && got.stderr != "" {
			t.Errorf("%s: stderr %q", assignment, got.stderr)
		}
		if strings.Contains(got.stderr, "hunter2") {
			t.Errorf("%s: the secret is on stderr: %s", assignment, got.stderr)
		}
	}
}

// TestSecretExecBecomes: it is replaced by the command, which has our stdin, the variables once each, and no argument
// with a value.
func TestSecretExecBecomes(t *testing.T) {
	self, home := secrets(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SOURCE=" + value, "ENV=before", "OTHER=1"}
	got := run(t, strings.NewReader("the server's input"), env, self, "secret-exec", "ENV", "Y={ENV}", "--", "/bin/sh", "-c", "cat; env; exit 7")
	want := "the server's input"
	if got.code != 7 || !strings.HasPrefix(got.stdout, want) {
		t.Fatalf("%+v", got)
	}
	lines := strings.Split(strings.TrimPrefix(got.stdout, want), "\n")
	for _, entry := range []string{"ENV=" + value, "Y=" + value, "OTHER=1"} {
		name, _, _ := strings.Cut(entry, "=")
		var found []string
		for _, line := range lines {
			if strings.HasPrefix(line, name+"=") {
				found = append(found, line)
			}
		}
		if !reflect.DeepEqual(found, []string{entry}) {
			t.Errorf("%s: %q", name, found)
		}
	}
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		return
	}
	got = run(t, nil, env, self, "secret-exec", "X={ENV}", "--", "cat", "/proc/self/cmdline")
	if got.stdout != "cat\x00/proc/self/cmdline\x00" {
		t.Errorf("arguments %q", got.stdout)
	}
}

func TestSecretExecRefuses(t *testing.T) {
	self, home := secrets(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SOURCE=" + value, "EMPTY="}
	for name, says := range map[string]string{
		"ENV_EMPTY":    "environment variable EMPTY): it is empty or not set",
		"ENV_UNSET":    "environment variable UNSET): it is empty or not set",
		"FILE_EMPTY":   "it is empty or not set",
		"FILE_FOLDER":  "it is no regular file",
		"FILE_LONG":    "too long",
		"FILE_MISSING": "no such file",
		"FILE_NUL":     "NUL",
		"FILE_PIPE":    "it is no regular file",
		"NO_SUCH":      "not in the manifest",
		"RUN_EMPTY":    "command true): it is empty or not set",
		"RUN_FAILS":    "exit status 3",
		"RUN_LONG":     "too long",
		"RUN_MISSING":  "not found",
	} {
		got := run(t, nil, env, self, "secret-exec", "X=Bearer {"+name+"}", "--", "echo", "ran")
		if got.code != exitFailed || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, "secret "+name) || !strings.Contains(got.stderr, says) || strings.Contains(got.stderr, "hunter2") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", name, got.code, got.stdout, got.stderr)
		}
	}
	got := run(t, nil, []string{"PATH=" + os.Getenv("PATH")}, self, "secret-exec", "FILE_HOME", "--", "echo", "ran")
	if got.code != exitFailed || got.stdout != "" || !strings.Contains(got.stderr, "HOME is not set") {
		t.Errorf("without HOME: %+v", got)
	}
	got = run(t, nil, env, tree(t, nil), "secret-exec", "ENV", "--", "echo", "ran")
	if got.code != exitFailed || got.stdout != "" || !strings.Contains(got.stderr, "agentihooks verify") {
		t.Errorf("without a policy: %+v", got)
	}
}

// TestSecretCommandTooSlow: the command and what it started end with its time.
func TestSecretCommandTooSlow(t *testing.T) {
	self, _ := secrets(t)
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	env := []string{"PATH=" + os.Getenv("PATH"), "SOURCE=" + value, oddGuard + "=none", oddSelf + "=" + self}
	got := run(t, nil, env, test, "secret-exec", "RUN_SLOW", "--", "echo", "ran")
	if got.code != exitFailed || got.stdout != "" || !strings.Contains(got.stderr, "did not end within") || time.Since(start) > 10*time.Second {
		t.Errorf("after %v: %+v", time.Since(start), got)
	}
}

func TestSecretExecStart(t *testing.T) {
	self, home := secrets(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "SOURCE=" + value}
	for command, want := range map[string]int{
		"no-such-program": exitNoFound, filepath.Join(home, "missing"): exitNoFound, home: exitNoExec,
	} {
		got := run(t, nil, env, self, "secret-exec", "ENV", "--", command)
		if got.code != want || got.stdout != "" || !strings.Contains(got.stderr, "starting "+command) || strings.Contains(got.stderr, "hunter2") {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

func TestParseAssignments(t *testing.T) {
	bad := [][]string{
		{},
		{"--", "x"},
		{"A"},
		{"A", "--"},
		{"=x", "--", "x"},
		{"", "--", "x"},
		{"A={", "--", "x"},
		{"A=}", "--", "x"},
		{"A={}", "--", "x"},
		{"A={B", "--", "x"},
		{"A={B{C}}", "--", "x"},
		{"A={B}}", "--", "x"},
	}
	for _, args := range bad {
		if variables, command, err := parseAssignments(args); err == nil {
			t.Errorf("%q: accepted as %v, %v", args, variables, command)
		}
	}
	variables, command, err := parseAssignments([]string{"A", "B=x{C}{D}}}{{", "E=", "--", "x", "--", "y"})
	want := []variable{
		{"A", []part{{"A", true}}},
		{"B", []part{{"x", false}, {"C", true}, {"D", true}, {"}{", false}}},
		{"E", nil},
	}
	if err != nil || !reflect.DeepEqual(variables, want) || !reflect.DeepEqual(command, []string{"x", "--", "y"}) {
		t.Errorf("%v, %q, %v", variables, command, err)
	}
}
