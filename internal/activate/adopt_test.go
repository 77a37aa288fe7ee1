package activate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/tree"
)

func (w *world) adopt(tr tree.Tree, paths ...string) Result {
	w.Helper()
	req := w.request(tr)
	req.Adopt, req.Paths = len(paths) == 0, paths
	res, err := Switch(context.Background(), req)
	if err != nil {
		w.Fatal(err)
	}
	return res
}

func (w *world) uninstall() Result {
	w.Helper()
	res, err := Uninstall(context.Background(), w.request(w.tree()))
	if err != nil {
		w.Fatal(err)
	}
	return res
}

// adoptable are all places that can be taken over, and then come back as they were. The deep folder has what a careless copy
// loses: modes, an empty folder, links, a folder that may not be written.
var adoptable = map[string]func(w *world){
	"other file":   places["other file"],
	"empty file":   func(w *world) { w.write("d", "") },
	"empty folder": places["empty folder"],
	"folder":       places["folder"],
	"foreign link": places["foreign link"],
	"link in":      places["link in"],
	"same folder":  func(w *world) { w.write("d/x", "ours") },
	"deep folder": func(w *world) {
		w.write("d/a/b/run.sh", "#!/bin/sh")
		w.write("d/a/odd \xff\nname", "bytes \x00\xff")
		w.mkdir("d/empty")
		w.link("d/a/up", "../../elsewhere")
		for rel, mode := range map[string]os.FileMode{"d/a/b/run.sh": 0o755, "d/empty": 0o700, "d/a/b": 0o555, "d": 0o750} {
			if err := os.Chmod(w.path(rel), mode); err != nil {
				w.Fatal(err)
			}
		}
	},
}

// A tool that takes a file over and cannot give it back: what home-manager's and stow's users report.
func TestWhatWasAdoptedComesBack(t *testing.T) {
	for name, place := range adoptable {
		for _, line := range []string{"link d = ours", "linkdir d x = ours"} {
			for _, back := range []string{"switch", "uninstall", "rollback"} {
				t.Run(name+" "+line+" "+back, func(t *testing.T) {
					w := newWorld(t)
					w.switchTo(w.tree("link e = e"))
					place(w)
					before := w.snapshot()
					tr := w.tree(line, "link e = e")
					w.adopt(tr)
					w.healthy()
					w.expectStatus("")
					inodes := w.inodes()
					if res := w.switchTo(tr); res.Changed {
						t.Errorf("a second switch: %+v", res)
					}
					w.sameInodes(inodes)
					switch back {
					case "switch":
						w.switchTo(w.tree("link e = e"))
					case "rollback":
						w.rollback(0)
					default:
						w.uninstall()
						w.switchTo(w.tree("link e = e"))
					}
					w.healthy()
					w.sameHome(before, "after "+back)
					if left, err := Backups(w.gens); len(left) > 0 || err != nil {
						t.Errorf("backups %+v, %v", left, err)
					}
				})
			}
		}
	}
}

func TestAdoptionWithoutTheRenamesOfEveryFileSystem(t *testing.T) {
	for name, place := range adoptable {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			place(w)
			before := w.snapshot()
			for _, tr := range []tree.Tree{w.tree("link d = ours", "link e = e"), w.tree()} {
				a := w.beginWith(adoption{all: true}, tr)
				a.home.plainRename = true
				if err := a.run(context.Background()); err != nil || len(a.warnings) > 0 {
					t.Fatalf("%v, %q", err, a.warnings)
				}
				w.healthy()
			}
			w.sameHome(before, "after adopting and giving back")
		})
	}
}

func TestAdoptRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		place func(w *world)
		lines []string
		want  string
	}{
		"a fifo":                     {places["fifo"], []string{"link d = ours"}, "differs d"},
		"a folder with a fifo":       {func(w *world) { w.mkdir("d"); mkfifo(w, "d/f") }, []string{"link d = ours"}, "folder d"},
		"a linked parent":            {places["link in"], []string{"link d/x = ours"}, "link d"},
		"a parent that is a file":    {places["other file"], []string{"link d/x = ours"}, "differs d"},
		"a linked merge":             {places["link in"], []string{`merge d a = {"a":1}`}, "link d"},
		"the program's state":        {func(w *world) { w.write(".copilot/config.json", "x") }, []string{"link .copilot/config.json = x"}, "state .copilot/config.json"},
		"the program's home":         {func(w *world) { w.write(".copilot/logs/x", "x") }, []string{"link .copilot = x"}, "folder .copilot"},
		"the state folder's parent":  {func(*world) {}, []string{"link .local = x"}, "folder .local"},
		"a file that is too large":   {func(w *world) { w.write("d", strings.Repeat("x", maxRead)) }, []string{"link d = ours"}, "differs d"},
		"a link with an odd address": {func(w *world) { w.link("d", "\xff") }, []string{"link d = ours"}, "link d"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.place(w)
			before := w.inodes()
			req := w.request(w.tree(tt.lines...))
			req.Adopt = true
			_, err := Switch(context.Background(), req)
			var collision *CollisionError
			if !errors.As(err, &collision) || len(collision.Collisions) != 1 {
				t.Fatalf("error %v", err)
			}
			c := collision.Collisions[0]
			if got := fmt.Sprintf("%s %s", c.Class, strings.TrimPrefix(c.Path, w.home+"/")); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			w.sameInodes(before)
		})
	}
}

func TestAdoptOnlyThesePaths(t *testing.T) {
	w := newWorld(t)
	w.write("a", "mine")
	w.write("b", "mine")
	w.write("m", `{"k": 2, "l": 2}`)
	tr := w.tree("link a = ours", "link b = ours", "link c = ours", `merge m k+l = {"k":1,"l":2}`)
	before := w.snapshot()
	try := func(paths ...string) error {
		req := w.request(tr)
		for _, p := range paths {
			req.Paths = append(req.Paths, w.path(p))
		}
		_, err := Switch(context.Background(), req)
		w.sameHome(before, "after a refused adoption")
		return err
	}
	var free *AdoptError
	if err := try("a", "c", "nowhere"); !errors.As(err, &free) || !slices.Equal(free.Paths, []string{w.path("c"), w.path("nowhere")}) {
		t.Errorf("error %v", err)
	}
	var collision *CollisionError
	if err := try("a"); !errors.As(err, &collision) || len(collision.Collisions) != 2 {
		t.Errorf("error %v", err)
	}
	w.adopt(tr, w.path("a"), w.path("b"), w.path("m"))
	if got := w.read("m"); got != `{"k": 1, "l": 2}` {
		t.Errorf("m is %s", got)
	}
	w.uninstall()
	w.sameHome(before, "after uninstall")
	w.switchTo(w.tree("link c = ours", `merge m k+l = {"k":2,"l":2}`)) // and a switch goes on from there
	w.healthy()
}

// Two files with one content in one switch, and again in a later one: no backup is written over another.
func TestBackupsAreNeverOverwritten(t *testing.T) {
	w := newWorld(t)
	w.write("a", "mine")
	w.write("b", "mine")
	w.adopt(w.tree("link a = 1", "link b = 2"))
	w.remove("a")
	w.write("a", "mine")
	w.adopt(w.tree("link a = 1", "link b = 2"))
	all, err := Backups(w.gens)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	base := "1-" + digestOf([]byte("mine"))[:16]
	var got []string
	needed := 0
	for _, b := range all {
		got = append(got, b.ID)
		if b.Needed {
			needed++
		}
		if b.Mode != 0o640 || b.Size != 4 || b.CreatedAt.IsZero() || b.Generation != 1 {
			t.Errorf("%+v", b)
		}
	}
	slices.Sort(got)
	if want := []string{base, base + "-2", base + "-3"}; !slices.Equal(got, want) || needed != 2 {
		t.Errorf("%q with %d needed, want %q", got, needed, want)
	}
	if _, err := RestoreBackup(w.gens, base, ""); err == nil {
		t.Error("restored over our link")
	}
	if at, err := RestoreBackup(w.gens, base, w.path("c")); err != nil || at != w.path("c") || w.read("c") != "mine" {
		t.Errorf("%s, %v", at, err)
	}
	if _, err := RestoreBackup(w.gens, "../x", ""); err == nil {
		t.Error("restored nothing")
	}
	gone, err := PruneBackups(w.gens, nil, false)
	if err != nil || len(gone) != 1 {
		t.Errorf("pruned %+v, %v", gone, err)
	}
	w.uninstall()
	if w.read("a") != "mine" || w.read("b") != "mine" {
		t.Error("not given back")
	}
}

// What is written into a file between the look and the link is not lost.
func TestAdoptedFileChangesAtTheLastMoment(t *testing.T) {
	for name, place := range map[string]string{"file": "d", "folder": "d/x"} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s late %v", name, late), func(t *testing.T) {
				w := newWorld(t)
				w.write(place, "mine")
				a := w.beginWith(adoption{all: true}, w.tree("link d = ours"))
				steps, flip := a.steps()
				for i, step := range steps {
					if i == flip+1 && late || i == 1 && !late {
						w.rewrite(place, "edited")
					}
					err := step()
					if isChanged(err) && !late && i == 1 {
						if err := a.undo(); err != nil {
							t.Fatal(err)
						}
						break
					}
					if err != nil && i <= flip {
						t.Fatal(err)
					}
				}
				if got := w.read(place); got != "edited" {
					t.Errorf("it holds %q", got)
				}
				w.recover()
				if got := w.read(place); got != "edited" {
					t.Errorf("after recovery it holds %q", got)
				}
			})
		}
	}
}

// adoptBefore and adoptAfter are homes between which all kinds of places are taken over and given back.
func adoptWorld(t *testing.T) (*world, tree.Tree) {
	w := newWorld(t)
	for _, from := range []string{"one", "two"} {
		w.write(from+"/file", "mine")
		w.write(from+"/same", "ours")
		w.write(from+"/folder/a/b", "mine")
		w.mkdir(from + "/folder/empty")
		w.link(from+"/link", "/else/where")
	}
	w.write(".copilot/copilot-instructions.md", "\xef\xbb\xbf# Mine\r\n")
	w.write("keys", `{"k": 2}`)
	lines := func(dir string) []string {
		return []string{
			"link " + dir + "/file = ours", "link " + dir + "/same = ours", "linkdir " + dir + "/folder a = ours",
			"link " + dir + "/link = ours",
		}
	}
	w.adopt(w.tree(lines("one")...))
	w.healthy()
	return w, w.tree(append(lines("two"), "link .copilot/copilot-instructions.md = persona", `merge keys k = {"k":1}`)...)
}

func TestCrashWhileAdoptingAndGivingBack(t *testing.T) {
	w, tr := adoptWorld(t)
	before := w.snapshot()
	w.adopt(tr)
	w.healthy()
	after := w.snapshot()
	counts := map[string]int{}
	for n := 0; ; n++ {
		w, tr := adoptWorld(t)
		steps, flip := w.beginWith(adoption{all: true}, tr).steps()
		if n > len(steps) {
			break
		}
		for i, step := range steps[:n] {
			if err := step(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		w.recover()
		when := fmt.Sprintf("after a crash behind step %d and recovery", n)
		if n > flip {
			w.sameWords(after, when)
			counts["new"]++
		} else {
			w.sameWords(before, when)
			counts["old"]++
		}
		if again := w.recover(); len(again) > 0 {
			t.Errorf("%s: it recovers again: %q", when, again)
		}
		w.adopt(tr)
		w.sameWords(after, when+", and a switch")
		w.uninstall()
		w.healthy()
		if w.read("one/file") != "mine" || w.read("two/folder/a/b") != "mine" || w.read("keys") != `{"k": 2}` ||
			w.read(".copilot/copilot-instructions.md") != "\xef\xbb\xbf# Mine\r\n" {
			t.Errorf("%s: not all is given back", when)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%v", counts)
}

// The steps inside one step: what stands aside when a crash comes.
func TestCrashInsideADisplacement(t *testing.T) {
	link := func(w *world) string { return w.gens.LiveTree() + "/t/d" }
	aside := filepath.Join(".d.agentihooks-prior")
	for name, state := range map[string]func(w *world){
		"the link is made":     func(w *world) { w.link(aside, link(w)) },
		"they are exchanged":   func(w *world) { w.rename("d", aside); w.link("d", link(w)) },
		"half removed":         func(w *world) { w.remove("d"); w.link("d", link(w)); w.mkdir(".d.agentihooks-gone/a") },
		"first of three moves": func(w *world) { w.link(aside, link(w)); w.rename("d", aside+"-x") },
		"second of them":       func(w *world) { w.rename("d", aside+"-x"); w.link("d", link(w)) },
		"between two names":    func(w *world) { w.rename("d", aside+"-x"); w.link("d", link(w)); w.link(aside, link(w)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("d/a/b", "mine")
			before := w.snapshot()
			steps, flip := w.beginWith(adoption{all: true}, w.tree("link d = ours")).steps()
			for _, step := range steps[:flip+1] {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
			state(w)
			w.recover()
			if got := w.read("d"); got != "ours" {
				t.Errorf("d is %q", got)
			}
			w.uninstall()
			w.healthy()
			w.sameHome(before, "after uninstall")
		})
	}
}

func (w *world) rename(from, to string) {
	w.Helper()
	if err := os.Rename(w.path(from), w.path(to)); err != nil {
		w.Fatal(err)
	}
}
