package activate

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/generation"
)

const other = "the other program"

// legacy is what another program has in a home: of everything that there can be, one.
func (w *world) legacy() Legacy {
	w.Helper()
	w.write(".copilot/agents/declared.md", "theirs")
	w.write(".copilot/agents/goes.md", "theirs")
	w.write(".copilot/agents/skill/SKILL.md", "theirs")
	w.link(".copilot/link", "/srv/theirs")
	w.write(".copilot/settings.json", `{"mine": 1, "declared": "theirs", "goes": [1], "set": ["theirs", "mine"]}`)
	w.write(".rc", "mine\nBEGIN theirs END\nmine too\n")
	w.write(".copilot/copilot-instructions.md", "BEGIN theirs END\nmine\n")
	dest := w.path(".copilot/settings.json")
	return Legacy{
		Of: other,
		Keys: []File{{Dest: dest, Created: true, Keys: []Key{
			{Path: []string{"declared"}, Value: `"theirs"`},
			{Path: []string{"goes"}, Value: `[1]`},
			{Path: []string{"set"}, Set: true, Elements: []Element{{Value: `"theirs"`}}},
		}}},
		Whole: []string{w.path(".copilot/agents/declared.md"), w.path(".copilot/agents/goes.md"), w.path(".copilot/agents/skill"), w.path(".copilot/link")},
		Cuts: []Cut{
			{w.path(".rc"), "BEGIN theirs END\n"},
			{w.path(".copilot/copilot-instructions.md"), "BEGIN theirs END\n"},
		},
		Adds:    []Add{{w.path(".copilot/mine.json"), "mine"}},
		Folders: []string{w.path(".copilot/agents")},
	}
}

var heirs = []string{
	"link .copilot/agents/declared.md = ours",
	"link .copilot/copilot-instructions.md = ours",
	`merge .copilot/settings.json declared = {"declared": "ours"}`,
}

func inherit(l Legacy) adoption {
	return adoption{legacy: func() (Legacy, error) { return l, nil }}
}

// steady is the home after a take-over, and after that the record of the other program is of no use: nothing is left of it.
func (w *world) steady() {
	w.Helper()
	for rel, want := range map[string]string{
		".copilot/agents/declared.md": "ours",
		".copilot/settings.json":      `{"mine": 1, "declared": "ours", "set": ["mine"]}`,
		".rc":                         "mine\nmine too\n",
		".copilot/mine.json":          "mine",
	} {
		if got := w.read(rel); got != want {
			w.Errorf("%s holds %q, want %q", rel, got, want)
		}
	}
	if got := w.read(".copilot/copilot-instructions.md"); !strings.HasSuffix(got, "-->\nmine\n") || strings.Contains(got, "theirs") {
		w.Errorf("the instructions are %q", got)
	}
	for _, rel := range []string{".copilot/agents/goes.md", ".copilot/agents/skill", ".copilot/link"} {
		if _, err := os.Lstat(w.path(rel)); !os.IsNotExist(err) {
			w.Errorf("%s: %v", rel, err)
		}
	}
}

func TestLegacyIsTakenOver(t *testing.T) {
	w := newWorld(t)
	l := w.legacy()
	req := w.request(w.tree(heirs...))
	req.Legacy = func() (Legacy, error) { return l, nil }
	res, err := Switch(context.Background(), req)
	if err != nil || len(res.Warnings) > 0 {
		t.Fatal(res.Warnings, err)
	}
	w.steady()
	w.healthy()
	var saved []string
	all, err := Backups(w.gens)
	for _, b := range all {
		if b.Of != other || b.Needed {
			t.Errorf("%+v", b)
		}
		saved = append(saved, strings.TrimPrefix(b.Path, w.home+"/"))
	}
	want := []string{
		".copilot/agents/declared.md", ".copilot/agents/goes.md", ".copilot/agents/skill", ".copilot/copilot-instructions.md", ".copilot/settings.json", ".rc",
	}
	if err != nil || !slices.Equal(saved, want) {
		t.Errorf("in the backups are %q, %v; want %q", saved, err, want)
	}
	req.Legacy = nil
	if res, err := Switch(context.Background(), req); err != nil || res.Changed {
		t.Errorf("another switch: %+v, %v", res, err)
	}

	if res := w.uninstall(); len(res.Warnings) > 0 {
		t.Errorf("%q", res.Warnings)
	}
	if got := w.read(".copilot/settings.json"); got != `{"mine": 1, "set": ["mine"]}` {
		t.Errorf("settings.json is %q", got)
	}
	if got := w.read(".copilot/copilot-instructions.md"); got != "mine\n" {
		t.Errorf("the instructions are %q", got)
	}
	if _, err := os.Lstat(w.path(".copilot/agents")); !os.IsNotExist(err) {
		t.Errorf("the folder of the other program: %v", err)
	}
}

// A folder that holds something of the user's is never ours.
func TestLegacyFolderOfTheUsersStays(t *testing.T) {
	w := newWorld(t)
	l := w.legacy()
	w.write(".copilot/agents/mine.md", "mine")
	req := w.request(w.tree(heirs...))
	req.Legacy = func() (Legacy, error) { return l, nil }
	if _, err := Switch(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	w.expectStatus("")
	w.uninstall()
	if got := w.read(".copilot/agents/mine.md"); got != "mine" {
		t.Errorf("%q", got)
	}
}

// What changes between the plan and the last moment is the user's, wherever that moment comes.
func TestLegacyChangesUnderUs(t *testing.T) {
	tests := []struct {
		name  string
		edit  func(w *world)
		check func(w *world)
		warns string
	}{
		{
			"a file that goes", func(w *world) { w.rewrite(".copilot/agents/goes.md", "mine now") },
			func(w *world) { w.holds(".copilot/agents/goes.md", "mine now") }, "goes.md: it was changed meanwhile",
		},
		{
			"a file that is replaced", func(w *world) { w.rewrite(".copilot/agents/declared.md", "mine now") },
			func(w *world) { w.holds(".copilot/agents/declared.md", "mine now") }, "declared.md: what stands there was changed meanwhile",
		},
		{
			"a folder that goes", func(w *world) { w.write(".copilot/agents/skill/more", "mine") },
			func(w *world) { w.holds(".copilot/agents/skill/more", "mine") }, "skill: it was changed meanwhile",
		},
		{
			"a text", func(w *world) { w.rewrite(".rc", "more\nBEGIN theirs END\nmine too\n") },
			func(w *world) { w.holds(".rc", "more\nmine too\n") }, "",
		},
		{
			"the instructions", func(w *world) { w.rewrite(".copilot/copilot-instructions.md", "more\nBEGIN theirs END\nmine\n") },
			func(w *world) {
				if got := w.read(".copilot/copilot-instructions.md"); !strings.HasSuffix(got, "-->\nmore\nmine\n") {
					w.Errorf("the instructions are %q", got)
				}
			}, "",
		},
		{
			"a key", func(w *world) { w.rewrite(".copilot/settings.json", `{"declared": "theirs", "goes": [2]}`) },
			func(w *world) { w.holds(".copilot/settings.json", `{"declared": "ours", "goes": [2]}`) }, "",
		},
		{
			"a place that was free", func(w *world) { w.write(".copilot/mine.json", "another") },
			func(w *world) { w.holds(".copilot/mine.json", "another") }, "mine.json: something else stands there by now",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			a := w.beginWith(inherit(w.legacy()), w.tree(heirs...))
			if err := a.save(w.state); err != nil {
				t.Fatal(err)
			}
			if err := a.prepare(); err != nil {
				t.Fatal(err)
			}
			if err := a.flip(); err != nil {
				t.Fatal(err)
			}
			tt.edit(w)
			warnings := strings.Join(w.recover(), "\n")
			if !strings.Contains(warnings, tt.warns) || (tt.warns == "") == strings.Contains(warnings, "until") {
				t.Errorf("%q, want %q", warnings, tt.warns)
			}
			tt.check(w)
		})
	}
}

// holds checks a file.
func (w *world) holds(rel, want string) {
	w.Helper()
	if got := w.read(rel); got != want {
		w.Errorf("%s holds %q, want %q", rel, got, want)
	}
}

// A file of the user's whose staged content is lost is written all the same.
func TestLegacyAddsWithoutItsStage(t *testing.T) {
	w := newWorld(t)
	a := w.beginWith(inherit(w.legacy()), w.tree(heirs...))
	if err := a.save(w.state); err != nil {
		t.Fatal(err)
	}
	if err := a.prepare(); err != nil {
		t.Fatal(err)
	}
	for _, m := range a.Merges {
		if err := os.Remove(w.path(".copilot/" + m.Stage)); err != nil && m.Dest != w.path(".rc") {
			t.Fatal(err)
		}
	}
	if err := a.flip(); err != nil {
		t.Fatal(err)
	}
	w.recover()
	w.steady()
}

// What is reached through a link of the user's stays, with a warning.
func TestLegacyBehindALink(t *testing.T) {
	w := newWorld(t)
	w.write("elsewhere/goes.md", "theirs")
	w.link("folder", "elsewhere")
	l := Legacy{Of: other, Whole: []string{w.path("folder/goes.md")}, Cuts: []Cut{{w.path("folder/goes.md"), "theirs"}}}
	req := w.request(w.tree())
	req.Legacy = func() (Legacy, error) { return l, nil }
	res, err := Switch(context.Background(), req)
	if err != nil || len(res.Warnings) != 2 || !strings.Contains(res.Warnings[0], "without following a link") {
		t.Errorf("%q, %v", res.Warnings, err)
	}
	w.holds("elsewhere/goes.md", "theirs")
	if n, _, err := w.gens.Current(); n != generation.Number(1) || err != nil {
		t.Errorf("%v, %v", n, err)
	}
}

// Another program wrote over values of ours: they are ours again, and what was there before us comes back in the end.
func TestLegacyOverOurs(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", `{"key": "mine"}`)
	tr := w.tree(`merge .copilot/settings.json key+in.key = {"key": "ours", "in": {"key": "ours"}}`)
	w.adopt(tr)
	w.holds(".copilot/settings.json", `{"key": "ours", "in": {"key": "ours"}}`)
	w.rewrite(".copilot/settings.json", `{"key": "theirs", "in": "theirs"}`)
	l := Legacy{Of: other, Keys: []File{{Dest: w.path(".copilot/settings.json"), Keys: []Key{
		{Path: []string{"key"}, Value: `"theirs"`}, {Path: []string{"in"}, Value: `"theirs"`},
	}}}}
	req := w.request(tr)
	req.Legacy = func() (Legacy, error) { return l, nil }
	if res, err := Switch(context.Background(), req); err != nil || len(res.Warnings) > 0 {
		t.Fatal(res.Warnings, err)
	}
	w.holds(".copilot/settings.json", `{"key": "ours", "in": {"key": "ours"}}`)
	w.healthy()
	w.uninstall()
	w.holds(".copilot/settings.json", `{"key": "mine"}`)
}
