package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// Add puts a tree into the store and returns its path, and whether it was written. A tree that is there already is
// hashed again: if it is whole nothing is written, and if it is damaged (a power cut before a Sync, a careless hand)
// a new copy takes its place. Files that are the same in previous, which may be empty, become hard links to it.
// What was written is not yet on disk: call durable.Sync before anything points at it.
func (s Store) Add(t tree.Tree, previous Path) (p Path, added bool, err error) {
	return s.add(t, writer{previous: string(previous)})
}

// AddNext is Add after a previous tree that Rehash has just found whole. What its index has with the same digest is not
// read again.
func (s Store) AddNext(t tree.Tree, previous Path, index tree.Index) (p Path, added bool, err error) {
	return s.add(t, writer{previous: string(previous), known: unchanged(index, t.Index)})
}

// unchanged is the files and folders that two indexes have in common.
func unchanged(old, now tree.Index) map[string]bool {
	digests := map[string]string{}
	for _, e := range old.Entries {
		digests[e.Path] = e.Digest
	}
	same := map[string]bool{}
	for _, e := range now.Entries {
		if digests[e.Path] == e.Digest {
			same[e.Path] = true
		}
	}
	return same
}

func (s Store) add(t tree.Tree, w writer) (p Path, added bool, err error) {
	name, err := tree.ParseName(string(t.Name()))
	if err != nil {
		return "", false, err
	}
	p = s.PathOf(name)
	if err := s.Verify(p); err == nil {
		return p, false, nil
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged) {
		return "", false, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", false, err
	}
	tmp, err := s.newTemp()
	if err != nil {
		return "", false, err
	}
	defer tmp.release()
	w.dir = tmp.path
	if err := w.write(t.Files); err != nil {
		return "", false, errors.Join(fmt.Errorf("writing %s: %w", p, err), removeTree(tmp.path))
	}
	added, err = s.place(tmp.path, p)
	if err != nil {
		return "", false, errors.Join(fmt.Errorf("placing %s: %w", p, err), removeTree(tmp.path))
	}
	return p, added, nil
}

// place gives the finished tree its name. Where somebody else was faster, theirs stays.
func (s Store) place(tmp string, p Path) (added bool, err error) {
	err = os.Rename(tmp, string(p))
	if err == nil {
		return true, nil
	}
	// A folder there is ErrExist (ENOTEMPTY is too), anything else is ENOTDIR.
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.ENOTDIR) {
		return false, err
	}
	if s.Verify(p) == nil {
		return false, removeTree(tmp)
	}
	if exchange(tmp, string(p)) == nil {
		return true, removeTree(tmp)
	}
	return true, s.supplant(tmp, p)
}

// supplant is exchange for a file system without it: for a moment there is nothing of that name.
func (s Store) supplant(tmp string, p Path) error {
	if err := removeTree(s.grave(p)); err != nil { // of a crash
		return err
	}
	if err := os.Rename(string(p), s.grave(p)); err != nil {
		return err
	}
	if err := os.Rename(tmp, string(p)); err != nil {
		return err
	}
	return removeTree(s.grave(p))
}
