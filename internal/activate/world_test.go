package activate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// world is a home, a state folder in it, and the machine that they are on.
type world struct {
	testing.TB
	home, state string
	gens        generation.State
	store       store.Store
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, home: filepath.Join(ostest.TempDir(t), "home")}
	if err := os.Mkdir(w.home, 0o700); err != nil {
		t.Fatal(err)
	}
	w.state = filepath.Join(w.home, ".local/state/agentihooks")
	var err error
	if w.gens, err = generation.OpenState(w.state, w.home); err != nil {
		t.Fatal(err)
	}
	w.store = store.New(w.state)
	return w
}

func (w *world) path(rel string) string { return filepath.Join(w.home, rel) }

func (w *world) machine() Machine { return Machine{OS: "linux", Arch: "amd64", Home: w.home} }

// tree makes a tree from lines: "link DEST = text", "linkdir DEST FILE = text", "merge DEST KEYS = object". DEST is
// relative to the home; KEYS are as keysOf takes them, separated by "+"; a value that is "" makes an empty file.
func (w *world) tree(lines ...string) tree.Tree {
	w.Helper()
	var files []tree.File
	entries := map[string]tree.Entry{}
	for _, line := range lines {
		head, data, ok := strings.Cut(line, " = ")
		f := strings.Fields(head)
		if !ok || len(f) < 2 {
			w.Fatalf("bad line %q", line)
		}
		e := tree.Entry{Dest: tree.Dest(w.path(f[1])), Placement: tree.Link, Path: "t/" + strings.ReplaceAll(f[1], "/", "_")}
		file := tree.File{Path: e.Path, Data: []byte(data)}
		switch f[0] {
		case "linkdir":
			file.Path += "/" + f[2]
		case "merge":
			e.Placement = tree.Merge
			if len(f) > 2 {
				e.Keys = keysOf(strings.ReplaceAll(f[2], "+", " "))
			}
		}
		files = append(files, file)
		entries[f[1]] = e
	}
	var list []tree.Entry
	for _, e := range entries {
		list = append(list, e)
	}
	tr, diags := tree.New(tree.Index{Host: "h", OS: "linux", Arch: "amd64", Home: w.home, Copilot: w.path(".copilot")}, files, list)
	if diags.HasErrors() {
		w.Fatal(diags)
	}
	return tr
}

func (w *world) request(tr tree.Tree) Request {
	return Request{
		State: w.gens, Store: w.store, Machine: w.machine(), Tree: tr,
		Record: generation.Record{CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Manifest: "/m", Release: "test"},
	}
}

func (w *world) switchTo(tr tree.Tree) Result {
	w.Helper()
	res, err := Switch(context.Background(), w.request(tr))
	if err != nil {
		w.Fatal(err)
	}
	return res
}

func (w *world) rollback(to generation.Number) Result {
	w.Helper()
	res, err := Rollback(context.Background(), RollbackRequest{State: w.gens, Store: w.store, Machine: w.machine(), To: to})
	if err != nil {
		w.Fatal(err)
	}
	return res
}

// refused switches and returns the collisions as "class path key", relative to the home, after checking that nothing was written.
func (w *world) refused(tr tree.Tree) []string {
	w.Helper()
	before := w.inodes()
	_, err := Switch(context.Background(), w.request(tr))
	var collision *CollisionError
	if !errors.As(err, &collision) {
		w.Fatalf("error %v, want a CollisionError", err)
	}
	w.sameInodes(before)
	var out []string
	for _, c := range collision.Collisions {
		if c.Reason == "" || c.Remedy == "" {
			w.Errorf("collision without words: %+v", c)
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Class, strings.TrimPrefix(c.Path, w.home+"/"), c.Key)))
	}
	return out
}

func (w *world) write(rel, data string) {
	w.Helper()
	path := w.path(rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o640); err != nil {
		w.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		w.Fatal(err)
	}
}

// rewrite is how Copilot saves a file: a temporary name, then a rename.
func (w *world) rewrite(rel, data string) {
	w.Helper()
	w.write(rel+".tmp.1", data)
	if err := os.Rename(w.path(rel+".tmp.1"), w.path(rel)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(rel string) string {
	w.Helper()
	data, err := os.ReadFile(w.path(rel))
	if err != nil {
		w.Fatal(err)
	}
	return string(data)
}

func (w *world) link(rel, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(rel)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.Symlink(text, w.path(rel)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) mkdir(rel string) {
	w.Helper()
	if err := os.MkdirAll(w.path(rel), 0o755); err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(rel string) {
	w.Helper()
	if err := os.RemoveAll(w.path(rel)); err != nil {
		w.Fatal(err)
	}
}

// snapshot is the home without the state folder: path, type, mode, content.
func (w *world) snapshot() []string {
	w.Helper()
	var out []string
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == w.path(".local") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %s", strings.TrimPrefix(path, w.home), info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %x %q", sha256.Sum256(data), data[:min(len(data), 300)])
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += " -> " + text
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *world) sameHome(want []string, when string) {
	w.Helper()
	if got := w.snapshot(); !slices.Equal(got, want) {
		w.Errorf("%s the home is\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// inodes is every path of home and state with what a write would change: inode, times, size, mode.
func (w *world) inodes() map[string]string {
	w.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st syscall.Stat_t
		if err := syscall.Lstat(path, &st); err != nil {
			return err
		}
		when := times(st)
		if path == w.state {
			when = "" // the lock file may have been made in it
		}
		out[path] = fmt.Sprintf("%d %d %o %s", st.Ino, st.Size, st.Mode, when)
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	delete(out, filepath.Join(w.state, "lock"))
	return out
}

func (w *world) sameInodes(want map[string]string) {
	w.Helper()
	got := w.inodes()
	for path, line := range got {
		if want[path] != line {
			w.Errorf("%s was written: %s, before %s", path, line, want[path])
		}
	}
	for path := range want {
		if _, ok := got[path]; !ok {
			w.Errorf("%s was removed", path)
		}
	}
}

// healthy checks what must hold after every command: no journal, no temporary files, every link leads somewhere.
func (w *world) healthy() {
	w.Helper()
	if due, err := RecoveryDue(w.gens); due || err != nil {
		w.Errorf("a recovery is due: %v %v", due, err)
	}
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); strings.Contains(name, ".agentihooks-") || strings.HasPrefix(name, ".tmp-") || strings.HasPrefix(name, ".gc-") {
			w.Errorf("left over: %s", path)
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if text, err := os.Readlink(path); err == nil && beneath(text, w.state) {
				if _, err := os.Stat(path); err != nil {
					w.Errorf("%s dangles: %v", path, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	if a, err := loadApplied(w.state); err != nil {
		w.Error(err)
	} else if info, err := os.Stat(filepath.Join(w.state, appliedFile)); err == nil && info.Mode().Perm() != 0o600 {
		w.Errorf("applied.json has mode %v (%d paths)", info.Mode(), len(a.Paths))
	}
}

// treeOf makes a tree of linked files by destination.
func (w *world) treeOf(idx tree.Index, texts map[string]string) tree.Tree {
	w.Helper()
	var files []tree.File
	var entries []tree.Entry
	for dest, text := range texts {
		path := fmt.Sprintf("t/%x", sha256.Sum256([]byte(dest)))
		files = append(files, tree.File{Path: path, Data: []byte(text)})
		entries = append(entries, tree.Entry{Dest: tree.Dest(dest), Placement: tree.Link, Path: path})
	}
	tr, diags := tree.New(idx, files, entries)
	if diags.HasErrors() {
		w.Fatal(diags)
	}
	return tr
}
