package durable

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Flush hands a file that was just written to the drive. It is on disk after a later Sync, which empties the drive's
// own cache: fsync does not on macOS.
func Flush(f *os.File) error {
	if err := unix.Fsync(int(f.Fd())); err != nil {
		return fmt.Errorf("flushing %s: %w", f.Name(), err)
	}
	return nil
}

// FlushFolder is Flush for the names in a folder.
func FlushFolder(path string) error { return flushPath(path) }

// Sync makes durable what was written before it: to the files and folders given, and to files that were flushed.
// Without syncfs that is an fsync of each path, and for the last one File.Sync, which is F_FULLFSYNC and covers all
// before it on the same drive. Give every folder in which a name changed and every file not flushed.
func Sync(paths ...string) error {
	for i, path := range paths {
		if i == len(paths)-1 {
			return SyncFile(path)
		}
		if err := flushPath(path); err != nil {
			return err
		}
	}
	return nil
}

func flushPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return Flush(f)
}
