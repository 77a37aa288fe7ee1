//go:build linux && amd64

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/internal/faults"
)

// victimDir makes this binary the program that is traced: it writes there from twenty goroutines.
const victimDir = "FAULTS_TEST_VICTIM"

const writers = 20

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		fmt.Println("done")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func victim(dir string) error {
	var group sync.WaitGroup
	errs := make([]error, writers)
	for i := range writers {
		group.Go(func() {
			path := filepath.Join(dir, fmt.Sprint("f", i))
			if errs[i] = os.WriteFile(path, []byte("x"), 0o600); errs[i] == nil {
				errs[i] = os.Rename(path, path+".new")
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func run(t *testing.T, dir string, plan faults.Plan) faults.Outcome {
	t.Helper()
	plan.Beneath = []string{dir}
	out, err := faults.Run(faults.Program{Args: []string{os.Args[0]}, Env: []string{victimDir + "=" + dir}}, plan)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		t.Skipf("no process may be traced here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A file is opened, written and renamed: three calls that change something, whatever the threads.
const changes = 3 * writers

func TestCallsAreCountedOverAllThreads(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		out := run(t, dir, faults.Plan{Changes: true})
		if len(out.Calls) != changes || out.Fired || out.Killed || out.Exit != 0 || out.Stdout != "done\n" {
			t.Fatalf("%d calls, %+v", len(out.Calls), out)
		}
		kinds := map[string]int{}
		for _, c := range out.Calls {
			kinds[c.Name]++
			if filepath.Dir(c.Path) != dir || !c.Changes {
				t.Errorf("call %+v", c)
			}
			if c.Name == "renameat" && c.From+".new" != c.Path {
				t.Errorf("rename %s", c)
			}
		}
		if kinds["openat"] != writers || kinds["write"] != writers || kinds["renameat"] != writers {
			t.Errorf("calls %v", kinds)
		}
	}
}

func TestReadsCountWhereAskedFor(t *testing.T) {
	out := run(t, t.TempDir(), faults.Plan{})
	if !slices.ContainsFunc(out.Calls, func(c faults.Call) bool { return c.Name == "close" && !c.Changes }) {
		t.Errorf("no close among %v", out.Calls)
	}
}

func TestKillMakesNoCall(t *testing.T) {
	for at := 1; at <= changes; at += 7 {
		dir := t.TempDir()
		out := run(t, dir, faults.Plan{Changes: true, At: at, Fault: faults.Kill})
		if !out.Killed || !out.Fired || len(out.Calls) != at || out.Stdout != "" {
			t.Fatalf("at %d: %+v", at, out)
		}
		if last := out.Calls[at-1]; last.Name == "renameat" {
			if _, err := os.Lstat(last.Path); err == nil {
				t.Errorf("at %d the call was made: %s", at, last)
			}
		}
	}
}

func TestErrorIsWhatTheProgramSees(t *testing.T) {
	for fault, text := range map[syscall.Errno]string{
		syscall.EIO: "input/output error", syscall.ENOSPC: "no space left", syscall.EACCES: "permission denied", syscall.EROFS: "read-only file system",
	} {
		dir := t.TempDir()
		out := run(t, dir, faults.Plan{Changes: true, At: 5, Fault: fault})
		if out.Killed || !out.Fired || out.Exit != 3 || strings.Count(out.Stderr, text) != 1 {
			t.Errorf("%v: %+v", fault, out)
		}
		if items, _ := os.ReadDir(dir); len(items) < writers-1 {
			t.Errorf("%v: more than one failed: %v", fault, items)
		}
	}
	if out := run(t, t.TempDir(), faults.Plan{Changes: true, At: 5, Fault: syscall.EINTR}); !out.Fired || out.Exit != 0 {
		t.Errorf("Go repeats an interrupted call, and this program failed: %+v", out)
	}
}

func TestSeveralTracersInOneProcess(t *testing.T) {
	var group sync.WaitGroup
	for range 4 {
		dir := t.TempDir()
		group.Go(func() {
			for range 3 {
				if out := run(t, dir, faults.Plan{Changes: true, At: changes + 1}); len(out.Calls) != changes || out.Fired {
					t.Errorf("%d calls", len(out.Calls))
				}
			}
		})
	}
	group.Wait()
}

func TestAProgramThatIsNotThere(t *testing.T) {
	if _, err := faults.Run(faults.Program{Args: []string{"/nonexistent"}}, faults.Plan{}); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("error %v", err)
	}
}
