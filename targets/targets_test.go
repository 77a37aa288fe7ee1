package targets

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/target"
)

func at(line int) diag.Range {
	return diag.Range{File: "machine.hcl", Start: diag.Pos{Line: line, Column: 1}, End: diag.Pos{Line: line, Column: 2}}
}

func words(line int, list ...string) model.Value {
	v := model.Value{Kind: model.KindList, Origin: at(line)}
	for i, w := range list {
		v.List = append(v.List, model.Value{Kind: model.KindString, Text: w, Origin: at(line + 1 + i)})
	}
	return v
}

func object(name string, v model.Value) model.Value {
	return model.Value{Kind: model.KindObject, Fields: []model.Field{{Name: name, Value: v}}}
}

func machine(deny ...string) model.Machine {
	wsl := false
	m := model.Machine{
		Host: "wl-0431",
		Facts: model.Facts{
			Hostname: "wl-0431", OS: "linux", Arch: "amd64", WSL: &wsl, User: "u", Home: "/home/u",
			StateDir: "/home/u/state dir", CopilotHome: "/home/u/.copilot",
		},
		Channels: []model.Text{{Value: "brain", Origin: at(1)}},
		Targets:  []model.Block{{Type: "target", Label: "copilot", Origin: at(2)}},
		Secrets:  []model.Block{{Type: "secret", Label: "X", Attrs: object("env", model.Value{Kind: model.KindString, Text: "X_VAR"}), Origin: at(3)}},
	}
	if deny != nil {
		m.Guards = []model.Block{{Type: "guard", Label: "commands", Attrs: object("deny", words(10, deny...)), Origin: at(9)}}
	}
	return m
}

func render(t *testing.T, m model.Machine) tree.Tree {
	t.Helper()
	out, _, diags := Render(m, []byte("hook"))
	if len(diags) > 0 {
		t.Fatalf("diagnostics: %+v", diags)
	}
	return out
}

func reader(t tree.Tree) target.Reader {
	return func(path string) ([]byte, bool) {
		f, ok := t.File(path)
		return f.Data, ok
	}
}

func TestRender(t *testing.T) {
	out := render(t, machine("git push --force"))
	hook, ok := out.File(HookPath)
	if !ok || !hook.Exec || string(hook.Data) != "hook" || len(hook.Origins) != 1 {
		t.Errorf("hook is %+v", hook)
	}
	file, _ := out.File(PolicyPath)
	p, err := policy.Decode(file.Data)
	if err != nil {
		t.Fatal(err)
	}
	if p.Host != "wl-0431" || p.StateDir != "/home/u/state dir" || !slices.Equal(p.Channels, []string{"brain"}) ||
		len(p.Guards) != 2 || p.Guards[1].Kind != "self" || len(p.Secrets) != 1 || p.Secrets[0].Name != "X" || p.Secrets[0].Env != "X_VAR" {
		t.Errorf("policy is %+v", p)
	}
	hooks, _ := out.File("copilot/hooks/agentihooks.json")
	if !bytes.Contains(hooks.Data, []byte(`"/home/u/state dir/current/tree/bin/agentihooks-hook"`)) {
		t.Errorf("the hook is registered as\n%s", hooks.Data)
	}
	i := out.Index
	if i.Host != "wl-0431" || i.OS != "linux" || i.Arch != "amd64" || i.Home != "/home/u" || i.Copilot != "/home/u/.copilot" {
		t.Errorf("index is %+v", i)
	}
	if again := render(t, machine("git push --force")); again.Hash != out.Hash {
		t.Errorf("hash %s, then %s", out.Hash, again.Hash)
	}
}

func TestRenderWithoutTarget(t *testing.T) {
	m := machine("rm -rf /")
	m.Targets = nil
	out := render(t, m)
	if len(out.Index.Entries) != 0 || len(out.Files) != 1 {
		t.Errorf("entries %v, files %d; want the index alone", out.Index.Entries, len(out.Files))
	}
}

// TestRenderErrors: all errors come in one run, each at its place, and there is no tree.
func TestRenderErrors(t *testing.T) {
	m := machine("git push --force", "", "ls")
	m.Channels = append(m.Channels, model.Text{Value: "a\x00b", Origin: at(4)})
	m.Agents = []model.File{{Name: "x.md", Rel: "x.md", Source: "agents/x.md", Data: []byte("no header"), Origin: at(5)}}
	out, _, diags := Render(m, nil)
	if out.Hash != "" || out.Files != nil {
		t.Error("there is a tree")
	}
	var got []string
	for _, d := range diags.Sorted() {
		got = append(got, d.Subject.String()+" "+d.Code)
	}
	want := []string{"agents/x.md:1:1 agent-description", "machine.hcl:12:1 invalid-guard", "machine.hcl:4:1 invalid-text"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnknownFacts(t *testing.T) {
	m := machine()
	m.Facts = model.Facts{Arch: "amd64", Home: "/home/\xff"}
	_, _, diags := Render(m, nil)
	var got []string
	for _, d := range diags {
		got = append(got, d.Code+" "+strings.Fields(d.Summary)[2])
	}
	want := []string{"unknown-fact os", "invalid-fact home", "unknown-fact stateDir", "unknown-fact copilotHome"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProbes(t *testing.T) {
	m := machine()
	if got := Probes(m); len(got) != 0 {
		t.Errorf("probes %q without a command", got)
	}
	m.Targets[0].Attrs = object("browserCommand", words(3, "br", "-x"))
	m.Targets = append(m.Targets, m.Targets[0])
	if got := Probes(m); !slices.Equal(got, []string{"br"}) {
		t.Errorf("probes %q", got)
	}
}

func TestRisks(t *testing.T) {
	none, one, two := machine(), machine("git push --force"), machine("git push --force", "rm -rf /")
	tests := []struct {
		name          string
		before, after target.Reader
		want          []string
	}{
		{"first switch", nil, reader(render(t, two)), nil},
		{"same", reader(render(t, two)), reader(render(t, two)), nil},
		{"a pattern more", reader(render(t, one)), reader(render(t, two)), nil},
		{"a pattern less", reader(render(t, two)), reader(render(t, one)), []string{`guard "commands" no longer denies rm -rf /`}},
		{"no guard", reader(render(t, one)), reader(render(t, none)), []string{`guard "commands" is gone: commands: denies git push --force`}},
		{"nothing left", reader(render(t, one)), nil, []string{"the hook is no longer registered: no guard runs", `guard "commands" is gone: commands: denies git push --force`, `guard "self" is gone: self: denies writes to what guards the agent, asks before one to the manifest and its folder`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range Risks(tt.before, tt.after) {
				got = append(got, r.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReminders(t *testing.T) {
	m := machine()
	reminder := func(label, text string) model.Block {
		return model.Block{Type: "reminder", Label: label, Origin: at(20), Attrs: model.Value{Kind: model.KindObject, Fields: []model.Field{
			{Name: "every", Value: model.Value{Kind: model.KindNumber, Number: "20"}},
			{Name: "text", Value: model.Value{Kind: model.KindString, Text: text}},
		}}}
	}
	m.Reminders = []model.Block{reminder("a", "small steps"), reminder("b", "tests")}
	m.Targets[0].Attrs = object("projectRules", model.Value{Kind: model.KindBool, Bool: true})
	file, _ := render(t, m).File(PolicyPath)
	p, err := policy.Decode(file.Data)
	if want := []policy.Reminder{{Name: "a", Every: 20, Text: "small steps"}, {Name: "b", Every: 20, Text: "tests"}}; err != nil ||
		!slices.Equal(p.Reminders, want) || !p.ProjectRules {
		t.Errorf("%+v, %v", p, err)
	}
	m.Reminders[1] = reminder("b", "a\x00b")
	if _, _, diags := Render(m, nil); len(diags) != 1 || diags[0].Code != "invalid-text" || diags[0].Subject != at(20) {
		t.Errorf("%+v", diags)
	}
}

func TestDescribePolicy(t *testing.T) {
	file, _ := render(t, machine("rm -rf /", "git push --force")).File(PolicyPath)
	want := "host \"wl-0431\"\nstate folder \"/home/u/state dir\"\nchannel \"brain\"\nguard \"commands\"\n" +
		"guard \"commands\" denies \"git push --force\"\nguard \"commands\" denies \"rm -rf /\"\n" +
		"guard \"self\"\nguard \"self\" denies \"writes to what guards the agent\"\n" +
		"guard \"self\" denies \"writes to the manifest and its folder that nobody was asked about\"\n" +
		"secret \"X\" is read from the variable \"X_VAR\"\n"
	if got := string(DescribePolicy(file.Data)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := DescribePolicy(nil); got != nil {
		t.Errorf("no policy is %q", got)
	}
	if got := string(DescribePolicy([]byte("x"))); !strings.HasPrefix(got, "a policy that cannot be read: ") {
		t.Errorf("a broken policy is %q", got)
	}
	odd := policy.Policy{
		Guards:  []policy.Guard{{Kind: "later", Data: []byte("x")}},
		Secrets: []policy.Secret{{Name: "A", File: "/f"}, {Name: "B", Command: []string{"pass", "a b"}}},
	}
	want = "host \"\"\nstate folder \"\"\nguard \"later\": later: unknown guard\n" +
		"secret \"A\" is read from the file \"/f\"\nsecret \"B\" is read from the command [\"pass\" \"a b\"]\n"
	if got := string(DescribePolicy(policy.Encode(odd))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestJoint(t *testing.T) {
	file := func(path, data string, exec bool) tree.File {
		return tree.File{Path: path, Data: []byte(data), Exec: exec, Origins: []diag.Range{at(7)}}
	}
	entry := tree.Entry{Dest: "/home/u/.agents/skills/x", Placement: tree.Link, Path: "agents/skills/x"}
	first := target.Output{Files: []tree.File{file("agents/skills/x/SKILL.md", "a", false)}, Entries: []tree.Entry{entry}}
	tests := []struct {
		name           string
		second         target.Output
		files, entries int
		conflict       bool
	}{
		{"equal", first, 1, 1, false},
		{"other content", target.Output{Files: []tree.File{file("agents/skills/x/SKILL.md", "b", false)}}, 1, 1, true},
		{"other mode", target.Output{Files: []tree.File{file("agents/skills/x/SKILL.md", "a", true)}}, 1, 1, true},
		{"other file", target.Output{Files: []tree.File{file("claude/x", "b", false)}}, 2, 1, false},
		{"twice from one target", target.Output{Files: []tree.File{file("claude/x", "b", false), file("claude/x", "b", false)}}, 3, 1, false},
		{"other entry", target.Output{Entries: []tree.Entry{{Dest: entry.Dest, Placement: tree.Link, Path: "claude/x"}}}, 1, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := joint{at: map[string]int{}}
			j.add(first)
			j.add(tt.second)
			if len(j.files) != tt.files || len(j.entries) != tt.entries || j.diags.HasErrors() != tt.conflict {
				t.Errorf("files %d, entries %d, diagnostics %+v", len(j.files), len(j.entries), j.diags)
			}
		})
	}
}

func TestTable(t *testing.T) {
	for _, target := range All() {
		if target.Render == nil || target.Risks == nil {
			t.Errorf("%s cannot be rendered and compared", target.Spec.Label)
		}
	}
	for _, s := range Specs() {
		if s.Type != "target" || s.Label == "" || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("spec %+v", s)
		}
		if !slices.IsSortedFunc(s.Attributes, func(a, b model.AttrSpec) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("the attributes of %s are not sorted", s.Label)
		}
		for _, a := range s.Attributes {
			if a.Example == "" || a.Key == "" || !strings.HasSuffix(a.Doc, ".") {
				t.Errorf("%s.%s lacks documentation", s.Label, a.Name)
			}
		}
	}
}

// A program that only has the name of our hook is a hook of the manifest's, and runs no guard.
func TestRisksOfAnImpostor(t *testing.T) {
	m := machine("git push")
	was := render(t, m)
	m.Targets[0].Attrs = object("hooks", model.Value{Kind: model.KindBool})
	impostor := object("exec", model.Value{Kind: model.KindString, Text: "/tmp/x/current/tree/bin/agentihooks-hook"})
	impostor.Fields = append(impostor.Fields, model.Field{Name: "args", Value: words(20, "copilot", "preToolUse")})
	m.Hooks = []model.Block{{Type: "hook", Label: "preToolUse", Attrs: impostor, Origin: at(19)}}
	now, _, _ := Render(m, []byte("hook"))
	var kinds []target.RiskKind
	for _, r := range Risks(reader(was), reader(now)) {
		kinds = append(kinds, r.Kind)
	}
	if want := []target.RiskKind{target.RiskGuard, target.RiskHook}; !slices.Equal(kinds, want) {
		t.Errorf("the risks are %v, want %v", kinds, want)
	}
}
