package copilot

import (
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func header(lines string) string { return "---\n" + lines + "\n---\nBody\n" }

func TestSkillErrors(t *testing.T) {
	long := strings.Repeat("é", maxSkillDescription)
	tests := []struct {
		name   string
		folder model.Folder
		diags  []string
		at     string // text at the place, in SKILL.md
	}{
		{"plain", folder("x", "SKILL.md", header("name: x\ndescription: d\nlicense: MIT")), nil, ""},
		{"the folder's name", folder("Has-No-Space", "SKILL.md", header("description: d")), nil, ""},
		{"longest", folder(strings.Repeat("n", 64), "SKILL.md", header("name: "+strings.Repeat("n", 64)+"\ndescription: "+long)), nil, ""},
		{"folded: a newline at the end does not count", folder("x", "SKILL.md", header("description: >\n  "+strings.Repeat("d", 1024))), nil, ""},
		{"BOM and CRLF", folder("x", "SKILL.md", "\ufeff---\r\ndescription: d\r\n---\r\n"), nil, ""},
		{"512 pairs", folder("x", "SKILL.md", header("description: "+strings.Repeat("😀", 512))), nil, ""},

		{"no SKILL.md", folder("x", "README.md", "x"), []string{"skill-file"}, ""},
		{"no files", folder("x"), []string{"skill-file"}, ""},
		{"lower case", folder("x", "skill.md", header("description: d")), []string{"skill-file"}, ""},
		{"deeper", folder("x", "sub/SKILL.md", header("description: d")), []string{"skill-file"}, ""},
		{"no header", folder("x", "SKILL.md", "Body\n"), []string{"skill-description"}, "Body"},
		{"empty line first", folder("x", "SKILL.md", "\n"+header("description: d")), []string{"skill-description"}, ""},
		{"not closed", folder("x", "SKILL.md", "---\ndescription: d\n"), []string{"invalid-source"}, "---"},
		{"unquoted colon", folder("x", "SKILL.md", header("description: Use: this")), []string{"invalid-source"}, "description: Use: this"},
		{"no description", folder("x", "SKILL.md", header("name: x")), []string{"skill-description"}, "---"},
		{"empty description", folder("x", "SKILL.md", header("description: ''")), []string{"skill-description"}, "''"},
		{"null description", folder("x", "SKILL.md", header("description:")), []string{"skill-description"}, ""},
		{"number", folder("x", "SKILL.md", header("description: 1.10")), []string{"field-type"}, "1.10"},
		{"too long", folder("x", "SKILL.md", header("description: "+long+"é")), []string{"skill-description"}, long + "é"},
		{"513 pairs", folder("x", "SKILL.md", header("description: "+strings.Repeat("😀", 513))), []string{"skill-description"}, strings.Repeat("😀", 513)},
		{"long name", folder("x", "SKILL.md", header("name: "+strings.Repeat("n", 65)+"\ndescription: d")), []string{"skill-name"}, strings.Repeat("n", 65)},
		{"odd name", folder("x", "SKILL.md", header("name: C#\ndescription: d")), []string{"skill-name"}, "C#"},
		{"numeric name", folder("x", "SKILL.md", header("name: 123\ndescription: d")), []string{"field-type"}, "123"},
		{"odd folder", folder("odd;name", "SKILL.md", header("description: d")), []string{"skill-name"}, ""},
		{"text for a boolean", folder("x", "SKILL.md", header("description: d\nuser-invocable: \"false\"\nargument-hint: [a]")), []string{"field-type", "field-type"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := machine("hooks", truth(false))
			m.Skills = []model.Folder{tt.folder}
			out, diags := Render(input(m))
			wantDiags(t, diags, tt.diags...)
			if (len(tt.diags) == 0) != (len(out.Entries) == 1) {
				t.Errorf("entries %v", out.Entries)
			}
			if tt.at != "" {
				at, data := diags[0].Subject, tt.folder.Files[0].Data
				if got := string(data[at.Start.Byte:at.End.Byte]); got != tt.at || at.File != "skills/x/SKILL.md" {
					t.Errorf("place %v holds %q, want %q", at, got, tt.at)
				}
			}
		})
	}
}

func TestSkillFiles(t *testing.T) {
	m := machine("hooks", truth(false))
	skill := header("description: d")
	m.Skills = []model.Folder{folder("x", ".hidden", "h", "Do's and Don'ts.md", "\r\n\xff", "SKILL.md", skill, "a/ünï/run.sh*", "#!/bin/sh\n")}
	out := rendered(t, m)
	for _, f := range m.Skills[0].Files {
		found := false
		for _, o := range out.Files {
			if o.Path == "agents/skills/x/"+f.Rel {
				found = true
				if string(o.Data) != string(f.Data) || o.Exec != f.Exec {
					t.Errorf("%s is %q, executable %v", f.Rel, o.Data, o.Exec)
				}
			}
		}
		if !found {
			t.Errorf("no %s", f.Rel)
		}
	}
	if got := made(out, executablesPath); got != "[\n  \"x/a/ünï/run.sh\"\n]\n" {
		t.Errorf("executables are %s", got)
	}
}

func TestSkillDestination(t *testing.T) {
	for copilotHome, want := range map[string]string{
		"/home/u/.copilot": "/home/u/.agents/skills/x",
		"/srv/copilot":     "/srv/copilot/skills/x",
	} {
		m := machine("hooks", truth(false))
		m.Facts.CopilotHome = copilotHome
		m.Skills = []model.Folder{folder("x", "SKILL.md", header("description: d"))}
		if out := rendered(t, m); string(out.Entries[0].Dest) != want {
			t.Errorf("with %s: %s, want %s", copilotHome, out.Entries[0].Dest, want)
		}
	}
}

func TestDuplicateSkills(t *testing.T) {
	m := machine("hooks", truth(false))
	m.Skills = []model.Folder{
		folder("a", "SKILL.md", header("name: One Two\ndescription: d")),
		folder("b", "SKILL.md", header("name: One-Two\ndescription: d")),
	}
	_, diags := Render(input(m))
	wantDiags(t, diags, "skill-folder", "duplicate-skill")
	if len(diags[1].Related) != 2 {
		t.Errorf("related %v", diags[1].Related)
	}
}

func TestCommands(t *testing.T) {
	tests := []struct {
		name, in, want string
		losses         int
		diags          []string
	}{
		{"no header", "Do $ARGUMENTS.\n", "---\nname: x\ndescription: \"Runs the x command.\"\n---\n\nDo $ARGUMENTS.\n", 0, nil},
		{"hint without quotes", "---\ndescription: Bump one service.\nargument-hint: [service-name|every]\n---\n\nB\n", "---\nname: x\ndescription: \"Bump one service.\"\nargument-hint: \"[service-name|every]\"\n---\n\nB\n", 0, nil},
		{"two hints without quotes", "---\nargument-hint: [a|b] [c]\n---\n\nB\n", "---\nname: x\ndescription: \"Runs the x command.\"\nargument-hint: \"[a|b] [c]\"\n---\n\nB\n", 0, []string{"frontmatter-repaired"}},
		{"name and tools", "---\nname: other\nallowed-tools: Bash(git add:*), Read\nmodel: sonnet\n---\nB", "---\nname: x\ndescription: \"Runs the x command.\"\n---\n\nB", 2, nil},
		{"booleans", "---\nuser-invocable: yes\ndisable-model-invocation: true\n---\n", "---\nname: x\ndescription: \"Runs the x command.\"\nuser-invocable: true\ndisable-model-invocation: true\n---\n", 0, nil},
		{"long", "---\ndescription: " + strings.Repeat("d", 1025) + "\n---\n", "", 0, []string{"skill-description"}},
		{"no boolean", "---\nuser-invocable: perhaps\n---\n", "", 0, []string{"field-type"}},
		{"not closed", "---\ndescription: d\n", "", 0, []string{"invalid-source"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := machine("hooks", truth(false))
			m.Commands = []model.File{file("commands/x.md", tt.in)}
			out, diags := Render(input(m))
			wantDiags(t, diags, tt.diags...)
			if got := made(out, "agents/skills/x/SKILL.md"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if len(out.Losses) != tt.losses {
				t.Errorf("losses %v", out.Losses)
			}
		})
	}
}

func TestCommandNames(t *testing.T) {
	m := machine("hooks", truth(false))
	m.Skills = []model.Folder{folder("x", "SKILL.md", header("description: skill")), folder("other", "SKILL.md", header("name: my cmd\ndescription: skill"))}
	m.Commands = []model.File{file("commands/x.md", "command"), file("commands/my-cmd.md", "command"), file("commands/ünï.md", "command"), file("commands/fine.md", "command"), file("commands/gemini.toml", "prompt = \"{{args}}\"\n")}
	out, diags := Render(input(m))
	wantDiags(t, diags, "skill-folder", "command-shadowed", "command-shadowed", "skill-name", "command-file")
	if got := made(out, "agents/skills/x/SKILL.md"); !strings.Contains(got, "skill") {
		t.Errorf("the skill is now %s", got)
	}
	if made(out, "agents/skills/my-cmd/SKILL.md") != "" || made(out, "agents/skills/fine/SKILL.md") == "" {
		t.Error("the wrong commands were written")
	}
}

// TestSkillDoubts: a skill that loads otherwise than meant is written, with a warning at the place.
func TestSkillDoubts(t *testing.T) {
	tests := []struct {
		name   string
		folder model.Folder
		diags  []string
		at     string // the first warning's place
	}{
		{"another name", folder("x", "SKILL.md", header("name: y\ndescription: d")), []string{"skill-folder"}, "skills/x/SKILL.md:2:7"},
		{"blanks", folder("Upper Case", "SKILL.md", header("name: Upper Case\ndescription: d")), []string{"skill-folder"}, "skills/Upper Case/SKILL.md:2:7"},
		{"blanks in the folder's name", folder("Upper Case", "SKILL.md", header("description: d")), []string{"skill-folder"}, "skills/Upper Case/SKILL.md:1:1"},
		{"import", folder("x", "SKILL.md", header("description: d"), "scripts/run.py*", "#!/usr/bin/python3\nload(\"../../lib/common.py\")\n"), []string{"skill-outside"}, "skills/x/scripts/run.py:2:1"},
		{"script's folder", folder("x", "SKILL.md", header("description: d"), "run.sh*", ". \"$(dirname \"$0\")/../lib.sh\"\n"), []string{"skill-outside"}, "skills/x/run.sh:1:1"},
		{"variable", folder("x", "SKILL.md", header("description: d"), "a/run.sh*", ". $DIR/../../lib.sh\n"), []string{"skill-outside"}, "skills/x/a/run.sh:1:1"},
		{"variable in braces", folder("x", "SKILL.md", header("description: d"), "a/run.sh*", ". ${DIR}/../../lib.sh\n"), []string{"skill-outside"}, "skills/x/a/run.sh:1:1"},
		{"link", folder("x", "SKILL.md", header("description: d")+"See [it](../y/ref.md).\n"), []string{"skill-outside"}, "skills/x/SKILL.md:5:1"},
		{"a link of Git's as text", folder("x", "SKILL.md", header("description: d"), "linked", "../lib"), []string{"skill-outside"}, "skills/x/linked:1:1"},

		{"inside", folder("x", "SKILL.md", header("description: d")+"[a](sub/../b.md)\n", "a/b/run.sh*", ". ../../lib.sh; . $DIR/../lib.sh\n"), nil, ""},
		{"prose", folder("x", "SKILL.md", header("description: d")+"Never write ../x, not `../y` either.\n"), nil, ""},
		{"absolute", folder("x", "SKILL.md", header("description: d"), "run.sh", "cat /a/../b ~/../c https://e/../../../x ...\n"), nil, ""},
		{"binary", folder("x", "SKILL.md", header("description: d"), "run", "\x00../../x"), nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := machine("hooks", truth(false))
			m.Skills = []model.Folder{tt.folder}
			out, diags := Render(input(m))
			wantDiags(t, diags, tt.diags...)
			if tt.at != "" && diags[0].Subject.String() != tt.at {
				t.Errorf("stands at %v, want %s", diags[0].Subject, tt.at)
			}
			if len(out.Entries) != 1 {
				t.Errorf("entries %v, want the skill", out.Entries)
			}
		})
	}
}
