package store

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/ostest"
)

func TestManyProcessesAddOneTree(t *testing.T) {
	state := ostest.TempDir(t)
	const n = 6
	outs := make([]*strings.Builder, n)
	var waits []func() error
	var starts []func() error
	for i := range n {
		outs[i] = &strings.Builder{}
		cmd := child(state)
		cmd.Stdout, cmd.Stderr = outs[i], outs[i]
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		starts, waits = append(starts, in.Close), append(waits, cmd.Wait)
	}
	for _, start := range starts {
		if err := start(); err != nil {
			t.Fatal(err)
		}
	}
	wrote := 0
	for i, wait := range waits {
		if err := wait(); err != nil {
			t.Errorf("process %d: %v\n%s", i, err, outs[i])
		}
		if outs[i].String() == "true\n" {
			wrote++
		}
	}
	if wrote != 1 {
		t.Errorf("%d processes say that they wrote it", wrote)
	}
	s := New(state)
	p := s.PathOf(benchTree(t, "").Name())
	if err := s.Verify(p); err != nil {
		t.Error(err)
	}
	if got := names(t, s); len(got) != 1 {
		t.Errorf("the store holds %q", got)
	}
}

// midAdd starts a process that adds a tree, and stops it (signal) when that many files are written. It returns nil if
// the process was faster.
func midAdd(t *testing.T, state string, files int, signal os.Signal) *exec.Cmd {
	t.Helper()
	cmd := child(state)
	cmd.Stdin = nil // /dev/null: it begins at once
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		if tmps, _ := filepath.Glob(filepath.Join(state, "store", ".tmp-*")); len(tmps) == 1 && countFiles(tmps[0]) >= files {
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			return cmd
		}
		if _, err := os.Stat(string(New(state).PathOf(benchTree(t, "").Name()))); err == nil {
			_ = cmd.Wait()
			return nil
		}
	}
	t.Fatal("the process does not begin")
	return nil
}

func countFiles(dir string) int {
	n := 0
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

func TestKilledInTheMiddle(t *testing.T) {
	hits := 0
	for _, files := range []int{0, 1, 50, 100, 200, 300} {
		state := ostest.TempDir(t)
		cmd := midAdd(t, state, files, os.Kill)
		if cmd == nil {
			continue // it was faster than we
		}
		_ = cmd.Wait()
		s := New(state)
		list, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list { // killed after the rename
			if err := s.Verify(p); err != nil {
				t.Error(err)
			}
		}
		if len(list) == 0 {
			hits++
		}
		if err := s.CleanTemp(); err != nil {
			t.Error(err)
		}
		if got := names(t, s); len(got) != len(list) {
			t.Errorf("after cleaning the store holds %q", got)
		}
		if _, _, err := s.Add(benchTree(t, ""), ""); err != nil {
			t.Error(err)
		}
	}
	if hits == 0 {
		t.Error("no process was killed while it wrote: the test shows nothing")
	}
}

func TestCleanTempSparesTheLiving(t *testing.T) {
	for range 20 {
		state := ostest.TempDir(t)
		cmd := midAdd(t, state, 20, syscall.SIGSTOP)
		if cmd == nil {
			continue
		}
		s := New(state)
		before := names(t, s)
		if err := s.CleanTemp(); err != nil {
			t.Error(err)
		}
		after := names(t, s)
		tmp := len(before) == 1 && strings.HasPrefix(before[0], tempPrefix)
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("the process that was writing: %v (before %q, after %q)", err, before, after)
		}
		if tmp {
			if len(after) != 1 {
				t.Errorf("before %q, after %q", before, after)
			}
			return
		}
	}
	t.Error("no process was stopped while it wrote: the test shows nothing")
}
