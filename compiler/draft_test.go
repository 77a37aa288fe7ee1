package compiler

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func TestDraft(t *testing.T) {
	str := func(s string) model.Value { return model.Value{Kind: model.KindString, Text: s} }
	object := func(fields ...model.Field) model.Value { return model.Value{Kind: model.KindObject, Fields: fields} }
	template := model.Value{Kind: model.KindTemplate, Parts: []model.Part{{Literal: "a\"${b}$"}, {Secret: "TOKEN"}, {Literal: "$"}}}
	d := Draft{
		Head:  "One.\nTwo.",
		Lists: []DraftList{{"agents", []string{"agents/*.md"}}, {"rules", []string{"a.md", "b \"x\".md"}}},
		Blocks: []model.Block{
			{Type: "target", Label: "copilot", Attrs: object(model.Field{Name: "settings", Value: object(
				model.Field{Name: "odd key", Value: object(model.Field{Name: "x", Value: str("l1\nl2")})}, model.Field{Name: "theme", Value: str("dim")},
			)})},
			{Type: "secret", Label: "TOKEN", Attrs: object(model.Field{Name: "env", Value: str("TOKEN")})},
			{Type: "mcp", Label: "x", Attrs: object(
				model.Field{Name: "headers", Value: object(model.Field{Name: "A", Value: template})}, model.Field{Name: "url", Value: str("https://e.example")},
			)},
		},
	}
	text, spots := d.Text()
	const want = `# One.
# Two.

agents = ["agents/*.md"]
rules = [
  "a.md",
  "b \"x\".md",
]

target "copilot" {
  settings = {
    "odd key" = { x = "l1\nl2" }
    theme     = "dim"
  }
}

secret "TOKEN" {
  env = "TOKEN"
}

mcp "x" {
  url     = "https://e.example"
  headers = { A = "a\"$${b}${"$"}${secret.TOKEN}$" }
}
`
	if string(text) != want {
		t.Errorf("got\n%s", text)
	}
	for line, want := range map[int]Spot{1: {}, 4: {Attr: "agents", Key: "agents/*.md"}, 7: {Attr: "rules", Key: `b "x".md`}, 12: {"target", "copilot", "settings", "odd key"}, 18: {"secret", "TOKEN", "env", ""}, 23: {"mcp", "x", "headers", ""}, 24: {Type: "mcp", Label: "x"}} {
		if got := spots[line-1]; got != want {
			t.Errorf("line %d is about %v, want %v", line, got, want)
		}
	}
	fsys := fstest.MapFS{"machine.hcl": {Data: text}}
	for _, name := range []string{"a.md", `b "x".md`, "agents/a.md"} {
		fsys[name] = &fstest.MapFile{Data: []byte("text")}
	}
	m, diags := Load(Sources{Name: "machine.hcl", Root: fsys}, testSpecs())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	machine, diags := m.Resolve("wl-0431", testFacts())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if got := show(blockOf(t, machine.MCP, "x").Attrs); !strings.Contains(got, `A=a"${b}$<TOKEN>$`) {
		t.Errorf("the server is read back as %s", got)
	}
}
