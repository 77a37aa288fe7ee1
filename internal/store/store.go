// Package store keeps trees on disk, each under the name of its content, whole or not at all, and never changed.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// Store is the folder that holds the store paths. Its methods take no lock: names are taken by one rename, so that
// any number of processes may add at once. Delete is the caller's to guard.
type Store struct {
	dir string
}

// New is the store of a state folder. Nothing is read or made.
func New(stateDir string) Store { return Store{filepath.Join(stateDir, "store")} }

// Dir is the store's own folder.
func (s Store) Dir() string { return s.dir }

// PathOf is where the tree of that name is, or would be.
func (s Store) PathOf(name tree.Name) Path { return Path(filepath.Join(s.dir, string(name))) }

// List is every store path, sorted by name. A store that does not exist yet is empty. Other names are not listed.
func (s Store) List() ([]Path, error) {
	items, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Path
	for _, item := range items {
		if name, err := tree.ParseName(item.Name()); err == nil && item.IsDir() {
			out = append(out, s.PathOf(name))
		}
	}
	slices.Sort(out)
	return out, nil
}

// ReadFile reads one file of a tree by its path in the tree. An error is fs.ErrNotExist if there is none.
func (s Store) ReadFile(p Path, name string) ([]byte, error) {
	if name == "." || !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: filepath.Join(string(p), name), Err: fs.ErrInvalid}
	}
	return os.ReadFile(filepath.Join(string(p), filepath.FromSlash(name)))
}

// ReadIndex reads and checks the index of a store path. It does not look at the other files: Verify does.
func (s Store) ReadIndex(p Path) (tree.Index, error) {
	data, err := s.ReadFile(p, tree.IndexPath)
	if err != nil {
		return tree.Index{}, err
	}
	idx, err := tree.DecodeIndex(data)
	if err != nil {
		return tree.Index{}, fmt.Errorf("reading %s: %w", p, err)
	}
	if idx.Host != p.Host() {
		return tree.Index{}, fmt.Errorf("reading %s: the index is of host %q", p, idx.Host)
	}
	return idx, nil
}

// ErrDamaged is in the chain of every error of Verify about a tree that is there but is not what its name says.
var ErrDamaged = errors.New("store path is damaged")

// Verify hashes a store path again and compares with its name. It changes nothing.
func (s Store) Verify(p Path) error {
	if err := s.Rehash(p); err != nil {
		return err
	}
	// The hash does not cover the host in the name.
	if _, err := s.ReadIndex(p); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// Rehash is Verify for somebody who has read the index.
func (s Store) Rehash(p Path) error {
	if info, err := os.Lstat(string(p)); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%w: %s is not a folder", ErrDamaged, p)
	}
	got, err := tree.HashDir(files(p))
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, p, err)
	}
	if got != p.Hash() {
		return fmt.Errorf("%w: the content of %s hashes to %s", ErrDamaged, p, got)
	}
	return nil
}

// files is what lies in a store path.
type files Path

// Open takes clean slash paths, as a walk gives them.
func (f files) Open(name string) (fs.File, error) {
	return os.OpenFile(filepath.Join(string(f), filepath.FromSlash(name)), os.O_RDONLY|noWait, 0)
}

// noWait is for opening files and folders, which are never waited for. Told so, package os does not make them so by
// itself and take it back, which takes more calls than to open, read and close a small file.
const noWait = unix.O_NONBLOCK
