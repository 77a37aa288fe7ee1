// Command hookbench measures what a hook call costs: whole processes, started in turn with an empty Go program and
// /bin/true, so that a slow machine is slow for all of them.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/memory"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/process"
	"github.com/agentihooks/agentihooks/hookbin/session"
	"github.com/agentihooks/agentihooks/internal/hookbuild"
)

// patterns is how many patterns the policy of the measured hook has.
const patterns = 200

func main() {
	runs := flag.Int("n", 300, "how often each program runs")
	root := flag.String("root", ".", "the module's folder")
	flag.Parse()
	if err := bench(*root, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "hookbench:", err)
		os.Exit(1)
	}
}

// contestant is one program that is measured.
type contestant struct {
	name  string
	argv  []string
	stdin string // file
	exit  int    // what it has to end with
	times []time.Duration
}

func bench(root string, runs int) error {
	folder, err := os.MkdirTemp("", "hookbench")
	if err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer os.RemoveAll(folder)
	contestants, err := prepare(root, folder)
	if err != nil {
		return err
	}
	for range runs {
		for i := range contestants {
			if err := contestants[i].run(); err != nil {
				return err
			}
		}
	}
	report(contestants, runs)
	return nil
}

// prepare builds the programs. The hook stands in a tree with a policy, as it does after a switch.
func prepare(root, folder string) ([]contestant, error) {
	target := hookbuild.Target{OS: runtime.GOOS, Arch: runtime.GOARCH}
	hook := filepath.Join(folder, "bin", "agentihooks-hook")
	if err := hookbuild.Build(root, target, "local", hook); err != nil {
		return nil, err
	}
	state := filepath.Join(folder, "state")
	p, err := manyPatterns(state)
	if err == nil {
		err = busy(state, p)
	}
	if err != nil {
		return nil, err
	}
	sample, err := os.ReadFile(filepath.Join(root, "testdata", "payloads", "1.0.102", "preToolUse-bash.json"))
	if err != nil {
		return nil, fmt.Errorf("reading a payload: %w", err)
	}
	files := map[string]string{
		"policy/policy.bin": string(policy.Encode(p)),
		"empty.go":          "package main\n\nfunc main() {}\n",
		"pass.json":         strings.Replace(string(sample), "echo from-sub", "git status --short && go test ./... 2>&1 | tail -n 20", 1),
		"old.json":          strings.NewReplacer("echo from-sub", "git status --short && go test ./... 2>&1 | tail -n 20", fresh, old).Replace(string(sample)),
		"deny.json":         strings.Replace(string(sample), "echo from-sub", "git status && git push --force origin main", 1),
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("making a folder for %s: %w", path, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("writing %s: %w", path, err)
		}
	}
	empty := filepath.Join(folder, "empty")
	args := append(append([]string{"build"}, hookbuild.Flags()...), "-o", empty, filepath.Join(folder, "empty.go"))
	build := exec.Command("go", args...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the empty program: %w\n%s", err, text)
	}
	pass, deny, long := filepath.Join(folder, "pass.json"), filepath.Join(folder, "deny.json"), filepath.Join(folder, "old.json")
	return []contestant{
		{name: "empty Go program", argv: []string{empty}, stdin: pass},
		{name: "/bin/true", argv: []string{"/bin/true"}, stdin: pass},
		{name: "hook, postToolUse", argv: []string{hook, "copilot", "postToolUse"}, stdin: pass},
		{name: "hook, preToolUse, passed", argv: []string{hook, "copilot", "preToolUse"}, stdin: pass},
		{name: "the same after 10,000 events", argv: []string{hook, "copilot", "preToolUse"}, stdin: long},
		{name: "hook, preToolUse, denied", argv: []string{hook, "copilot", "preToolUse"}, stdin: deny, exit: 2},
	}, nil
}

// manyPatterns is a policy of about the size that a careful user has; the last pattern is the one that denies.
func manyPatterns(state string) (policy.Policy, error) {
	var deny []string
	for i := range patterns - 1 {
		deny = append(deny, fmt.Sprintf("tool%d remove%d --force -%c", i, i, 'a'+i%26))
	}
	g, problems := policy.Compile("commands", guard.Args{"deny": append(deny, "git push --force")})
	if len(problems) > 0 {
		return policy.Policy{}, fmt.Errorf("compiling the guard: %v", problems)
	}
	self, problems := policy.Compile("self", guard.Args{"files": []string{"/home/u/.copilot/hooks/agentihooks.json"}, "merged": []string{}})
	if len(problems) > 0 {
		return policy.Policy{}, fmt.Errorf("compiling the guard self: %v", problems)
	}
	return policy.Policy{Host: "bench", StateDir: state, Channels: []string{"brain"}, Guards: []policy.Guard{g, self}}, nil
}

// The sessions of the payloads: one that begins with the measurement, and one that is old.
const (
	fresh  = "c2e7d635-9fb2-474e-8681-fb73c463ed9a"
	old    = "a-session-of-10000-events"
	events = 10_000
)

// busy makes the state of a session that has had many events.
func busy(state string, p policy.Policy) error {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	for _, id := range []string{fresh, old} {
		if err := session.Write(state, id, 1, process.Of(os.Getpid()), time.Now()); err != nil {
			return fmt.Errorf("recording a session: %w", err)
		}
	}
	m, err := memory.Open(state, old, true, time.Second)
	if err != nil {
		return fmt.Errorf("opening a session's memory: %w", err)
	}
	defer m.Close()
	for i := range events {
		if err := m.Add(memory.Judged, memory.Digest{byte(i), byte(i >> 8), 1}); err != nil {
			return fmt.Errorf("filling a session's memory: %w", err)
		}
	}
	return nil
}

// run runs the program once, stdout and stderr thrown away, and notes how long it took from start to end.
func (c *contestant) run() error {
	stdin, err := os.Open(c.stdin)
	if err != nil {
		return fmt.Errorf("opening a payload: %w", err)
	}
	defer stdin.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("opening %s: %w", os.DevNull, err)
	}
	defer null.Close()
	start := time.Now()
	process, err := os.StartProcess(c.argv[0], c.argv, &os.ProcAttr{Files: []*os.File{stdin, null, null}, Env: []string{"PATH=/bin"}})
	if err != nil {
		return fmt.Errorf("starting %s: %w", c.argv[0], err)
	}
	state, err := process.Wait()
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", c.argv[0], err)
	}
	c.times = append(c.times, time.Since(start))
	if state.ExitCode() != c.exit {
		return fmt.Errorf("%s ended with %v, not with exit status %d", c.name, state, c.exit)
	}
	return nil
}

// report prints the medians, and how they compare with the first program's.
func report(contestants []contestant, runs int) {
	fmt.Printf("%s/%s, %s, %d runs each, in turn, %d patterns\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), runs, patterns)
	fmt.Printf("%-28s %10s %12s %8s\n", "program", "median", "over empty", "ratio")
	base := median(contestants[0].times)
	for _, c := range contestants {
		m := median(c.times)
		fmt.Printf("%-28s %7.3f ms %+9.3f ms %7.2fx\n", c.name, ms(m), ms(m-base), float64(m)/float64(base))
	}
	fmt.Print("\nThe goal is at most 1.2 ms over the empty program for preToolUse.\n")
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
