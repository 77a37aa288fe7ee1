package compiler

import (
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func text(s string) model.Value { return model.Value{Kind: model.KindString, Text: s} }

func num(s string) model.Value { return model.Value{Kind: model.KindNumber, Number: s} }

func listValue(items ...string) model.Value {
	v := model.Value{Kind: model.KindList}
	for _, s := range items {
		v.List = append(v.List, text(s))
	}
	return v
}

// setting is an edit below `settings` of the target.
func setting(op model.EditOp, keys string, v model.Value) model.Edit {
	return model.Edit{Type: "target", Label: "copilot", Path: append([]string{"settings"}, strings.Split(keys, ".")...), Op: op, Value: v}
}

// server is an edit of an attribute of mcp "x".
func server(op model.EditOp, keys string, v model.Value) model.Edit {
	return model.Edit{Type: "mcp", Label: "x", Path: strings.Split(keys, "."), Op: op, Value: v}
}

func absorbed(t *testing.T, in string, edits ...model.Edit) string {
	t.Helper()
	out, diags := Absorb(manifestOf(in), testSpecs(), "wl-0431", testFacts(), edits)
	for _, d := range diags {
		t.Fatalf("%s: %s: %s", d.Subject, d.Summary, d.Detail)
	}
	if len(out) == 0 {
		return in
	}
	if len(out) != 1 || string(out[0].Old) != in || out[0].Path != "machine.hcl" || out[0].Name != "home/machine.hcl" {
		t.Fatalf("rewrites %+v", out)
	}
	return string(out[0].New)
}

func TestAbsorb(t *testing.T) {
	target := func(body string) string { return "target \"copilot\" {\n" + body + "}\n" }
	for _, c := range []struct {
		name, in, want string
		edits          []model.Edit
	}{
		{"a value", target("  settings = { theme = \"dim\" } # mine\n"), target("  settings = { theme = \"pink\" } # mine\n"), []model.Edit{setting(model.Set, "theme", text("pink"))}},
		{"CRLF, mark, tabs", "\ufeff# é\r\ntarget \"copilot\" {\r\n\tsettings = {\r\n\t\ttheme\t= \"dim\" // c\r\n\t}\r\n}\r\n", "\ufeff# é\r\ntarget \"copilot\" {\r\n\tsettings = {\r\n\t\ttheme\t= \"pink\" // c\r\n\t\tbeep = 5\r\n\t}\r\n}\r\n", []model.Edit{setting(model.Set, "theme", text("pink")), setting(model.Set, "beep", num("5"))}},
		{"a text that HCL would take for a template", target("  settings = { theme = \"dim\" }\n"), target("  settings = { theme = \"$${x} %%{y} \\\"\\n\" }\n"), []model.Edit{setting(model.Set, "theme", text("${x} %{y} \"\n"))}},
		{"an odd key", target("  settings = {\n    a = 1,\n  }\n"), target("  settings = {\n    a = 1,\n    \"x.y\" = 2,\n  }\n"), []model.Edit{{Type: "target", Label: "copilot", Path: []string{"settings", "x.y"}, Value: num("2")}}},
		{"a nested key", target("  settings = { a = { b = 1 } }\n"), target("  settings = { a = { b = 1, c = { d = true } } }\n"), []model.Edit{setting(model.Set, "a.c.d", model.Value{Kind: model.KindBool, Bool: true})}},
		{"colons", target("  settings = { a: 1 }\n"), target("  settings = { a: 1, b: 2 }\n"), []model.Edit{setting(model.Set, "b", num("2"))}},
		{"the only key goes", target("  settings = { a = 1 }\n"), target("  settings = {}\n"), []model.Edit{setting(model.Unset, "a", model.Value{})}},
		{"a key in a line goes", target("  settings = { a = 1, b = 2, c = 3 }\n"), target("  settings = { a = 1, c = 3 }\n"), []model.Edit{setting(model.Unset, "b", model.Value{})}},
		{"two keys in a line go", target("  settings = { a = 1, b = 2, c = 3 }\n"), target("  settings = { b = 2 }\n"), []model.Edit{setting(model.Unset, "a", model.Value{}), setting(model.Unset, "c", model.Value{})}},
		{"a line goes, comments stay", target("  settings = {\n    # above\n    a = 1\n    b = 2 # beside\n    # below\n  }\n"), target("  settings = {\n    # above\n    # beside\n    # below\n  }\n"), []model.Edit{setting(model.Unset, "a", model.Value{}), setting(model.Unset, "b", model.Value{})}},
		{"into an empty object", target("  settings = {}\n"), target("  settings = { a = 1 }\n"), []model.Edit{setting(model.Set, "a", num("1"))}},
		{"below a comment in an empty object", target("  settings = {\n    # none\n  }\n"), target("  settings = {\n    # none\n    a = 1\n  }\n"), []model.Edit{setting(model.Set, "a", num("1"))}},
		{"a new attribute", target(""), target("  settings = { a = 1 }\n"), []model.Edit{setting(model.Set, "a", num("1"))}},
		{"into a block on one line", "target \"copilot\" {}\n", "target \"copilot\" {\n  settings = { a = 1 }\n}\n", []model.Edit{setting(model.Set, "a", num("1"))}},
		{"a server is switched off", "mcp \"x\" { command = \"a\" } # c\n", "mcp \"x\" {\n  command = \"a\"\n  enabled = false\n} # c\n", []model.Edit{server(model.Set, "enabled", model.Value{Kind: model.KindBool})}},
		{"an attribute goes", "mcp \"x\" {\n  command = \"a\"\n  timeout = 5 # ms\n  cwd = \"/\"\n}\n", "mcp \"x\" {\n  command = \"a\"\n  # ms\n}\n", []model.Edit{server(model.Unset, "timeout", model.Value{}), server(model.Unset, "cwd", model.Value{})}},
		{"a list grows and shrinks", "mcp \"x\" {\n  command = \"a\"\n  tools = [\n    \"p\", # p\n    \"q\"\n  ]\n}\n", "mcp \"x\" {\n  command = \"a\"\n  tools = [\n    # p\n    \"q\",\n    \"r\"\n  ]\n}\n", []model.Edit{server(model.AddElement, "tools", text("r")), server(model.RemoveElement, "tools", text("p"))}},
		{"a list in a line", "mcp \"x\" {\n  command = \"a\"\n  tools = only([\"p\", \"q\"])\n}\n", "mcp \"x\" {\n  command = \"a\"\n  tools = only([\"p\", \"r\"])\n}\n", []model.Edit{server(model.AddElement, "tools", text("r")), server(model.RemoveElement, "tools", text("q"))}},
		{"a heredoc", "mcp \"x\" {\n  command = <<E\na\nE\n  cwd = \"/\"\n}\n", "mcp \"x\" {\n  command = \"b\"\n  cwd = \"/\"\n}\n", []model.Edit{server(model.Set, "command", text("b"))}},
		{"the layer that wins", target("  settings = { a = 1 }\n") + "host \"wl-0431\" {\n  target \"copilot\" {\n    settings = { a = 2 }\n  }\n}\n", target("  settings = { a = 1 }\n") + "host \"wl-0431\" {\n  target \"copilot\" {\n    settings = { a = 3 }\n  }\n}\n", []model.Edit{setting(model.Set, "a", num("3"))}},
		{"an earlier layer would show through", target("  settings = { a = 1 }\n") + "host \"wl-0431\" {\n  target \"copilot\" {\n    settings = { a = 2 }\n  }\n}\n", target("  settings = { a = 1 }\n") + "host \"wl-0431\" {\n  target \"copilot\" {\n    settings = { a = null }\n  }\n}\n", []model.Edit{setting(model.Unset, "a", model.Value{})}},
		{"no newline at the end", "target \"copilot\" { settings = { a = 1 } }", "target \"copilot\" { settings = { a = 2 } }", []model.Edit{setting(model.Set, "a", num("2"))}},
		{"equal already", target("  settings = { a = 1 }\n"), target("  settings = { a = 1 }\n"), []model.Edit{setting(model.Set, "a", num("1"))}},
		{"a long value", target("  settings = { a = 1 }\n"), target("  settings = { a = [\n    \"" + strings.Repeat("x", 50) + "\",\n    \"" + strings.Repeat("y", 50) + "\",\n  ] }\n"), []model.Edit{setting(model.Set, "a", listValue(strings.Repeat("x", 50), strings.Repeat("y", 50)))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := absorbed(t, c.in, c.edits...); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// What cannot be edited is named with its line, all of it in one run, and nothing is rewritten.
func TestAbsorbRefusals(t *testing.T) {
	host := "\nhost \"wl-0431\" {}\n"
	for _, c := range []struct {
		name, in string
		edit     model.Edit
		code     string
		line     int
		detail   string
	}{
		{"a local", "locals { t = \"dim\" }\ntarget \"copilot\" {\n  settings = { theme = local.t }\n}\n", setting(model.Set, "theme", text("pink")), "not-literal", 3, "`settings.theme` as `\"pink\"`"},
		{"a whole object from a local", "locals { t = { theme = \"dim\" } }\ntarget \"copilot\" {\n  settings = local.t\n}\n", setting(model.Set, "theme", text("pink")), "not-literal", 3, "local.t"},
		{"a function", "target \"copilot\" {\n  settings = {\n    theme = lower(\"DIM\")\n  }\n}\n", setting(model.Set, "theme", text("pink")), "not-literal", 3, "lower("},
		{"a conditional", "target \"copilot\" {\n  settings = { theme = facts.wsl ? \"dim\" : \"dark\" }\n}\n", setting(model.Unset, "theme", model.Value{}), "not-literal", 2, "without `settings.theme`"},
		{"a template", "target \"copilot\" {\n  settings = { theme = \"${facts.os}-x\" }\n}\n", setting(model.Set, "theme", text("pink")), "not-literal", 2, "pink"},
		{"a secret", "secret \"S\" { env = \"S\" }\nmcp \"x\" {\n  command = \"a\"\n  env = { T = secret.S }\n}\n", server(model.Set, "env.T", text("plain")), "not-literal", 4, "plain"},
		{"a credential", "mcp \"x\" {\n  command = \"a\"\n  env = { T = \"n\" }\n}\n", server(model.Set, "env.T", text("ghp_0123456789abcdefghijABCDEFGHIJ012345")), "credential", 3, "take the text out"},
		{"a comment in the value", "mcp \"x\" {\n  command = \"a\"\n  args = [\n    \"a\", # why\n  ]\n}\n", server(model.Set, "args", listValue("b")), "not-absorbed", 3, "comments"},
		{"an unknown server", "mcp \"y\" { command = \"a\" }\n", server(model.Set, "cwd", text("/")), "not-absorbed", 1, "yourself"},
		{"nothing to take out", "mcp \"x\" { command = \"a\" }\n", server(model.Unset, "tools", model.Value{}), "not-absorbed", 1, "does not say it"},
		{"two spellings of a letter", "target \"copilot\" {\n  settings = { theme = \"dim\" }\n}\n", setting(model.Set, "theme", text("e\u0301")), "not-absorbed", 2, "spelling"},
		{"a wrong type", "mcp \"x\" {\n  command = \"a\"\n  timeout = 5\n}\n", server(model.Set, "timeout", text("long")), "not-absorbed", 3, "number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, diags := Absorb(manifestOf(c.in+host), testSpecs(), "wl-0431", testFacts(), []model.Edit{c.edit})
			if len(out) > 0 || len(diags) != 1 || diags[0].Code != c.code || diags[0].Subject.Start.Line != c.line || !strings.Contains(diags[0].Detail, c.detail) {
				t.Errorf("rewrites %v, diagnostics %+v", out, diags)
			}
			for _, d := range diags {
				if strings.Contains(d.Detail+d.Summary, "ghp_") {
					t.Errorf("the credential is shown: %s", d.Detail)
				}
			}
		})
	}
}

// A value of a relative module is written there; one of a built-in module is not.
func TestAbsorbIntoModules(t *testing.T) {
	files := map[string]string{
		"home/machine.hcl":   "module \"m\" { source = \"../shared\" }\nmodule \"b\" { source = \"builtin/base\" }\n",
		"shared/a.hcl":       "mcp \"x\" {\n  command = \"a\"\n}\n",
		"builtin/base/b.hcl": "target \"copilot\" {\n  settings = { theme = \"dim\" }\n}\n",
	}
	out, diags := Absorb(memory(files), testSpecs(), "wl-0431", testFacts(), []model.Edit{server(model.Set, "command", text("b"))})
	if len(diags) > 0 || len(out) != 1 || out[0].Path != "../shared/a.hcl" || string(out[0].New) != "mcp \"x\" {\n  command = \"b\"\n}\n" {
		t.Errorf("%+v %v", out, diags)
	}
	_, diags = Absorb(memory(files), testSpecs(), "wl-0431", testFacts(), []model.Edit{setting(model.Set, "theme", text("pink"))})
	if len(diags) != 1 || diags[0].Code != "not-literal" || diags[0].Subject.File != "builtin/base/b.hcl" || diags[0].Subject.Start.Line != 2 {
		t.Errorf("%+v", diags)
	}
}
