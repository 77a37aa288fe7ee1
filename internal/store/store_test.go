package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// childState makes this binary a process that adds the bench tree to the store of that state folder, once its stdin
// ends, and prints whether it wrote it.
const (
	childState = "STORE_TEST_STATE"
	childUmask = "STORE_TEST_UMASK"
)

func TestMain(m *testing.M) {
	state := os.Getenv(childState)
	if state == "" {
		os.Exit(m.Run())
	}
	if umask, err := strconv.ParseUint(os.Getenv(childUmask), 8, 32); err == nil {
		syscall.Umask(int(umask))
	}
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	_, added, err := New(state).Add(benchTree(nil, ""), "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(added)
}

func child(state string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, childState+"="+state)...)
	return cmd
}

func newTree(tb testing.TB, host string, files ...tree.File) tree.Tree {
	tr, diags := tree.New(tree.Index{Host: host, OS: "linux", Arch: "amd64", Home: "/home/u", Copilot: "/home/u/.copilot"}, files, nil)
	if len(diags) > 0 {
		if tb == nil {
			panic(diags[0].Summary)
		}
		tb.Fatalf("%+v", diags)
	}
	return tr
}

func smallTree(tb testing.TB) tree.Tree {
	return newTree(tb, "h",
		tree.File{Path: "a/b/run.sh", Data: []byte("#!/bin/sh\n"), Exec: true},
		tree.File{Path: "a/x.md", Data: []byte("x\n")},
		tree.File{Path: "bin/hook", Data: []byte("binary"), Exec: true},
		tree.File{Path: "policy/policy.bin", Data: []byte("policy")},
		tree.File{Path: "empty", Data: nil},
	)
}

// benchTree is 100 skills of 3 files and 52 others, 2 KB each; the first agent says what the caller wants.
func benchTree(tb testing.TB, agent string) tree.Tree {
	var files []tree.File
	body := bytes.Repeat([]byte("0123456789abcde\n"), 128)
	for i := range 100 {
		for _, name := range []string{"SKILL.md", "reference.md", "scripts/run.sh"} {
			files = append(files, tree.File{Path: fmt.Sprintf("agents/skills/s%03d/%s", i, name), Exec: strings.HasSuffix(name, ".sh"), Data: body})
		}
	}
	for i := range 51 {
		files = append(files, tree.File{Path: fmt.Sprintf("copilot/agents/a%02d.md", i), Data: body})
	}
	files[len(files)-1].Data = append([]byte(agent), body...)
	return newTree(tb, "h", files...)
}

func newStore(tb testing.TB) Store { return New(ostest.TempDir(tb)) }

func mustAdd(tb testing.TB, s Store, tr tree.Tree, previous Path) Path {
	tb.Helper()
	p, added, err := s.Add(tr, previous)
	if err != nil || !added {
		tb.Fatalf("Add gave %s, %v, %v", p, added, err)
	}
	return p
}

// names is every name in the store's folder, temporary ones too.
func names(tb testing.TB, s Store) []string {
	tb.Helper()
	items, err := os.ReadDir(s.Dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tb.Fatal(err)
	}
	var out []string
	for _, item := range items {
		out = append(out, item.Name())
	}
	return out
}

// listing is every path below dir with its mode.
func listing(tb testing.TB, dir string) map[string]fs.FileMode {
	tb.Helper()
	out := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(dir, path)
		out[rel] = info.Mode()
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestAdd(t *testing.T) {
	s := newStore(t)
	tr := smallTree(t)
	p := mustAdd(t, s, tr, "")
	if want := filepath.Join(s.Dir(), string(tr.Hash)+"-h"); string(p) != want || p.Hash() != tr.Hash || p.Host() != "h" {
		t.Errorf("path %s, want %s", p, want)
	}
	want := map[string]fs.FileMode{
		".": fs.ModeDir | 0o555, "a": fs.ModeDir | 0o555, "a/b": fs.ModeDir | 0o555, "a/b/run.sh": 0o555, "a/x.md": 0o444,
		"bin": fs.ModeDir | 0o555, "bin/hook": 0o555, "policy": fs.ModeDir | 0o555, "policy/policy.bin": 0o444,
		"empty": 0o444, "index.json": 0o444,
	}
	if got := listing(t, string(p)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("on disk %v\nwant %v", got, want)
	}
	for _, f := range tr.Files {
		if data, err := s.ReadFile(p, f.Path); err != nil || !bytes.Equal(data, f.Data) {
			t.Errorf("%s reads %q, %v", f.Path, data, err)
		}
	}
	if idx, err := s.ReadIndex(p); err != nil || idx.Host != "h" {
		t.Errorf("index %+v, %v", idx, err)
	}
	if err := s.Verify(p); err != nil {
		t.Error(err)
	}
	if got, added, err := s.Add(tr, p); got != p || added || err != nil {
		t.Errorf("the second Add gave %s, %v, %v", got, added, err)
	}
	if list, err := s.List(); err != nil || !slices.Equal(list, []Path{p}) {
		t.Errorf("List gave %q, %v", list, err)
	}
	if got := names(t, s); len(got) != 1 {
		t.Errorf("the store holds %q", got)
	}
}

func TestReadFileStaysInside(t *testing.T) {
	s := newStore(t)
	p := mustAdd(t, s, smallTree(t), "")
	for _, name := range []string{"", ".", "..", "../x", "/etc/passwd", "a/../index.json", "a//x.md"} {
		if data, err := s.ReadFile(p, name); err == nil {
			t.Errorf("%q reads %q", name, data)
		}
	}
	if _, err := s.ReadFile(p, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestEmptyStore(t *testing.T) {
	s := newStore(t)
	if list, err := s.List(); err != nil || len(list) > 0 {
		t.Errorf("List gave %q, %v", list, err)
	}
	if err := s.CleanTemp(); err != nil {
		t.Error(err)
	}
	p := s.PathOf(smallTree(t).Name())
	if err := s.Verify(p); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
		t.Errorf("Verify: %v", err)
	}
	if err := s.Delete(p); err != nil {
		t.Errorf("Delete: %v", err)
	}
}

func TestListTakesOnlyStorePaths(t *testing.T) {
	s := newStore(t)
	p := mustAdd(t, s, smallTree(t), "")
	for _, name := range []string{"notes", ".tmp-x", ".gc-" + string(p.Name()), string(p.Name()) + "\n", strings.ToUpper(string(p.Name()))} {
		if err := os.Mkdir(filepath.Join(s.Dir(), name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(string(p)+"2", nil, 0o600); err != nil { // a valid name, not a folder
		t.Fatal(err)
	}
	if list, err := s.List(); err != nil || !slices.Equal(list, []Path{p}) {
		t.Errorf("List gave %q, %v", list, err)
	}
}

func TestParsePath(t *testing.T) {
	p := New("/s").PathOf(smallTree(t).Name())
	if got, err := ParsePath(string(p)); err != nil || got != p {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", string(p.Name()), "/s/store", string(p) + "/", "/s/../" + string(p.Name())} {
		if _, err := ParsePath(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestDelete(t *testing.T) {
	s := newStore(t)
	p := mustAdd(t, s, smallTree(t), "")
	keep := mustAdd(t, s, benchTree(t, ""), p)
	if err := os.Mkdir(s.grave(p), 0o500); err != nil { // of a crash in the middle of an earlier Delete
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Delete(p); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(t, s); !slices.Equal(got, []string{string(keep.Name())}) {
		t.Errorf("the store holds %q", got)
	}
	if err := s.Verify(keep); err != nil {
		t.Error(err)
	}
	outside := filepath.Join(ostest.TempDir(t), string(keep.Name()))
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Path{Path(outside), Path(s.Dir() + "/.."), Path(s.Dir() + "/notes"), ""} {
		if err := s.Delete(bad); err == nil {
			t.Errorf("Delete(%q) gave no error", bad)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestAddRefusesABadName(t *testing.T) {
	s := newStore(t)
	for _, tr := range []tree.Tree{{}, {Hash: "x", Index: tree.Index{Host: "h"}}, {Hash: smallTree(t).Hash, Index: tree.Index{Host: "../x"}}} {
		if p, _, err := s.Add(tr, ""); err == nil {
			t.Errorf("added %s", p)
		}
	}
	if got := names(t, s); len(got) > 0 {
		t.Errorf("the store holds %q", got)
	}
}

// TestAsOrdinaryUser is the whole life of a tree for a user whom 0555 folders do stop.
func TestAsOrdinaryUser(t *testing.T) {
	if ostest.AsOrdinaryUser(t) {
		return
	}
	s := newStore(t)
	first := smallTree(t)
	p := mustAdd(t, s, first, "")
	if err := os.WriteFile(filepath.Join(string(p), "a/new"), nil, 0o600); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("writing into a tree: %v", err)
	}
	if err := os.WriteFile(filepath.Join(string(p), "a/x.md"), nil, 0); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("writing a file of a tree: %v", err)
	}
	second := mustAdd(t, s, newTree(t, "h", append(slices.DeleteFunc(slices.Clone(first.Files), func(f tree.File) bool { return f.Path == tree.IndexPath }), tree.File{Path: "new"})...), p)
	if links(t, filepath.Join(string(second), "a/x.md")) != 2 {
		t.Error("an unchanged file is not a hard link")
	}
	if err := damages["cut file"](string(p)); err != nil {
		t.Fatal(err)
	}
	ostest.Writable(string(p))
	for path := range listing(t, string(p)) { // as it lies in the store: nothing may be written
		if err := os.Chmod(filepath.Join(string(p), path), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	if _, added, err := s.Add(first, second); err != nil || !added {
		t.Errorf("repairing: %v, %v", added, err)
	}
	for _, q := range []Path{p, second} {
		if err := s.Delete(q); err != nil {
			t.Error(err)
		}
	}
	if got := names(t, s); len(got) > 0 {
		t.Errorf("the store holds %q", got)
	}
}

func TestUmaskHasNoEffect(t *testing.T) {
	var want map[string]fs.FileMode
	for _, umask := range []string{"0022", "0077", "0000", "0027"} {
		state := ostest.TempDir(t)
		if out, err := child(state, childUmask+"="+umask).CombinedOutput(); err != nil {
			t.Fatalf("umask %s: %v\n%s", umask, err, out)
		}
		s := New(state)
		p := s.PathOf(benchTree(t, "").Name())
		if err := s.Verify(p); err != nil {
			t.Errorf("umask %s: %v", umask, err)
		}
		got := listing(t, string(p))
		if want == nil {
			want = got
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("umask %s gives other modes", umask)
		}
	}
}
