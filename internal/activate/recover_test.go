package activate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// begin is a switch up to the point at which the journal is about to be written.
func (w *world) begin(lines ...string) *applier {
	w.Helper()
	return w.beginWith(adoption{}, w.tree(lines...))
}

func (w *world) beginWith(adopt adoption, tr tree.Tree) *applier {
	w.Helper()
	goal := target{index: tr.Index, name: tr.Name(), read: treeFiles(tr).read}
	s, err := survey(w.gens, w.store, &goal)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(s.home.close)
	req := w.request(tr)
	o := operation{state: w.gens, store: w.store, to: goal, adopt: adopt, now: req.Record.CreatedAt}
	o.add = func(previous store.Path, _ *tree.Index) error { _, _, err := w.store.Add(tr, previous); return err }
	o.record = func() (generation.Number, error) {
		rec := req.Record
		rec.Store, rec.Host = tr.Name(), tr.Index.Host
		return w.gens.Create(rec)
	}
	_, a, err := o.begin(s)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

func (w *world) recover() []string {
	w.Helper()
	warnings, err := Recover(context.Background(), w.gens, w.store)
	if err != nil {
		w.Fatal(err)
	}
	w.healthy()
	return warnings
}

// steps are all that a switch does, one by one, from the journal on. The number of those before the flip is the second
// result.
func (a *applier) steps() (all []func() error, beforeFlip int) {
	do := func(f func() error) { all = append(all, f) }
	do(func() error { return a.save(a.state.Dir()) })
	do(a.backUp)
	for _, dir := range a.Folders {
		do(func() error { return a.mkdir(dir) })
	}
	for _, m := range a.Merges {
		do(func() error { return a.stage(m) })
	}
	for _, l := range a.Early {
		do(func() error { return a.symlink(l) })
	}
	beforeFlip = len(all)
	old, err := loadApplied(a.state.Dir())
	do(func() error { return err })
	if a.Previous != a.Next {
		do(func() error { return a.state.Flip(a.Next) })
	}
	merges := func(late bool) {
		for i, m := range a.Merges {
			if m.Late == late {
				do(func() error { return a.writeMerge(m, a.Merges[i+1:], old) })
			}
		}
	}
	merges(false)
	for _, r := range a.Removes {
		do(func() error { return a.takeAway(r) })
	}
	for _, path := range a.Rmdirs {
		do(func() error { return a.rmdir(path) })
	}
	merges(true)
	for _, l := range a.Late {
		do(func() error { return a.linkLate(l) })
	}
	do(func() error { return a.Applied.save(a.state.Dir()) })
	do(func() error { a.dropBackups(); return nil })
	return all, beforeFlip + 1
}

// A home before and after a switch that does one of everything: links that come, change, go and take the place of
// files and folders; merged files that come, change and go; sets that get and lose elements.
var (
	crashBefore = []string{
		"link .copilot/copilot-instructions.md = persona",
		"link .copilot/agents/gone.md = gone",
		"link deep/er/gone = gone",
		"linkdir .agents/skills SKILL.md = a folder that becomes links",
		"link becomes/a/link = x",
		"link taken = the user's",
		"linkdir merged f = a folder that holds a merged file",
		`merge .copilot/settings.json theme+beta+disabledMcpServers[] = {"theme":"dim","beta":1,"disabledMcpServers":["old"]}`,
		`merge .copilot/mcp-config.json mcpServers.old = {"mcpServers":{"old":{"command":"o"}}}`,
		`merge extra/goes.json a = {"a":1}`,
	}
	crashAfter = []string{
		"link .copilot/copilot-instructions.md = persona two",
		"link .copilot/agents/new.md = new",
		"link very/deep/new = new",
		"linkdir .agents/skills/one SKILL.md = one",
		"linkdir .agents/skills/two SKILL.md = two",
		"link becomes = a link now",
		"link identical = the user's too",
		`merge .copilot/settings.json theme+disabledMcpServers[] = {"theme":"light","disabledMcpServers":["new"]}`,
		`merge .copilot/mcp-config.json mcpServers.new = {"mcpServers":{"new":{"command":"n"}}}`,
		`merge merged/m.json a = {"a":1}`,
		`merge extra/comes.json a = {"a":1}`,
	}
)

func crashWorld(t *testing.T) *world {
	w := newWorld(t)
	w.write(".copilot/settings.json", userSettings)
	w.write("taken", "the user's")
	w.write("identical", "the user's too")
	w.switchTo(w.tree(crashBefore...))
	return w
}

func TestCrashAfterEveryStep(t *testing.T) {
	w := crashWorld(t)
	before := w.snapshot()
	w.switchTo(w.tree(crashAfter...))
	w.healthy()
	after := w.snapshot()
	w.rollback(0)
	w.sameHome(before, "after rollback")

	all, _ := crashWorld(t).begin(crashAfter...).steps()
	ended := map[string]int{}
	for n := range len(all) + 1 {
		w := crashWorld(t)
		steps, flip := w.begin(crashAfter...).steps()
		for i, step := range steps[:n] {
			if err := step(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		warnings := w.recover()
		when := fmt.Sprintf("after a crash behind step %d of %d and recovery", n, len(all))
		live, _, err := w.gens.Current()
		if err != nil {
			t.Fatal(err)
		}
		if n > flip {
			w.sameWords(after, when)
			ended["new"]++
		} else {
			w.sameWords(before, when)
			ended["old"]++
		}
		if want := generation.Number(1); (n > flip) != (live == want+1) {
			t.Errorf("%s generation %s is live", when, live)
		}
		if (n > 0) != (len(warnings) == 1) {
			t.Errorf("%s: warnings %q", when, warnings)
		}
		if again := w.recover(); len(again) > 0 {
			t.Errorf("%s: it recovers again: %q", when, again)
		}
		// From here all is as if nothing had happened.
		w.switchTo(w.tree(crashAfter...))
		w.sameWords(after, when+", and a switch")
		w.rollback(1)
		w.sameWords(before, when+", a switch and a rollback")
		w.healthy()
		if t.Failed() {
			return
		}
	}
	t.Logf("%d points: %d ended old, %d new", len(all)+1, ended["old"], ended["new"])
}

// sameWords is sameHome for homes in different folders.
func (w *world) sameWords(want []string, when string) {
	w.Helper()
	got := w.snapshot()
	if len(want) == 0 || len(got) == 0 {
		w.Fatal("an empty home")
	}
	neutral := func(lines []string) []string {
		out := slices.Clone(lines)
		for i, line := range out {
			if link, text, ok := strings.Cut(line, " -> "); ok {
				_, text, _ = strings.Cut(text, "/home/")
				out[i] = link + " -> " + text
			}
		}
		return out
	}
	if g, w2 := neutral(got), neutral(want); !slices.Equal(g, w2) {
		w.Errorf("%s the home is\n%s\nwant\n%s", when, strings.Join(g, "\n"), strings.Join(w2, "\n"))
	}
}

// A crash during the recovery itself: every step of finishing is done, or half done, twice.
func TestCrashDuringRecovery(t *testing.T) {
	w := crashWorld(t)
	w.switchTo(w.tree(crashAfter...))
	after := w.snapshot()
	all, flip := crashWorld(t).begin(crashAfter...).steps()
	for n := flip; n < len(all); n++ {
		w := crashWorld(t)
		steps, _ := w.begin(crashAfter...).steps()
		for _, step := range steps[:n+1] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		// The first recovery comes to the same point and one step on.
		j, ok, err := loadJournal(w.state)
		if err != nil || !ok {
			t.Fatal(err)
		}
		h, err := openHome(j.Roots...)
		if err != nil {
			t.Fatal(err)
		}
		a := &applier{state: w.gens, store: w.store, home: h, journal: j}
		again, from := a.steps()
		for _, step := range again[from : n+1] {
			if err := step(); err != nil {
				t.Fatalf("step %d again: %v", n, err)
			}
		}
		h.close()
		w.recover()
		w.sameWords(after, fmt.Sprintf("after crashes at step %d", n))
	}
}

// The first switch of a home has nothing to go back to but the home itself.
func TestCrashOfTheFirstSwitch(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", userSettings)
	virgin := w.snapshot()
	steps, flip := w.begin(full...).steps()
	for _, step := range steps[:flip] {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Equal(w.snapshot(), virgin) {
		t.Error("nothing was prepared")
	}
	rep, err := Status(w.gens, w.store)
	if err != nil || !rep.RecoveryDue || rep.Generation != 0 {
		t.Errorf("status %+v, %v", rep, err)
	}
	w.recover()
	w.sameHome(virgin, "after recovery")
	if list, err := w.gens.List(); err != nil || len(list) > 0 {
		t.Errorf("generations %v, %v", list, err)
	}
}

// Healing has no flip: from the journal on it is finished.
func TestCrashWhileHealing(t *testing.T) {
	w := newWorld(t)
	w.switchTo(w.tree(full...))
	whole := w.snapshot()
	n := 1
	for {
		w.remove(".agents")
		w.remove(".copilot/settings.json")
		w.remove(".copilot/hooks")
		steps, _ := w.begin(full...).steps()
		if n > len(steps) {
			break
		}
		for _, step := range steps[:n] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		w.recover()
		w.sameHome(whole, fmt.Sprintf("after a crash behind step %d", n))
		n++
	}
	if n < 6 {
		t.Errorf("only %d steps", n)
	}
}

// The user or the program rewrites a merged file while nobody recovers.
func TestRecoveryMeetsARewrittenFile(t *testing.T) {
	for name, tt := range map[string]struct{ text, want, rolledBack string }{
		"untouched by us": {
			`{"beep": false, "disabledMcpServers": ["other"]}`,
			`{"beep": false, "disabledMcpServers": ["other", "gw"], "theme": "dim", "footer": {"showX": true}}`,
			`{"beep": false, "disabledMcpServers": ["other"]}`,
		},
		"rewritten with our values": {
			`{"theme":"dim","footer":{"showX":true},"disabledMcpServers":["gw","other"],"x":1}`,
			`{"theme":"dim","footer":{"showX":true},"disabledMcpServers":["gw","other"],"x":1}`,
			`{"disabledMcpServers":["other"],"x":1}`,
		},
		"taken away": {"", "{\n  \"theme\": \"dim\",\n  \"footer\": {\n    \"showX\": true\n  },\n  \"disabledMcpServers\": [\n    \"gw\"\n  ]\n}\n", ""},
		"unreadable": {"{", "{", "{"},
		"clashing":   {`{"theme":"other"}`, `{"theme":"other"}`, `{"theme":"other"}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.switchTo(w.tree())
			w.write(".copilot/settings.json", userSettings)
			steps, flip := w.begin(full...).steps()
			for _, step := range steps[:flip+1] {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
			if tt.text == "" {
				w.remove(".copilot/settings.json")
			} else {
				w.rewrite(".copilot/settings.json", tt.text)
			}
			warnings := w.recover()
			if got := w.read(".copilot/settings.json"); got != tt.want {
				t.Errorf("after recovery settings.json is %q, want %q (%q)", got, tt.want, warnings)
			}
			if name == "unreadable" {
				if len(warnings) != 2 {
					t.Errorf("warnings %q", warnings)
				}
				w.write(".copilot/settings.json", "{}")
				tt.rolledBack = "{}"
			}
			w.rollback(0)
			data, err := os.ReadFile(w.path(".copilot/settings.json"))
			if tt.rolledBack == "" && !os.IsNotExist(err) || string(data) != tt.rolledBack {
				t.Errorf("after rollback settings.json is %q, %v, want %q", data, err, tt.rolledBack)
			}
		})
	}
}

// What a crash leaves before any journal: a record that was never live, half a store path, half a record.
func TestSweep(t *testing.T) {
	w := newWorld(t)
	w.switchTo(w.tree(full...))
	w.begin("link a = x") // recorded as generation 2
	for _, dir := range []string{"store/.tmp-1", "generations/.tmp-1"} {
		if err := os.Mkdir(filepath.Join(w.state, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before := w.snapshot()
	if res := w.switchTo(w.tree(full...)); res.Changed || res.Generation != 1 {
		t.Errorf("%+v", res)
	}
	w.healthy()
	w.sameHome(before, "after sweeping")
	if list, err := w.gens.List(); err != nil || len(list) != 1 {
		t.Errorf("generations %v, %v", list, err)
	}
}

func TestForeignJournalIsRefused(t *testing.T) {
	w := newWorld(t)
	a := w.begin("link a = x")
	a.Previous = 7
	if err := a.save(w.state); err != nil {
		t.Fatal(err)
	}
	if _, err := Recover(context.Background(), w.gens, w.store); err == nil || !strings.Contains(err.Error(), "journal") {
		t.Errorf("error %v", err)
	}
}

// A server is disabled before it appears, and enabled again after it is gone; with both in one switch settings.json is
// written twice.
func TestOrderOfMergedFiles(t *testing.T) {
	with := func(name string) []string {
		return []string{
			fmt.Sprintf(`merge .copilot/settings.json disabledMcpServers[] = {"disabledMcpServers":["%s"]}`, name),
			fmt.Sprintf(`merge .copilot/mcp-config.json mcpServers.%s = {"mcpServers":{"%s":{}}}`, name, name),
		}
	}
	w := newWorld(t)
	expect := func(want string, lines ...string) {
		t.Helper()
		a := w.begin(lines...)
		var got []string
		for _, m := range a.Merges {
			got = append(got, filepath.Base(m.Dest))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("written in the order %s, want %s", s, want)
		}
		if err := a.run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	expect("settings.json mcp-config.json", with("a")...)
	expect("settings.json mcp-config.json settings.json", with("b")...)
	if got := w.read(".copilot/settings.json"); strings.Contains(got, `"a"`) || !strings.Contains(got, `"b"`) {
		t.Errorf("settings.json is %s", got)
	}
	expect("mcp-config.json settings.json")
	w.healthy()
}

// A switch that only heals the live generation, killed before the backups were made: what it was to take over is the only
// copy.
func TestRecoverKeepsWhatIsNotBackedUp(t *testing.T) {
	w := newWorld(t)
	w.switchTo(w.tree("link .copilot/agents/one.md = ours"))
	path := w.path(".copilot/agents/one.md")
	w.remove(".copilot/agents/one.md")
	w.write(".copilot/agents/one.md", "the user's")
	a := w.beginWith(adoption{paths: []string{path}}, w.tree("link .copilot/agents/one.md = ours"))
	if a.Previous != a.Next {
		t.Fatalf("from generation %s to %s, want one and the same", a.Previous, a.Next)
	}
	if err := a.save(w.state); err != nil {
		t.Fatal(err)
	}
	if warnings := w.recover(); !strings.Contains(strings.Join(warnings, ""), "was undone") {
		t.Errorf("%q", warnings)
	}
	if got := w.read(".copilot/agents/one.md"); got != "the user's" {
		t.Errorf("it holds %q", got)
	}
}
