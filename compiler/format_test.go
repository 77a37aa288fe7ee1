package compiler

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a=1\nbcd  =  2", "a   = 1\nbcd = 2\n"},
		{"x \"y\" {\na=[\n1,\n]\n}\n", "x \"y\" {\n  a = [\n    1,\n  ]\n}\n"},
		{"a=1\r\nbc=2\r\n", "a  = 1\r\nbc = 2\r\n"},
		{"\ufeffa=1\n", "\ufeffa = 1\n"},
		{"\ufeffa=1\r\n", "\ufeffa = 1\r\n"},
		{"a = <<E\n  x=1\nE\n", "a = <<E\n  x=1\nE\n"},
		{"a = <<E\nx\nE", "a = <<E\nx\nE\n"},
		{"a = 1 # one\n# two", "a = 1 # one\n# two\n"},
		{"", ""},
		{" ", "\n"},
	} {
		got, diags := Format([]byte(c.in), "x.hcl")
		if len(diags) > 0 || string(got) != c.want {
			t.Errorf("%q gives %q, want %q (%v)", c.in, got, c.want, diags)
		}
	}
	if got, diags := Format([]byte("a = [\n"), "x.hcl"); got != nil || !diags.HasErrors() || diags[0].Subject.File != "x.hcl" {
		t.Errorf("a broken file gives %q, %v", got, diags)
	}
}

func TestSchema(t *testing.T) {
	doc := Schema(testSpecs())
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"schema":1,"attributes":[{"name":"channels","type":"a list of strings","merge":"set"`,
		`"type":"mcp","labelName":"name"`, `"type":"target","labelName":"program","label":"copilot"`,
		`"name":"env","type":"an object of strings","merge":"deep","required":false,"secret":true`,
		`"type":"guard","labelName":"kind","label":"branch"`, `"values":["auto","never"]`, `{"name":"wsl"`, `{"name":"only"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in the schema", want)
		}
	}
	for _, b := range doc.Blocks {
		for _, a := range b.Attributes {
			if b.Type != "target" && b.Type != "guard" && (a.Doc == "" || a.Example == "") {
				t.Errorf("%s.%s has no doc or example", b.Type, a.Name)
			}
		}
	}
	for _, f := range doc.Functions {
		if f.Doc == "" {
			t.Errorf("the function %s has no doc", f.Name)
		}
	}
	page := Reference(testSpecs())
	for _, want := range []string{"## `mcp \"name\"`", "## `target \"copilot\"`", "| `facts.os` |", "### `validation` in it"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the reference", want)
		}
	}
}

// Every example in the tables is HCL of the right type.
func TestExamples(t *testing.T) {
	for _, b := range Schema(testSpecs()).Blocks {
		if b.Type != "mcp" && b.Type != "secret" {
			continue
		}
		for _, a := range b.Attributes {
			text := "secret \"TOKEN\" { env = \"T\" }\n" + b.Type + " \"X\" {\n  " + a.Name + " = " + a.Example + "\n}\n"
			_, _, diags := run(manifestOf(text), testFacts())
			for _, d := range diags {
				if d.Code == "wrong-type" || d.Code == "syntax" || d.Code == "unknown-name" {
					t.Errorf("%s: %s", text, d.Summary)
				}
			}
		}
	}
}

func TestModuleReference(t *testing.T) {
	page := ModuleReference(fstest.MapFS{"base/main.hcl": {Data: []byte("# What all\n# have.\n\nvariable \"names\" {\n  type = list(string)\n  default = [\"a\",\n    \"b\"]\n  description = \"The names.\"\n}\nvariable \"must\" {}\n")}})
	for _, want := range []string{
		"## `builtin/base`\n\nWhat all have.\n", "| `names` | list(string) | `[\"a\", \"b\"]` | The names. |", "| `must` | any | required |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
}
