package activate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/agentihooks/agentihooks/internal/generation"
)

// ErrBackups is in the chain of Purge's error if files of the user's are left in the backups.
var ErrBackups = errors.New("files of yours are left in the backups")

// Purge removes the state folder of an uninstalled home; of one that is a link, what is in it. With backups in it only if
// they are not to be kept. Interrupted, it leaves a home that was never switched, and can be called again. Without a
// state folder there is nothing to do.
func Purge(ctx context.Context, state generation.State, wait time.Duration, dropBackups bool) error {
	exists, err := state.Exists()
	if err != nil || !exists {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := state.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	switch installed, err := Installed(state); {
	case err != nil:
		return err
	case installed:
		return errors.New("something of ours is left in the home; `agentihooks uninstall` says what")
	}
	left, err := Backups(state)
	if err != nil && !dropBackups {
		return err
	}
	left = slices.DeleteFunc(left, func(b Backup) bool { return b.Of != "" })
	if len(left) > 0 && !dropBackups {
		return fmt.Errorf("%w (%d); look at them with `agentihooks backups list`, put them where you want them with `backups restore`", ErrBackups, len(left))
	}
	if err := emptyFolder(state.Dir()); err != nil {
		return fmt.Errorf("removing %s: %w", state.Dir(), err)
	}
	if info, err := os.Lstat(state.Dir()); err != nil || !info.IsDir() {
		return ignoreAbsent(err)
	}
	return ignoreAbsent(os.Remove(state.Dir()))
}

// emptyFolder removes all that is in the state folder. `current` goes first, so that whatever is left says no more than
// that nothing is live; the lock last, so that nobody else begins.
func emptyFolder(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	names, err := readNames(root)
	if err != nil {
		return err
	}
	rank := func(name string) int {
		switch name {
		case "current":
			return 0
		case "lock":
			return 2
		}
		return 1
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range names {
		if err := removeAll(root, name); err != nil {
			return err
		}
	}
	return nil
}
