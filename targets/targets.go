// Package targets renders a machine into a tree: one folder a target, one line each in the table.
package targets

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/copilot"
	"github.com/agentihooks/agentihooks/targets/copilot/catalogue"
	"github.com/agentihooks/agentihooks/targets/target"
)

// ShellInit is the lines that load the targets' environment into a shell: bash, zsh or fish. Home is absolute.
func ShellInit(shell, home string) (string, error) { return copilot.ShellInit(shell, home) }

// AllowAllVariable is the environment variable that allows Copilot every tool, and loads the hooks of every repository.
const AllowAllVariable = copilot.AllowAllVariable

// CheckSettings looks at Copilot's settings as they are in the home, as plain JSON, for a version of it: what of them costs
// Copilot the whole file.
func CheckSettings(text []byte, version string) []string {
	return Check(map[string]string{copilot.Target().Spec.Label: version})(copilot.SettingsPath, text)
}

// Environment is the variables that a tree sets for shells, by name.
func Environment(read target.Reader) map[string]string { return copilot.Environment(read) }

// Catalogue is the release with whose settings those for a version of Copilot are checked, and whether it is an older one.
func Catalogue(version string) (release string, older bool) {
	release = catalogue.For(version).Version
	return release, catalogue.Compare(release, version) < 0
}

// All is the table of targets, sorted by label.
func All() []target.Target {
	return []target.Target{
		copilot.Target(),
	}
}

// Where the hook and its policy lie in the tree. The hook reads the policy beside it.
const (
	HookPath   = "bin/agentihooks-hook"
	PolicyPath = "policy/policy.bin"
)

// Specs is what the target blocks take, in the table's order.
func Specs() []model.BlockSpec {
	var out []model.BlockSpec
	for _, t := range All() {
		out = append(out, t.Spec)
	}
	return out
}

// Probes is the names of programs that the machine's facts have to answer (Facts.Which: name -> absolute path, "" if
// there is none) before Render. A name with a slash is a path and answered by itself if it can be run. Sorted, each
// once.
func Probes(m model.Machine) []string {
	var out []string
	for _, block := range m.Targets {
		if t := find(block.Label); t.Probes != nil {
			out = append(out, t.Probes(m, block)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Versions is the version of each target's program that is rendered for: what its block says, else what was found.
func Versions(m model.Machine) map[string]string {
	out := map[string]string{}
	for _, block := range m.Targets {
		out[block.Label] = cmp.Or(block.Attrs.Get("version").Text, m.Facts.Versions[block.Label])
	}
	return out
}

// Check looks at a merged file as it is going to be in the home, for the versions of programs that are found: what
// the user has to know of it.
func Check(versions map[string]string) func(path string, text []byte) []string {
	return func(path string, text []byte) []string {
		var out []string
		for _, t := range All() {
			if t.Check != nil {
				out = append(out, t.Check(path, text, versions[t.Spec.Label])...)
			}
		}
		return out
	}
}

// Render makes the machine's tree: what each declared target needs, the hook (the bytes of its binary for the
// machine's system) and the policy. A machine without a target has an empty tree. The diagnostics hold warnings too;
// with an error the tree is the zero Tree.
func Render(m model.Machine, hook []byte) (tree.Tree, []target.Loss, diag.List) {
	if diags := checkFacts(m); len(diags) > 0 {
		return tree.Tree{}, nil, diags
	}
	var diags diag.List
	var losses []target.Loss
	j := joint{at: map[string]int{}}
	for _, block := range m.Targets {
		out, list := find(block.Label).Render(target.Input{Machine: m, Block: block, Hook: hookDest(m.Facts)})
		diags = append(diags, list...)
		losses = append(losses, out.Losses...)
		j.add(out)
	}
	if len(m.Targets) > 0 {
		compiled, list := compilePolicy(m, j.entries)
		diags = append(diags, list...)
		files := []tree.File{{Path: HookPath, Exec: true, Data: hook, Origins: origins(m.Targets)}}
		if !diags.HasErrors() {
			from := origins(slices.Concat(m.Targets, m.Guards, m.Secrets, m.Reminders))
			files = append(files, tree.File{Path: PolicyPath, Data: policy.Encode(compiled), Origins: from})
		}
		j.add(target.Output{Files: files})
	}
	index := tree.Index{Host: m.Host, OS: m.Facts.OS, Arch: m.Facts.Arch, Home: m.Facts.Home, Copilot: m.Facts.CopilotHome}
	made, list := tree.New(index, j.files, j.entries)
	diags = append(append(diags, j.diags...), list...)
	if diags.HasErrors() {
		return tree.Tree{}, losses, diags
	}
	return made, losses, diags
}

// checkFacts refuses to render for a host of which too little is known: each of these gets into the tree.
func checkFacts(m model.Machine) diag.List {
	var diags diag.List
	if len(m.Targets) == 0 {
		return nil
	}
	for _, fact := range []struct{ name, value string }{
		{"os", m.Facts.OS},
		{"arch", m.Facts.Arch},
		{"home", m.Facts.Home},
		{"stateDir", m.Facts.StateDir},
		{"copilotHome", m.Facts.CopilotHome},
	} {
		switch {
		case fact.value == "":
			diags.Errorf(m.Targets[0].Origin, "unknown-fact", fmt.Sprintf("the fact %s of host %q is not known", fact.name, m.Host),
				"It gets into what is built. Add it to the facts of this host.")
		case !plainText(fact.value):
			diags.Errorf(m.Targets[0].Origin, "invalid-fact", fmt.Sprintf("the fact %s of host %q is %q", fact.name, m.Host, fact.value),
				"It has to be UTF-8 without NUL. Correct it.")
		}
	}
	return diags
}

// hookDest is the hook as the agents call it: through `current`, so that a switch changes what they run.
func hookDest(f model.Facts) string { return path.Join(f.StateDir, "current/tree", HookPath) }

// find is a target by its label. The compiler lets no other label through.
func find(label string) target.Target {
	for _, t := range All() {
		if t.Spec.Label == label {
			return t
		}
	}
	panic("targets: no target " + label)
}

// origins is where blocks were written.
func origins(blocks []model.Block) []diag.Range {
	out := make([]diag.Range, 0, len(blocks))
	for _, b := range blocks {
		out = append(out, b.Origin)
	}
	return out
}

// joint is the targets' outputs, joined. A file or an entry that two targets give alike stands once; one that they
// give differently is an error.
type joint struct {
	files   []tree.File
	entries []tree.Entry
	at      map[string]int // index of a file by its path, of files given by earlier targets
	diags   diag.List
}

func (j *joint) add(out target.Output) {
	given := len(j.files)
	for _, f := range out.Files {
		i, ok := j.at[f.Path]
		switch {
		case !ok:
			j.files = append(j.files, f)
		case j.files[i].Exec != f.Exec || !bytes.Equal(j.files[i].Data, f.Data):
			j.diags.Errorf(first(f.Origins), "target-conflict", fmt.Sprintf("two targets want %s with different content", f.Path),
				"They share this place. Disable one of the targets, or report this.")
		}
	}
	// Two files of one target under one path are that target's fault, and told by tree.New.
	for i := given; i < len(j.files); i++ {
		j.at[j.files[i].Path] = i
	}
	shared := len(j.entries)
	for _, e := range out.Entries {
		if !slices.ContainsFunc(j.entries[:shared], func(o tree.Entry) bool {
			return o.Dest == e.Dest && o.Placement == e.Placement && o.Path == e.Path && len(o.Keys)+len(e.Keys) == 0
		}) {
			j.entries = append(j.entries, e)
		}
	}
}

func first(origins []diag.Range) diag.Range {
	if len(origins) == 0 {
		return diag.Range{}
	}
	return origins[0]
}
