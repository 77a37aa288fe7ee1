// Package copilot renders a machine for the GitHub Copilot CLI.
package copilot

import (
	"path"
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/frontmatter"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/target"
)

// Target is this target's line of the table.
func Target() target.Target {
	return target.Target{Spec: spec(), Probes: Probes, Render: Render, Risks: Risks, Check: check, Absorb: absorb}
}

// Render makes all that the Copilot CLI reads of ours: paths below copilot/, agents/ and env/. The order of the
// output does not matter; equal machines give equal output.
func Render(in target.Input) (target.Output, diag.List) {
	r := renderer{in: in}
	r.hooks()
	r.persona()
	r.instructions()
	r.agents()
	r.skills()
	r.settings()
	r.servers()
	r.environment()
	return r.out, r.diags
}

// renderer collects the output of one run.
type renderer struct {
	in    target.Input
	out   target.Output
	diags diag.List
}

// file adds a file to the tree.
func (r *renderer) file(name string, data []byte, exec bool, origins ...diag.Range) {
	r.out.Files = append(r.out.Files, tree.File{Path: name, Exec: exec, Data: data, Origins: known(origins)})
}

// link makes a destination a link to a file or a folder of the tree.
func (r *renderer) link(dest, name string, origins ...diag.Range) {
	r.out.Entries = append(r.out.Entries, tree.Entry{
		Dest: tree.Dest(dest), Placement: tree.Link, Path: name, Origins: known(origins),
	})
}

// merge adds a JSON file whose keys are merged into the program's own.
func (r *renderer) merge(dest, name string, data []byte, keys []tree.Key, origins ...diag.Range) {
	r.file(name, data, false, origins...)
	r.out.Entries = append(r.out.Entries, tree.Entry{
		Dest: tree.Dest(dest), Placement: tree.Merge, Path: name, Keys: keys, Origins: known(origins),
	})
}

// known is the ranges that name a place, each once, in the given order.
func known(origins []diag.Range) []diag.Range {
	var out []diag.Range
	for _, o := range origins {
		if !o.IsZero() && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// home is a path in Copilot's own folder.
func (r *renderer) home(parts ...string) string {
	return path.Join(append([]string{r.in.Machine.Facts.CopilotHome}, parts...)...)
}

// userHome is a path in the user's home.
func (r *renderer) userHome(parts ...string) string {
	return path.Join(append([]string{r.in.Machine.Facts.Home}, parts...)...)
}

// attr is an attribute of the target's block.
func (r *renderer) attr(name string) model.Value { return r.in.Block.Attrs.Get(name) }

// on reports whether a boolean attribute of the target's block is true.
func (r *renderer) on(name string) bool { return r.attr(name).Bool }

// loss records what the program cannot take.
func (r *renderer) loss(at diag.Range, what string) {
	r.out.Losses = append(r.out.Losses, target.Loss{File: at.File, Line: at.Start.Line, What: what})
}

// fault is an error in a source file: at a place there, with the manifest's line that named the file.
func (r *renderer) fault(at, named diag.Range, code, summary, detail string, args ...any) {
	r.diags.Errorf(at, code, summary, detail, args...)
	r.relate(named)
}

// doubt is a warning about a source file.
func (r *renderer) doubt(at, named diag.Range, code, summary, detail string, args ...any) {
	r.diags.Warnf(at, code, summary, detail, args...)
	r.relate(named)
}

func (r *renderer) relate(named diag.Range) {
	if !named.IsZero() {
		r.diags[len(r.diags)-1].Related = []diag.Related{{Label: "named here", Range: named}}
	}
}

// start is the place of a source file's first line.
func start(f model.File) diag.Range { return frontmatter.Start(f.Source, f.Data) }
