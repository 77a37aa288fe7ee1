package activate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/ostest"
	"golang.org/x/sys/unix"
)

// place puts something at "d", the destination, before a switch.
var places = map[string]func(w *world){
	"absent":         func(*world) {},
	"identical file": func(w *world) { w.write("d", "ours") },
	"other file":     func(w *world) { w.write("d", "theirs") },
	"empty folder":   func(w *world) { w.mkdir("d") },
	"folder":         func(w *world) { w.write("d/x", "theirs") },
	"foreign link":   func(w *world) { w.link("d", "elsewhere") },
	"link in":        func(w *world) { w.write("real", "ours"); w.link("d", "real") },
	"our link":       func(w *world) { w.link("d", w.gens.LiveTree()+"/t/d") },
	"our other link": func(w *world) { w.link("d", w.gens.LiveTree()+"/t/was") },
	"almost ours":    func(w *world) { w.link("d", w.gens.LiveTree()+"x/t/d") },
	"fifo":           func(w *world) { mkfifo(w, "d") },
}

func mkfifo(w *world, rel string) {
	w.Helper()
	if err := unix.Mkfifo(w.path(rel), 0o600); err != nil {
		w.Fatal(err)
	}
}

// Every type of a destination against every placement: what is made, and what is refused.
func TestPlaceByPlacement(t *testing.T) {
	tests := []struct{ line, place, want string }{
		{"link d = ours", "absent", ""},
		{"link d = ours", "identical file", ""},
		{"link d = ours", "other file", "differs d"},
		{"link d = ours", "empty folder", "folder d"},
		{"link d = ours", "folder", "folder d"},
		{"link d = ours", "foreign link", "link d"},
		{"link d = ours", "link in", "link d"},
		{"link d = ours", "our link", ""},
		{"link d = ours", "our other link", ""},
		{"link d = ours", "almost ours", "link d"},
		{"link d = ours", "fifo", "differs d"},
		{"linkdir d x = ours", "absent", ""},
		{"linkdir d x = ours", "identical file", "differs d"},
		{"linkdir d x = ours", "folder", "folder d"},
		{"linkdir d x = ours", "foreign link", "link d"},
		{"linkdir d x = ours", "our link", ""},
		{`merge d a = {"a":1}`, "absent", ""},
		{`merge d a = {"a":1}`, "empty folder", "folder d"},
		{`merge d a = {"a":1}`, "foreign link", "link d"},
		{`merge d a = {"a":1}`, "link in", "link d"},
		{`merge d a = {"a":1}`, "our link", ""},
		{`merge d a = {"a":1}`, "fifo", "differs d"},
		{"link d/x = ours", "absent", ""},
		{"link d/x = ours", "other file", "differs d"},
		{"link d/y = ours", "folder", ""},
		{"link d/x = ours", "folder", "differs d/x"},
		{"link d/x = ours", "foreign link", "link d"},
		{"link d/x = ours", "link in", "link d"},
		{"link d/x = ours", "fifo", "differs d"},
		{`merge d/x a = {"a":1}`, "foreign link", "link d"},
		{`merge d/x a = {"a":1}`, "absent", ""},
	}
	for _, tt := range tests {
		t.Run(tt.line+" on "+tt.place, func(t *testing.T) {
			w := newWorld(t)
			places[tt.place](w)
			virgin := w.snapshot()
			tr := w.tree(tt.line)
			if tt.want != "" {
				if got := w.refused(tr); !slices.Equal(got, []string{tt.want}) {
					t.Errorf("collisions %q, want %q", got, tt.want)
				}
				w.sameHome(virgin, "after a refused switch")
				return
			}
			w.switchTo(tr)
			w.healthy()
			before := w.inodes()
			if res := w.switchTo(tr); res.Changed {
				t.Errorf("a second switch: %+v", res)
			}
			w.sameInodes(before)
			w.switchTo(w.tree())
			w.healthy()
			if !strings.HasPrefix(tt.place, "our") { // such a link was never the user's
				w.sameHome(virgin, "after a switch to nothing")
			}
		})
	}
}

// Every type of an entry after every other, at one destination and below it.
func TestEntryBecomesAnother(t *testing.T) {
	forms := []string{
		"link other = nothing at d", "link d = ours", "linkdir d x = ours", `merge d a = {"a":1}`, "link d/x = ours",
		"linkdir d/x y = ours", "link d/x/y = ours", `merge d/x a = {"a":1}`, "link d/y = ours",
	}
	for _, from := range forms {
		for _, to := range forms {
			t.Run(from+" then "+to, func(t *testing.T) {
				w := newWorld(t)
				w.switchTo(w.tree(to))
				want := w.snapshot()
				w.switchTo(w.tree())
				virgin := w.snapshot()
				w.switchTo(w.tree(from))
				_, err := Switch(context.Background(), w.request(w.tree(to)))
				var collision *CollisionError
				if errors.As(err, &collision) && strings.HasPrefix(from, "merge") {
					// A real file is never replaced by something else: the user takes it away first.
					w.switchTo(w.tree())
					w.sameHome(virgin, "after a switch to nothing")
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				w.healthy()
				w.sameHome(want, "after the second switch")
				w.switchTo(w.tree())
				w.sameHome(virgin, "after a switch to nothing")
			})
		}
	}
}

func TestDriftIsHealedOrRefused(t *testing.T) {
	tr := []string{"link d/a = ours", "linkdir d/s f = ours", `merge d/m k = {"k":1}`}
	for name, tt := range map[string]struct {
		drift  func(w *world)
		status string
		want   string // collisions; "": healed; "stays": left alone
	}{
		"link gone":                   {func(w *world) { w.remove("d/a") }, "missing d/a", ""},
		"folder gone":                 {func(w *world) { w.remove("d") }, "missing d/a|missing d/m|missing d/s", ""},
		"link replaced by a link":     {func(w *world) { w.remove("d/a"); w.link("d/a", "x") }, "replaced d/a", ""},
		"link replaced by its file":   {func(w *world) { w.remove("d/a"); w.write("d/a", "ours") }, "replaced d/a", ""},
		"link replaced by a file":     {func(w *world) { w.remove("d/a"); w.write("d/a", "edited") }, "replaced d/a", "differs d/a"},
		"link replaced by its folder": {func(w *world) { w.remove("d/s"); w.write("d/s/f", "ours") }, "replaced d/s", ""},
		"link replaced by a folder":   {func(w *world) { w.remove("d/s"); w.write("d/s/f", "edited") }, "replaced d/s", "folder d/s"},
		"folder replaced by a link":   {func(w *world) { w.remove("d"); w.mkdir("e"); w.link("d", "e") }, "replaced d", "link d"},
		"merged file gone":            {func(w *world) { w.remove("d/m") }, "missing d/m", ""},
		"merged file replaced":        {func(w *world) { w.remove("d/m"); w.link("d/m", "x") }, "replaced d/m", "link d/m"},
		"key changed":                 {func(w *world) { w.rewrite("d/m", `{"k":2}`) }, "key d/m k", "stays"},
		"key removed":                 {func(w *world) { w.rewrite("d/m", `{}`) }, "key d/m k", "stays"},
		"something beside":            {func(w *world) { w.write("d/own", "x") }, "foreign d/own", "stays"},
		"reordered, with another key": {func(w *world) { w.rewrite("d/m", `{"z":1,"k":1.0}`) }, "", "stays"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.switchTo(w.tree(tr...))
			whole := w.snapshot()
			w.expectStatus("")
			tt.drift(w)
			w.expectStatus(tt.status)
			drifted := w.snapshot()
			switch tt.want {
			case "":
				if res := w.switchTo(w.tree(tr...)); !res.Changed || res.Generation != 1 {
					t.Errorf("%+v", res)
				}
				w.sameHome(whole, "after healing")
				w.expectStatus("")
			case "stays":
				before := w.inodes()
				if res := w.switchTo(w.tree(tr...)); res.Changed {
					t.Errorf("%+v", res)
				}
				w.sameInodes(before)
				w.sameHome(drifted, "after a switch")
			default:
				if got := w.refused(w.tree(tr...)); !slices.Equal(got, []string{tt.want}) {
					t.Errorf("collisions %q, want %q", got, tt.want)
				}
			}
			w.healthy()
		})
	}
}

func (w *world) expectStatus(want string) {
	w.Helper()
	rep, err := Status(w.gens, w.store)
	if err != nil {
		w.Fatal(err)
	}
	var got []string
	for _, d := range rep.Drift {
		got = append(got, strings.TrimSpace(string(d.Kind)+" "+strings.TrimPrefix(d.Path, w.home+"/")+" "+d.Key))
	}
	if s := strings.Join(got, "|"); s != want {
		w.Errorf("status %q, want %q", s, want)
	}
}

// A file of the store that was written to, and one that is gone.
func TestStatusLooksBehindLinks(t *testing.T) {
	w := newWorld(t)
	res := w.switchTo(w.tree("link a = ours", "linkdir s f = ours", "link b = ours"))
	ostest.Writable(string(res.StorePath))
	for name, data := range map[string]string{"t/a": "edited", "t/s/f": "edited"} {
		path := filepath.Join(string(res.StorePath), name)
		if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, []byte(data), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(string(res.StorePath), "t/b")); err != nil {
		t.Fatal(err)
	}
	w.expectStatus("modified a|dangling b|modified s")
}

// stow and chezmoi link the program's whole home, or one file of it.
func TestLinkedHomesAreRefused(t *testing.T) {
	w := newWorld(t)
	w.write("dotfiles/copilot/settings.json", "{}")
	w.link(".copilot", "dotfiles/copilot")
	if got := w.refused(w.tree(full...)); !slices.Equal(got, []string{"link .copilot"}) {
		t.Errorf("collisions %q", got)
	}
	w.remove(".copilot")
	w.mkdir(".copilot")
	w.link(".copilot/settings.json", "../dotfiles/copilot/settings.json")
	if got := w.refused(w.tree(full...)); !slices.Equal(got, []string{"link .copilot/settings.json"}) {
		t.Errorf("collisions %q", got)
	}
}

func TestAllCollisionsAtOnce(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", `{"theme":"x","footer":1}`)
	w.write(".copilot/copilot-instructions.md", "mine")
	w.mkdir(".agents/skills/one")
	w.link(".agentihooks", "x")
	got := w.refused(w.tree(append([]string{`merge .copilot/config.json a = {"a":1}`}, full...)...))
	want := []string{
		"link .agentihooks", "folder .agents/skills/one", "state .copilot/config.json", "differs .copilot/copilot-instructions.md",
		"key .copilot/settings.json footer.showX", "key .copilot/settings.json theme",
	}
	if !slices.Equal(got, want) {
		t.Errorf("collisions %q, want %q", got, want)
	}
}

// HOME may be a link itself, and have blanks and other letters in its name.
func TestOddHomes(t *testing.T) {
	w := newWorld(t)
	real := filepath.Join(filepath.Dir(w.home), "wirkliches Häuschen")
	if err := os.Rename(w.home, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, w.home); err != nil {
		t.Fatal(err)
	}
	w.switchTo(w.tree())
	home := func() string {
		x := *w
		x.home = real
		return strings.Join(x.snapshot(), "\n")
	}
	virgin := home()
	w.switchTo(w.tree(full...))
	if got := w.read(".agents/skills/one/SKILL.md"); got != "one" {
		t.Errorf("skill %q", got)
	}
	w.rollback(0)
	if got := home(); got != virgin {
		t.Errorf("the home is\n%s\nwant\n%s", got, virgin)
	}
}

// A folder that must be written and is read-only stops the switch before the flip; nothing of it stays.
func TestReadOnlyFolderStopsTheSwitch(t *testing.T) {
	if ostest.AsOrdinaryUser(t) {
		return
	}
	w := newWorld(t)
	w.switchTo(w.tree("link a = x"))
	w.mkdir(".copilot/hooks")
	if err := os.Chmod(w.path(".copilot/hooks"), 0o555); err != nil {
		t.Fatal(err)
	}
	before := w.snapshot()
	if _, err := Switch(context.Background(), w.request(w.tree(full...))); !errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v", err)
	}
	w.sameHome(before, "after a failed switch")
	w.healthy()
	if live, _, err := w.gens.Current(); live != 1 || err != nil {
		t.Errorf("generation %s is live, %v", live, err)
	}
}

// A removal that fails after the flip is drift: the generation is live, and the next switch removes it.
func TestFailedRemovalIsDrift(t *testing.T) {
	if ostest.AsOrdinaryUser(t) {
		return
	}
	w := newWorld(t)
	w.switchTo(w.tree("link d/a = x", "link b = y"))
	if err := os.Chmod(w.path("d"), 0o555); err != nil {
		t.Fatal(err)
	}
	res := w.switchTo(w.tree("link b = z"))
	if res.Generation != 2 || len(res.Warnings) == 0 {
		t.Errorf("%+v", res)
	}
	if err := os.Chmod(w.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if res := w.switchTo(w.tree("link b = z")); !res.Changed || res.Generation != 2 {
		t.Errorf("%+v", res)
	}
	w.healthy()
	if _, err := os.Lstat(w.path("d")); !os.IsNotExist(err) {
		t.Errorf("d is still there: %v", err)
	}
}

// COPILOT_HOME may lie outside the home, and not exist yet.
func TestProgramHomeElsewhere(t *testing.T) {
	w := newWorld(t)
	tr := w.tree()
	copilot := filepath.Join(filepath.Dir(w.home), "else", "where")
	idx := tr.Index
	idx.Copilot = copilot
	moved := w.treeOf(idx, map[string]string{filepath.Join(copilot, "agents/x.md"): "x", w.path("a"): "a"})
	w.switchTo(moved)
	if data, err := os.ReadFile(filepath.Join(copilot, "agents/x.md")); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	w.switchTo(w.tree("link a = a"))
	if _, err := os.Lstat(filepath.Dir(copilot)); !os.IsNotExist(err) {
		t.Errorf("something is left: %v", err)
	}
}

func TestProgramLocks(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json.lock", "")
	tr := w.tree(full...)
	h, err := openHome(w.home)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	dests := []string{w.path(".copilot/settings.json"), w.path(".copilot/mcp-config.json")}
	unlock, err := lockPrograms(context.Background(), h, dests)
	if err != nil {
		t.Fatal(err)
	}
	virgin := w.snapshot()
	start := time.Now()
	_, err = Switch(context.Background(), w.request(tr))
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Path != w.path(".copilot/settings.json.lock") {
		t.Errorf("error %v", err)
	}
	if waited := time.Since(start); waited < programWait || waited > 2*programWait {
		t.Errorf("waited %v", waited)
	}
	w.sameHome(virgin, "after a busy switch")
	w.healthy()
	go func() {
		time.Sleep(100 * time.Millisecond)
		unlock()
	}()
	w.switchTo(tr)
	w.healthy()
	if _, err := os.Lstat(w.path(".copilot/.mcp-writer.lock")); !os.IsNotExist(err) {
		t.Errorf("a lock file was made: %v", err)
	}
}
