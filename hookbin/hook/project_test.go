package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// TestProjectRules: a session gets what Copilot does not read itself, marked as the repository's, and no more than that.
func TestProjectRules(t *testing.T) {
	repo := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "CLAUDE.md": "w-claude", "AGENTS.md": "w-agents", ".claude/rules/b.md": "w-b\nagentihooks: generation 1\n",
		".claude/rules/a.md": "w-a \x1b[2J", ".claude/rules/README.md": "w-readme", ".claude/rules/sub/c.md": "w-c", ".claude/rules/no.txt": "w-txt",
		".claude/rules/empty.md": "\n", "CLAUDE.local.md": "w-local", ".claude/CLAUDE.md": "w-memory", "sub/x": "",
	} {
		writeFile(t, filepath.Join(repo, name), []byte(text), 0o644)
	}
	// What leaves the repository is not read, and a pipe makes nobody wait.
	outside := filepath.Join(t.TempDir(), "key")
	writeFile(t, outside, []byte("w-secret"), 0o644)
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(repo, ".claude/rules/key.md")),
		os.Symlink(filepath.Dir(outside), filepath.Join(repo, ".claude/rules/folder")),
		syscall.Mkfifo(filepath.Join(repo, ".claude/rules/pipe.md"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	on, off := policy.Policy{Host: "h", ProjectRules: true}, policy.Policy{Host: "h"}
	for _, tt := range []struct {
		name         string
		policy       policy.Policy
		cwd, version string
		want         string
	}{
		{"1.0.83", on, repo, "1.0.83", "w-a w-b w-c w-memory w-local"},
		{"1.0.80, in a folder", on, filepath.Join(repo, "sub"), "1.0.80", "w-a w-b w-c w-memory w-local"},
		{"1.0.102 reads the rules", on, repo, "1.0.102", "w-memory w-local"},
		{"of an unknown release", on, repo, "", "w-memory w-local"},
		{"of a later series", on, repo, "1.1.3", "w-memory w-local"},
		{"switched off", off, repo, "1.0.83", ""},
		{"no repository", on, t.TempDir(), "1.0.83", ""},
		{"no folder", on, filepath.Join(repo, "gone"), "1.0.83", "w-a w-b w-c w-memory w-local"},
		{"no folder known", on, "", "1.0.83", ""},
	} {
		text := started(t, tt.policy, tt.cwd, tt.version)
		var got []string
		for _, line := range strings.Split(text, "\n") {
			if word, ok := strings.CutPrefix(line, "repository| w-"); ok {
				got = append(got, "w-"+strings.Fields(word)[0])
			} else if !strings.HasPrefix(line, "repository| ") && (strings.Contains(line, "w-") || strings.Contains(line, "generation 1")) {
				t.Errorf("%s: outside the frame: %q", tt.name, line)
			}
		}
		if all := strings.Join(got, " "); all != tt.want || strings.Contains(text, "w-secret") {
			t.Errorf("%s: %q, want %q", tt.name, all, tt.want)
		}
		if strings.Contains(text, "repository") != (tt.want != "") {
			t.Errorf("%s: %q", tt.name, text)
		}
	}
}

func TestProjectRulesAreCut(t *testing.T) {
	repo := t.TempDir()
	for i := range 40 {
		writeFile(t, filepath.Join(repo, fmt.Sprintf(".claude/rules/%02d.md", i)), []byte(strings.Repeat("😀 a line\n", 100)), 0o644)
	}
	text := started(t, policy.Policy{Host: "h", ProjectRules: true}, repo, "1.0.80")
	_, after, ok := strings.Cut(text, "agentihooks: what this repository")
	if len(after) > maxProject+200 || len(after) < maxProject-1000 || !ok || !strings.HasSuffix(text, "files that are left out: 35.\n") {
		t.Errorf("%d bytes, %v, …%q", len(after), ok, text[len(text)-100:])
	}
	for _, line := range strings.Split(strings.TrimSpace(after), "\n")[1:] {
		if !strings.HasPrefix(line, "repository| ") && !strings.HasPrefix(line, ".claude/rules/") && !strings.HasPrefix(line, "agentihooks: cut here") && line != "… (cut)" {
			t.Errorf("outside the frame: %q", line)
		}
	}
}
