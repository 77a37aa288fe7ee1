package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/session"
)

func open(t testing.TB, state string) *Memory {
	t.Helper()
	m, err := Open(state, "s", true, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func digest(n int) (d Digest) {
	binary.BigEndian.PutUint64(d[:], uint64(n))
	return d
}

func take(t testing.TB, m *Memory, kind Kind, d Digest) bool {
	t.Helper()
	ok, err := m.Take(kind, d)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestMemory(t *testing.T) {
	state := t.TempDir()
	if _, err := Open(state, "s", false, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a memory that is not there: %v", err)
	}
	m := open(t, state)
	for _, n := range []int{1, 2, 2} {
		if err := m.Add(Judged, digest(n)); err != nil {
			t.Fatal(err)
		}
	}
	m.Close()
	m = open(t, state)
	for i, want := range []bool{true, true, false} {
		if take(t, m, Judged, digest(2)) != want {
			t.Errorf("take %d is not %v", i, want)
		}
	}
	if take(t, m, Warned, digest(1)) || !take(t, m, Judged, digest(1)) {
		t.Error("a digest of one kind is taken for another")
	}
	if err := session.Remove(state, "s"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(session.Folder(state, "s")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the end of the session leaves its memory: %v", err)
	}
}

// TestBounded: ten thousand digests take the room of the first, and the latest are known.
func TestBounded(t *testing.T) {
	state := t.TempDir()
	m := open(t, state)
	for n := range 10_000 {
		if err := m.Add(Judged, digest(n)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := m.file.Stat()
	if err != nil || info.Size() != int64(size) || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if take(t, m, Judged, digest(10_000-slots-1)) || !take(t, m, Judged, digest(10_000-slots)) || !take(t, m, Judged, digest(9_999)) {
		t.Error("the oldest stays, or the latest goes")
	}
}

func TestRefused(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty":      {},
		"cut short":  make([]byte, size-1),
		"too long":   make([]byte, size+1),
		"all zeroes": make([]byte, size),
		"newer":      append([]byte("ahmemory\x00\x00\x00\x02"), make([]byte, size-len(magic))...),
	} {
		state := t.TempDir()
		open(t, state).Close()
		file := filepath.Join(session.Folder(state, "s"), session.MemoryFile)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := Open(state, "s", true, 0); err == nil {
			t.Errorf("%s is accepted", name)
			m.Close()
		}
		if now, _ := os.ReadFile(file); !bytes.Equal(now, data) {
			t.Errorf("%s was written to", name)
		}
	}
	state := t.TempDir()
	open(t, state).Close()
	file := filepath.Join(session.Folder(state, "s"), session.MemoryFile)
	if err := errors.Join(os.Rename(file, file+".real"), os.Symlink(file+".real", file)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(state, "s", true, 0); err == nil {
		t.Error("a link is followed")
	}
}

// TestLocked: who cannot have it in time is told so.
func TestLocked(t *testing.T) {
	state := t.TempDir()
	open(t, state)
	if _, err := Open(state, "s", true, 5*time.Millisecond); !errors.Is(err, errLocked) {
		t.Errorf("a locked memory: %v", err)
	}
}

// TestTogether: many at once, from the very first on, lose nothing.
func TestTogether(t *testing.T) {
	state := t.TempDir()
	const each, all = 10, 20
	var wait sync.WaitGroup
	for w := range all {
		wait.Go(func() {
			for n := range each {
				m, err := Open(state, "s", true, time.Minute)
				if err == nil {
					err = m.Add(Judged, digest(w*each+n))
					m.Close()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	m := open(t, state)
	for n := range all * each {
		if !take(t, m, Judged, digest(n)) {
			t.Errorf("%d is lost", n)
		}
	}
}

// TestKilled kills a process that writes without end: what is left is a memory.
func TestKilled(t *testing.T) {
	if state := os.Getenv("MEMORY_WRITES"); state != "" {
		for n := 0; ; n++ {
			m, err := Open(state, "s", true, time.Minute)
			if err != nil {
				os.Exit(3)
			}
			if m.Add(Judged, digest(n)) != nil {
				os.Exit(3)
			}
			m.Close()
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		state := t.TempDir()
		cmd := exec.Command(self, "-test.run=^TestKilled$")
		cmd.Env = []string{"MEMORY_WRITES=" + state}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if state, _ := cmd.Process.Wait(); state.ExitCode() != -1 {
			t.Errorf("the writer ended by itself: %v", state)
		}
		m := open(t, state)
		numbers := map[uint32]bool{}
		for s := range slots {
			if n := binary.BigEndian.Uint32(m.slot(s)); n > 0 && numbers[n] {
				t.Errorf("number %s stands twice", strconv.Itoa(int(n)))
			} else {
				numbers[n] = true
			}
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	state := b.TempDir()
	for b.Loop() {
		m, err := Open(state, "s", true, time.Second)
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Add(Judged, digest(1)); err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}

// TestSubagent: the memory of a session without a record is kept while its calls may run, and no longer.
func TestSubagent(t *testing.T) {
	state := t.TempDir()
	open(t, state).Close()
	all, err := session.List(state)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	now := time.Now()
	if s := all[0]; !s.Subagent() || s.Live(now) || !s.Fresh(now.Add(time.Hour)) || s.Fresh(now.Add(25*time.Hour)) {
		t.Errorf("%+v: subagent %v, live %v, fresh %v, then %v", s, s.Subagent(), s.Live(now), s.Fresh(now.Add(time.Hour)), s.Fresh(now.Add(25*time.Hour)))
	}
}
