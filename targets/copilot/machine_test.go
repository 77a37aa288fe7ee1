package copilot

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/target"
)

// The builders below make what the compiler would. Every range has its own line, so that a lost origin shows.

var line int

func origin() diag.Range {
	line++
	return diag.Range{File: "machine.hcl", Start: diag.Pos{Line: line, Column: 1, Byte: line}, End: diag.Pos{Line: line, Column: 2, Byte: line + 1}}
}

func text(s string) model.Value {
	return model.Value{Kind: model.KindString, Text: s, Origin: origin()}
}

func truth(b bool) model.Value { return model.Value{Kind: model.KindBool, Bool: b, Origin: origin()} }

func number(s string) model.Value {
	return model.Value{Kind: model.KindNumber, Number: s, Origin: origin()}
}

func list(words ...string) model.Value {
	v := model.Value{Kind: model.KindList, Origin: origin()}
	for _, w := range words {
		v.List = append(v.List, text(w))
	}
	return v
}

// template is literal text and, where it begins with @, a secret.
func template(parts ...string) model.Value {
	v := model.Value{Kind: model.KindTemplate, Origin: origin()}
	for _, p := range parts {
		if name, ok := strings.CutPrefix(p, "@"); ok {
			v.Parts = append(v.Parts, model.Part{Secret: name})
		} else {
			v.Parts = append(v.Parts, model.Part{Literal: p})
		}
	}
	return v
}

// dict is an object of name, value, name, value…
func dict(fields ...any) model.Value {
	v := model.Value{Kind: model.KindObject, Origin: origin()}
	for i := 0; i < len(fields); i += 2 {
		v.Fields = append(v.Fields, model.Field{Name: fields[i].(string), Value: fields[i+1].(model.Value)})
	}
	slices.SortFunc(v.Fields, func(a, b model.Field) int { return strings.Compare(a.Name, b.Name) })
	return v
}

func block(kind, label string, fields ...any) model.Block {
	return model.Block{Type: kind, Label: label, Attrs: dict(fields...), Origin: origin()}
}

func file(source, data string) model.File {
	name := source[strings.LastIndex(source, "/")+1:]
	return model.File{Name: name, Rel: name, Source: source, Data: []byte(data), Origin: origin()}
}

func folder(name string, files ...string) model.Folder {
	f := model.Folder{Name: name, Source: "skills/" + name, Origin: origin()}
	for i := 0; i < len(files); i += 2 {
		rel, exec := strings.CutSuffix(files[i], "*")
		f.Files = append(f.Files, model.File{
			Name: rel[strings.LastIndex(rel, "/")+1:], Rel: rel, Source: f.Source + "/" + rel,
			Data: []byte(files[i+1]), Exec: exec,
		})
	}
	return f
}

// machine is an empty machine with a target that sets the given attributes.
func machine(fields ...any) model.Machine {
	off := false
	return model.Machine{
		Host: "h",
		Facts: model.Facts{
			Hostname: "h", OS: "linux", Arch: "amd64", WSL: &off, User: "u", Home: "/home/u",
			StateDir: "/home/u/.local/state/agentihooks", CopilotHome: "/home/u/.copilot", Which: map[string]string{},
			Versions: map[string]string{"copilot": "1.0.102"},
		},
		Targets: []model.Block{block("target", "copilot", fields...)},
	}
}

func input(m model.Machine) target.Input {
	return target.Input{Machine: m, Block: m.Targets[0], Hook: m.Facts.StateDir + "/current/tree/bin/agentihooks-hook"}
}

// rendered is the output of a machine that must not fail.
func rendered(t *testing.T, m model.Machine) target.Output {
	t.Helper()
	out, diags := Render(input(m))
	diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Code == "skill-folder" }) // the folder that is odd on purpose
	if len(diags) > 0 {
		t.Fatalf("diagnostics: %+v", diags)
	}
	return out
}

// made is a file of the output, or "".
func made(out target.Output, name string) string {
	for _, f := range out.Files {
		if f.Path == name {
			return string(f.Data)
		}
	}
	return ""
}

// builtTree is the whole tree of a machine, as the store would hold it.
func builtTree(t *testing.T, m model.Machine) tree.Tree {
	t.Helper()
	out := rendered(t, m)
	made, diags := tree.New(tree.Index{
		Host: m.Host, OS: m.Facts.OS, Arch: m.Facts.Arch, Home: m.Facts.Home, Copilot: m.Facts.CopilotHome,
	}, out.Files, out.Entries)
	if len(diags) > 0 {
		t.Fatalf("diagnostics of the tree: %+v", diags)
	}
	return made
}

// wantDiags compares the codes, each with the text at its place if that is a source file of the machine.
func wantDiags(t *testing.T, got diag.List, want ...string) {
	t.Helper()
	var codes []string
	for _, d := range got.Sorted() {
		codes = append(codes, d.Code)
		if d.Subject.IsZero() {
			t.Errorf("%s %q has no place", d.Code, d.Summary)
		}
		if d.Detail == "" || !strings.HasSuffix(d.Detail, ".") {
			t.Errorf("%s: the detail %q is no sentence", d.Code, d.Detail)
		}
	}
	slices.Sort(codes)
	slices.Sort(want)
	if !slices.Equal(codes, want) {
		t.Errorf("diagnostics %v, want %v:\n%+v", codes, want, got)
	}
}
