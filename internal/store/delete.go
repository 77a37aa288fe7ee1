package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// Delete removes a store path; none of that name is no error. The name goes first and at once, so that a crash
// leaves no half tree under it. That nothing points there any more is for the caller to know.
func (s Store) Delete(p Path) error {
	if filepath.Dir(string(p)) != s.dir {
		return fmt.Errorf("%s is not in the store %s", p, s.dir)
	}
	if _, err := tree.ParseName(filepath.Base(string(p))); err != nil {
		return err
	}
	grave := s.grave(p)
	if err := removeTree(grave); err != nil { // of a crash
		return err
	}
	if err := os.Rename(string(p), grave); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return removeTree(grave)
}

func (s Store) grave(p Path) string { return filepath.Join(s.dir, gravePrefix+string(p.Name())) }

// removeTree removes a folder of 0555 folders; none is no error. Only folders are made writable, on the way down: a
// file may be a hard link that another tree has too. Two processes may remove the same tree at once.
func removeTree(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			if err := os.Chmod(path, 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
