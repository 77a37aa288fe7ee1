package compiler

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// testSpecs is a target and two guards with one attribute of each sort.
func testSpecs() Specs {
	return Specs{
		Targets: []model.BlockSpec{{
			Type: "target", Label: "copilot", Doc: "GitHub Copilot CLI.",
			Attributes: []model.AttrSpec{
				{Name: "settings", Type: model.Type{Kind: model.TypeMap}, Merge: model.MergeDeep},
				{Name: "browserCommand", Type: model.Type{Kind: model.TypeOneOf, Of: []model.Type{kind(model.TypeString), listOf(model.TypeString)}}},
				{Name: "statusLine", Type: kind(model.TypeBool)},
				{Name: "allowAll", Type: kind(model.TypeBool)},
				{Name: "mcpAlwaysEnabled", Type: listOf(model.TypeString), Merge: model.MergeSet},
				{Name: "limit", Type: kind(model.TypeNumber)},
			},
		}},
		Guards: []guard.Spec{
			{Kind: "commands", Doc: "Denies commands.", Args: []guard.Arg{{Name: "deny", Type: guard.Strings}, {Name: "reason", Type: guard.String}}},
			{Kind: "branch", Doc: "Protects branches.", Args: []guard.Arg{{Name: "names", Type: guard.Strings, Required: true, Example: `["main"]`}, {Name: "strict", Type: guard.Bool}}},
		},
	}
}

func yes(b bool) *bool { return &b }

// testFacts is a Linux machine, all of it known.
func testFacts() model.Facts {
	return model.Facts{
		Hostname: "wl-0431", OS: "linux", Arch: "amd64", WSL: yes(true), User: "sam", Home: "/home/sam",
		StateDir: "/home/sam/.local/state/agentihooks", CopilotHome: "/home/sam/.copilot",
		Versions: map[string]string{"copilot": "1.0.102"}, Which: map[string]string{"zsh": "/bin/zsh", "fish": ""},
	}
}

// memory makes sources of files in memory. The manifest is "home/machine.hcl"; other folders are modules.
func memory(files map[string]string) Sources {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	sub := func(dir string) (fs.FS, error) {
		if _, err := fs.Stat(all, dir); err != nil {
			return nil, err
		}
		return fs.Sub(all, dir)
	}
	root, _ := sub("home")
	builtin, err := sub("builtin")
	if err != nil {
		builtin = fstest.MapFS{}
	}
	return Sources{
		Name: "home/machine.hcl", Root: root, Builtin: builtin,
		Module: func(dir string) (fs.FS, error) { return sub(path.Join("home", dir)) },
	}
}

// manifestOf is a source with one file.
func manifestOf(text string) Sources { return memory(map[string]string{"home/machine.hcl": text}) }

// run loads and resolves for the host that the facts match.
func run(src Sources, facts model.Facts) (model.Machine, *Manifest, diag.List) {
	m, diags := Load(src, testSpecs())
	if diags.HasErrors() {
		return model.Machine{}, m, diags
	}
	host, more := m.Match(facts)
	diags = append(diags, more...)
	if diags.HasErrors() {
		return model.Machine{}, m, diags
	}
	known, more := m.HostFacts(host, facts)
	diags = append(diags, more...)
	machine, more := m.Resolve(host, known)
	return machine, m, append(diags, more...)
}

// resolved is run without errors.
func resolved(t *testing.T, src Sources, facts model.Facts) model.Machine {
	t.Helper()
	machine, _, diags := run(src, facts)
	for _, d := range diags {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s: %s", d.Subject, d.Summary, d.Detail)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return machine
}

// block is the machine's block of that label.
func blockOf(t *testing.T, blocks []model.Block, label string) model.Block {
	t.Helper()
	for _, b := range blocks {
		if b.Label == label {
			return b
		}
	}
	t.Fatalf("no block %q among %d", label, len(blocks))
	return model.Block{}
}

// show is a value as short text, without origins.
func show(v model.Value) string {
	switch v.Kind {
	case model.KindBool:
		return fmt.Sprint(v.Bool)
	case model.KindNumber:
		return v.Number
	case model.KindString:
		return fmt.Sprintf("%q", v.Text)
	case model.KindTemplate:
		var b strings.Builder
		for _, p := range v.Parts {
			if p.Secret != "" {
				b.WriteString("<" + p.Secret + ">")
			}
			b.WriteString(p.Literal)
		}
		return b.String()
	case model.KindList:
		var items []string
		for _, e := range v.List {
			items = append(items, show(e))
		}
		return "[" + strings.Join(items, " ") + "]"
	case model.KindObject:
		var items []string
		for _, f := range v.Fields {
			items = append(items, f.Name+"="+show(f.Value))
		}
		return "{" + strings.Join(items, " ") + "}"
	}
	return "absent"
}

func channels(m model.Machine) string {
	var out []string
	for _, c := range m.Channels {
		out = append(out, c.Value)
	}
	return strings.Join(out, " ")
}

func names(files []model.File) string {
	var out []string
	for _, f := range files {
		out = append(out, f.Source)
	}
	return strings.Join(out, " ")
}
