package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// started is the context at the start of a session in a folder, with a version of Copilot.
func started(t *testing.T, p policy.Policy, cwd, version string) string {
	t.Helper()
	data, err := json.Marshal(map[string]string{"sessionId": "s", "cwd": cwd, "source": "new"})
	if err != nil {
		t.Fatal(err)
	}
	w, stdout := world(t, p, nil, data, "copilot", "sessionStart")
	w.Environ = func() []string { return []string{"COPILOT_CLI_BINARY_VERSION=" + version} }
	if code := Run(w); code != exitDone {
		t.Errorf("exit %d", code)
	}
	return contextOf(t, stdout)
}

// TestARepositoryThatSwitchesHooksOff is named at the start of a session.
func TestARepositoryThatSwitchesHooksOff(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		want       bool
	}{
		"on":              {".claude/settings.json", `{"disableAllHooks": true}`, true},
		"of one person":   {".claude/settings.local.json", `{"a": [1], "disableAllHooks":true}`, true},
		"of Copilot":      {".github/copilot/settings.json", `{"disableAllHooks": true}`, true},
		"of both":         {".github/copilot/settings.local.json", `{"disableAllHooks": true}`, true},
		"with a comment":  {".claude/settings.json", "{ // odd\n \"disableAllHooks\" : true, }", true},
		"off":             {".claude/settings.json", `{"disableAllHooks": false}`, false},
		"a text":          {".claude/settings.json", `{"disableAllHooks": "true"}`, false},
		"deeper":          {".claude/settings.json", `{"x": {"disableAllHooks": true}}`, false},
		"something else":  {".claude/settings.json", `{}`, false},
		"a hooks file":    {".github/hooks/x.json", `{"disableAllHooks": true}`, false},
		"no JSON at all":  {".claude/settings.json", `disableAllHooks`, false},
		"another setting": {".claude/settings.json", `{"x": "disableAllHooks", "y": true, }`, false},
	} {
		repo := t.TempDir()
		writeFile(t, filepath.Join(repo, ".git"), []byte("gitdir: x"), 0o644) // of a worktree
		writeFile(t, filepath.Join(repo, tt.file), []byte(tt.text), 0o644)
		writeFile(t, filepath.Join(repo, "a", "b", "x"), nil, 0o644)
		text := started(t, policy.Policy{Host: "h"}, filepath.Join(repo, "a", "b"), "1.0.102")
		if got := strings.Contains(text, "disableAllHooks is true in this repository's "+tt.file); got != tt.want {
			t.Errorf("%s: %q", name, text)
		}
	}
	repo := t.TempDir()
	if err := os.Mkdir(filepath.Join(repo, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(repo, ".claude/settings.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := started(t, policy.Policy{Host: "h"}, repo, "1.0.102"); strings.Contains(text, "disableAllHooks") {
		t.Errorf("%q", text)
	}
}
