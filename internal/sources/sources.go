// Package sources opens the folders that a manifest reads from: nothing outside them is seen, whatever the links say.
package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// nixStore is the one place outside a source folder that a link in it may lead to: Home Manager makes such links for
// every file it manages, and the store is read-only and the user's own doing.
const nixStore = "/nix/store"

// Folder is one source folder as a file system. It never leaves the folder, but for links into /nix/store. Names are
// slash paths as in io/fs; links to other places fail to open with an error that is not fs.ErrNotExist.
type Folder struct {
	fs.FS
	root *os.Root
	path string // absolute, links resolved

	mu   sync.Mutex
	open []level // the folders on the way to the name that was asked for last
}

// level is an open folder, and its name in the one above it.
type level struct {
	name string
	root *os.Root
}

// Manifest opens the folder of a manifest file, and returns it with the file's name in it. A manifest that is a link
// is read where it really lies, together with its neighbours there (so stow and a dotfiles repository work), except
// when that is /nix/store, where a single linked file has no neighbours of its own.
func Manifest(file string) (*Folder, string, error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, "", err
	}
	if !within(nixStore, real) {
		file = real
	}
	f, err := Open(filepath.Dir(file))
	return f, filepath.Base(file), err
}

// Open opens a folder, links in its own path resolved.
func Open(dir string) (*Folder, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &Folder{FS: root.FS(), root: root, path: real}, nil
}

// Path is the folder's absolute path, links resolved.
func (f *Folder) Path() string { return f.path }

// Module opens the folder of a module that a manifest in this folder names by a relative slash path.
func (f *Folder) Module(rel string) (fs.FS, error) {
	if filepath.IsAbs(rel) {
		return nil, fmt.Errorf("%s is not a relative path", rel)
	}
	return Open(filepath.Join(f.path, filepath.FromSlash(rel)))
}

// Open opens a file for reading. A pipe does not make it wait.
func (f *Folder) Open(name string) (fs.File, error) {
	if root, base, ok := f.at(name); ok {
		if file, err := root.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			return file, nil
		}
	}
	file, err := f.FS.Open(name)
	if target, ok := f.linked(name, err); ok {
		return os.Open(target)
	}
	return file, err
}

// Stat describes what a name leads to, links followed.
func (f *Folder) Stat(name string) (fs.FileInfo, error) {
	if root, base, ok := f.at(name); ok {
		if info, err := root.Stat(base); err == nil {
			return info, nil
		}
	}
	info, err := fs.Stat(f.FS, name)
	if target, ok := f.linked(name, err); ok {
		return os.Stat(target)
	}
	return info, err
}

// at is the folder that a name lies in, opened, and the name there. os.Root opens every component of a path anew, and
// names come folder by folder, so those on the way are kept. Where it fails the whole path has to be tried: a link may
// lead out of a folder on the way and stay in this one.
func (f *Folder) at(name string) (root *os.Root, base string, ok bool) {
	if !fs.ValidPath(name) {
		return nil, "", false
	}
	names := strings.Split(name, "/")
	dir, base := names[:len(names)-1], names[len(names)-1]
	f.mu.Lock()
	defer f.mu.Unlock()
	common := 0
	for common < min(len(dir), len(f.open)) && f.open[common].name == dir[common] {
		common++
	}
	for _, l := range f.open[common:] {
		l.root.Close() // somebody who still uses it gets an error, and tries the whole path
	}
	f.open = f.open[:common]
	for _, name := range dir[common:] {
		below, err := f.deepest().OpenRoot(name)
		if err != nil {
			return nil, "", false
		}
		f.open = append(f.open, level{name, below})
	}
	return f.deepest(), base, true
}

func (f *Folder) deepest() *os.Root {
	if len(f.open) == 0 {
		return f.root
	}
	return f.open[len(f.open)-1].root
}

// Lstat describes the name itself: a link as a link.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) {
	return f.root.Lstat(filepath.FromSlash(name))
}

// ReadLink is where a link points, as its text says.
func (f *Folder) ReadLink(name string) (string, error) {
	return f.root.Readlink(filepath.FromSlash(name))
}

// linked is the place in /nix/store that a name leads to when it could not be opened inside the folder.
func (f *Folder) linked(name string, err error) (string, bool) {
	if err == nil || errors.Is(err, fs.ErrNotExist) || !fs.ValidPath(name) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(f.path, filepath.FromSlash(name)))
	return real, err == nil && within(nixStore, real)
}

// within reports whether path lies beneath dir, by whole components.
func within(dir, path string) bool {
	return strings.HasPrefix(path, dir+string(filepath.Separator))
}
