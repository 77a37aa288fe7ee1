package restore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// newTree is a tree with everything that a search has to do with: a linked folder, a linked file, a merged file of its
// own, and the hook and policy that the index does not know.
func newTree(t testing.TB, host, own, policy string) tree.Tree {
	t.Helper()
	link := func(dest, path string, placement tree.Placement) tree.Entry {
		e := tree.Entry{Dest: tree.Dest("/home/u/" + dest), Placement: placement, Path: path}
		if placement == tree.Merge {
			e.Keys = []tree.Key{{Path: []string{"a"}}}
		}
		return e
	}
	tr, diags := tree.New(tree.Index{Host: host, OS: "linux", Arch: "amd64", Home: "/home/u", Copilot: "/home/u/.copilot"},
		[]tree.File{
			{Path: "bin/hook", Data: []byte("hook"), Exec: true},
			{Path: "policy/policy.bin", Data: []byte(policy)},
			{Path: "copilot/p.md", Data: []byte("shared\n")},
			{Path: "copilot/settings.json", Data: []byte(own)},
			{Path: "skills/s/SKILL.md", Data: []byte("skill\n")},
			{Path: "skills/s/run.sh", Data: []byte("run\n"), Exec: true},
		},
		[]tree.Entry{
			link("p.md", "copilot/p.md", tree.Link), link("s", "skills/s", tree.Link), link("settings.json", "copilot/settings.json", tree.Merge),
		})
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	return tr
}

// newStore holds the tree that is damaged, and others to restore from.
func newStore(t testing.TB, others ...tree.Tree) (store.Store, tree.Tree, store.Path) {
	t.Helper()
	st := store.New(ostest.TempDir(t))
	want := newTree(t, "h", `{"a":1}`, "p")
	for _, tr := range append(others, want) {
		if _, _, err := st.Add(tr, ""); err != nil {
			t.Fatal(err)
		}
	}
	p := st.PathOf(want.Name())
	ostest.Writable(string(p))
	return st, want, p
}

func write(p store.Path, name, text string) error {
	path := filepath.Join(string(p), name)
	return errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o444))
}

func TestFind(t *testing.T) {
	chmod := func(name string, mode os.FileMode) func(store.Path) error {
		return func(p store.Path) error { return os.Chmod(filepath.Join(string(p), name), mode) }
	}
	writes := func(name, text string) func(store.Path) error {
		return func(p store.Path) error { return write(p, name, text) }
	}
	remove := func(name string) func(store.Path) error {
		return func(p store.Path) error { return os.RemoveAll(filepath.Join(string(p), name)) }
	}
	for name, tt := range map[string]struct {
		damage func(store.Path) error
		want   string // what Damage lists
		alone  bool   // it needs no other tree
	}{
		"file with a digest":       {writes("copilot/p.md", "x"), "copilot/p.md", false},
		"file with a digest, gone": {remove("copilot/p.md"), "copilot/p.md", false},
		"folder gone":              {remove("skills"), "skills/s/SKILL.md skills/s/run.sh", false},
		"one file of a folder":     {writes("skills/s/SKILL.md", "x"), "skills/s/SKILL.md", false},
		"extra file of a folder":   {writes("skills/s/more", "x"), "skills/s/more", true},
		"hook":                     {func(p store.Path) error { return errors.Join(write(p, "bin/hook", "x"), chmod("bin/hook", 0o555)(p)) }, "bin/hook", false},
		"hook and policy gone":     {func(p store.Path) error { return errors.Join(remove("bin")(p), remove("policy")(p)) }, "bin/hook policy/policy.bin", false},
		"extra file":               {writes("more/x", "x"), "more/x", true},
		"extra link":               {func(p store.Path) error { return os.Symlink("x", filepath.Join(string(p), "link")) }, "link", true},
		"empty folder":             {func(p store.Path) error { return os.Mkdir(filepath.Join(string(p), "empty"), 0o755) }, "empty", true},
		"x bit of the hook":        {chmod("bin/hook", 0o444), "bin/hook", true},
		"x bit of a file":          {chmod("copilot/p.md", 0o555), "copilot/p.md", true},
		"x bit in a folder":        {chmod("skills/s/run.sh", 0o444), "skills/s/run.sh", true},
		"index":                    {writes("index.json", "{}"), "index.json", false},
		"index gone":               {remove("index.json"), "index.json", false},
		"several at once": {func(p store.Path) error {
			return errors.Join(write(p, "copilot/p.md", "x"), write(p, "policy/policy.bin", "x"), write(p, "more", "x"))
		}, "copilot/p.md more policy/policy.bin", false},
		"what no other tree has": {writes("copilot/settings.json", "{}"), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			// The second has what a broken index of the first needs: the same entries, with one digest that differs.
			others := []tree.Tree{newTree(t, "h", `{"a":1}`, "q"), newTree(t, "h", `{"a":2}`, "p"), newTree(t, "other", `{"a":3}`, "r")}
			if tt.alone {
				others = nil
			}
			if tt.want == "" {
				others = others[1:]
			}
			st, want, p := newStore(t, others...)
			if err := tt.damage(p); err != nil {
				t.Fatal(err)
			}
			got, ok, err := Find(st, p, Thorough)
			if err != nil || ok != (tt.want != "") {
				t.Fatalf("found %v, %v", ok, err)
			}
			if !ok {
				if suspects, err := Suspects(st, p); err != nil || !slices.Equal(suspects, []string{"copilot/settings.json"}) {
					t.Errorf("suspects %q, %v", suspects, err)
				}
				return
			}
			if !slices.EqualFunc(got.Files, want.Files, func(a, b tree.File) bool {
				return a.Path == b.Path && a.Exec == b.Exec && bytes.Equal(a.Data, b.Data)
			}) {
				t.Errorf("it found another tree")
			}
			if damaged, err := Damage(p, got); err != nil || strings.Join(damaged, " ") != tt.want {
				t.Errorf("damaged are %q, %v", damaged, err)
			}
			if _, added, err := st.Add(got, ""); err != nil || !added {
				t.Errorf("%v, %v", added, err)
			}
			if err := st.Verify(p); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSearchIsBounded where nothing can be found among much that differs.
func TestSearchIsBounded(t *testing.T) {
	var others []tree.Tree
	for i := range 40 {
		others = append(others, newTree(t, "h", fmt.Sprintf(`{"a":%d}`, i+10), fmt.Sprint("p", i)))
	}
	st, _, p := newStore(t, others...)
	for _, name := range []string{"policy/policy.bin", "bin/hook", "bin/a", "bin/b", "bin/c", "bin/d"} {
		if err := write(p, name, "x"+name); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := Find(st, p, Thorough); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	suspects, err := Suspects(st, p)
	if want := "bin/a bin/b bin/c bin/d bin/hook policy/policy.bin"; strings.Join(suspects, " ") != want || err != nil {
		t.Errorf("%q, %v", suspects, err)
	}
	tries := 0
	slots := make([]choice, 20)
	for i := range slots {
		slots[i] = choice{nil, {}, {}, {}}
	}
	if product(slots, 100, func([]tree.File) bool { tries++; return false }) || tries != 100 {
		t.Errorf("%d tries", tries)
	}
}

func TestProductTriesAllOnce(t *testing.T) {
	a, b, c := &tree.File{Path: "a"}, &tree.File{Path: "b"}, &tree.File{Path: "c"}
	var got []string
	product([]choice{{a, nil}, {nil, b, c}}, 100, func(files []tree.File) bool {
		text := ""
		for _, f := range files {
			text += f.Path
		}
		got = append(got, text)
		return false
	})
	if want := []string{"a", "", "ab", "ac", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAMissingTree(t *testing.T) {
	st, want, p := newStore(t, newTree(t, "h", `{"a":2}`, "q"))
	if err := os.RemoveAll(string(p)); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := Find(st, p, Thorough); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if got, err := Damage(p, want); err != nil || !slices.Equal(got, []string{"."}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Suspects(st, p); err != nil || !slices.Equal(got, []string{"."}) {
		t.Errorf("%q, %v", got, err)
	}
}
