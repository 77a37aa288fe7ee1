package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A name in the store that begins with a dot is not a store path. tempPrefix: being written. gravePrefix: being
// deleted. Both lie in the store itself, because a 0555 folder can only be renamed within its parent.
const (
	tempPrefix  = ".tmp-"
	gravePrefix = ".gc-"
)

// temp is a folder in the store that is being filled. While its process lives it holds a flock on the folder; that is
// how CleanTemp tells a leftover, also where process numbers mean nothing (a container, a reboot).
type temp struct {
	path string
	lock *os.File // nil where there is no flock
}

func (s Store) newTemp() (temp, error) {
	for {
		path, err := os.MkdirTemp(s.dir, tempPrefix)
		if err != nil {
			return temp{}, err
		}
		lock, err := lockFolder(path)
		switch {
		case err == nil || errors.Is(err, errors.ErrUnsupported):
			return temp{path, lock}, nil
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EWOULDBLOCK):
			continue // CleanTemp came between making and locking, and has removed it
		default:
			return temp{}, errors.Join(err, os.Remove(path))
		}
	}
}

func (t temp) release() { t.lock.Close() } // an error on a nil lock, which nobody needs

// lockFolder locks a folder without waiting. The error is fs.ErrNotExist if it was removed or renamed meanwhile,
// unix.EWOULDBLOCK if somebody else holds it, errors.ErrUnsupported on a file system without flock: nothing there is
// ever taken for a leftover.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lockOpen(f, path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func lockOpen(f *os.File, path string) error {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return err
	case err != nil:
		return errors.ErrUnsupported
	}
	locked, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(path)
	if err == nil && !os.SameFile(locked, named) {
		err = fs.ErrNotExist
	}
	return err
}

// CleanTemp removes what dead processes left: trees half written and trees half deleted. Trees that another process
// is writing now stay.
func (s Store) CleanTemp() error {
	items, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var all error
	for _, item := range items {
		path := filepath.Join(s.dir, item.Name())
		switch {
		case strings.HasPrefix(item.Name(), gravePrefix):
			all = errors.Join(all, removeTree(path))
		case strings.HasPrefix(item.Name(), tempPrefix):
			all = errors.Join(all, removeLeftover(path))
		}
	}
	return all
}

func removeLeftover(path string) error {
	lock, err := lockFolder(path)
	if err != nil {
		return nil // in use, or gone: nothing of ours either way
	}
	defer lock.Close()
	return removeTree(path)
}
