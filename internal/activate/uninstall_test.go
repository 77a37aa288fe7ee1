package activate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUninstallGivesTheHomeBack(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", userSettings)
	w.write(".copilot/config.json", "{}")
	virgin := w.snapshot()
	w.switchTo(w.tree(full...))
	res := w.uninstall()
	if !res.Changed || res.Generation != 2 || len(res.Warnings) > 0 {
		t.Errorf("%+v", res)
	}
	w.healthy()
	w.sameHome(virgin, "after uninstall")
	if installed, err := Installed(w.gens); installed || err != nil {
		t.Errorf("installed %v, %v", installed, err)
	}
	before := w.inodes()
	if res := w.uninstall(); res.Changed || res.Generation != 2 {
		t.Errorf("a second uninstall: %+v", res)
	}
	w.sameInodes(before)
	w.switchTo(w.tree(full...))
	w.healthy()
	w.expectStatus("")
}

func TestUninstallOfAnEmptyHome(t *testing.T) {
	w := newWorld(t)
	before := w.inodes()
	if res := w.uninstall(); res.Changed || res.Generation != 0 {
		t.Errorf("%+v", res)
	}
	w.sameInodes(before)
	if err := os.Remove(w.state); err != nil {
		if err := os.RemoveAll(w.state); err != nil {
			t.Fatal(err)
		}
	}
	if res := w.uninstall(); res.Changed {
		t.Errorf("%+v", res)
	}
	if _, err := os.Lstat(w.state); !os.IsNotExist(err) {
		t.Errorf("a state folder was made: %v", err)
	}
}

// What the user changed since is not ours to remove, and its name is told.
func TestUninstallKeepsWhatTheUserChanged(t *testing.T) {
	w := newWorld(t)
	w.write("d/taken", "before")
	w.adopt(w.tree("link d/a = ours", "link d/b = ours", "link d/taken = ours", `merge d/m k = {"k":1}`, "link e/own = x"))
	w.remove("d/a")
	w.write("d/a", "mine now")
	w.remove("d/taken")
	w.write("d/taken", "mine now")
	w.rewrite("d/m", `{"k":2}`)
	w.write("e/beside", "mine")
	res := w.uninstall()
	w.healthy()
	if w.read("d/a") != "mine now" || w.read("d/taken") != "mine now" || w.read("d/m") != `{"k":2}` || w.read("e/beside") != "mine" {
		t.Error("something was lost")
	}
	for _, path := range []string{"d/b", "e/own"} {
		if _, err := os.Lstat(w.path(path)); !os.IsNotExist(err) {
			t.Errorf("%s is still there", path)
		}
	}
	told := strings.Join(res.Warnings, "\n")
	for _, path := range []string{"d/a: ", "d/taken: ", "d/m: "} {
		if !strings.Contains(told, w.path(path)) {
			t.Errorf("nothing is said of %s in\n%s", path, told)
		}
	}
	all, err := Backups(w.gens)
	if err != nil || len(all) != 1 || !strings.Contains(told, all[0].ID) {
		t.Errorf("backups %+v, %v", all, err)
	}
	err = Purge(context.Background(), w.gens, 0, false)
	if !errors.Is(err, ErrBackups) {
		t.Errorf("purged: %v", err)
	}
	if err := Purge(context.Background(), w.gens, 0, true); err != nil {
		t.Error(err)
	}
}

func TestPurge(t *testing.T) {
	w := newWorld(t)
	w.switchTo(w.tree(full...))
	if err := Purge(context.Background(), w.gens, 0, true); err == nil {
		t.Error("purged a home that is not uninstalled")
	}
	w.uninstall()
	// A state folder on another disk is a link of the user's, and stays.
	other := filepath.Join(filepath.Dir(w.home), "other disk")
	if err := errors.Join(os.Rename(w.state, other), os.Symlink(other, w.state)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Purge(context.Background(), w.gens, 0, false); err != nil {
			t.Fatal(err)
		}
	}
	if items, err := os.ReadDir(other); err != nil || len(items) > 0 {
		t.Errorf("left: %v, %v", items, err)
	}
	if res := w.switchTo(w.tree(full...)); res.Generation != 1 {
		t.Errorf("%+v", res)
	}
	w.uninstall()
	if err := os.Remove(w.state); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, w.state); err != nil {
		t.Fatal(err)
	}
	if err := Purge(context.Background(), w.gens, 0, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(w.state); !os.IsNotExist(err) {
		t.Errorf("the state folder is still there: %v", err)
	}
}

// Every step of an uninstall that gives everything back, with a crash behind it.
func TestCrashWhileUninstalling(t *testing.T) {
	begin := func() (*world, []func() error, int, []string) {
		w, tr := adoptWorld(t)
		w.uninstall()
		virgin := w.snapshot()
		w.adopt(tr)
		steps, flip := w.beginWith(adoption{}, w.tree()).steps()
		return w, steps, flip, virgin
	}
	for n := 0; ; n++ {
		w, steps, flip, virgin := begin()
		if n > len(steps) {
			break
		}
		before := w.snapshot()
		for i, step := range steps[:n] {
			if err := step(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		w.recover()
		if n > flip {
			w.sameHome(virgin, "after a crash and recovery")
		} else {
			w.sameHome(before, "after a crash and recovery")
		}
		w.uninstall()
		w.healthy()
		w.sameHome(virgin, "after an uninstall")
		if t.Failed() {
			t.Fatalf("a crash behind step %d", n)
		}
	}
}
