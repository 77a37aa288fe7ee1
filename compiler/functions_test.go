package compiler

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// value evaluates one expression as a setting.
func value(files map[string]string, expr string) string {
	files["home/machine.hcl"] = "target \"copilot\" {\n  settings = { x = " + expr + " }\n}\nlocals {\n  one = 1\n}\n"
	machine, _, diags := run(memory(files), testFacts())
	if diags.HasErrors() {
		return "!" + diags[0].Code + " " + diags[0].Detail
	}
	return show(machine.Targets[0].Attrs.Get("settings").Get("x"))
}

func TestFunctions(t *testing.T) {
	files := map[string]string{
		"home/t.txt":        "one\r\ntwo\n",
		"home/t.tmpl":       "%{ for n in names ~}\n${n}!\n%{ endfor ~}\n",
		"home/self.tmpl":    "${templatefile(\"self.tmpl\", {})}",
		"home/bad.tmpl":     "a\n${nme}\n",
		"home/which.tmpl":   "${which(\"zsh\")}",
		"home/d/a.json":     "{}",
		"home/d/sub/b.json": "{}",
		"home/v.yaml":       "a: &x [1, 2.5, true, null, \"s\"]\nb: *x\nc:\n  d: |\n    text\n  <<: {e: f}\n",
		"home/dup.yaml":     "a: 1\na: 2\n",
		"home/bytes":        "\xff\xfe",
	}
	for _, c := range []struct{ expr, want string }{
		{`upper("a")`, `"A"`},
		{`format("%s-%03d", "a", 7)`, `"a-007"`},
		{`format("%9999999d", 7)`, `!function-call`},
		{`indent(100000000, "a\nb")`, `!function-call`},
		{`length("héé")`, `3`},
		{`length([1, 2])`, `2`},
		{`length({ a = 1 })`, `1`},
		{`length(5)`, `!function-call`},
		{`startswith("abc", "ab") && !endswith("abc", "b")`, `true`},
		{`merge({ a = 1 }, { b = 2 })`, `{a=1 b=2}`},
		{`lookup({ a = 1 }, "z", 9)`, `9`},
		{`[for k, v in { b = 1, a = 2 } : "${k}${v}"]`, `["a2" "b1"]`},
		{`jsondecode("{\"a\": [1, null]}")`, `!wrong-type`},
		{`jsondecode("{\"a\": [1, 1e3]}")`, `{a=[1 1000]}`},
		{`jsondecode("` + strings.Repeat("[", 200) + `")`, `!function-call`},
		{`jsondecode("1e999999999")`, `!function-call`},
		{`tonumber("1e999999999")`, `!function-call`},
		{`0.1`, `0.1`},
		{`1 / 3`, `0.3333333333333333`},
		{`12345678901234567890`, `12345678901234567890`},
		{`tostring(5)`, `"5"`},
		{`try(facts.versions.nope, "none")`, `"none"`},
		{`facts.versions.copilot`, `"1.0.102"`},
		{`can(facts.versions.nope)`, `false`},
		{`facts.versions.nope`, `!unknown-name`},
		{`which("zsh")`, `"/bin/zsh"`},
		{`which("fish")`, `""`},
		{`file("t.txt")`, `"one\ntwo\n"`},
		{`file("none")`, `!function-call`},
		{`file("../x")`, `!function-call`},
		{`file("bytes")`, `!function-call`},
		{`sort(fileset("d", "**/*.json"))`, `["a.json" "sub/b.json"]`},
		{`fileset("d", "*.none")`, `[]`},
		{`fileset("d", "../*")`, `!function-call`},
		{`templatefile("t.tmpl", { names = ["a", "b"] })`, `"a!\nb!\n"`},
		{`templatefile("self.tmpl", {})`, `!function-call`},
		{`templatefile("bad.tmpl", { name = "x" })`, `!unknown-name`},
		{`templatefile("which.tmpl", {})`, `!function-call`},
		{`yamldecode(file("v.yaml")).c`, `{d="text\n" e="f"}`},
		{`yamldecode("a: [1, 2.5, true, s]\nb: \"1\"")`, `{a=[1 2.5 true "s"] b="1"}`},
		{`yamldecode(file("dup.yaml"))`, `!function-call`},
		{`yamldecode("` + strings.Repeat("[", 200) + `")`, `!function-call`},
		{`yamldecode("` + strings.Repeat("- ", 2000) + `")`, `!function-call`},
		{`yamldecode("a: .inf")`, `!function-call`},
		{
			`yamldecode("[017, 0o17, 0x1F, 1e5, 1., +.5, -0, 18446744073709551616, 04444000004444440000000000.]")`,
			`[17 15 31 100000 1 0.5 0 18446744073709551616 4444000004444440000000000]`,
		},
		{
			`yamldecode("['017', \"1\", 1_000, 0b11, 12e, 0x, 1:30, yes, TRUE]")`,
			`["017" "1" "1_000" "0b11" "12e" "0x" "1:30" "yes" true]`,
		},
		{`yamldecode("a: 1e999999999")`, `!function-call`},
		{`yamldecode("` + strings.Repeat("9", 2000) + `")`, `!function-call`},
		{`yamldecode("a: *b")`, `!function-call`},
		{`"a\u0000b"`, `!invalid-character`},
		{"<<EOT\na\nb\nEOT\n", `"a\nb\n"`},
	} {
		if got := value(files, c.expr); got != c.want && !(strings.HasPrefix(c.want, "!") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s\n gives %s\n want  %s", c.expr, got, c.want)
		}
	}
}

// A fault in a template is shown in the template.
func TestTemplateFault(t *testing.T) {
	_, m, diags := run(memory(map[string]string{
		"home/machine.hcl": "target \"copilot\" {\n  settings = { x = templatefile(\"bad.tmpl\", {}) }\n}\n",
		"home/bad.tmpl":    "a\n${nme}\n",
	}), testFacts())
	if len(diags) != 1 || diags[0].Subject.File != "home/bad.tmpl" || diags[0].Subject.Start.Line != 2 || len(diags[0].Related) != 1 {
		t.Errorf("%+v", diags)
	}
	if string(m.Texts()["home/bad.tmpl"]) != "a\n${nme}\n" {
		t.Errorf("texts: %q", m.Texts())
	}
}

// A YAML text whose aliases blow up is refused before it fills the memory.
func TestYAMLBomb(t *testing.T) {
	text := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		at, before := string(rune('a'+i)), "*"+string(rune('a'+i-1))
		if i == 1 {
			before = "*a0"
		}
		text += at + ": &" + at + " [" + strings.Repeat(before+",", 10) + "]\n"
	}
	if _, err := decodeYAML(text); err == nil || !strings.Contains(err.Error(), "aliases") {
		t.Errorf("got %v", err)
	}
}

// FuzzYAML looks for texts that end the process, and checks that JSON read as YAML is what JSON says.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a: &x [1, *x]\n", "- - - a\n", "? a\n: b\n", "a: |\n  b\n", "{a: {b: [c]}}", "<<: {a: b}", "!!str 1", "--- a\n...\n", "a: 0x1f\nb: .nan\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := decodeYAML(text)
		if err != nil {
			return
		}
		again, err := stdlib.JSONEncode(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(again.AsString(), `\u`) {
			return // goccy/go-yaml 1.19.2 reads some of these escapes wrongly
		}
		if w, err := decodeYAML(again.AsString()); err == nil && !w.RawEquals(v) {
			t.Fatalf("%q gives %#v, as JSON %#v", text, v, w)
		}
	})
}

// Locals that multiply are refused before they fill the memory.
func TestLocalBomb(t *testing.T) {
	text := "target \"copilot\" {}\nlocals {\n  a0 = \"" + strings.Repeat("x", 1000) + "\"\n"
	for i := range 9 {
		text += "  a" + string(rune('1'+i)) + " = \"" + strings.Repeat("${local.a"+string(rune('0'+i))+"}", 50) + "\"\n"
	}
	_, _, diags := run(manifestOf(text+"}\nchannels = [local.a9]\n"), testFacts())
	if !diags.HasErrors() || diags[0].Code != "too-large" {
		t.Errorf("%v", diags)
	}
}

// A checkout with \r\n gives the same machine.
func TestLineEnds(t *testing.T) {
	text := "target \"copilot\" {\n  settings = {\n    x = <<EOT\na\nb\nEOT\n  }\n}\n"
	unix := resolved(t, manifestOf(text), testFacts())
	windows := resolved(t, manifestOf("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")), testFacts())
	for _, m := range []model.Machine{unix, windows} {
		if got := show(m.Targets[0].Attrs); got != `{settings={x="a\nb\n"}}` {
			t.Error(got)
		}
	}
}
