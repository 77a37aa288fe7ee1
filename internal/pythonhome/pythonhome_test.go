package pythonhome

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layOut is a home that the program was installed in.
func layOut(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, step := range []string{"user", "python"} {
		c := exec.Command("sh", "../../testdata/pythonhome/home.sh", step)
		c.Env = append(os.Environ(), "HOME="+home)
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("laying out the home: %v\n%s", err, text)
		}
	}
	return home
}

// clone is a copy of a home, as if the program had been installed there.
func clone(t *testing.T, home string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dest := strings.Replace(path, home, to, 1)
		switch {
		case d.IsDir():
			return os.MkdirAll(dest, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(strings.ReplaceAll(text, home, to), dest))
		}
		data, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(dest, []byte(strings.ReplaceAll(string(data), home, to)), 0o644))
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// claims are what a reading gives up, relative to the home: "PATH", "PATH key", "PATH key[element]", "PATH cut".
func claims(t *testing.T, home string) (out []string, kept string) {
	t.Helper()
	found, list := Read(home, filepath.Join(home, ".copilot"))
	if list.HasErrors() {
		t.Fatal(list)
	}
	rel := func(path string) string { return strings.TrimPrefix(path, home+"/") }
	for _, path := range found.Legacy.Whole {
		out = append(out, rel(path))
	}
	for _, path := range found.Legacy.Shared {
		out = append(out, rel(path)+" shared")
	}
	for _, f := range found.Legacy.Keys {
		for _, k := range f.Keys {
			name := rel(f.Dest) + " " + strings.Join(k.Path, ".")
			for _, e := range k.Elements {
				name += "[" + e.Value + "]"
			}
			out = append(out, name)
		}
	}
	for _, c := range found.Legacy.Cuts {
		out = append(out, rel(c.Path)+" cut")
	}
	return out, strings.Join(found.Kept, "\n")
}

// whole is what the home of testdata holds, in the order in which it is removed.
var whole = []string{
	".copilot/hooks/agentihooks.json",
	".agentihooks/copilot.env",
	".copilot/agents/retired.md",
	".copilot/agents/reviewer.md",
	".agents/skills/release",
	".agents/skills/notes",
	".copilot/agentihooks-hook.sh",
	".copilot/agents/.agentihooks-manifest.json",
	".agents/skills/.agentihooks-copilot-commands.json",
	".copilot/.agentihooks-managed.json",
	".agentihooks/state.json.bak",
	".agentihooks/state.json",
	".copilot/settings.json disableAllHooks",
	".copilot/settings.json keepAlive",
	".copilot/settings.json statusLine",
	".copilot/settings.json theme",
	`.copilot/settings.json trustedFolders["/opt/agentihooks"]`,
	".copilot/mcp-config.json mcpServers.agentihooks",
	".copilot/mcp-config.json mcpServers.gateway",
	".copilot/copilot-instructions.md cut",
	".bashrc cut",
}

func TestRead(t *testing.T) {
	home := layOut(t)
	got, kept := claims(t, home)
	if !slices.Equal(got, whole) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(whole, "\n"))
	}
	if kept != "" {
		t.Errorf("kept %s", kept)
	}
}

func TestReadNothing(t *testing.T) {
	home := t.TempDir()
	for _, text := range []string{"", "{\"mcpServers\": {\"mine\": {}}, \"theme\": \"dim\"}", "broken {"} {
		write(t, filepath.Join(home, ".copilot/settings.json"), text)
		write(t, filepath.Join(home, ".copilot/mcp-config.json"), text)
		write(t, filepath.Join(home, ".copilot/copilot-instructions.md"), text)
		write(t, filepath.Join(home, ".bashrc"), text)
		found, list := Read(home, filepath.Join(home, ".copilot"))
		if found.Found() || len(list) > 0 {
			t.Errorf("%q: %+v, %v", text, found, list)
		}
	}
}

// What differs from its record is the user's.
func TestReadEdited(t *testing.T) {
	tests := []struct {
		name   string
		edit   func(t *testing.T, home string)
		lost   []string // claims that are gone
		gained []string // and new
		kept   string   // in what is kept
	}{
		{
			"a setting", func(t *testing.T, home string) { replace(t, home, ".copilot/settings.json", `"dim"`, `"github"`) },
			[]string{".copilot/settings.json theme"},
			nil, "theme: it has another value",
		},
		{
			"a setting that is gone", func(t *testing.T, home string) {
				replace(t, home, ".copilot/settings.json", `  "theme": "dim",`, "")
			},
			[]string{".copilot/settings.json theme"},
			nil, "",
		},
		{
			"a setting spelled otherwise", func(t *testing.T, home string) {
				replace(t, home, ".copilot/settings.json", `"dim"`, `/* mine */ "d\u0069m"`)
			}, nil, nil, "",
		},
		{
			"no record of settings", func(t *testing.T, home string) { remove(t, home, ".copilot/.agentihooks-managed.json") },
			[]string{
				".copilot/.agentihooks-managed.json", ".copilot/settings.json disableAllHooks", ".copilot/settings.json keepAlive", ".copilot/settings.json theme",
			},
			nil, "disableAllHooks: there is no record",
		},
		{
			"a record inside settings.json", func(t *testing.T, home string) {
				remove(t, home, ".copilot/.agentihooks-managed.json")
				replace(t, home, ".copilot/settings.json", `"model"`, `"agentihooks": {"managed": {"theme": "dim"}}, "model"`)
			},
			[]string{
				".copilot/.agentihooks-managed.json", ".copilot/settings.json disableAllHooks", ".copilot/settings.json keepAlive", ".copilot/settings.json statusLine",
			},
			[]string{".copilot/settings.json agentihooks"},
			"",
		},
		{
			"a skill that leads elsewhere", func(t *testing.T, home string) {
				remove(t, home, ".agents/skills/notes")
				link(t, "/srv/notes", filepath.Join(home, ".agents/skills/notes"))
			},
			[]string{".agents/skills/notes"},
			nil, `leads to "/srv/notes" now`,
		},
		{
			"a skill that is a folder now", func(t *testing.T, home string) {
				remove(t, home, ".agents/skills/notes")
				write(t, filepath.Join(home, ".agents/skills/notes/SKILL.md"), "mine")
			},
			[]string{".agents/skills/notes"},
			nil, "which you replaced",
		},
		{
			"a skill whose link is spelled otherwise", func(t *testing.T, home string) {
				remove(t, home, ".agents/skills/notes")
				link(t, "../../bundle/.claude/skills/../skills/notes/", filepath.Join(home, ".agents/skills/notes"))
			}, nil, nil, "",
		},
		{
			"a command with files of the user's", func(t *testing.T, home string) {
				write(t, filepath.Join(home, ".agents/skills/release/notes.txt"), "mine")
			},
			[]string{".agents/skills/release"},
			nil, "holds more than the SKILL.md",
		},
		{
			"an agent that is a link", func(t *testing.T, home string) {
				remove(t, home, ".copilot/agents/reviewer.md")
				link(t, "/srv/reviewer.md", filepath.Join(home, ".copilot/agents/reviewer.md"))
			},
			[]string{".copilot/agents/reviewer.md"},
			nil, "reviewer.md: it is a link",
		},
		{
			"a script of the user's in the wrapper's place", func(t *testing.T, home string) {
				write(t, filepath.Join(home, ".copilot/agentihooks-hook.sh"), "#!/bin/sh\n")
			},
			[]string{".copilot/agentihooks-hook.sh", `.copilot/settings.json trustedFolders["/opt/agentihooks"]`},
			nil, "agentihooks-hook.sh: no comment in it",
		},
		{
			"hooks without one of the program", func(t *testing.T, home string) {
				write(t, filepath.Join(home, ".copilot/hooks/agentihooks.json"), `{"version": 1, "hooks": {"preToolUse": [{"command": "mine"}]}}`)
			},
			[]string{".copilot/hooks/agentihooks.json"},
			nil, "no hook in it is of",
		},
		{
			"no end of the instructions", func(t *testing.T, home string) {
				replace(t, home, ".copilot/copilot-instructions.md", "<!-- agentihooks:managed-end -->", "")
			},
			[]string{".copilot/copilot-instructions.md cut"},
			[]string{".copilot/copilot-instructions.md"},
			"",
		},
		{
			"instructions of the program alone", func(t *testing.T, home string) {
				replace(t, home, ".copilot/copilot-instructions.md", "Answer briefly.", "")
			},
			[]string{".copilot/copilot-instructions.md cut"},
			[]string{".copilot/copilot-instructions.md"},
			"",
		},
		{
			"no end of the shell's block", func(t *testing.T, home string) { replace(t, home, ".bashrc", "# === end-agentihooks ===", "") },
			[]string{".bashrc cut"},
			nil, "remove the block by hand",
		},
		{
			"a shell's file that is a link", func(t *testing.T, home string) {
				if err := os.Rename(filepath.Join(home, ".bashrc"), filepath.Join(home, "bashrc")); err != nil {
					t.Fatal(err)
				}
				link(t, "bashrc", filepath.Join(home, ".bashrc"))
			},
			[]string{".bashrc cut"},
			nil, "it is a link; remove the lines",
		},
		{
			"no record of servers", func(t *testing.T, home string) {
				replace(t, home, ".agentihooks/state.json", `"managed_mcp"`, `"other"`)
			},
			[]string{".copilot/mcp-config.json mcpServers.gateway"},
			nil, "no record of the MCP servers",
		},
		{
			"a server that has the program's name", func(t *testing.T, home string) {
				replace(t, home, ".agentihooks/state.json", `"managed_mcp"`, `"other"`)
				replace(t, home, ".copilot/mcp-config.json", "hooks.mcp", "mine")
			},
			[]string{".copilot/mcp-config.json mcpServers.gateway", ".copilot/mcp-config.json mcpServers.agentihooks"},
			nil, "mcpServers.agentihooks: it has a name of",
		},
		{
			"a record of another folder of Copilot", func(t *testing.T, home string) {
				replace(t, home, ".agentihooks/state.json", `/.copilot"`, `/elsewhere"`)
			},
			[]string{".copilot/mcp-config.json mcpServers.gateway", ".agentihooks/state.json", ".agentihooks/state.json.bak", ".bashrc cut"},
			nil, "COPILOT_HOME",
		},
	}
	installed := layOut(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := clone(t, installed)
			tt.edit(t, home)
			got, kept := claims(t, home)
			want := append(slices.DeleteFunc(slices.Clone(whole), func(s string) bool { return slices.Contains(tt.lost, s) }), tt.gained...)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if (kept == "") != (tt.kept == "") || !strings.Contains(kept, tt.kept) {
				t.Errorf("kept %q, want %q in it", kept, tt.kept)
			}
		})
	}
}

func replace(t *testing.T, home, rel, from, to string) {
	t.Helper()
	path := filepath.Join(home, rel)
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), from) {
		t.Fatalf("%s has no %q: %v", path, from, err)
	}
	write(t, path, strings.Replace(string(data), from, to, 1))
}

func remove(t *testing.T, home, rel string) {
	t.Helper()
	if err := os.Remove(filepath.Join(home, rel)); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}
