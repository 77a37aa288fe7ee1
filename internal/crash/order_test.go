//go:build linux && amd64

package crash

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/faults"
)

// TestOrderOfSyncs reads in the listing of a switch what no kill can show, because the page cache survives it: what a
// power cut would find on the disk.
func TestOrderOfSyncs(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	sub := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == "switch" })]
	b := newBench(t, sub, memory(t), command(t))
	o := order{TB: t, bench: b, calls: b.listing(true)}

	flip := o.index(0, "the flip", func(c faults.Call) bool {
		return strings.HasPrefix(c.Name, "rename") && c.Path == filepath.Join(b.state, "current")
	})
	o.journalFirst(flip)
	o.allSyncedBefore(flip)
	if next := o.calls[flip+1]; next.Name != "fsync" || next.Path != b.state {
		t.Errorf("after the flip comes %s, not the fsync of its folder", next)
	}
	for _, c := range o.calls[:flip] {
		if c.Path == filepath.Join(b.home, settings) || c.Path == filepath.Join(b.home, mcpConfig) || strings.HasPrefix(c.Name, "unlink") && o.inHome(c) {
			t.Errorf("before the flip: %s", c)
		}
	}
	o.recordsAreWhole()
	o.homeSyncedBeforeRecords(flip)
}

type order struct {
	testing.TB
	*bench
	calls []faults.Call
}

func (o order) Helper() { o.TB.Helper() }

func (o order) inHome(c faults.Call) bool { return strings.HasPrefix(c.Path, o.home+"/") }

func (o order) index(from int, what string, fits func(faults.Call) bool) int {
	o.TB.Helper()
	i := slices.IndexFunc(o.calls[from:], fits)
	if i < 0 {
		o.TB.Fatalf("the listing has nothing that is %s", what)
	}
	return from + i
}

// wasFolder reports whether a folder is there from the beginning, so that making it changes nothing.
func (o order) wasFolder(path string) bool {
	info, err := os.Lstat(filepath.Join(o.before, "home", strings.TrimPrefix(path, o.home)))
	return err == nil && info.IsDir()
}

// makes reports whether a call makes or changes content or names.
func makes(c faults.Call) bool {
	return c.Changes && !strings.Contains(c.Name, "sync") && c.Name != "flock"
}

// journalFirst: the journal is whole and on disk before anything in the home changes.
func (o order) journalFirst(flip int) {
	o.TB.Helper()
	journal := o.index(0, "the journal", func(c faults.Call) bool {
		return strings.HasPrefix(c.Name, "rename") && c.Path == filepath.Join(o.state, "journal")
	})
	synced := o.index(journal, "the fsync of the journal's folder", func(c faults.Call) bool { return c.Name == "fsync" && c.Path == o.state })
	home := o.index(0, "a change in the home", func(c faults.Call) bool { return o.inHome(c) && makes(c) })
	if journal > synced || synced > home || home > flip {
		o.TB.Errorf("journal at %d, synced at %d, first change of the home at %d, flip at %d", journal, synced, home, flip)
	}
}

// allSyncedBefore: one syncfs takes along all that the flip makes visible; only the link itself is made after it.
func (o order) allSyncedBefore(flip int) {
	o.TB.Helper()
	last := -1
	for i, c := range o.calls[:flip] {
		if c.Name == "syncfs" {
			last = i
		}
	}
	if last < 0 {
		o.TB.Fatal("no syncfs before the flip")
	}
	for _, c := range o.calls[last:flip] {
		if makes(c) && filepath.Base(c.Path) != ".current.tmp" {
			o.TB.Errorf("after the last syncfs before the flip: %s", c)
		}
	}
	for _, folder := range []string{"store", "generations"} {
		if !slices.ContainsFunc(o.calls[:last], func(c faults.Call) bool {
			return makes(c) && strings.HasPrefix(c.Path, filepath.Join(o.state, folder)+"/")
		}) {
			o.TB.Errorf("nothing was made in %s before the syncfs", folder)
		}
	}
}

// recordsAreWhole: each record of the state folder is synced under its temporary name, and its folder after the rename.
func (o order) recordsAreWhole() {
	o.TB.Helper()
	seen := 0
	for i, c := range o.calls {
		if !strings.HasPrefix(c.Name, "rename") || filepath.Dir(c.Path) != o.state || filepath.Base(c.Path) == "current" {
			continue
		}
		seen++
		synced := slices.ContainsFunc(o.calls[:i], func(x faults.Call) bool { return x.Name == "fsync" && x.Path == c.From })
		next := slices.IndexFunc(o.calls[i+1:], makes)
		folder := slices.IndexFunc(o.calls[i+1:], func(x faults.Call) bool { return x.Name == "fsync" && x.Path == o.state })
		if !synced || folder < 0 || next >= 0 && folder > next {
			o.TB.Errorf("%s: synced before %v, its folder %d calls later, the next change %d calls later", c, synced, folder, next)
		}
	}
	if seen < 2 { // the journal and applied.json
		o.TB.Errorf("%d records were written", seen)
	}
}

// homeSyncedBeforeRecords: what was done after the flip is on disk before the record of it, and that before the journal
// goes.
func (o order) homeSyncedBeforeRecords(flip int) {
	o.TB.Helper()
	applied := o.index(flip, "the record of what is ours", func(c faults.Call) bool {
		return strings.HasPrefix(c.Name, "rename") && c.Path == filepath.Join(o.state, "applied.json")
	})
	dropped := o.index(applied, "the end of the journal", func(c faults.Call) bool {
		return strings.HasPrefix(c.Name, "unlink") && c.Path == filepath.Join(o.state, "journal")
	})
	changed := map[string]int{} // folder: its last change
	for i, c := range o.calls[flip:dropped] {
		if !o.inHome(c) || !makes(c) || c.Name == "write" || c.Name == "fchmod" || c.Name == "mkdirat" && o.wasFolder(c.Path) {
			continue
		}
		if flip+i > applied {
			o.TB.Errorf("after the record of it: %s", c)
		}
		changed[filepath.Dir(c.Path)] = flip + i
		if strings.HasPrefix(c.Name, "unlink") {
			delete(changed, c.Path)
		}
	}
	for folder, at := range changed {
		if !slices.ContainsFunc(o.calls[at:applied], func(c faults.Call) bool { return c.Name == "fsync" && c.Path == folder || c.Name == "syncfs" }) {
			o.TB.Errorf("%s was changed by %s and is not synced before the record of it", folder, o.calls[at])
		}
	}
}
