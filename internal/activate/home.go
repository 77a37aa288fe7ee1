package activate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// home is the folders beneath which destinations lie: HOME, and COPILOT_HOME where it lies elsewhere. They may be links
// themselves. Below them every component is opened by itself and must be a real folder: os.Root keeps a path inside,
// but follows the links that stay inside.
type home struct {
	roots []string            // real bounds, the longest first
	open  map[string]*os.Root // by path

	plainRename bool // do without the renames that not every file system has
}

var errNotFolder = errors.New("not a folder")

// openHome opens the roots of the given paths. One that does not exist yet is reached from the nearest parent that does.
func openHome(paths ...string) (*home, error) {
	h := &home{open: map[string]*os.Root{}}
	for _, path := range paths {
		if path == "" || slices.ContainsFunc(h.roots, func(r string) bool { return beneath(path, r) || path == r }) {
			continue
		}
		for {
			root, err := os.OpenRoot(path)
			if err == nil {
				h.roots, h.open[path] = append(h.roots, path), root
				break
			}
			if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
				h.close()
				return nil, fmt.Errorf("opening %s: %w", path, err)
			}
			path = filepath.Dir(path)
		}
	}
	slices.SortFunc(h.roots, func(a, b string) int { return len(b) - len(a) })
	return h, nil
}

func (h *home) close() {
	for _, r := range h.open {
		r.Close()
	}
	clear(h.open)
}

// beneath reports whether p lies in folder, by whole components. Both are clean.
func beneath(p, folder string) bool {
	return len(p) > len(folder) && strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}

// parents are the folders between the root and path, the topmost first, without either.
func (h *home) parents(path string) ([]string, error) {
	for _, root := range h.roots {
		if !beneath(path, root) {
			continue
		}
		var out []string
		for dir := filepath.Dir(path); dir != root; dir = filepath.Dir(dir) {
			out = append(out, dir)
		}
		slices.Reverse(out)
		return out, nil
	}
	return nil, fmt.Errorf("%s lies beneath none of %s", path, strings.Join(h.roots, ", "))
}

// folder opens a folder without following a link. The error is fs.ErrNotExist or errNotFolder for the first component
// that is absent or something else.
func (h *home) folder(path string) (*os.Root, error) {
	if r, ok := h.open[path]; ok {
		return r, nil
	}
	if path == filepath.Dir(path) {
		return nil, fmt.Errorf("%s lies beneath none of %s", path, strings.Join(h.roots, ", "))
	}
	parent, err := h.folder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	r, err := enter(parent, filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	h.open[path] = r
	return r, nil
}

// enter opens a folder in a folder and makes sure that it is what Lstat saw, for OpenRoot follows links.
func enter(parent *os.Root, name string) (*os.Root, error) {
	want, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !want.IsDir() {
		return nil, errNotFolder
	}
	r, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	got, err := r.Stat(".")
	if err == nil && !os.SameFile(want, got) {
		err = errNotFolder
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// forget closes a folder that is removed or replaced, and all below it.
func (h *home) forget(path string) {
	for p, r := range h.open {
		if p == path || beneath(p, path) {
			r.Close()
			delete(h.open, p)
		}
	}
}

// at is the open folder that path lies in, and its name there.
func (h *home) at(path string) (*os.Root, string, error) {
	dir, err := h.folder(filepath.Dir(path))
	return dir, filepath.Base(path), err
}

// sync flushes the names in a folder.
func (h *home) sync(path string) error {
	dir, err := h.folder(path)
	if err != nil {
		return err
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// maxRead bounds a file that we read from the home, in bytes. One byte more makes jsonedit refuse it with a reason.
const maxRead = 16<<20 + 1

// readRegular reads a regular file without following a link; fs.ErrInvalid if it is something else by now.
func readRegular(dir *os.Root, name string) ([]byte, fs.FileInfo, error) {
	for range readTries {
		data, info, err := readOnce(dir, name)
		if !errors.Is(err, errReplaced) {
			return data, info, err
		}
	}
	return nil, nil, fs.ErrInvalid
}

// readTries bounds how often a file is read that a program replaces between our look at it and our opening it.
const readTries = 20

var errReplaced = errors.New("replaced while it was opened")

func readOnce(dir *os.Root, name string) ([]byte, fs.FileInfo, error) {
	want, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !want.Mode().IsRegular() {
		return nil, nil, fs.ErrInvalid
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // never wait for a fifo
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(want, info) {
		return nil, nil, errReplaced
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRead))
	return data, info, err
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
