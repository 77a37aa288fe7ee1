package textdiff

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	for _, tc := range []struct{ name, old, new, want string }{
		{"equal", "a\n", "a\n", ""},
		{"from nothing", "", "a\nb\n", "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n"},
		{"no newline at the end", "a", "a\n", "--- old\n+++ new\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"binary", "\xff\x00", "x", "old and new differ (binary, 2 bytes, then 1)\n"},
		{
			"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
			"--- old\n+++ new\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n",
		},
		{
			"six equal lines join", "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
			"--- old\n+++ new\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Unified("old", "new", []byte(tc.old), []byte(tc.new)); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func TestUnifiedIsTakenByPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch(1) is not installed: apt-get install patch")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString([]string{"a", "b", "c", "", "dd"}[rng.IntN(5)] + "\n")
		}
		if rng.IntN(3) == 0 {
			b.WriteString("end")
		}
		return b.String()
	}
	for range 150 {
		old, new := text(), text()
		if old == new {
			continue
		}
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		diff := Unified("f", "f", []byte(old), []byte(new))
		cmd := exec.Command(patch, "-s", file)
		cmd.Stdin = strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, diff)
		}
		// patch removes a file that becomes empty.
		got, err := os.ReadFile(file)
		if err != nil && new != "" {
			t.Fatal(err)
		}
		if string(got) != new {
			t.Fatalf("patched to %q, want %q by\n%s", got, new, diff)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tc := range []struct{ old, new string }{
		{`theme = "dim"`, `theme = "dark"`},
		{"", "a b"},
		{"same", "same"},
		{"größe 1", "größe 22"},
	} {
		var old, new strings.Builder
		for _, r := range Words(tc.old, tc.new) {
			if r.Op != Insert {
				old.WriteString(r.Text)
			}
			if r.Op != Delete {
				new.WriteString(r.Text)
			}
		}
		if old.String() != tc.old || new.String() != tc.new {
			t.Errorf("Words(%q, %q) spells %q and %q", tc.old, tc.new, old.String(), new.String())
		}
	}
}
