package generation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/durable"
)

// current is the link that decides which generation is live; newCurrent is its next content, before the rename.
const (
	current    = "current"
	newCurrent = ".current.tmp"
)

// Current is the live generation; ok is false in a home that was never switched. It reads nothing but the link.
func (s State) Current() (n Number, ok bool, err error) {
	path := filepath.Join(s.dir, current)
	target, err := os.Readlink(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	number, found := strings.CutPrefix(target, folder+"/")
	n, ok = parseNumber(number)
	if !found || !ok {
		return 0, false, fmt.Errorf("%s leads to %q, which is not a generation", path, target)
	}
	return n, true, nil
}

// Flip makes a generation live: the commit point of a switch. Readers see the old one or the new one, at any moment.
// What the generation needs must be on disk already. An error of the last fsync comes after the flip; Current says
// which side it fell on.
func (s State) Flip(n Number) error {
	if _, err := s.Read(n); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.Folder(n), treeLink)); err != nil {
		return fmt.Errorf("generation %s has no tree: %w", n, err)
	}
	// The one that is left was live: a rollback may come back to it. Create has mostly marked it already.
	if live, ok, err := s.Current(); err != nil {
		return err
	} else if ok && live != n {
		if err := s.markLive(live); err != nil {
			return err
		}
	}
	if err := s.point(n); err != nil {
		return err
	}
	return durable.SyncFile(s.dir)
}

// markLive is MarkActivated, on disk when it returns.
func (s State) markLive(n Number) error {
	if marked, err := exists(s.markPath(n)); err != nil || marked {
		return err
	}
	if err := s.MarkActivated(n); err != nil {
		return err
	}
	return durable.SyncFile(s.Folder(n))
}

// point moves the link. symlink(2) never replaces, so the new link gets a name of its own first.
func (s State) point(n Number) error {
	next := filepath.Join(s.dir, newCurrent)
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a crash
		return err
	}
	if err := os.Symlink(folder+"/"+n.String(), next); err != nil {
		return err
	}
	if err := os.Rename(next, filepath.Join(s.dir, current)); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}

// MarkActivated records that a generation was live. Flip and Create do so for the one they find live; a second call
// writes nothing. A generation whose folder is gone is left alone.
func (s State) MarkActivated(n Number) error {
	f, err := os.OpenFile(s.markPath(n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return f.Close()
}

func (s State) markPath(n Number) string { return filepath.Join(s.Folder(n), activeMark) }

// Activated reports whether a generation is live or was. One that a crash stopped before its flip never was.
func (s State) Activated(n Number) (bool, error) {
	if marked, err := exists(s.markPath(n)); err != nil || marked {
		return marked, err
	}
	live, ok, err := s.Current()
	return ok && live == n, err
}

// Previous is where a rollback goes: the highest generation below the live one that was live itself. ok is false if
// there is none.
func (s State) Previous() (n Number, ok bool, err error) {
	live, ok, err := s.Current()
	if err != nil || !ok {
		return 0, false, err
	}
	numbers, err := s.numbers()
	if err != nil {
		return 0, false, err
	}
	for i := len(numbers) - 1; i >= 0; i-- {
		if numbers[i] >= live {
			continue
		}
		if marked, err := exists(s.markPath(numbers[i])); err != nil || marked {
			return numbers[i], marked, err
		}
	}
	return 0, false, nil
}
