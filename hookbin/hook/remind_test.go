package hook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/session"
)

// TestReminders: every n calls of the session on record, from all events alike, and nothing is counted without one.
func TestReminders(t *testing.T) {
	p := policy.Policy{
		Host: "h", StateDir: stateAt(t, "generations/7"),
		Reminders: []policy.Reminder{{Name: "small", Every: 3, Text: "one step\nat a time\n"}, {Name: "tests", Every: 2, Text: "run the tests"}},
	}
	const tool = `{"sessionId":"s","toolName":"view"}`
	if got := told(t, p, "preToolUse", tool, 0); got != "" {
		t.Errorf("a session that is not on record: %q", got)
	}
	told(t, p, "sessionStart", `{"sessionId":"s"}`, 0)
	const small, tests = "agentihooks: reminder small, set by the user: one step\nat a time", "agentihooks: reminder tests, set by the user: run the tests"
	for i, want := range []string{"", tests, small, tests, "", small + "\n" + tests, "", tests} {
		told(t, p, "userPromptSubmitted", tool, 0)
		told(t, p, "permissionRequest", tool, 0)
		if got := told(t, p, "preToolUse", tool, 0); got != want {
			t.Errorf("call %d: %q, want %q", i+1, got, want)
		}
		told(t, p, "preToolUse", `{"sessionId":"sub","toolName":"view"}`, 0)
	}
	folder := session.Folder(p.StateDir, "s")
	if info, err := os.Lstat(filepath.Join(folder, "calls")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	told(t, p, "sessionEnd", `{"sessionId":"s"}`, 0)
	if _, err := os.Lstat(folder); !os.IsNotExist(err) {
		t.Errorf("after its end the session's folder is there: %v", err)
	}
	none := policy.Policy{Host: "h", StateDir: p.StateDir}
	told(t, none, "sessionStart", `{"sessionId":"s"}`, 0)
	told(t, none, "preToolUse", tool, 0)
	if _, err := os.Lstat(filepath.Join(folder, "calls")); !os.IsNotExist(err) {
		t.Errorf("without reminders calls are counted: %v", err)
	}
}
