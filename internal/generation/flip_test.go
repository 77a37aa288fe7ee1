package generation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// flipFolder is a folder where 10,000 fsyncs take no minute, if there is one.
func flipFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "flip")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestReadersDuringFlips has readers look through `current` while it moves 10,000 times: each must see one of the two
// trees, whole, every time.
func TestReadersDuringFlips(t *testing.T) {
	flips := 10_000
	if testing.Short() {
		flips = 500
	}
	home := flipFolder(t)
	s, err := OpenState(filepath.Join(home, "state"), home)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		mustCreate(t, s, text)
	}
	mustFlip(t, s, 1)

	link := filepath.Join(home, "link") // as it stands in a home
	if err := os.Symlink(filepath.Join(s.LiveTree(), "f"), link); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var missing, torn, reads atomic.Int64
	var saw [3]atomic.Int64
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !stop.Load() {
				reads.Add(1)
				switch data, err := os.ReadFile(link); {
				case errors.Is(err, fs.ErrNotExist):
					missing.Add(1)
				case err != nil || string(data) != "one" && string(data) != "two":
					torn.Add(1)
				}
				n, ok, err := s.Current()
				if err != nil || !ok || n != 1 && n != 2 {
					torn.Add(1)
				} else {
					saw[n].Add(1)
				}
			}
		})
	}
	for i := range flips {
		mustFlip(t, s, Number(2-i%2))
	}
	stop.Store(true)
	readers.Wait()
	t.Logf("%d flips, %d reads, %d missing, %d torn", flips, reads.Load(), missing.Load(), torn.Load())
	if missing.Load() > 0 || torn.Load() > 0 {
		t.Errorf("%d missing, %d torn", missing.Load(), torn.Load())
	}
	if saw[1].Load() == 0 || saw[2].Load() == 0 {
		t.Error("the readers saw only one side: the test shows nothing")
	}
}

func TestFlipAfterACrash(t *testing.T) {
	s := newState(t)
	mustFlip(t, s, mustCreate(t, s, "one"))
	n := mustCreate(t, s, "two")
	// Between making the new link and the rename.
	if err := os.Symlink("generations/9", filepath.Join(s.Dir(), newCurrent)); err != nil {
		t.Fatal(err)
	}
	mustFlip(t, s, n)
	if got, _, err := s.Current(); got != n || err != nil {
		t.Errorf("generation %d is live, %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(s.Dir(), newCurrent)); err == nil {
		t.Error("the temporary link is still there")
	}
	// The whole state moves with its links.
	moved := s.Dir() + "-moved"
	if err := os.Rename(s.Dir(), moved); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(State{moved}.LiveTree(), "f")); err != nil || string(data) != "two" {
		t.Errorf("in the moved state: %q, %v", data, err)
	}
}

func BenchmarkFlip(b *testing.B) {
	s := newState(b)
	mustCreate(b, s, "one")
	mustCreate(b, s, "two")
	i := 0
	for b.Loop() {
		i++
		mustFlip(b, s, Number(1+i%2))
	}
}
