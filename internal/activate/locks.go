package activate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// programLocks are the lock files that Copilot CLI 1.0.102 takes (flock, seen with strace) while it rewrites a file in
// the same folder. It waits for them about 5 s. 1.0.83 has none, which is why content is compared before each rename.
var programLocks = map[string]string{
	"settings.json":   "settings.json.lock",
	"mcp-config.json": ".mcp-writer.lock",
}

const (
	programWait  = 3 * time.Second // that we wait for the program
	programRetry = 25 * time.Millisecond
)

// BusyError says that a program holds its lock on a file, or keeps changing the file, for longer than we wait. Nothing
// was changed.
type BusyError struct{ Path string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is being written by another program; end it or try again", e.Path)
}

// lockPrograms takes the locks for the files that are to be written, each only where its file exists: we never create
// one. They are taken in the order of their names and held for less than a second.
func lockPrograms(ctx context.Context, h *home, dests []string) (unlock func(), err error) {
	var paths []string
	for _, dest := range dests {
		if name, ok := programLocks[filepath.Base(dest)]; ok {
			paths = append(paths, filepath.Join(filepath.Dir(dest), name))
		}
	}
	slices.Sort(paths)
	var held []*os.File
	unlock = func() {
		for _, f := range held {
			f.Close() // which unlocks
		}
	}
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	for _, path := range slices.Compact(paths) {
		f, err := lockProgram(ctx, h, path)
		if err != nil {
			unlock()
			return nil, err
		}
		if f != nil {
			held = append(held, f)
		}
	}
	return unlock, nil
}

// lockProgram takes one lock; nil if there is no such file.
func lockProgram(ctx context.Context, h *home, path string) (*os.File, error) {
	dir, name, err := h.at(path)
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, ignoreAbsent(err)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EWOULDBLOCK): // a file system without locks: the program has none there either
			f.Close()
			return nil, nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, &BusyError{path}
		case <-time.After(programRetry):
		}
	}
}

// ignoreAbsent is nil for the error of something that is not there, or lies behind something that is no folder.
func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotFolder) {
		return nil
	}
	return err
}
