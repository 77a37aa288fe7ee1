package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRoot(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "repo/.git/HEAD"), "")
	write(t, filepath.Join(dir, "repo/worktree/.git"), "gitdir: x")
	for given, want := range map[string]string{
		"repo": "repo", "repo/a/b": "repo", "repo/worktree/a": "repo/worktree", "repo/a/../..": "repo/a/../..", "elsewhere": "elsewhere",
		"repo" + strings.Repeat("/d", maxDepth): "repo" + strings.Repeat("/d", maxDepth), // too deep to be looked for
	} {
		given, want = dir+"/"+given, dir+"/"+want
		if got := Root(given); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

// TestBounds: however much a repository holds, no more than so much of it is read.
func TestBounds(t *testing.T) {
	root := t.TempDir()
	for i := range maxTexts + 20 {
		write(t, filepath.Join(root, fmt.Sprintf(".claude/rules/%03d.md", i)), "x")
	}
	write(t, filepath.Join(root, "CLAUDE.local.md"), strings.Repeat("y", 2*maxText))
	write(t, filepath.Join(root, ".claude/settings.json"), strings.Repeat(" ", maxSettings)+`{"disableAllHooks": true}`)
	texts := Instructions(root, true)
	if len(texts) != maxTexts+1 || len(texts[maxTexts].Text) != maxText {
		t.Errorf("%d texts", len(texts))
	}
	if off := HooksOff(root); off != nil {
		t.Errorf("%q", off)
	}
}

// TestLinks: a switch counts wherever it lies; a text that lies outside is not handed on.
func TestLinks(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "settings.json")
	write(t, outside, `{"disableAllHooks": true}`)
	write(t, filepath.Join(root, ".claude/real.json"), `{"disableAllHooks": true}`)
	if err := os.Symlink(outside, filepath.Join(root, ".claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.json", filepath.Join(root, ".claude/settings.local.json")); err != nil {
		t.Fatal(err)
	}
	if off := HooksOff(root); len(off) != 2 {
		t.Errorf("%q", off)
	}
	for link, to := range map[string]string{"CLAUDE.local.md": outside, ".claude/CLAUDE.md": "real.json"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if texts := Instructions(root, true); len(texts) != 1 || texts[0].Name != ".claude/CLAUDE.md" {
		t.Errorf("%q", texts)
	}
}
