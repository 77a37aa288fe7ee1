package compiler

import (
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

func secretBlock() blockType {
	return blockType{
		name: "secret", label: "name", in: everywhere(),
		doc:       "A value that never enters the tree: it is read when a server starts. Give exactly one of `env`, `file` and `command`.",
		labels:    secretName,
		exclusive: []string{"env", "file", "command"},
		check:     checkSecret,
		specs: []model.BlockSpec{{Type: "secret", Attributes: []model.AttrSpec{
			{Name: "env", Type: kind(model.TypeString), Doc: "The environment variable that holds it.", Example: `"GATEWAY_TOKEN"`},
			{Name: "file", Type: kind(model.TypeString), Doc: "The file that holds it: an absolute path, or one that begins with ~/. One newline at its end is cut.", Example: `"~/.secrets/gateway"`},
			{Name: "command", Type: listOf(model.TypeString), Doc: "The command that prints it. One newline at the end is cut.", Example: `["pass", "show", "gateway"]`},
			{Name: "doc", Type: kind(model.TypeString), Doc: "What it is and where to get it: shown when it is missing.", Example: `"A token from the gateway's account page."`},
			{Name: "export", Type: kind(model.TypeBool), Doc: "Puts what `file` or `command` gives into the environment of every shell that loads ours, under the secret's name: headers and addresses of remote servers need it there. Every program of such a shell can read it, the agent's too. Default: false.", Example: "true"},
			enabledAttr(),
		}}},
	}
}

func secretName(label string) string {
	if model.VariableName(label) {
		return ""
	}
	return "A secret's name is an identifier: letters, digits and `_`, not a digit first. Rename it."
}

// checkSecret checks what only the merged secret shows.
func checkSecret(l *diag.List, b model.Block) {
	title := "The secret `" + b.Label + "`"
	var given []model.Value
	for _, name := range []string{"env", "file", "command"} {
		if v := b.Attrs.Get(name); v.Kind != model.KindAbsent {
			given = append(given, v)
		}
	}
	switch {
	case len(given) == 0:
		l.Errorf(b.Origin, "missing-attribute", title+" has no source",
			"Add one of `env`, `file` and `command`: it says where the value is read.")
		return
	case len(given) > 1:
		l.Errorf(given[1].Origin, "conflict", title+" has several sources",
			"A secret is read from one place. Keep one of `env`, `file` and `command`.")
		also(*l, "the other is set here", given[0].Origin)
		return
	}
	if export, env := b.Attrs.Get("export"), b.Attrs.Get("env"); export.Bool && env.Kind != model.KindAbsent {
		l.Errorf(export.Origin, "conflict", title+" is in the environment already",
			"It is read from a variable. Remove `export`.")
		also(*l, "the variable is named here", env.Origin)
	}
	if v := b.Attrs.Get("env"); v.Kind == model.KindString && !model.VariableName(v.Text) {
		l.Errorf(v.Origin, "invalid-value", title+" names no environment variable",
			"`%s` cannot be the name of one: letters, digits and `_`, not a digit first. Correct it.", v.Text)
	}
	if v := b.Attrs.Get("file"); v.Kind == model.KindString && !strings.HasPrefix(v.Text, "/") && !strings.HasPrefix(v.Text, "~/") {
		l.Errorf(v.Origin, "invalid-value", title+" needs an absolute file",
			"The file is read in whatever folder an agent works in. Write a path that begins with / or ~/.")
	}
	if v := b.Attrs.Get("command"); v.Kind == model.KindList && (len(v.List) == 0 || v.List[0].Text == "") {
		l.Errorf(v.Origin, "invalid-value", title+" has an empty command", "Name a program and its arguments.")
	}
}
