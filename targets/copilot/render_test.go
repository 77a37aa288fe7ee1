package copilot

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

func decode(t *testing.T, data string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), v); err != nil {
		t.Fatalf("%v in %q", err, data)
	}
}

func TestHooksFile(t *testing.T) {
	type entry struct {
		Type, Exec string
		Args       []string
		TimeoutSec int
	}
	var got struct {
		Version int
		Hooks   map[string][]entry
	}
	m := machine()
	m.Facts.StateDir = `/home/u/it's a "state" $(touch pwned) \n` // no shell reads it
	decode(t, made(rendered(t, m), hooksPath), &got)
	if got.Version != 1 || len(got.Hooks) != 12 {
		t.Errorf("version %d, %d events", got.Version, len(got.Hooks))
	}
	for event, entries := range got.Hooks {
		if len(entries) != 1 {
			t.Fatalf("%s has %d entries", event, len(entries))
		}
		e := entries[0]
		if e.Type != "command" || e.Exec != input(m).Hook || e.TimeoutSec != 30 || !slices.Equal(e.Args, []string{"copilot", event}) {
			t.Errorf("%s: %+v", event, e)
		}
	}
	if out := rendered(t, machine("hooks", truth(false))); len(out.Files)+len(out.Entries) != 0 {
		t.Errorf("files %v without hooks", out.Files)
	}
	if out := rendered(t, machine("hooks", truth(true))); len(out.Files) != 1 {
		t.Errorf("files %v with hooks", out.Files)
	}
}

func TestPersona(t *testing.T) {
	m := machine("hooks", truth(false))
	m.Persona = []model.File{
		file("persona/a.md", "\ufeff\r\n\r\n# A\r\n\r\ntext\r\n\r\n\r\n"),
		file("persona/--><script>\n&.md", "---\nkept: here\n---\nB"),
		file("persona/empty.md", ""),
	}
	m.Rules = []model.File{
		file("rules/r.md", "---\nname: r\n---\n\nR\n"),
		file("rules/hr.md", "---\n\nJust a text, with a rule: above\n  [and below\n\n---\n\nS\n"),
	}
	out, diags := Render(input(m))
	wantDiags(t, diags, "rule-frontmatter")
	want := "<!-- persona: persona/a.md -->\n# A\n\ntext\n\n" +
		"<!-- persona: persona/-&#45;&gt;<script&gt;\\x0a&amp;.md -->\n---\nkept: here\n---\nB\n\n" +
		"<!-- persona: persona/empty.md -->\n\n" +
		"<!-- rule: rules/r.md -->\nR\n\n" +
		"<!-- rule: rules/hr.md -->\n---\n\nJust a text, with a rule: above\n  [and below\n\n---\n\nS\n"
	if got := made(out, personaPath); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, tt := range []struct {
		profiles []string
		want     string
	}{
		{nil, ""},
		{[]string{"work"}, `the profile "work".`},
		{[]string{"work", "night", "-->\n"}, `the profile "work", with "night", "-->\n" over it.`},
	} {
		m.Targets[0] = block("target", "copilot", "hooks", truth(false), "identity", truth(true))
		m.Profiles, m.Manifesto = tt.profiles, []model.File{file("m/1.md", "# Last\n\n"), file("m/2.md", "---\nM")}
		out, diags := Render(input(m))
		wantDiags(t, diags, "rule-frontmatter")
		whole := want + "\n<!-- manifesto: m/1.md -->\n# Last\n\n<!-- manifesto: m/2.md -->\n---\nM\n"
		if tt.want != "" {
			whole = "<!-- identity -->\nThese instructions are compiled from " + tt.want + " This line only says so: it has no precedence over what follows.\n\n" + whole
		}
		if got := made(out, personaPath); got != whole {
			t.Errorf("profiles %q: got\n%s\nwant\n%s", tt.profiles, got, whole)
		}
	}
	single := machine("hooks", truth(false))
	for in, want := range map[string]string{
		"# Me\n\nno end of line": "# Me\n\nno end of line", "\n\n---\na: b\n---\n\n\n": "\n\n---\na: b\n---\n\n\n", "\ufeffa\r\nb": "a\nb",
	} {
		single.Persona = []model.File{file("persona/me.md", in)}
		if got := made(rendered(t, single), personaPath); got != want {
			t.Errorf("%q alone became %q", in, got)
		}
	}
	alone := machine("hooks", truth(false), "identity", truth(true))
	alone.Profiles = []string{"work"}
	if out := rendered(t, alone); len(out.Files) != 0 {
		t.Errorf("a line about nothing: %v", out.Files)
	}
	m.Manifesto, m.Persona = append(m.Manifesto, file("m/bad.md", "\x00")), append(m.Persona, file("persona/bad.md", "a\nb\xff\n"))
	m.Rules = append(m.Rules, file("rules/bad.md", "\xff"))
	_, diags = Render(input(m))
	wantDiags(t, diags, "rule-frontmatter", "invalid-source", "invalid-source", "invalid-source")
	if i := slices.IndexFunc(diags, func(d diag.Diagnostic) bool { return d.Subject.String() == "persona/bad.md:2:1" }); i < 0 {
		t.Errorf("no diagnostic at line 2: %v", diags)
	}
}

func TestRuleLoss(t *testing.T) {
	m := machine("hooks", truth(false))
	m.Rules = []model.File{file("rules/r.md", "---\ndescription: d\npaths: '*.go'\n---\nR\n")}
	out := rendered(t, m)
	if len(out.Losses) != 1 || out.Losses[0].File != "rules/r.md" || out.Losses[0].Line != 3 {
		t.Errorf("losses %v", out.Losses)
	}
}

func TestInstructions(t *testing.T) {
	m := machine("hooks", truth(false))
	good := file("instructions/sub/go.instructions.md", "\ufeff---\r\napplyTo: **/*.go\r\n---\r\nX\r\n")
	good.Rel = "sub/go.instructions.md"
	m.Instructions = []model.File{good, file("instructions/ts.md", "x"), file("instructions/bad.instructions.md", "\xff")}
	out, diags := Render(input(m))
	wantDiags(t, diags, "instructions-name", "invalid-source")
	if len(out.Entries) != 1 || out.Entries[0].Dest != "/home/u/.copilot/instructions/sub/go.instructions.md" {
		t.Errorf("entries %v", out.Entries)
	}
	if got := made(out, "copilot/instructions/sub/go.instructions.md"); got != string(good.Data) {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(diags[0].Detail, "ts.instructions.md") {
		t.Errorf("detail %q names no name", diags[0].Detail)
	}
}
