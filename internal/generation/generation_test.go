package generation

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/tree"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// testTree is a tree that differs with its text.
func testTree(tb testing.TB, text string) tree.Tree {
	tb.Helper()
	tr, diags := tree.New(tree.Index{Host: "h", OS: "linux", Arch: "amd64", Home: "/home/u", Copilot: "/home/u/.copilot"},
		[]tree.File{{Path: "f", Data: []byte(text)}}, nil)
	if len(diags) > 0 {
		tb.Fatalf("%+v", diags)
	}
	return tr
}

func newState(tb testing.TB) State {
	tb.Helper()
	home := tb.TempDir()
	s, err := OpenState(filepath.Join(home, ".local/state/agentihooks"), home)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// record puts a tree into the store, the plain way, and gives a record of it.
func record(tb testing.TB, s State, text string) Record {
	tb.Helper()
	tr := testTree(tb, text)
	dir := filepath.Join(s.Dir(), "store", string(tr.Name()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return Record{
		CreatedAt: now, Store: tr.Name(), Host: "h", Message: "why <so>", Manifest: "/home/u/machine.hcl", Revision: "abc", Release: "0.1.0",
		Facts: json.RawMessage(`{"hostname":"h","os":"linux","which":{"a":"/bin/a","b":""}}`),
	}
}

func mustCreate(tb testing.TB, s State, text string) Number {
	tb.Helper()
	n, err := s.Create(record(tb, s, text))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func mustFlip(tb testing.TB, s State, n Number) {
	tb.Helper()
	if err := s.Flip(n); err != nil {
		tb.Fatal(err)
	}
}

func TestCreateReadList(t *testing.T) {
	s := newState(t)
	want := record(t, s, "one")
	n, err := s.Create(want)
	if err != nil || n != 1 {
		t.Fatalf("number %d, %v", n, err)
	}
	got, err := s.Read(n)
	if err != nil {
		t.Fatal(err)
	}
	want.Version, want.Number = 1, 1
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v\nwrote %+v", got, want)
	}
	if target, err := os.Readlink(filepath.Join(s.Folder(1), "tree")); err != nil || target != "../../store/"+string(want.Store) {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if data, err := os.ReadFile(filepath.Join(s.Folder(1), "tree", "f")); err != nil || string(data) != "one" {
		t.Errorf("through the link: %q, %v", data, err)
	}
	for i := 2; i <= 12; i++ {
		if n := mustCreate(t, s, "one"); n != Number(i) {
			t.Fatalf("number %d, want %d", n, i)
		}
	}
	list, err := s.List()
	if err != nil || len(list) != 12 || !slices.IsSortedFunc(list, func(a, b Record) int { return int(a.Number - b.Number) }) {
		t.Errorf("%d records, %v", len(list), err)
	}
	if _, err := s.Read(13); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing generation: %v", err)
	}
	if items, _ := filepath.Glob(filepath.Join(s.Dir(), "generations", ".*")); len(items) > 0 {
		t.Errorf("%q was left", items)
	}
}

func TestCreateRefuses(t *testing.T) {
	s := newState(t)
	for name, change := range map[string]func(*Record){
		"tree not in the store": func(r *Record) { r.Store = testTree(t, "other").Name() },
		"no tree":               func(r *Record) { r.Store = "" },
		"way out":               func(r *Record) { r.Store = "../../x" },
		"host of another tree":  func(r *Record) { r.Host = "other" },
		"no time":               func(r *Record) { r.CreatedAt = time.Time{} },
		"local time":            func(r *Record) { r.CreatedAt = now.In(time.FixedZone("X", 3600)) },
		"part of a second":      func(r *Record) { r.CreatedAt = now.Add(1) },
		"huge message":          func(r *Record) { r.Message = strings.Repeat("x", maxRecord) },
	} {
		rec := record(t, s, "one")
		change(&rec)
		if n, err := s.Create(rec); err == nil {
			t.Errorf("%s: generation %d", name, n)
		}
	}
	items, _ := os.ReadDir(filepath.Join(s.Dir(), "generations"))
	if len(items) > 0 {
		t.Errorf("%v was left", items)
	}
}

func TestNumbersAreNeverUsedTwice(t *testing.T) {
	s := newState(t)
	for range 3 {
		mustCreate(t, s, "one")
	}
	for _, tt := range []struct {
		delete []Number
		next   Number
	}{{[]Number{2}, 4}, {[]Number{4}, 5}, {[]Number{5, 3, 1}, 6}, {[]Number{6}, 7}, {[]Number{7, 7, 99}, 8}} {
		for _, n := range tt.delete {
			if err := s.Delete(n); err != nil {
				t.Fatal(err)
			}
		}
		if n := mustCreate(t, s, "one"); n != tt.next {
			t.Errorf("after deleting %v the next is %d, want %d", tt.delete, n, tt.next)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), "generations", "highest.json"), []byte(`{"version":2,"highest":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Create(record(t, s, "one")); err == nil {
		t.Errorf("with an unknown highest.json: generation %d", n)
	}
}

func TestDelete(t *testing.T) {
	s := newState(t)
	n := mustCreate(t, s, "one")
	mustFlip(t, s, n)
	if err := s.Delete(n); err == nil {
		t.Error("the live generation was deleted")
	}
	m := mustCreate(t, s, "two")
	if err := os.MkdirAll(filepath.Join(s.Dir(), "generations", ".gc-2", "x"), 0o700); err != nil { // of a crash
		t.Fatal(err)
	}
	if err := s.Delete(m); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(); err != nil || len(list) != 1 || list[0].Number != n {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "store", string(testTree(t, "two").Name()), "f")); err != nil {
		t.Errorf("the tree went with its record: %v", err)
	}
}

func TestCleanTemp(t *testing.T) {
	s := newState(t)
	if err := s.CleanTemp(); err != nil {
		t.Error(err)
	}
	mustCreate(t, s, "one")
	for _, name := range []string{".tmp-1", ".gc-7"} {
		if err := os.MkdirAll(filepath.Join(s.Dir(), "generations", name, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CleanTemp(); err != nil {
		t.Error(err)
	}
	if items, _ := os.ReadDir(filepath.Join(s.Dir(), "generations")); len(items) != 1 {
		t.Errorf("%v", items)
	}
}

func TestActivatedAndPrevious(t *testing.T) {
	s := newState(t)
	if _, ok, err := s.Previous(); ok || err != nil {
		t.Errorf("a new state has a previous generation: %v", err)
	}
	for _, text := range []string{"1", "2", "3", "4"} {
		mustCreate(t, s, text)
	}
	previous := func(want Number, wantOK bool) {
		t.Helper()
		if n, ok, err := s.Previous(); n != want || ok != wantOK || err != nil {
			t.Errorf("previous is %d, %v, %v; want %d, %v", n, ok, err, want, wantOK)
		}
	}
	mustFlip(t, s, 1)
	previous(0, false)
	mustFlip(t, s, 2)
	previous(1, true)
	mustFlip(t, s, 4) // 3 was recorded, and a crash came before its flip
	previous(2, true)
	for n, want := range map[Number]bool{1: true, 2: true, 3: false, 4: true, 5: false} {
		if got, err := s.Activated(n); got != want || err != nil {
			t.Errorf("generation %d activated: %v, %v", n, got, err)
		}
	}
	mustFlip(t, s, 2)
	previous(1, true)
	mustFlip(t, s, 1)
	previous(0, false)
	if n := mustCreate(t, s, "5"); n != 5 {
		t.Errorf("number %d", n)
	}
	mustFlip(t, s, 5)
	previous(4, true)
	if err := s.Delete(4); err != nil {
		t.Fatal(err)
	}
	previous(2, true)
}

func TestCreateMarksTheLiveOne(t *testing.T) {
	s := newState(t)
	mustFlip(t, s, mustCreate(t, s, "1"))
	mustCreate(t, s, "2")
	if _, err := os.Stat(filepath.Join(s.Folder(1), "activated")); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := s.MarkActivated(1); err != nil {
			t.Error(err)
		}
	}
	if err := s.MarkActivated(99); err != nil {
		t.Error(err)
	}
}

func TestCurrent(t *testing.T) {
	s := newState(t)
	if n, ok, err := s.Current(); n != 0 || ok || err != nil {
		t.Errorf("a new state: %d, %v, %v", n, ok, err)
	}
	link := filepath.Join(s.Dir(), "current")
	for _, bad := range []string{"generations/0", "generations/-1", "generations/07", "generations/7/", "generations/+7", "/generations/7", "generations", "generations/x", "7", "../generations/7", "generations/99999999999999999999"} {
		_ = os.Remove(link)
		if err := os.Symlink(bad, link); err != nil {
			t.Fatal(err)
		}
		if n, ok, err := s.Current(); err == nil || ok {
			t.Errorf("a link to %q is generation %d", bad, n)
		}
	}
	_ = os.Remove(link)
	if err := os.Mkdir(link, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Current(); err == nil {
		t.Error("a folder is no error")
	}
}

func TestReadRefuses(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"no record":     func(dir string) error { return os.Remove(filepath.Join(dir, "generation.json")) },
		"empty record":  func(dir string) error { return os.Truncate(filepath.Join(dir, "generation.json"), 0) },
		"no link":       func(dir string) error { return os.Remove(filepath.Join(dir, "tree")) },
		"link astray":   func(dir string) error { return relink(dir, "/tmp") },
		"other number":  func(dir string) error { return rewrite(dir, `"number": 1`, `"number": 2`) },
		"newer version": func(dir string) error { return rewrite(dir, `"version": 1`, `"version": 2`) },
		"unknown field": func(dir string) error { return rewrite(dir, `"host"`, `"hosts": [], "host"`) },
		"another case":  func(dir string) error { return rewrite(dir, `"host"`, `"HOST"`) },
		"bad time":      func(dir string) error { return rewrite(dir, `12:00:00Z`, `12:00:00+01:00`) },
		"odd facts":     func(dir string) error { return rewrite(dir, `"facts": {`, `"facts": 1, "x": {`) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newState(t)
			mustCreate(t, s, "one")
			mustCreate(t, s, "one")
			if err := damage(s.Folder(1)); err != nil {
				t.Fatal(err)
			}
			if rec, err := s.Read(1); err == nil {
				t.Errorf("read %+v", rec)
			}
			if err := s.Flip(1); err == nil {
				t.Error("it was made live")
			}
			if list, err := s.List(); err == nil || len(list) != 1 || list[0].Number != 2 {
				t.Errorf("the list is %+v, %v", list, err)
			}
		})
	}
}

func relink(dir, target string) error {
	link := filepath.Join(dir, "tree")
	return errors.Join(os.Remove(link), os.Symlink(target, link))
}

func rewrite(dir, old, new string) error {
	path := filepath.Join(dir, "generation.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(data), old, new, 1)
	if changed == string(data) {
		return errors.New("the record holds no " + old)
	}
	return os.WriteFile(path, []byte(changed), 0o600)
}

func TestFlipWantsATree(t *testing.T) {
	s := newState(t)
	mustFlip(t, s, mustCreate(t, s, "one"))
	n := mustCreate(t, s, "two")
	if err := os.RemoveAll(filepath.Join(s.Dir(), "store", string(testTree(t, "two").Name()))); err != nil {
		t.Fatal(err)
	}
	if err := s.Flip(n); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("flip to a missing tree: %v", err)
	}
	if n, _, _ := s.Current(); n != 1 {
		t.Errorf("generation %d is live", n)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add([]byte(`{"version":1,"number":1,"createdAt":"2026-11-30T12:00:00Z","store":"0v581zjyrw81s7nxmjfxifmrqcnd2qy1318bwgw57iihp8bf4m2k-h","host":"h"}`))
	f.Add([]byte(`{"version":1,"facts":{"wsl":null,"which":{"a":""}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := decodeRecord(data)
		if err != nil {
			return
		}
		again, err := rec.encode()
		if err != nil {
			t.Fatalf("%q decodes and does not encode: %v", data, err)
		}
		if back, err := decodeRecord(again); err != nil || !reflect.DeepEqual(back, rec) {
			t.Errorf("%+v\ncomes back as %+v, %v", rec, back, err)
		}
	})
}

func TestOrigins(t *testing.T) {
	s := newState(t)
	tr := testTree(t, "one")
	tr.Files[0].Origins = nil
	if o, err := s.ReadOrigins(tr.Hash); err != nil || len(o.Entries) > 0 {
		t.Errorf("none kept: %+v, %v", o, err)
	}
	want := Origins{1, map[string][]string{"f": {"machine.hcl:3:1", "<x>.hcl"}}}
	if err := s.WriteOrigins(tr.Hash, want); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ReadOrigins(tr.Hash); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	path := filepath.Join(s.Dir(), "origins", string(tr.Hash)+".json")
	before, err := os.Stat(path)
	if err != nil || before.Mode() != 0o600 {
		t.Fatalf("%v, %v", before, err)
	}
	if err := s.WriteOrigins(tr.Hash, want); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the same origins were written again: %v", err)
	}
	want.Entries["f"] = []string{"machine.hcl:4:1"}
	if err := s.WriteOrigins(tr.Hash, want); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ReadOrigins(tr.Hash); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := s.WriteOrigins("../x", want); err == nil {
		t.Error("a bad hash was taken")
	}
}
