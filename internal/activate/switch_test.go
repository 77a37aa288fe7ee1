package activate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/store"
)

// full is a tree with one of everything.
var full = []string{
	"link .copilot/copilot-instructions.md = persona",
	"link .copilot/hooks/agentihooks.json = {}",
	"link .copilot/instructions/a/b.instructions.md = b",
	"linkdir .agents/skills/one SKILL.md = one",
	"linkdir .agents/skills/one scripts/run.sh = run",
	"link .agentihooks/copilot.env = X=1",
	`merge .copilot/settings.json theme+footer.showX+disabledMcpServers[] = {"theme":"dim","footer":{"showX":true},"disabledMcpServers":["gw"]}`,
	`merge .copilot/mcp-config.json mcpServers.gw = {"mcpServers":{"gw":{"url":"https://x","tools":["a"]}}}`,
}

const userSettings = "{\n\t// mine\n\t\"beep\": true, // loud\n\t\"disabledMcpServers\": [\"other\"],\n}\n"

func TestSwitchAndRollback(t *testing.T) {
	for _, umask := range []int{0o022, 0o077, 0} {
		t.Run(fmt.Sprintf("umask %o", umask), func(t *testing.T) {
			old := syscall.Umask(umask)
			defer syscall.Umask(old)
			switchAndRollback(t)
		})
	}
}

func TestSwitchAsOrdinaryUser(t *testing.T) {
	if ostest.AsOrdinaryUser(t) {
		return
	}
	switchAndRollback(t)
}

func switchAndRollback(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", userSettings)
	w.write(".copilot/config.json", "// state\n{}")
	w.mkdir(".agents")
	virgin := w.snapshot()

	empty := w.tree()
	if res := w.switchTo(empty); !res.Changed || res.Generation != 1 || res.Previous != nil {
		t.Errorf("first switch: %+v", res)
	}
	w.sameHome(virgin, "after a switch to nothing")

	tr := w.tree(full...)
	res := w.switchTo(tr)
	w.healthy()
	if !res.Changed || res.Generation != 2 || *res.Previous != 1 || res.StorePath != w.store.PathOf(tr.Name()) {
		t.Errorf("second switch: %+v", res)
	}
	var actions []string
	for _, a := range res.Actions {
		actions = append(actions, fmt.Sprintf("%s %s", a.Kind, strings.TrimPrefix(a.Path, w.home+"/")))
	}
	want := []string{
		"link .agentihooks/copilot.env", "link .agents/skills/one", "link .copilot/copilot-instructions.md",
		"link .copilot/hooks/agentihooks.json", "link .copilot/instructions/a/b.instructions.md",
		"merge .copilot/mcp-config.json", "merge .copilot/settings.json",
	}
	if !slices.Equal(actions, want) {
		t.Errorf("actions %q, want %q", actions, want)
	}
	live := filepath.Join(w.state, "current/tree")
	if text, err := os.Readlink(w.path(".agents/skills/one")); err != nil || text != filepath.Join(live, "t/.agents_skills_one") {
		t.Errorf("link %q, %v", text, err)
	}
	if got := w.read(".agents/skills/one/scripts/run.sh"); got != "run" {
		t.Errorf("through the link: %q", got)
	}
	wantSettings := "{\n\t// mine\n\t\"beep\": true, // loud\n\t\"disabledMcpServers\": [\"other\", \"gw\"],\n\t\"theme\": \"dim\",\n\t\"footer\": {\n\t\t\"showX\": true\n\t},\n}\n"
	if got := w.read(".copilot/settings.json"); got != wantSettings {
		t.Errorf("settings.json is\n%s\nwant\n%s", got, wantSettings)
	}
	for rel, mode := range map[string]os.FileMode{".copilot/settings.json": 0o640, ".copilot/mcp-config.json": 0o600, ".agentihooks": 0o700} {
		if info, err := os.Stat(w.path(rel)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v (%v), want %v", rel, info.Mode(), err, mode)
		}
	}

	before := w.inodes()
	if res := w.switchTo(tr); res.Changed || res.Generation != 2 || len(res.Actions) > 0 || len(res.Warnings) > 0 {
		t.Errorf("a switch to what is live: %+v", res)
	}
	w.sameInodes(before)

	if res := w.rollback(0); res.Generation != 1 || *res.Previous != 2 || !res.Changed {
		t.Errorf("rollback: %+v", res)
	}
	w.healthy()
	w.sameHome(virgin, "after rollback")
	if _, err := Rollback(context.Background(), RollbackRequest{State: w.gens, Store: w.store, Machine: w.machine()}); !errors.Is(err, ErrNoPrevious) || !strings.Contains(err.Error(), "uninstall") {
		t.Errorf("rollback from the first: %v", err)
	}
	forward := w.snapshot()
	if res := w.rollback(2); res.Generation != 2 {
		t.Errorf("rollback to 2: %+v", res)
	}
	if slices.Equal(w.snapshot(), forward) || w.read(".copilot/settings.json") != wantSettings {
		t.Error("generation 2 is not live again")
	}
	w.healthy()
}

func TestRollbackBetweenTrees(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", userSettings)
	w.switchTo(w.tree(full...))
	first := w.snapshot()
	w.switchTo(w.tree(
		"link .copilot/copilot-instructions.md = persona two",
		"link .copilot/agents/x.md = agent",
		"linkdir .agents/skills/two SKILL.md = two",
		`merge .copilot/settings.json disabledMcpServers[]+beta = {"disabledMcpServers":["new"],"beta":[1]}`,
		`merge .copilot/mcp-config.json mcpServers.new = {"mcpServers":{"new":{"command":"c"}}}`,
	))
	w.healthy()
	if got := w.read(".copilot/copilot-instructions.md"); got != "persona two" {
		t.Errorf("persona is %q", got)
	}
	if _, err := os.Lstat(w.path(".copilot/instructions")); !os.IsNotExist(err) {
		t.Errorf("a folder of ours stays empty: %v", err)
	}
	if _, err := os.Lstat(w.path(".agents/skills/one")); !os.IsNotExist(err) {
		t.Errorf("a link of ours stays: %v", err)
	}
	w.rollback(0)
	w.healthy()
	w.sameHome(first, "after rollback")
}

// What Copilot and the user do between two switches belongs to no generation.
func TestUserEditsStay(t *testing.T) {
	w := newWorld(t)
	w.switchTo(w.tree(full...))
	// copilot mcp disable X, in its own order, without comments
	w.rewrite(".copilot/settings.json", `{"disabledMcpServers":["X","gw"],"footer":{"showX":true},"theme":"light","mine":1}`)
	w.rewrite(".copilot/mcp-config.json", `{"mcpServers":{"own":{"command":"y"},"gw":{"tools":["a"],"url":"https://x"}}}`)
	before := w.inodes()
	res := w.switchTo(w.tree(full...))
	if res.Changed || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "theme") {
		t.Errorf("switch to what is live: %+v", res)
	}
	w.sameInodes(before)

	w.switchTo(w.tree(
		`merge .copilot/settings.json theme+disabledMcpServers[] = {"theme":"dim","disabledMcpServers":[]}`,
		`merge .copilot/mcp-config.json mcpServers.gw = {"mcpServers":{"gw":{"url":"https://y"}}}`,
	))
	if got, want := w.read(".copilot/settings.json"), `{"disabledMcpServers":["X"],"theme":"light","mine":1}`; got != want {
		t.Errorf("settings.json is %s, want %s", got, want)
	}
	if got, want := w.read(".copilot/mcp-config.json"), `{"mcpServers":{"own":{"command":"y"},"gw":{"url":"https://y"}}}`; got != want {
		t.Errorf("mcp-config.json is %s, want %s", got, want)
	}
	w.rollback(0)
	if got, want := w.read(".copilot/settings.json"), `{"disabledMcpServers":["X", "gw"],"theme":"light","footer":{"showX": true},"mine":1}`; got != want {
		t.Errorf("after rollback settings.json is %s, want %s", got, want)
	}
	w.healthy()
}

func TestAdoptKeys(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", "{\n  \"theme\":   \"light\" // why\n}\n")
	virgin := w.snapshot()
	w.switchTo(w.tree())
	tr := w.tree(`merge .copilot/settings.json theme = {"theme":"dim"}`)
	if got := w.refused(tr); !slices.Equal(got, []string{"key .copilot/settings.json theme"}) {
		t.Errorf("collisions %q", got)
	}
	req := w.request(tr)
	req.Adopt = true
	if _, err := Switch(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if got := w.read(".copilot/settings.json"); got != "{\n  \"theme\":   \"dim\" // why\n}\n" {
		t.Errorf("settings.json is %q", got)
	}
	w.rollback(0)
	w.sameHome(virgin, "after rollback")
}

func TestIdenticalFileIsTakenOverAndComesBack(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/copilot-instructions.md", "persona")
	virgin := w.snapshot()
	w.switchTo(w.tree())
	w.switchTo(w.tree("link .copilot/copilot-instructions.md = persona"))
	if _, err := os.Readlink(w.path(".copilot/copilot-instructions.md")); err != nil {
		t.Error(err)
	}
	w.healthy()
	w.switchTo(w.tree("link .copilot/copilot-instructions.md = other"))
	w.rollback(1)
	w.sameHome(virgin, "after rollback")
	w.healthy()
	if left, err := os.ReadDir(filepath.Join(w.state, backups)); err != nil || len(left) > 0 {
		t.Errorf("backups %v, %v", left, err)
	}
}

func TestSwitchRefuses(t *testing.T) {
	w := newWorld(t)
	tr := w.tree("link a = x")
	for name, change := range map[string]func(*Request){
		"arch": func(r *Request) { r.Machine.Arch = "arm64" },
		"os":   func(r *Request) { r.Machine.OS = "darwin" },
		"home": func(r *Request) { r.Machine.Home = "/elsewhere" },
	} {
		req := w.request(tr)
		change(&req)
		before := w.inodes()
		if _, err := Switch(context.Background(), req); err == nil {
			t.Errorf("%s: no error", name)
		}
		w.sameInodes(before)
	}
}

func TestStateOfAnotherHomeIsRefused(t *testing.T) {
	w := newWorld(t)
	w.switchTo(w.tree("link a = x"))
	other := *w
	other.home = filepath.Join(filepath.Dir(w.home), "other")
	if err := os.Mkdir(other.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Switch(context.Background(), other.request(other.tree("link a = x"))); err == nil || !strings.Contains(err.Error(), "belongs to the home") {
		t.Errorf("error %v", err)
	}
}

func TestUnreadableSettingsStopTheSwitch(t *testing.T) {
	w := newWorld(t)
	w.switchTo(w.tree("link a = x"))
	w.write(".copilot/settings.json", "{\n  \"a\": tru\n}")
	w.write(".copilot/mcp-config.json", "")
	before := w.inodes()
	_, err := Switch(context.Background(), w.request(w.tree(full...)))
	var unreadable *UnreadableError
	if !errors.As(err, &unreadable) {
		t.Fatalf("error %v", err)
	}
	want := []FileFault{
		{w.path(".copilot/mcp-config.json"), 1, 1, "parsing value: unexpected EOF"},
		{w.path(".copilot/settings.json"), 2, 8, "invalid literal: tru"},
	}
	if !reflect.DeepEqual(unreadable.Files, want) {
		t.Errorf("faults %+v, want %+v", unreadable.Files, want)
	}
	w.sameInodes(before)
}

func TestDryRunWritesNothing(t *testing.T) {
	w := newWorld(t)
	req := w.request(w.tree(full...))
	req.DryRun = true
	before := w.inodes()
	res, err := Switch(context.Background(), req)
	if err != nil || !res.Changed || len(res.Actions) != 7 || res.Generation != 0 {
		t.Errorf("%+v, %v", res, err)
	}
	w.sameInodes(before)
}

func TestDamagedTreeIsNeverMadeLive(t *testing.T) {
	w := newWorld(t)
	first := w.switchTo(w.tree("link a = x"))
	w.switchTo(w.tree("link a = y"))
	file := filepath.Join(string(first.StorePath), "t/a")
	if err := errors.Join(os.Chmod(file, 0o644), os.WriteFile(file, []byte("z"), 0o644), os.Chmod(file, 0o444)); err != nil {
		t.Fatal(err)
	}
	before := w.inodes()
	_, err := Rollback(context.Background(), RollbackRequest{State: w.gens, Store: w.store, Machine: w.machine()})
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("error %v", err)
	}
	w.sameInodes(before)
}

func TestLostStorePathIsWrittenAgain(t *testing.T) {
	w := newWorld(t)
	tr := w.tree(full...)
	res := w.switchTo(tr)
	if err := w.store.Delete(res.StorePath); err != nil {
		t.Fatal(err)
	}
	if res := w.switchTo(tr); !res.Changed || res.Generation != 1 {
		t.Errorf("%+v", res)
	}
	w.healthy()
}

// A file of the live tree that was damaged by hand gets into no other tree, whether that is hashed ahead or not.
func TestDamageIsNotHandedOn(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		w := newWorld(t)
		first := w.switchTo(w.tree("linkdir .agents/skills/s run = skill", "link .copilot/agents/a.md = agent"))
		file := filepath.Join(string(first.StorePath), "t/.agents_skills_s/run")
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Chmod(file, 0o644), os.WriteFile(file, []byte("evil!"), 0), os.Chmod(file, 0o444)); err != nil {
			t.Fatal(err)
		}
		req := w.request(w.tree("linkdir .agents/skills/s run = skill", "link .copilot/agents/a.md = other"))
		if ahead {
			req.Ahead = w.store.RehashAhead(first.StorePath)
		}
		res, err := Switch(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.Verify(res.StorePath); err != nil {
			t.Errorf("hashed ahead %v: %v", ahead, err)
		}
	}
}
