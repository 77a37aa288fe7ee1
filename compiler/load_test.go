package compiler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// What would end the process by a stack overflow is refused before it is parsed.
func TestDeepInput(t *testing.T) {
	const n = 20_000
	for name, text := range map[string]string{
		"brackets":    "a = " + strings.Repeat("[", n),
		"parentheses": "a = " + strings.Repeat("(", n),
		"for":         "a = " + strings.Repeat("[for x in ", n),
		"templates":   `a = ` + strings.Repeat(`"${`, n),
		"blocks":      strings.Repeat("a {\n", n),
		"not":         "a = " + strings.Repeat("!", n),
		"minus":       "a = " + strings.Repeat("-", n) + "1",
		"sums":        "a = 1" + strings.Repeat("+1", n),
		"sum lines":   "a = (1" + strings.Repeat("\n+1", n) + ")",
		"comments":    "a = (1" + strings.Repeat(" + # x\n1", n) + ")",
		"conditions":  "a = " + strings.Repeat("true ? 1 : ", n) + "1",
		"indexes":     "a = b" + strings.Repeat("[c]", n),
		"calls":       "a = f(1, 2)" + strings.Repeat(" + f(1, 2)", n),
		"attributes":  "a = b" + strings.Repeat(".c", n),
		"directives":  `a = "` + strings.Repeat("%{ if true }", n) + `"`,
		"heredoc":     "a = <<E\n" + strings.Repeat("%{ for x in y }", n) + "\nE\n",
		"or":          "a = x" + strings.Repeat("||x", n),
	} {
		_, diags := Load(manifestOf(text), testSpecs())
		if len(diags) != 1 || diags[0].Code != "too-deep" {
			t.Errorf("%s: %v", name, diags[:min(len(diags), 3)])
		}
		if _, diags := Format([]byte(text), "x.hcl"); len(diags) != 1 || diags[0].Code != "too-deep" {
			t.Errorf("format %s: %v", name, diags[:min(len(diags), 3)])
		}
	}
}

// Wide files are not deep ones.
func TestWideInput(t *testing.T) {
	for name, text := range map[string]string{
		"list": "  x = [" + strings.Repeat("-1, ", 5000) + "]\n",
		"object": "  x = {\n" + func() (s string) {
			for i := range 2000 {
				s += fmt.Sprintf("    k%d = facts.os == \"linux\" ? 1 : 2 # a.b.c\n", i)
			}
			return s
		}() + "  }\n",
		"strings": "  x = [" + strings.Repeat(`"${local.a}-${local.a}", `, 2000) + "]\n",
		"calls":   "  x = [" + strings.Repeat(`upper("a.b"), `, 2000) + "]\n",
		"locals": func() (s string) {
			for i := range 3000 {
				s += fmt.Sprintf("  l%d = [facts.os, !facts.wsl, 1 + 2]\n", i)
			}
			return s
		}(),
	} {
		if _, diags := Load(manifestOf("locals {\n  a = 1\n"+text+"}\n"), testSpecs()); len(diags) > 0 {
			t.Errorf("%s: %v", name, diags[:min(len(diags), 3)])
		}
	}
}

// All faults of a file are found in one run, those of its modules too, sorted by place.
func TestAllFaultsInOneRun(t *testing.T) {
	_, _, diags := run(memory(map[string]string{
		"home/machine.hcl": "chanels = []\nmodule \"m\" { source = \"../m\" }\nchannels = [1]\nmcp \"x\" { url = upper(local.none) }\nrules = [\"none.md\"]\n",
		"m/a.hcl":          "channels = [facts.none]\n",
		"m/b.hcl":          "channels = [\n",
	}), testFacts())
	var got []string
	for _, d := range diags {
		got = append(got, fmt.Sprintf("%s:%d %s", d.Subject.File, d.Subject.Start.Line, d.Code))
	}
	want := "home/machine.hcl:1 unknown-attribute, home/machine.hcl:3 wrong-type, home/machine.hcl:4 unknown-name, " +
		"home/machine.hcl:5 missing-file, m/a.hcl:1 unknown-fact, m/b.hcl:2 syntax"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestBadBytes(t *testing.T) {
	for text, code := range map[string]string{
		"channels = [\"a\xff\"]\n":  "invalid-utf8",
		"channels = [\"a\x00b\"]\n": "invalid-character",
		"mcp \"a\\u0007\" {}\n":     "invalid-label",
		"channels = [\n":            "syntax",
	} {
		if _, diags := Load(manifestOf(text), testSpecs()); len(diags) != 1 || diags[0].Code != code {
			t.Errorf("%q: %v, want %s", text, diags, code)
		}
	}
}

// FuzzLoad looks for inputs that end the process, and checks that results are the same from run to run.
func FuzzLoad(f *testing.F) {
	f.Add(layered, "channels = [\"x\"]\n")
	f.Add("target \"copilot\" {\n  settings = { x = yamldecode(jsonencode({a = [1]})) }\n}\n", "variable \"extra\" { type = list(string) }\n")
	f.Add("host \"a\" { when = try(facts.wsl, true) }\nmcp \"x\" { url = \"${secret.T}\" }\nsecret \"T\" { env = \"T\" }\n", "")
	f.Add("channels = only([for x in [1, 2] : \"${x}\" if x > 1])\nrules = [\"*.md\"]\n", "module \"m\" { source = \".\" }\n")
	f.Add("locals {\n  a = <<EOT\n%{ if true }x%{ endif }\nEOT\n}\n", "locals { a = local.a }")
	f.Fuzz(func(t *testing.T, main, module string) {
		src := memory(map[string]string{"home/machine.hcl": main, "low/main.hcl": module, "home/a.md": "a"})
		machine, m, diags := run(src, testFacts())
		_, _, again := run(src, testFacts())
		if fmt.Sprint(diags) != fmt.Sprint(again) {
			t.Fatalf("diagnostics differ:\n%v\n%v", diags, again)
		}
		if !diags.HasErrors() {
			m.CheckAll()
			for _, b := range machine.MCP {
				noReferences(t, b.Attrs)
			}
		}
		if out, ds := Format([]byte(main), "x.hcl"); !ds.HasErrors() {
			if twice, ds := Format(out, "x.hcl"); ds.HasErrors() || string(twice) != string(out) {
				t.Fatalf("formatting twice gives another text:\n%q\n%q\n%v", out, twice, ds)
			}
		}
	})
}

// noReferences checks that the compiler's own notation for secrets never gets out.
func noReferences(t *testing.T, v model.Value) {
	if strings.Contains(v.Text, "${sEcret.") {
		t.Fatalf("a reference got out: %q", v.Text)
	}
	for _, e := range v.List {
		noReferences(t, e)
	}
	for _, f := range v.Fields {
		noReferences(t, f.Value)
	}
	for _, p := range v.Parts {
		noReferences(t, model.Value{Text: p.Literal})
	}
}
