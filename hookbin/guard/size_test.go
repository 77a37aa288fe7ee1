package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/access"
)

// sized is a call in a folder with a CLAUDE.md of three lines and a long.md of nine.
func sized(t *testing.T, c Call) Call {
	t.Helper()
	c.Cwd, c.Disk = t.TempDir(), realDisk()
	for name, lines := range map[string]int{"CLAUDE.md": 3, "long.md": 9} {
		if err := os.WriteFile(filepath.Join(c.Cwd, name), []byte(strings.Repeat("x\n", lines)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestSizeCommands(t *testing.T) {
	judged(t, "size", Args{"lines": 4, "files": []string{"**/*.md"}}, func(line string) *Call {
		c := sized(t, Call{Tool: "bash", Command: line})
		return &c
	})
}

func TestSizeOfFiles(t *testing.T) {
	for _, test := range []struct {
		tool, name string
		grows      int
		want       VerdictKind
	}{
		{"create", "a.md", 4, Pass},
		{"create", "a.md", 5, Deny},
		{"create", "a.go", 50, Pass},
		{"create", "CLAUDE.md", 4, Pass},
		{"create", "sub/../CLAUDE.md", 5, Deny},
		{"edit", "CLAUDE.md", 1, Pass},
		{"edit", "CLAUDE.md", 2, Deny},
		{"edit", "CLAUDE.md", -2, Pass},
		{"edit", "long.md", 0, Pass},
		{"edit", "long.md", -1, Pass},
		{"edit", "long.md", 1, Deny},
		{"create", "long.md", 8, Pass},
		{"edit", "missing.md", 5, Deny},
	} {
		call := sized(t, Call{Tool: test.tool, Files: []File{{Path: test.name, Mode: access.Write, Grows: test.grows}}})
		if v := verdictOn(t, "size", Args{"lines": 4, "files": []string{"**/*.md"}}, call); v.Kind != test.want {
			t.Errorf("%+v: %+v", test, v)
		}
	}
	call := sized(t, Call{Tool: "view", Files: []File{{Path: "long.md", Mode: access.Read}}})
	if v := verdictOn(t, "size", Args{"lines": 4}, call); v.Kind != Pass {
		t.Errorf("reading a long file: %+v", v)
	}
}
