package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/tree"
)

func links(tb testing.TB, path string) int {
	tb.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Nlink)
}

// changed is the small tree with one file more, so that its name is another.
func changed(tb testing.TB, change func(files []tree.File)) tree.Tree {
	files := slices.DeleteFunc(slices.Clone(smallTree(tb).Files), func(f tree.File) bool { return f.Path == tree.IndexPath })
	change(files)
	return newTree(tb, "h", append(files, tree.File{Path: "new"})...)
}

func TestUnchangedFilesAreHardLinks(t *testing.T) {
	s := newStore(t)
	p := mustAdd(t, s, smallTree(t), "")
	next := changed(t, func(files []tree.File) {
		for i := range files {
			if files[i].Path == "a/b/run.sh" {
				files[i].Exec = false
			}
		}
	})
	q := mustAdd(t, s, next, p)
	for path, want := range map[string]int{
		"a/x.md": 2, "empty": 2,
		"index.json": 2, // it names host and destinations, and both trees have the same
		"a/b/run.sh": 1, // same bytes, another mode
		"new":        1,
		"bin/hook":   1, "policy/policy.bin": 1, // never shared
	} {
		if got := links(t, filepath.Join(string(q), path)); got != want {
			t.Errorf("%s has %d links, want %d", path, got, want)
		}
	}
	for _, path := range []Path{p, q} {
		if err := s.Verify(path); err != nil {
			t.Error(err)
		}
	}
	if err := s.Delete(p); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(q); err != nil {
		t.Errorf("after the other tree is gone: %v", err)
	}
}

func TestADamagedFileIsNotLinked(t *testing.T) {
	s := newStore(t)
	p := mustAdd(t, s, smallTree(t), "")
	if err := damages["other bytes"](string(p)); err != nil {
		t.Fatal(err)
	}
	q := mustAdd(t, s, changed(t, func([]tree.File) {}), p)
	if err := s.Verify(q); err != nil {
		t.Error(err)
	}
}

// wantCopies adds a tree whose previous cannot be linked from, and looks for whole copies.
func wantCopies(t *testing.T, s Store, previous Path) {
	t.Helper()
	q := mustAdd(t, s, changed(t, func([]tree.File) {}), previous)
	if err := s.Verify(q); err != nil {
		t.Error(err)
	}
	if got := links(t, filepath.Join(string(q), "a/x.md")); got != 1 {
		t.Errorf("%d links", got)
	}
}

func TestCopyAcrossFileSystems(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "store")
	if err != nil {
		t.Skipf("no second file system here: %v", err)
	}
	t.Cleanup(func() {
		ostest.Writable(dir)
		os.RemoveAll(dir)
	})
	s := newStore(t)
	if err := os.Mkdir(s.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	previous := mustAdd(t, New(dir), smallTree(t), "")
	if err := os.Link(filepath.Join(string(previous), "a/x.md"), filepath.Join(s.Dir(), "probe")); !errors.Is(err, syscall.EXDEV) {
		t.Skipf("a link from /dev/shm gives %v", err)
	}
	wantCopies(t, s, previous)
}

func TestCopyAtTheLimitOfLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 65,000 links")
	}
	s := newStore(t)
	previous := mustAdd(t, s, smallTree(t), "")
	file := filepath.Join(string(previous), "a/x.md")
	dir := t.TempDir()
	for i := 0; ; i++ {
		err := os.Link(file, filepath.Join(dir, strconv.Itoa(i)))
		if errors.Is(err, syscall.EMLINK) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if i > 70_000 {
			t.Skip("this file system has no such limit")
		}
	}
	wantCopies(t, s, previous)
}

// A user may not link what belongs to another, though he may read it.
func TestCopyFromAnotherOwner(t *testing.T) {
	const foreign = "STORE_TEST_FOREIGN"
	prepare := func(dir string) []string {
		state := filepath.Join(dir, "foreign")
		p := mustAdd(t, New(state), smallTree(t), "")
		for _, d := range []string{state, filepath.Join(state, "store")} {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return []string{foreign + "=" + string(p)}
	}
	if ostest.AsOrdinaryUser(t, prepare) {
		return
	}
	previous := Path(os.Getenv(foreign))
	if previous == "" {
		t.Skip("only root can make a tree of another owner")
	}
	s := newStore(t)
	if err := os.Mkdir(s.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(string(previous), "a/x.md"), filepath.Join(s.Dir(), "probe")); !errors.Is(err, syscall.EPERM) {
		t.Skipf("this system lets anybody link: %v", err)
	}
	wantCopies(t, s, previous)
}

// treeWith is a tree of one skill and one agent, with entries for both.
func treeWith(tb testing.TB, agent string, exec bool, skill ...tree.File) tree.Tree {
	tb.Helper()
	files := append(skill, tree.File{Path: "a.md", Data: []byte(agent), Exec: exec}, tree.File{Path: "bin/hook", Data: []byte("binary"), Exec: true})
	tr, diags := tree.New(tree.Index{Host: "h", OS: "linux", Arch: "amd64", Home: "/home/u", Copilot: "/home/u/.copilot"}, files, []tree.Entry{
		{Dest: "/home/u/a.md", Placement: tree.Link, Path: "a.md"},
		{Dest: "/home/u/hook", Placement: tree.Link, Path: "bin/hook"},
		{Dest: "/home/u/s", Placement: tree.Link, Path: "s"},
	})
	if len(diags) > 0 {
		tb.Fatalf("%+v", diags)
	}
	return tr
}

func TestAddNext(t *testing.T) {
	run, text := tree.File{Path: "s/run.sh", Data: []byte("#!/bin/sh\n"), Exec: true}, tree.File{Path: "s/b/text.md", Data: []byte("x\n")}
	old := treeWith(t, "agent", false, run, text)
	for name, tt := range map[string]struct {
		next   tree.Tree
		damage func(p string) error
		linked map[string]bool
	}{
		"the agent changed": {next: treeWith(t, "other", false, run, text), linked: map[string]bool{"s/run.sh": true, "s/b/text.md": true}},
		"the agent runs now": { // which no index tells
			next:   treeWith(t, "agent", true, run, text),
			linked: map[string]bool{"s/run.sh": true, "s/b/text.md": true, "index.json": true},
		},
		"the skill has less": {next: treeWith(t, "agent", false, run), linked: map[string]bool{"a.md": true, "s/run.sh": true}},
		"the skill is a file": {
			next: treeWith(t, "agent", false, tree.File{Path: "s", Data: []byte("#!/bin/sh\n")}), linked: map[string]bool{"a.md": true},
		},
		"a file that somebody made writable": { // the hash is of the x bit alone
			next:   treeWith(t, "other", false, run, text),
			damage: func(p string) error { return os.Chmod(filepath.Join(p, "s/b/text.md"), 0o644) },
			linked: map[string]bool{"s/run.sh": true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			p := mustAdd(t, s, old, "")
			if tt.damage != nil {
				if err := tt.damage(string(p)); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Rehash(p); err != nil {
				t.Fatal(err)
			}
			q, added, err := s.AddNext(tt.next, p, old.Index)
			if err != nil || !added {
				t.Fatalf("AddNext gave %v, %v", added, err)
			}
			if err := s.Verify(q); err != nil {
				t.Error(err)
			}
			for _, f := range tt.next.Files {
				if got := links(t, filepath.Join(string(q), f.Path)) == 2; got != tt.linked[f.Path] {
					t.Errorf("%s is linked: %v", f.Path, got)
				}
				if got := listing(t, string(q))[f.Path]; got != modeOf(f) {
					t.Errorf("%s has mode %v", f.Path, got)
				}
			}
		})
	}
}
