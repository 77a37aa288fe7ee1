package homeimport

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/ostest"
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

// TestRead: what is no plain file of ours to take is left with a reason, and nothing else is looked at.
func TestRead(t *testing.T) {
	if ostest.AsOrdinaryUser(t) {
		return
	}
	home := t.TempDir()
	copilot, agents := filepath.Join(home, ".copilot"), filepath.Join(home, ".agents")
	write(t, filepath.Join(copilot, "copilot-instructions.md"), " \n")
	write(t, filepath.Join(copilot, "config.json"), `{"token": "secret"}`)
	write(t, filepath.Join(copilot, "session-state", "x.json"), "{}")
	write(t, filepath.Join(copilot, "agents", "shut.md"), "x")
	write(t, filepath.Join(copilot, "agents", "good.md"), "x")
	write(t, filepath.Join(copilot, "agents", "notes.txt"), "x")
	write(t, filepath.Join(copilot, "agents", "odd\n.md"), "x")
	write(t, filepath.Join(copilot, "skills", "own", "SKILL.md"), "x")
	write(t, filepath.Join(copilot, "settings.json"), "{\n\"a\": null,\n\"b\": [{\"c\": null}],\n\"d\": [1.50, {\"e\": true}]\n}")
	write(t, filepath.Join(agents, "skills", "no skill", "x.md"), "x")
	write(t, filepath.Join(agents, "skills", "linked", "SKILL.md"), "x")
	write(t, filepath.Join(agents, "skills", "good", "SKILL.md"), "x")
	write(t, filepath.Join(agents, "skills", "good", "run"), "x")
	write(t, filepath.Join(agents, "skills", "loose.md"), "x")
	for path, mode := range map[string]os.FileMode{
		filepath.Join(copilot, "agents", "shut.md"): 0, filepath.Join(copilot, "agents", "good.md"): 0o666, filepath.Join(agents, "skills", "good", "run"): 0o700,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(agents, "skills", "linked", "x")); err != nil {
		t.Fatal(err)
	}
	parts, left, err := Read(copilot, agents)
	if err != nil {
		t.Fatal(err)
	}
	number := model.Value{Kind: model.KindNumber, Number: "1.50"}
	object := model.Value{Kind: model.KindObject, Fields: []model.Field{{Name: "e", Value: model.Value{Kind: model.KindBool, Bool: true}}}}
	want := []Part{
		{Kind: Agent, Path: filepath.Join(copilot, "agents", "good.md"), Source: "agents/good.md", Files: []File{{"agents/good.md", []byte("x"), 0o644}}},
		{Kind: Setting, Path: filepath.Join(copilot, "settings.json"), Key: "d", Line: 4, Value: model.Value{Kind: model.KindList, List: []model.Value{number, object}}},
		{Kind: Skill, Path: filepath.Join(agents, "skills", "good"), Source: "skills/good", Files: []File{{"skills/good/SKILL.md", []byte("x"), 0o644}, {"skills/good/run", []byte("x"), 0o700}}},
	}
	if !reflect.DeepEqual(parts, want) {
		t.Errorf("got  %+v\nwant %+v", parts, want)
	}
	reasons := []string{"agents/odd\n.md: Its name", "agents/shut.md: It cannot be read", "settings.json: It holds null", "settings.json: It holds null", "skills/own: Copilot goes on", "skills/linked/x: It is a link"}
	for i, l := range left {
		if i < len(reasons) && !strings.Contains(l.Path+": "+l.Reason, reasons[i]) {
			t.Errorf("left %q, want %q", l.Path+": "+l.Reason, reasons[i])
		}
	}
	if len(left) != len(reasons) {
		t.Errorf("left %+v", left)
	}
	if parts, left, err := Read(filepath.Join(home, "none"), filepath.Join(home, "nor")); len(parts)+len(left) > 0 || err != nil {
		t.Errorf("of nothing came %v, %v, %v", parts, left, err)
	}
}

func TestSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                           "plain",
		"${A}":                            "<A>",
		"Bearer ${A}":                     "Bearer |<A>",
		"${A}${B}/$C ${D:-x} ${HOME} %E%": "<A>|<B>|/$C ${D:-x} ${HOME} %E%",
		"${A} and ${A}$":                  "<A>| and |<A>|$",
		"$${A}":                           "$|<A>", // Copilot knows no escape
	} {
		needs := map[string]bool{}
		var got []string
		v := secrets(model.Value{Kind: model.KindString, Text: text}, needs)
		for _, p := range v.Parts {
			if p.Secret != "" {
				got = append(got, "<"+p.Secret+">")
				if !needs[p.Secret] {
					t.Errorf("%q: %s is not needed", text, p.Secret)
				}
				continue
			}
			got = append(got, p.Literal)
		}
		if v.Kind == model.KindString {
			got = []string{v.Text}
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q is %s, want %s", text, s, want)
		}
	}
}
