package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// The environment variables that say where the CLI is. AGENTIHOOKS_COPILOT lists launchers like PATH lists folders;
// AGENTIHOOKS_E2E=require turns a missing CLI from a skip into a failure; AGENTIHOOKS_COPILOT_CACHE is the folder into
// which the CLI unpacks itself (235 MB a version), one folder a version, shared by all runs.
const (
	envCopilot = "AGENTIHOOKS_COPILOT"
	envMode    = "AGENTIHOOKS_E2E"
	envCache   = "AGENTIHOOKS_COPILOT_CACHE"
)

// runLimit ends a run that hangs. A cold start on two busy cores was seen to take 10 s.
const runLimit = 90 * time.Second

// cli is one installed Copilot CLI.
type cli struct {
	version string
	path    string // absolute
	cache   string
	slots   chan struct{} // shared by all versions: one place a core
}

// findCopilot returns the CLIs to test with, or skips.
func findCopilot(t *testing.T) []cli {
	t.Helper()
	paths := filepath.SplitList(os.Getenv(envCopilot))
	if len(paths) == 0 {
		if p, err := exec.LookPath("copilot"); err == nil {
			paths = []string{p}
		}
	}
	if len(paths) == 0 {
		missing(t, "copilot not found: set "+envCopilot+" to run the end-to-end tests")
	}
	cache := os.Getenv(envCache)
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Fatalf("no folder for the CLI's package cache, set %s: %v", envCache, err)
		}
		cache = filepath.Join(dir, "agentihooks-e2e")
	}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var found []cli
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			t.Fatal(err)
		}
		c := cli{version: copilotVersion(t, abs), path: abs, slots: slots}
		// Of its own: a release complains of what another one kept of the tools of a server (1.0.80 and 1.0.83).
		c.cache = filepath.Join(cache, c.version)
		if err := os.MkdirAll(c.cache, 0o700); err != nil {
			t.Fatal(err)
		}
		found = append(found, c)
	}
	return found
}

// missing skips a test that lacks a program, or fails it where the tests are required.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv(envMode) == "require" {
		t.Fatal(what)
	}
	t.Skip(what)
}

var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+\S*\b`)

// copilotVersion reads the version from the package.json beside the npm launcher, or asks another kind of launcher.
func copilotVersion(t *testing.T, launcher string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(launcher)
	if err != nil {
		t.Fatalf("%s: %v", envCopilot, err)
	}
	var pkg struct{ Version string }
	if data, err := os.ReadFile(filepath.Join(filepath.Dir(real), "package.json")); err == nil {
		if err := json.Unmarshal(data, &pkg); err == nil && pkg.Version != "" {
			return pkg.Version
		}
	}
	cmd := exec.Command(launcher, "--version")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("asking %s for its version: %v", launcher, err)
	}
	v := versionPattern.FindString(string(out))
	if v == "" {
		t.Fatalf("%s --version says no version: %q", launcher, out)
	}
	return v
}

// result is what one run of a program gave.
type result struct {
	stdout, stderr string
	code           int
	log            string                // Copilot's own log at level all
	requests       []modelserver.Request // what its model was asked
}

// last is the last request of the run, which holds the whole conversation.
func (r result) last(t *testing.T) modelserver.Request {
	t.Helper()
	if len(r.requests) == 0 {
		t.Fatalf("no request reached the model\nstdout: %s\nstderr: %s\nlog: %s", r.stdout, r.stderr, tail(r.log))
	}
	return r.requests[len(r.requests)-1]
}

// toolResult is what the agent was told about call i of turn n.
func (r result) toolResult(t *testing.T, n, i int) string {
	t.Helper()
	text, ok := r.last(t).Result(n, i)
	if !ok {
		t.Fatalf("the last of %d requests has no result for call %d of turn %d\nstdout: %s\nstderr: %s",
			len(r.requests), i, n, r.stdout, r.stderr)
	}
	return text
}

// prompt runs one session without a person, answered by a scripted model, with all tools and paths allowed.
func (h *home) prompt(text string, turns []modelserver.Turn, args ...string) result {
	h.t.Helper()
	return h.session(text, turns, append([]string{"--allow-all-tools", "--allow-all-paths"}, args...)...)
}

// session is prompt without that leave.
func (h *home) session(text string, turns []modelserver.Turn, args ...string) result {
	h.t.Helper()
	server := h.model(turns...)
	defer server.Close()
	logs := h.newDir("log")
	args = append([]string{"-p", text, "--log-level", "all", "--log-dir", logs}, args...)
	r := h.run(h.agentEnv(server.BaseURL()), args)
	r.requests = server.Requests()
	for _, f := range server.Faults() {
		h.t.Errorf("the scripted model was asked what it does not know: %s", f)
	}
	files, err := filepath.Glob(filepath.Join(logs, "*.log"))
	if err != nil || len(files) == 0 {
		h.t.Errorf("the run left no log in %s (%v)", logs, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			h.t.Error(err)
		}
		r.log += string(data)
	}
	if !h.mayComplain {
		for _, c := range complaints(r.log) {
			h.t.Errorf("in Copilot's log: %s", c)
		}
	}
	return r
}

// model starts a scripted model, which the caller closes.
func (h *home) model(turns ...modelserver.Turn) *modelserver.Server {
	h.t.Helper()
	server, err := modelserver.Start(turns...)
	if err != nil {
		h.t.Fatal(err)
	}
	return server
}

// copilot runs one of the CLI's own commands, such as `mcp list`.
func (h *home) copilot(args ...string) result {
	h.t.Helper()
	return h.run(h.agentEnv("http://127.0.0.1:9/v1"), args)
}

func (h *home) run(env, args []string) result {
	h.t.Helper()
	h.cli.slots <- struct{}{}
	defer func() { <-h.cli.slots }()
	command := slices.Concat(h.via, []string{h.cli.path}, args)
	return execute(h.t, h.work, env, command[0], command[1:]...)
}

// agentEnv is Copilot's environment, with a model of ours behind it. The key is no word of any text, because Copilot
// puts asterisks wherever it stands in a log or in a tool's result.
func (h *home) agentEnv(modelURL string) []string {
	return append(h.baseEnv(), append([]string{
		"XDG_CACHE_HOME=" + h.cli.cache,
		"COPILOT_OFFLINE=true",
		"COPILOT_AUTO_UPDATE=false",
		"COPILOT_PROVIDER_BASE_URL=" + modelURL,
		"COPILOT_PROVIDER_API_KEY=scripted-model-key",
		"COPILOT_MODEL=gpt-4.1",
		"COPILOT_PROVIDER_WIRE_MODEL=scripted",
	}, h.env...)...)
}

// execute runs a program to its end. On a timeout it ends the whole process group, since the CLI's launcher starts the
// real program as a child.
func execute(t *testing.T, dir string, env []string, name string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s %q did not end within %v\nstdout: %s\nstderr: %s", name, args, runLimit, tail(stdout.String()), tail(stderr.String()))
	case err != nil && !errors.As(err, &exit):
		t.Fatalf("running %s %q: %v", name, args, err)
	}
	return result{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
}

// tail is the end of a long text, for a message.
func tail(s string) string {
	const most = 4000
	if len(s) > most {
		s = "…" + strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return s
}
