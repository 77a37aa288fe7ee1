// Package durable writes files so that a power cut leaves the old content or the new, never half of one.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces path by a file of that content and mode, whatever the umask: temporary name in the same folder,
// fsync, rename, fsync of the folder. When it returns nil the content is on disk. A link at path is replaced, not
// followed.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	if err := replace(path, data, perm, (*os.File).Sync); err != nil {
		return err
	}
	return SyncFile(filepath.Dir(path))
}

// Replace is WriteFile for content that a later Sync takes along, or that can be made again: no reader ever sees half
// of it, but a power cut may take it away.
func Replace(path string, data []byte, perm fs.FileMode) error {
	return replace(path, data, perm, Flush)
}

func replace(path string, data []byte, perm fs.FileMode, flush func(*os.File) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	err = fill(tmp, data, perm, flush)
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), os.Remove(tmp.Name()))
	}
	return nil
}

func fill(f *os.File, data []byte, perm fs.FileMode, flush func(*os.File) error) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = flush(f)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// SyncFile flushes one file or folder to disk, alone. A folder is its list of names, not what they hold.
func SyncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("syncing %s: %w", path, err)
	}
	return nil
}
