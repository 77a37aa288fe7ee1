package activate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
)

// RecoveryDue reports whether a switch was interrupted. It writes nothing.
func RecoveryDue(state generation.State) (bool, error) {
	_, err := os.Lstat(filepath.Join(state.Dir(), journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Recover ends what an interrupted command began: before the flip it is undone, after it finished. Every command that
// writes calls it first, under the lock. It is safe to be interrupted itself. What could not be finished is drift, told
// in the warnings.
func Recover(ctx context.Context, state generation.State, st store.Store) (warnings []string, err error) {
	j, due, err := loadJournal(state.Dir())
	if err != nil {
		return nil, err
	}
	if due {
		if warnings, err = recoverJournal(ctx, state, st, j); err != nil {
			return warnings, err
		}
	}
	sweepHome(state)
	return warnings, sweep(state, st)
}

func recoverJournal(ctx context.Context, state generation.State, st store.Store, j journal) ([]string, error) {
	live, _, err := state.Current() // 0 if there is none
	if err != nil {
		return nil, err
	}
	h, err := openHome(j.Roots...)
	if err != nil {
		return nil, err
	}
	defer h.close()
	a := &applier{state: state, store: st, home: h, journal: j}
	switch {
	case live == j.Next && live == j.Previous && !a.backedUp():
		// Nothing flipped, and nothing was changed yet: what is not in the backups must not be removed.
		if err := a.undo(); err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("an interrupted switch to generation %s was undone", j.Next)}, nil
	case live == j.Next:
		unlock, busy := lockPrograms(ctx, h, j.dests())
		if busy == nil {
			defer unlock()
		}
		if err := a.finish(busy); err != nil {
			return nil, fmt.Errorf("finishing the interrupted switch to generation %s: %w", j.Next, err)
		}
		return append(a.warnings, fmt.Sprintf("an interrupted switch to generation %s was finished", j.Next)), nil
	case live == j.Previous:
		if err := a.undo(); err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("an interrupted switch to generation %s was undone", j.Next)}, nil
	default:
		return nil, fmt.Errorf("the journal in %s is of a switch from generation %s to %s, but generation %s is live; move the journal away if you moved the link by hand",
			state.Dir(), j.Previous, j.Next, live)
	}
}

func (j journal) dests() []string {
	var out []string
	for _, m := range j.Merges {
		out = append(out, m.Dest)
	}
	return out
}

// sweep removes what a crash left outside any journal: half-written files, store paths and records, and the record of
// a generation whose switch ended before its journal was written. That one is always the highest.
func sweep(state generation.State, st store.Store) error {
	err := errors.Join(st.CleanTemp(), state.CleanTemp(), sweepFiles(state.Dir()), sweepFiles(filepath.Join(state.Dir(), backups)))
	if err != nil {
		return err
	}
	names, err := os.ReadDir(filepath.Dir(state.Folder(1)))
	if err != nil {
		return ignoreAbsent(err)
	}
	var highest generation.Number
	for _, item := range names {
		if n, err := strconv.Atoi(item.Name()); err == nil && generation.Number(n) > highest {
			highest = generation.Number(n)
		}
	}
	if highest == 0 {
		return nil
	}
	if live, err := state.Activated(highest); err != nil || live {
		return err
	}
	return state.Delete(highest)
}

// sweepFiles removes temporary files of internal/durable from a folder that is written under the lock only.
func sweepFiles(dir string) error {
	items, err := os.ReadDir(dir)
	if err != nil {
		return ignoreAbsent(err)
	}
	var all error
	for _, item := range items {
		if strings.HasPrefix(item.Name(), ".tmp-") && item.Type().IsRegular() {
			all = errors.Join(all, os.Remove(filepath.Join(dir, item.Name())))
		}
	}
	return all
}
