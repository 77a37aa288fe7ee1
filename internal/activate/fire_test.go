package activate

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A program that takes its lock, as Copilot CLI 1.0.102 does, reads the file, changes it and renames a new one over it,
// again and again while we switch. No write of either side is lost.
func TestProgramRewritesWhileWeSwitch(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", `{"n":0}`)
	w.write(".copilot/settings.json.lock", "")
	var writes atomic.Int64
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- w.keepCounting(&writes, stop) }()

	trees := [][]string{
		{`merge .copilot/settings.json theme+s[] = {"theme":"dim","s":["a"]}`},
		{`merge .copilot/settings.json theme+s[] = {"theme":"light","s":["b"]}`},
		nil,
	}
	for i := range 30 {
		if _, err := Switch(context.Background(), w.request(w.tree(trees[i%3]...))); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	w.switchTo(w.tree(trees[1]...))
	w.healthy()
	var got struct {
		N     int64
		Theme string
		S     []string
	}
	if err := json.Unmarshal([]byte(w.read(".copilot/settings.json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.N != writes.Load() || got.Theme != "light" || len(got.S) != 1 || got.S[0] != "b" {
		t.Errorf("%d writes, then settings.json is %+v", writes.Load(), got)
	}
	t.Logf("%d writes of the program during 30 switches", writes.Load())
	if writes.Load() < 30 {
		t.Errorf("%d writes: the two hardly met", writes.Load())
	}
}

func (w *world) keepCounting(writes *atomic.Int64, stop chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(3 * time.Millisecond):
		}
		if err := w.countOnce(writes); err != nil {
			return err
		}
	}
}

func (w *world) countOnce(writes *atomic.Int64) error {
	lock, err := os.Open(w.path(".copilot/settings.json.lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(w.path(".copilot/settings.json"))
	if err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	all["n"] = all["n"].(float64) + 1
	out, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.path(".copilot/settings.json.tmp.1"), out, 0o600); err != nil {
		return err
	}
	if err := os.Rename(w.path(".copilot/settings.json.tmp.1"), w.path(".copilot/settings.json")); err != nil {
		return err
	}
	writes.Add(1)
	return nil
}

// A program without locks changes the file between the plan and the flip: all is undone and planned anew.
func TestFileChangesBetweenPlanAndFlip(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", `{"n":0}`)
	a := w.begin(`merge .copilot/settings.json theme = {"theme":"dim"}`, "link a = x")
	w.rewrite(".copilot/settings.json", `{"n":1}`)
	err := a.run(context.Background())
	var changed *changedError
	if !errors.As(err, &changed) || changed.path != w.path(".copilot/settings.json") {
		t.Fatalf("error %v", err)
	}
	w.healthy()
	if got := w.read(".copilot/settings.json"); got != `{"n":1}` {
		t.Errorf("settings.json is %s", got)
	}
	if _, ok, err := w.gens.Current(); ok || err != nil {
		t.Errorf("a generation is live, %v", err)
	}
	w.switchTo(w.tree(`merge .copilot/settings.json theme = {"theme":"dim"}`, "link a = x"))
	if got := w.read(".copilot/settings.json"); got != `{"n":1,"theme":"dim"}` {
		t.Errorf("settings.json is %s", got)
	}
}

// Somebody makes the file or link that we are about to make.
func TestPlaceIsTakenBetweenPlanAndFlip(t *testing.T) {
	for _, rel := range []string{"a", "new/m"} {
		w := newWorld(t)
		a := w.begin("link a = x", `merge new/m k = {"k":1}`)
		w.write(rel, "theirs")
		err := a.run(context.Background())
		if err == nil {
			t.Errorf("%s: no error", rel)
		}
		w.healthy()
		if got := w.read(rel); got != "theirs" {
			t.Errorf("%s is %q", rel, got)
		}
		if _, ok, err := w.gens.Current(); ok || err != nil {
			t.Errorf("%s: a generation is live, %v", rel, err)
		}
	}
}

// An interruption before the flip undoes all; the context is not looked at after it.
func TestCancelledSwitchIsUndone(t *testing.T) {
	w := newWorld(t)
	virgin := w.snapshot()
	a := w.begin(full...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := a.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	w.sameHome(virgin, "after an interrupted switch")
	w.healthy()
}

func TestTwoSwitchesAtOnce(t *testing.T) {
	w := newWorld(t)
	const n = 10
	errs := make(chan error, 2*n)
	for i := range 2 {
		go func() {
			for k := range n {
				req := w.request(w.tree([]string{"link a = one", "link a = two"}[(i+k)%2], `merge m k = {"k":1}`))
				req.Wait = time.Minute
				_, err := Switch(context.Background(), req)
				errs <- err
			}
		}()
	}
	for range 2 * n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	w.healthy()
	list, err := w.gens.List()
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range list {
		if int(rec.Number) != i+1 {
			t.Errorf("generation %s stands at place %d", rec.Number, i+1)
		}
	}
}
