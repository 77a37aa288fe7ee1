package session

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/process"
)

// TestCount: calls at once have a number each, and none is left out.
func TestCount(t *testing.T) {
	state := t.TempDir()
	if _, err := Count(state, "s"); err == nil {
		t.Error("a session that is not on record was counted")
	}
	if err := Write(state, "s", 1, process.ID{}, noon); err != nil {
		t.Fatal(err)
	}
	const calls = 200
	var numbers []int
	var mutex sync.Mutex
	var group sync.WaitGroup
	for range calls {
		group.Go(func() {
			n, err := Count(state, "s")
			if err != nil {
				t.Error(err)
			}
			mutex.Lock()
			numbers = append(numbers, n)
			mutex.Unlock()
		})
	}
	group.Wait()
	slices.Sort(numbers)
	if numbers[0] != 1 || numbers[calls-1] != calls || len(slices.Compact(numbers)) != calls {
		t.Errorf("%v", numbers)
	}
	path := filepath.Join(Folder(state, "s"), callsFile)
	if err := os.Truncate(path, maxCalls-1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{maxCalls, 1, 2} {
		if n, err := Count(state, "s"); err != nil || n != want {
			t.Errorf("%d, %v, want %d", n, err, want)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := Count(state, "s"); err == nil {
		t.Errorf("a pipe has %d calls", n)
	}
}
