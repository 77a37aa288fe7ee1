package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// doctorAsksCopilot: the probe passes where Copilot loads every hook of ours, and fails where ours is lost, or another file
// has a fault: none of which Copilot says by itself. See https://github.com/github/copilot-cli/issues/4520.
func doctorAsksCopilot(h *home) {
	h.linkCopilot()
	h.switchTo(`target "copilot" {}`)
	checks := h.doctor()
	// No guard is declared: it is the one of every policy that denies.
	h.wantCheck(checks, "probe-guard", true, "`false && agentihooks rollback` was denied")
	// What settings 1.0.80 takes is not known, and doctor says so.
	h.wantCheck(checks, "catalogue", h.cli.version != "1.0.80", "")
	if h.cli.version == "1.0.80" {
		h.wantCheck(checks, "probe", true, "cannot list its hooks")
		return
	}
	h.wantCheck(checks, "probe", true, "loads all our 12 hooks")

	other := filepath.Join(h.dir, ".copilot", "hooks", "other.json")
	h.writeFile(other, `{"version":1,"hooks":{`)
	h.wantCheck(h.doctor(), "probe", false, other)
	if err := os.Remove(other); err != nil {
		h.t.Fatal(err)
	}

	if err := os.Remove(filepath.Join(h.dir, ".copilot", "hooks", "agentihooks.json")); err != nil {
		h.t.Fatal(err)
	}
	checks = h.doctor()
	h.wantCheck(checks, "probe", false, "loads 0 of our 12 hooks")
	h.wantCheck(checks, "probe-hook", false, "the failed checks say why: `links`, `probe`")
}

// linkCopilot puts the CLI into PATH.
func (h *home) linkCopilot() {
	h.t.Helper()
	if err := os.Symlink(h.cli.path, filepath.Join(h.bin, "copilot")); err != nil {
		h.t.Fatal(err)
	}
}

// doctorRehearses: the probe runs a session, in which our hook speaks to the model and a denied command is denied, and of which
// nothing stays. Where hooks are switched off, and where our hook cannot run or is another program, it fails and says why.
func doctorRehearses(h *home) {
	h.linkCopilot()
	h.switchTo(guarded)
	checks := h.doctor()
	h.wantCheck(checks, "probe-hook", true, "the hook of generation 1 spoke to the model")
	h.wantCheck(checks, "probe-guard", true, "`false && git push --force` was denied, and the model was told why")
	h.wantNothingLeft()

	off := filepath.Join(h.work, ".claude", "settings.json")
	h.writeFile(off, `{"disableAllHooks": true}`)
	config := filepath.Join(h.dir, ".copilot", "config.json")
	h.writeFile(config, `{"trustedFolders": []}`)
	h.wantCheck(h.doctor(), "probe-guard", true, "was denied") // a folder that is not trusted switches nothing off
	h.writeFile(config, fmt.Sprintf(`{"trustedFolders": [%q]}`, h.work))
	checks = h.doctor()
	h.wantCheck(checks, "probe-hook", false, "the failed checks say why: `repository`")
	h.wantCheck(checks, "probe-guard", false, "the guard did not deny the command `false && git push --force`")
	h.wantCheck(checks, "repository", false, off)
	if err := os.Remove(off); err != nil {
		h.t.Fatal(err)
	}

	hook := filepath.Join(h.dir, ".local", "state", "agentihooks", "current", "tree", "bin", "agentihooks-hook")
	if err := os.Chmod(hook, 0o444); err != nil {
		h.t.Fatal(err)
	}
	checks = h.doctor()
	h.wantCheck(checks, "hook", false, "permission denied")
	h.wantCheck(checks, "probe-hook", false, "Copilot could not run it: ")
	h.wantCheck(checks, "probe-guard", false, "hook errored")

	if err := os.Chmod(filepath.Dir(hook), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Remove(hook); err != nil {
		h.t.Fatal(err)
	}
	h.writeFile(hook, "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		h.t.Fatal(err)
	}
	checks = h.doctor()
	h.wantCheck(checks, "hook", false, "is another program")
	h.wantCheck(checks, "probe-hook", false, "the failed checks say why: `tree`, `hook`")
	h.wantCheck(checks, "probe-guard", false, "did not deny")
	h.wantNothingLeft()
}

// wantNothingLeft: no session of a probe is on record, no process of one runs, no folder of one is there.
func (h *home) wantNothingLeft() {
	h.t.Helper()
	for _, pattern := range []string{
		filepath.Join(h.dir, ".copilot", "session-state", "*"),
		filepath.Join(h.dir, ".local", "state", "agentihooks", "sessions", "*"),
		filepath.Join(h.root, "tmp", "agentihooks-probe-*"),
	} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			h.t.Errorf("the probe left %q, %v", left, err)
		}
	}
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, path := range environs {
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), "HOME="+h.dir+"\x00") {
			h.t.Errorf("the probe left a process: %s", path)
		}
	}
}

// check is one check of doctor's.
type check struct {
	ID, Detail, Fix string
	OK              bool
}

// doctor runs doctor --probe and gives its checks by name.
func (h *home) doctor() map[string]check {
	h.t.Helper()
	h.cli.slots <- struct{}{}
	defer func() { <-h.cli.slots }()
	env := append(h.baseEnv(), append([]string{"XDG_CACHE_HOME=" + h.cli.cache}, h.env...)...)
	r := execute(h.t, h.work, env, h.tools.agentihooks, "doctor", "--probe", "--json")
	var out struct{ Checks []check }
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		h.t.Fatalf("doctor: %v\n%s%s", err, r.stdout, r.stderr)
	}
	checks := map[string]check{}
	failed := false
	for _, c := range out.Checks {
		checks[c.ID] = c
		failed = failed || !c.OK
		if c.OK != (c.Fix == "") {
			h.t.Errorf("%+v", c)
		}
	}
	if failed != (r.code == 1) || !failed && r.code != 0 {
		h.t.Errorf("doctor: exit %d\n%s", r.code, r.stdout)
	}
	return checks
}

func (h *home) wantCheck(checks map[string]check, id string, ok bool, text string) {
	h.t.Helper()
	if c := checks[id]; c.ID == "" || c.OK != ok || !strings.Contains(c.Detail, text) {
		h.t.Errorf("want %v and %q of the check %s, got %+v", ok, text, id, c)
	}
}
