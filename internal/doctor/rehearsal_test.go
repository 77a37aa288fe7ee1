package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/internal/modelserver"
)

func commands(t *testing.T, deny ...string) policy.Guard {
	t.Helper()
	g, problems := policy.Compile("commands", guard.Args{"deny": deny})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return g
}

// TestCanary: a canary is denied, and its pattern stands where a shell does not run it.
func TestCanary(t *testing.T) {
	for _, tt := range []struct{ deny, want string }{
		{"rm -rf /", "false && rm -rf /"},
		{"git push * --force", "false && git push * --force"},
		{"'a b' \"c d\"", "false && 'a b' \"c d\""},
		{"#x y", "false && #x y"}, // no valid shell
	} {
		d := doctor{compiled: policy.Policy{Guards: []policy.Guard{commands(t, tt.deny)}}}
		command, reason := d.canary()
		if command != tt.want || reason == "" {
			t.Errorf("%s: %q, %q", tt.deny, command, reason)
		}
	}
	d := doctor{compiled: policy.Policy{Guards: []policy.Guard{{Kind: "of-the-future"}, commands(t, "reboot")}}}
	if command, _ := d.canary(); command != "false && reboot" {
		t.Errorf("beside a guard without a list: %q", command)
	}
}

func TestEvidence(t *testing.T) {
	const (
		spoke  = "agentihooks: generation 7, host h.\n"
		denied = "Denied by preToolUse hook: WHY"
	)
	switchedOff := Check{ID: "repository"}
	for name, tt := range map[string]struct {
		seen        evidence
		earlier     []Check
		hook, guard string // what a failed check says, "" if it passes
	}{
		"all is well":              {evidence{told: spoke, result: denied}, nil, "", ""},
		"hooks are off":            {evidence{result: "Permission denied"}, []Check{switchedOff}, "failed checks say why: `repository`", "was told \"Permission denied\": the failed checks say why: `repository`"},
		"hooks are off, unknown":   {evidence{result: "Permission denied"}, nil, "did not say why", "did not say why"},
		"a fault elsewhere":        {evidence{result: "ran"}, []Check{{ID: "skills"}}, "did not say why", "did not say why"},
		"it does not run":          {evidence{result: "Denied by preToolUse hook from \"f\" (hook errored)", faults: []string{"EACCES"}}, nil, "could not run it: EACCES", "could not run it: EACCES"},
		"it is the hook of others": {evidence{told: "agentihooks: generation 71, host h.\n", result: denied}, nil, "another state folder", ""},
		"another hook denies":      {evidence{told: spoke, result: "Denied by preToolUse hook: mine"}, nil, "", "not the guard denied"},
		"only at the question":     {evidence{told: spoke, result: "Permission denied by a PermissionRequest hook: WHY"}, nil, "", "did not deny"},
		"no answer":                {evidence{told: spoke}, nil, "", "was told \"\""},
	} {
		t.Run(name, func(t *testing.T) {
			d := doctor{checks: tt.earlier, compiled: policy.Policy{Guards: []policy.Guard{commands(t, "reboot")}}}
			d.record.Number = 7
			d.judgeHook(tt.seen)
			d.judgeGuard(tt.seen, "false && reboot", "WHY")
			for i, want := range []string{tt.hook, tt.guard} {
				if c := d.checks[len(tt.earlier)+i]; c.OK != (want == "") || !strings.Contains(c.Detail, want) || c.OK != (c.Fix == "") {
					t.Errorf("%+v", c)
				}
			}
		})
	}
}

// TestNothingToProve: without a guard that denies a command nothing is said to be proved.
func TestNothingToProve(t *testing.T) {
	for _, guards := range [][]policy.Guard{nil, {{Kind: "of-the-future"}}} {
		d := doctor{compiled: policy.Policy{Guards: guards}}
		d.judgeGuard(evidence{}, "", "")
		if c := d.checks[0]; !c.OK || !strings.Contains(c.Detail, "nothing to prove") {
			t.Errorf("%+v", c)
		}
	}
}

// TestObserve: of a session's requests the model's messages count, and the answer to the first call.
func TestObserve(t *testing.T) {
	if seen := observe(nil, nil); seen.asked {
		t.Error("without a request the model was asked")
	}
	seen := observe([]modelserver.Request{
		{Messages: []modelserver.Message{{Role: "user", Text: "one"}}},
		{Messages: []modelserver.Message{{Role: "tool", CallID: modelserver.CallID(0, 0), Text: "two"}}},
	}, []string{"f"})
	if !seen.asked || seen.told != "one\ntwo\n" || seen.result != "two" || len(seen.faults) != 1 {
		t.Errorf("%+v", seen)
	}
}

// TestASessionThatEndsEarly says why, and leaves no record of itself.
func TestASessionThatEndsEarly(t *testing.T) {
	for text, want := range map[string]string{
		"echo 'error: no such option' >&2; echo more >&2; exit 3": "before it asked its model: exit status 3: error: no such option",
		"exit 4": "before it asked its model: exit status 4",
		"exit 0": "before it asked its model",
	} {
		dir := t.TempDir()
		d := script(t, dir, text)
		_, err := d.rehearse(context.Background(), dir, "true")
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestHookFaults(t *testing.T) {
	dir := t.TempDir()
	logs := filepath.Join(dir, "logs")
	if err := os.Mkdir(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "2026-12-01T06:04:08.871Z [ERROR] [rust:hooks] Hook from \"" + dir + "/hooks/a.json\" execution failed: EACCES\n"
	text += text + "2026-12-01T06:04:08.871Z [WARNING] a hook that is none\n2026-12-01T06:04:09.000Z [ERROR] Invalid hook configuration in b.json\n"
	if err := os.WriteFile(filepath.Join(logs, "process-1.log"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{`Hook from "/h/.copilot/hooks/a.json" execution failed: EACCES`, "Invalid hook configuration in b.json"}
	if got := hookFaults(dir, "/h/.copilot"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestScratchHome: of the user's files only what is about hooks is copied, and the hooks folder is the live one.
func TestScratchHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	for name, text := range map[string]string{
		"settings.json": `{"theme": "dim", /* why */ "disabledHooks": ["a"],}`,
		"config.json":   `{"loggedInUsers": ["secret"], "trustedFolders": ["/w"]}`,
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := doctor{Machine: Machine{CopilotHome: home}}
	dir, remove, err := d.scratchHome()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"settings.json": `{"disabledHooks":["a"]}`, "config.json": `{"trustedFolders":["/w"]}`} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if to, err := os.Readlink(filepath.Join(dir, "hooks")); err != nil || to != filepath.Join(home, "hooks") {
		t.Errorf("the hooks folder is %q, %v", to, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if remove(); len(entries(t, filepath.Dir(dir))) > 0 {
		t.Error("something stays")
	}
}

func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	out, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestProbeEnv(t *testing.T) {
	given := []string{"PATH=/bin", "COPILOT_ALLOW_ALL=true", "COPILOT_HOME=/h", "COPILOT_PROVIDER_API_KEY=secret", "https_proxy=http://p", "HTTP_PROXY=http://p", "COPILOT_HOOK_ALLOW_LOCALHOST=1"}
	got := probeEnv(given, "COPILOT_ALLOW_ALL", "/scratch", "http://127.0.0.1:1/v1")
	for _, want := range []string{"PATH=/bin", "COPILOT_HOOK_ALLOW_LOCALHOST=1", "COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:1/v1"} {
		if !slices.Contains(got, want) {
			t.Errorf("without %s: %q", want, got)
		}
	}
	if all := strings.Join(got, "\n"); strings.Contains(all, "ALLOW_ALL") || strings.Contains(all, "secret") || strings.Contains(all, "http://p") || strings.LastIndex(all, "COPILOT_HOME=/h") > strings.LastIndex(all, "COPILOT_HOME=/scratch") {
		t.Errorf("%q", got)
	}
	if given[1] != "COPILOT_ALLOW_ALL=true" {
		t.Error("the environment that was given is another now")
	}
}
