package copilot

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

func oneAgent(name, data string) model.Machine {
	m := machine("hooks", truth(false))
	m.Agents = []model.File{file("agents/"+name, data)}
	return m
}

func TestAgents(t *testing.T) {
	long := "\n" + strings.Repeat("All work and no play.\n", 2000)
	tests := []struct {
		name, in, want string
		losses         int
		diags          []string
	}{
		{"comma string", "---\nname: patch-checker\ndescription: Checks.\ntools: Read, Grep, Glob, Bash\nmodel: sonnet\n---\n\nBody.\n", "---\nname: patch-checker\ndescription: \"Checks.\"\ntools: [view, grep, glob, bash]\nmodel: sonnet\n---\n\nBody.\n", 0, nil},
		{"block list, no name", "---\ndescription: Finds\ntools:\n  - view\n  - rg\n---\nB", "---\ndescription: Finds\ntools:\n  - view\n  - rg\n---\nB", 1, nil},
		{"tools that grant nothing", "---\ndescription: d\ntools: [apply_patch, rg]\n---\n", "", 2, []string{"no-tools"}},
		{"a comma and nothing else", "---\ndescription: d\ntools: ','\n---\n", "", 0, []string{"no-tools"}},
		{"namespaced", "---\ndescription: 'Tidies C#'\nname: 'C#/.NET Tidy'\ntools: [vscode/runCommand, 'github/*', search, web]\n---\n", "---\nname: \"C#/.NET Tidy\"\ndescription: \"Tidies C#\"\ntools: [\"vscode/runCommand\", \"github/*\", grep, glob, web]\n---\n", 0, nil},
		{"folded, unknown field", "---\ndescription: >\n  Writes.\n  Invoke.\ncolor: cyan\n---\n", "---\nname: x\ndescription: \"Writes. Invoke.\"\n---\n", 1, nil},
		{"unquoted colon", "---\nname: hunter\ndescription: Use when: x: y\nmodel: inherit\n---\n", "---\nname: hunter\ndescription: \"Use when: x: y\"\n---\n", 0, []string{"frontmatter-repaired"}},
		{"CRLF and BOM", "\ufeff---\r\nname: win\r\ndescription: d\r\n---\r\n\r\nB\r\n", "---\nname: win\ndescription: d\n---\n\nB\n", 0, nil},
		{"a body of 44,000 characters", "---\ndescription: d\n---\n" + long, "---\ndescription: d\n---\n" + long, 0, nil},
		{"tools that nobody knows", "---\ndescription: d\ntools: [zzbogus, Zz/top, Read]\n---\n", "---\nname: x\ndescription: d\ntools: [zzbogus, \"Zz/top\", view]\n---\n", 0, nil},
		{"rules in the body", "---\ndescription: d\n---\n\n---\n\nTwo\n---\n", "---\ndescription: d\n---\n\n---\n\nTwo\n---\n", 0, nil},
		{"no tools", "---\ndescription: d\ntools: []\n---\n", "---\ndescription: d\ntools: []\n---\n", 0, nil},
		{"comments, and an order of its own", "---\n# who\ndescription: >\n  Writes.\n  Invoke.\nname: 'a'\ntools: [view] # only\n---\n", "---\n# who\ndescription: >\n  Writes.\n  Invoke.\nname: 'a'\ntools: [view] # only\n---\n", 0, nil},
		{"null tools", "---\ndescription: d\ntools:\n---\n", "---\nname: x\ndescription: d\n---\n", 0, []string{"empty-field"}},
		{"empty name", "---\ndescription: d\nname: \"\"\n---\n", "---\nname: x\ndescription: d\n---\n", 0, nil},
		{"every Claude tool", "---\ndescription: d\ntools: [Write, Edit, MultiEdit, Task, TodoWrite, WebFetch, AskUserQuestion, mcp__lab__run, mcp__lab, '*', Read, view]\n---\n", "---\nname: x\ndescription: d\ntools: [create, edit, task, update_todo, web_fetch, ask_user, \"lab/run\", \"lab/*\", \"*\", view]\n---\n", 0, nil},
		{"booleans", "---\ndescription: d\ninfer: true\ndisable-model-invocation: yes\nuser-invocable: \"false\"\n---\n", "---\nname: x\ndescription: d\ndisable-model-invocation: true\nuser-invocable: false\ninfer: true\n---\n", 0, nil},
		{"other spellings", "---\ndescription: d\nreasoningEffort: high\nmodelPolicy: required\nmodels: [a, b]\nskills: one, two\n---\n", "---\nname: x\ndescription: d\nmodel: [a, b]\nmodel-policy: required\nreasoning-effort: high\nskills: [one, two]\n---\n", 0, nil},
		{"numbers as text", "---\nname: 1.10\ndescription: 7\n---\n", "---\nname: \"1.10\"\ndescription: \"7\"\n---\n", 0, nil},
		{"maps", "---\ndescription: d\nmcp-servers:\n  a:\n    command: c\n    env: {K: \"v: w\", N: 8080}\n    args: [-v, 1.10]\n    timeout: 5\n---\n", "---\nname: x\ndescription: d\nmcp-servers: {a: {command: c, env: {K: \"v: w\", \"N\": \"8080\"}, args: [\"-v\", \"1.10\"], timeout: 5, tools: [\"*\"]}}\n---\n", 0, nil},
		{"least servers", "---\ndescription: d\nmcp-servers: {a: {command: c}, b: {url: 'https://e'}}\n---\n", "---\nname: x\ndescription: d\nmcp-servers: {a: {command: c, args: [], tools: [\"*\"]}, b: {url: \"https://e\", type: http, tools: [\"*\"]}}\n---\n", 0, nil},

		{"no header", "Body", "", 0, []string{"agent-description"}},
		{"empty header", "---\n---\n\nBody.\n", "", 0, []string{"agent-description"}},
		{"null description", "---\ndescription:\n---\n", "", 0, []string{"agent-description"}},
		{"blank description", "---\ndescription: \"  \"\n---\n", "", 0, []string{"agent-description"}},
		{"list for a description", "---\ndescription: [a]\n---\n", "", 0, []string{"field-type"}},
		{"not closed", "---\nname: open\ndescription: d\n\nBody.\n", "", 0, []string{"invalid-source"}},
		{"not UTF-8", "---\ndescription: d\n---\n\xff", "", 0, []string{"invalid-source"}},
		{"twice", "---\ndescription: a\ndescription: b\n---\n", "", 0, []string{"invalid-source"}},
		{"scoped", "---\ndescription: d\ntools: Read, Bash(git diff *), Bash(git log --format=\"a, b\")\npermissionMode: plan\n---\n", "", 1, []string{"scoped-tool", "scoped-tool"}},
		{"two spellings at once", "---\ndescription: d\nmodel: a\nmodels: [b]\n---\n", "", 0, []string{"duplicate-field"}},
		{"wrong types", "---\ndescription: d\ntools: {a: b}\nmodel: true\ninfer: 3\nmcp-servers: [a]\nmodel-policy: maybe\nskills: [[a]]\n---\n", "", 0, []string{"field-type", "field-type", "field-type", "field-type", "field-type", "field-type"}},
	}
	for _, wrong := range []string{"[a]", "{a: b}", "{a: {args: {}}}", "{a: {args: 'x, y'}}", "{a: {env: [x]}}", "{a: {env: {K: [x]}}}", "{a: {command: true}}"} {
		_, diags := Render(input(oneAgent("x.md", "---\ndescription: d\nmcp-servers: "+wrong+"\n---\n")))
		wantDiags(t, diags, "field-type")
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, diags := Render(input(oneAgent("x.md", tt.in)))
			wantDiags(t, diags, tt.diags...)
			for _, d := range diags {
				if d.Subject.File != "agents/x.md" || len(d.Related) == 0 {
					t.Errorf("%s stands at %v, related %v", d.Code, d.Subject, d.Related)
				}
			}
			got := made(out, "copilot/agents/x.md")
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if len(out.Losses) != tt.losses {
				t.Errorf("losses %v, want %d", out.Losses, tt.losses)
			}
			if got == "" {
				return
			}
			again, diags := Render(input(oneAgent("x.md", got)))
			if len(diags) > 0 || made(again, "copilot/agents/x.md") != got {
				t.Errorf("what was written is read as\n%s%v", made(again, "copilot/agents/x.md"), diags)
			}
		})
	}
}

// TestWidenedScopes: with scopes = "widen" a limit is dropped, and said to be lost.
func TestWidenedScopes(t *testing.T) {
	m := machine("hooks", truth(false), "scopes", text("widen"))
	m.Agents = []model.File{file("agents/x.md", "---\ndescription: d\ntools: Read, Bash(git diff *), Bash(git log --format=\"a, b\")\n---\n")}
	out, diags := Render(input(m))
	wantDiags(t, diags)
	if got := made(out, "copilot/agents/x.md"); got != "---\nname: x\ndescription: d\ntools: [view, bash]\n---\n" || len(out.Losses) != 2 {
		t.Errorf("%s\nlosses %v", got, out.Losses)
	}
}

// TestAgentVersions: what a version of Copilot finds fault with is left out for it, and said to be lost.
func TestAgentVersions(t *testing.T) {
	in := "---\ndescription: d\nmodel: [a, b]\nmodelPolicy: required\nhooks: {}\ninclude-custom-instructions: true\n---\n"
	for version, want := range map[string]struct {
		fields string
		losses int
	}{
		"1.0.80":  {"model: a\n", 4},
		"1.0.83":  {"model: [a, b]\nmodel-policy: required\n", 2},
		"1.0.92":  {"model: [a, b]\nmodel-policy: required\ninclude-custom-instructions: true\n", 1},
		"1.0.102": {"model: [a, b]\nmodel-policy: required\nhooks: {}\ninclude-custom-instructions: true\n", 0},
	} {
		m := machine("hooks", truth(false), "version", text(version))
		m.Agents = []model.File{file("agents/x.md", in)}
		out := rendered(t, m)
		if got := made(out, "copilot/agents/x.md"); got != "---\nname: x\ndescription: d\n"+want.fields+"---\n" || len(out.Losses) != want.losses {
			t.Errorf("%s:\n%s\nlosses %v", version, got, out.Losses)
		}
	}
}

func TestAgentPlaces(t *testing.T) {
	in := "---\r\ndescription: ünï\r\ntools: [Read, 'Bash(git:*)']\r\n---\r\n"
	_, diags := Render(input(oneAgent("x.md", in)))
	wantDiags(t, diags, "scoped-tool")
	at := diags[0].Subject
	if got := in[at.Start.Byte:at.End.Byte]; got != "'Bash(git:*)'" || at.String() != "agents/x.md:3:15" {
		t.Errorf("place %v holds %q", at, got)
	}
	if !strings.Contains(diags[0].Detail, "Write Bash for the whole tool") {
		t.Errorf("detail %q gives no fix", diags[0].Detail)
	}
}

func TestAgentNames(t *testing.T) {
	m := machine("hooks", truth(false))
	m.Agents = []model.File{
		file("agents/a.agent.md", "---\ndescription: d\n---\n"),
		file("agents/with spaces & (parens).md", "---\ndescription: d\n---\n"),
		file("agents/b.md", "---\nname: a\ndescription: d\n---\n"),
	}
	out, diags := Render(input(m))
	wantDiags(t, diags, "duplicate-agent")
	for _, name := range []string{"a.md", "with spaces & (parens).md"} {
		if made(out, "copilot/agents/"+name) == "" {
			t.Errorf("no %s", name)
		}
	}
	for in, want := range map[string]string{"x.md": "x", "x.agent.md": "x", ".agent.md": ".agent", "x": "x"} {
		if got := agentStem(in); got != want {
			t.Errorf("%s gives %q", in, got)
		}
	}
}

func TestSplitList(t *testing.T) {
	for in, want := range map[string][]string{
		"a, b ,c":                      {"a", "b", "c"},
		"Bash(a, b), Read":             {"Bash(a, b)", "Read"},
		"Bash(f(\"a, b\")), x":         {"Bash(f(\"a, b\"))", "x"},
		"":                             nil,
		" , ,":                         nil,
		"a), b":                        {"a)", "b"},
		"Read, Bash(git add:*), Write": {"Read", "Bash(git add:*)", "Write"},
	} {
		if got := splitList(in); !reflect.DeepEqual(got, want) {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

// FuzzAgent: whatever an agent's file holds, it is refused with a place or written so that it is read back unchanged. Only a
// file that stays as it is may have no name: Copilot takes the file's then.
func FuzzAgent(f *testing.F) {
	f.Add("---\nname: a\ndescription: Use: this\ntools: Read, Bash(x)\nmcp-servers: {a: {b: [1, 0x2, ~]}}\n---\nBody\n")
	f.Add("---\ndescription: |\n  a\n---\n")
	f.Add("---\ndescription: d\nname: ''\n---\n")
	f.Add("---\ndescription: |\n  a\n  b\nmodel: [a, 'b c']\nuser-invocable: no\n---\n")
	f.Fuzz(func(t *testing.T, data string) {
		out, diags := Render(input(oneAgent("x.md", data)))
		if diags.HasErrors() {
			for _, d := range diags {
				if d.Subject.IsZero() || d.Subject.End.Byte > len(data) {
					t.Fatalf("%s stands at %+v", d.Code, d.Subject)
				}
			}
			return
		}
		got := made(out, "copilot/agents/x.md")
		doc, err := frontmatter.Parse("x.md", []byte(got))
		if err != nil || doc.Get("description").Text == "" || doc.Get("name").Text == "" && got != data {
			t.Fatalf("%v in\n%s", err, got)
		}
		again, diags := Render(input(oneAgent("x.md", got)))
		if len(diags) > 0 || made(again, "copilot/agents/x.md") != got {
			t.Fatalf("%v, and\n%s\nis read as\n%s", diags, got, made(again, "copilot/agents/x.md"))
		}
	})
}
