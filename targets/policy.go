package targets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// compilePolicy is what the hook of this machine runs. With errors it is not to be encoded. The guard "self" is always
// in it, and knows the entries of the tree.
func compilePolicy(m model.Machine, entries []tree.Entry) (policy.Policy, diag.List) {
	var diags diag.List
	p := policy.Policy{Host: m.Host, StateDir: m.Facts.StateDir}
	for _, c := range m.Channels {
		p.Channels = append(p.Channels, c.Value)
	}
	guards := m.Guards
	if !slices.ContainsFunc(guards, func(b model.Block) bool { return b.Label == selfGuard }) {
		guards = append(slices.Clone(guards), model.Block{Type: "guard", Label: selfGuard})
	}
	for _, block := range guards {
		args := guardArgs(block)
		switch block.Label {
		case selfGuard:
			args["files"], args["merged"] = destinations(entries)
		case credentialsGuard:
			args["secretFiles"], args["secretVariables"] = sourcesOf(m.Secrets)
		}
		compiled, problems := policy.Compile(block.Label, args)
		for _, problem := range problems {
			diags.Errorf(problemRange(block, problem), "invalid-guard", fmt.Sprintf("guard %q: %s cannot be used", block.Label, problemSubject(block, problem)),
				"%s", problem.Text)
		}
		p.Guards = append(p.Guards, compiled)
	}
	for _, block := range m.Secrets {
		secret := policy.Secret{
			Name: block.Label,
			Doc:  block.Attrs.Get("doc").Text,
			Env:  block.Attrs.Get("env").Text,
			File: block.Attrs.Get("file").Text,
		}
		for _, word := range block.Attrs.Get("command").List {
			secret.Command = append(secret.Command, word.Text)
		}
		for _, s := range append([]string{secret.Doc, secret.Env, secret.File}, secret.Command...) {
			if !plainText(s) {
				diags.Errorf(block.Origin, "invalid-text", fmt.Sprintf("secret %q: %q is no plain text", block.Label, s),
					"It has to be UTF-8 without NUL. Correct it.")
			}
		}
		p.Secrets = append(p.Secrets, secret)
	}
	var list diag.List
	p.Reminders, list = reminders(m)
	diags = append(diags, list...)
	p.ProjectRules = slices.ContainsFunc(m.Targets, func(b model.Block) bool { return b.Attrs.Get("projectRules").Bool })
	return p, diags
}

// selfGuard is the guard that is always in force.
const selfGuard = "self"

// credentialsGuard is the guard that keeps what the manifest's secrets come from, too.
const credentialsGuard = "credentials"

// sourcesOf is the files and the variables that secrets come from.
func sourcesOf(secrets []model.Block) (files, variables []string) {
	files, variables = []string{}, []string{}
	for _, s := range secrets {
		if file := s.Attrs.Get("file").Text; file != "" {
			files = append(files, file)
		}
		if name := s.Attrs.Get("env").Text; name != "" {
			variables = append(variables, name)
		}
		if s.Attrs.Get("export").Bool {
			variables = append(variables, s.Label)
		}
	}
	return files, variables
}

// destinations is where the entries of a tree are: those that are a link or a copy, and those that are a part of a file.
func destinations(entries []tree.Entry) (whole, merged []string) {
	whole, merged = []string{}, []string{}
	for _, e := range entries {
		if e.Placement == tree.Merge || e.Placement == tree.Block {
			merged = append(merged, string(e.Dest))
		} else {
			whole = append(whole, string(e.Dest))
		}
	}
	return whole, merged
}

// reminders is what a session is told again and again.
func reminders(m model.Machine) ([]policy.Reminder, diag.List) {
	var out []policy.Reminder
	var diags diag.List
	for _, block := range m.Reminders {
		text := block.Attrs.Get("text").Text
		every, err := strconv.Atoi(block.Attrs.Get("every").Number) // the compiler has checked it
		if err != nil || !plainText(block.Label+text) {
			diags.Errorf(block.Origin, "invalid-text", fmt.Sprintf("reminder %q is no plain text", block.Label), "It has to be UTF-8 without NUL. Correct it.")
		}
		out = append(out, policy.Reminder{Name: block.Label, Every: every, Text: text})
	}
	return out, diags
}

// plainText reports whether a policy can hold a text.
func plainText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// guardArgs is a guard's attributes as its compiler takes them.
func guardArgs(block model.Block) guard.Args {
	args := guard.Args{}
	for _, f := range block.Attrs.Fields {
		switch f.Value.Kind {
		case model.KindBool:
			args[f.Name] = f.Value.Bool
		case model.KindNumber:
			n, err := strconv.Atoi(f.Value.Number)
			if err != nil {
				n = -1 // no guard takes it
			}
			args[f.Name] = n
		case model.KindList:
			words := make([]string, 0, len(f.Value.List))
			for _, e := range f.Value.List {
				words = append(words, e.Text)
			}
			args[f.Name] = words
		default:
			args[f.Name] = f.Value.Text
		}
	}
	return args
}

// problemRange is where a problem stands: at the element, else at the argument, else at the block.
func problemRange(block model.Block, p guard.Problem) diag.Range {
	v := block.Attrs.Get(p.Arg)
	switch {
	case p.Index >= 0 && p.Index < len(v.List):
		return v.List[p.Index].Origin
	case v.Kind != model.KindAbsent:
		return v.Origin
	}
	return block.Origin
}

// problemSubject names what is wrong: the element's text, or the argument.
func problemSubject(block model.Block, p guard.Problem) string {
	v := block.Attrs.Get(p.Arg)
	switch {
	case p.Index >= 0 && p.Index < len(v.List):
		return fmt.Sprintf("%q", v.List[p.Index].Text)
	case p.Arg != "":
		return p.Arg
	}
	return "it"
}
