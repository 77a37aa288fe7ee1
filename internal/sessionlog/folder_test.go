package sessionlog

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolder: links, pipes and folders without a log are no sessions, and one bad log hides no other.
func TestFolder(t *testing.T) {
	home := t.TempDir()
	if list, faults := List(home); list != nil || faults != nil {
		t.Errorf("of nothing: %v, %v", list, faults)
	}
	for id, file := range map[string]string{
		"7bac15a8-99a6": "1.0.102.jsonl", "38941ab8-ee6f": "1.0.80.jsonl", "38941ab8": "1.0.83.jsonl", "cf22f99f": "1.0.83-resumed.jsonl",
	} {
		write(t, logPath(home, id), string(read(t, "testdata/"+file)))
	}
	outside := filepath.Join(t.TempDir(), "events.jsonl")
	write(t, outside, string(read(t, "testdata/1.0.92.jsonl")))
	write(t, logPath(home, "rubbish"), "rubbish")
	write(t, logPath(home, ".session-operation-locks"), "")
	write(t, filepath.Join(home, "session-state", "without", "workspace.yaml"), "")
	write(t, filepath.Join(home, "session-state", "file"), "")
	for _, id := range []string{"link", "pipe"} {
		if err := os.Mkdir(filepath.Dir(logPath(home, id)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, logPath(home, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(logPath(home, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Dir(logPath(home, "linked"))); err != nil {
		t.Fatal(err)
	}

	list, faults := List(home)
	var ids []string
	for _, l := range list {
		ids = append(ids, l.ID)
		if s, err := l.Read(0); err != nil || s.Started != l.Started {
			t.Errorf("%s: %v, %v, %v", l.ID, s.Started, l.Started, err)
		}
	}
	if got := strings.Join(ids, " "); got != "cf22f99f 38941ab8 38941ab8-ee6f 7bac15a8-99a6" {
		t.Errorf("the list is %s", got)
	}
	if len(faults) != 3 {
		t.Errorf("faults: %v", faults)
	}

	for id, want := range map[string]string{
		"7": "7bac15a8-99a6", "38941ab8": "38941ab8", "38941ab8-": "38941ab8-ee6f", "3": "!38941ab8, 38941ab8-ee6f; give more", "": "!several",
		"x": `!there is no session "x"`, "linked": "!no session", "without": "!no session", "../session-state/7bac15a8-99a6": "!no session",
	} {
		got, err := Find(home, id)
		if wrong, ok := strings.CutPrefix(want, "!"); ok {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%q: %v", id, err)
			}
		} else if err != nil || got.ID != want {
			t.Errorf("%q: %q, %v", id, got.ID, err)
		}
	}
	if l, err := Find(home, "pipe"); err != nil {
		t.Error(err)
	} else if _, err := l.Read(1); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
