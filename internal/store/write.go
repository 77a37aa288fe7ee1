package store

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// The modes of a tree on disk.
const (
	folderMode fs.FileMode = 0o555
	plainMode  fs.FileMode = 0o444
	execMode   fs.FileMode = 0o555
)

func modeOf(f tree.File) fs.FileMode {
	if f.Exec {
		return execMode
	}
	return plainMode
}

// writer writes the files of one tree below dir, an empty folder.
type writer struct {
	dir      string
	previous string          // a store path to link from, or empty
	known    map[string]bool // files and folders of which it has the very same
	buf      []byte          // for reading files of previous
}

func (w *writer) write(files []tree.File) error {
	folders := foldersOf(files)
	for _, folder := range folders {
		if err := os.Mkdir(filepath.Join(w.dir, folder), 0o700); err != nil {
			return err
		}
	}
	for _, f := range files {
		if w.link(f) {
			continue
		}
		if err := w.create(f); err != nil {
			return err
		}
	}
	for _, folder := range append(folders, ".") { // last: nothing can be made in a 0555 folder
		path := filepath.Join(w.dir, folder)
		if err := os.Chmod(path, folderMode); err != nil {
			return err
		}
		if err := durable.FlushFolder(path); err != nil {
			return err
		}
	}
	return nil
}

// foldersOf is every folder that sorted files lie in, parents first.
func foldersOf(files []tree.File) []string {
	var out []string
	last := ""
	for _, f := range files {
		for i := range len(f.Path) {
			if f.Path[i] == '/' && !strings.HasPrefix(last, f.Path[:i+1]) {
				out = append(out, f.Path[:i])
			}
		}
		last = f.Path
	}
	return out
}

// create writes a file anew.
func (w *writer) create(f tree.File) error {
	out, err := os.OpenFile(filepath.Join(w.dir, f.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL|noWait, modeOf(f))
	if err != nil {
		return err
	}
	if err := fill(out, f); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func fill(out *os.File, f tree.File) error {
	if _, err := out.Write(f.Data); err != nil {
		return err
	}
	info, err := out.Stat()
	if err != nil {
		return err
	}
	if info.Mode() != modeOf(f) { // the umask had its way; mostly it has none, and setting a mode is another write
		if err := out.Chmod(modeOf(f)); err != nil {
			return err
		}
	}
	return durable.Flush(out)
}

// link makes the file a hard link to the same file of the previous tree, if it can. Any error means a copy: another
// file system, another owner, the limit of links (65,000 on ext4). What runs and what it obeys is never shared: one
// careless write would damage every generation.
func (w *writer) link(f tree.File) bool {
	if w.previous == "" || strings.HasPrefix(f.Path, "bin/") || strings.HasPrefix(f.Path, "policy/") {
		return false
	}
	old := filepath.Join(w.previous, f.Path)
	return w.same(old, f) && os.Link(old, filepath.Join(w.dir, f.Path)) == nil
}

// same compares content and mode. It reads the old file unless that was just hashed: a damaged file must not get into a
// new tree, whatever the old index says.
func (w *writer) same(old string, f tree.File) bool {
	info, err := os.Lstat(old)
	if err != nil || info.Mode() != modeOf(f) || info.Size() != int64(len(f.Data)) {
		return false
	}
	if w.knows(f.Path) {
		return true
	}
	in, err := os.OpenFile(old, os.O_RDONLY|noWait, 0)
	if err != nil {
		return false
	}
	defer in.Close()
	if len(w.buf) < len(f.Data) {
		w.buf = make([]byte, max(len(f.Data), 64<<10))
	}
	n, err := io.ReadFull(in, w.buf[:len(f.Data)])
	return err == nil && bytes.Equal(w.buf[:n], f.Data)
}

// knows reports whether the file, or a folder that it lies in, is known to be the same.
func (w *writer) knows(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && w.known[path[:i]] {
			return true
		}
	}
	return w.known[path]
}
