package compiler

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// Rewrite is one file of a manifest before and after an edit. Path is slashed and relative to the manifest's folder.
type Rewrite struct {
	Path     string
	Name     string // as it is shown to the user
	Old, New []byte // as the file spells it: byte order mark and line ends as they were
}

// Rewritten is the sources with the rewrites in the place of the files.
func Rewritten(src Sources, all []Rewrite) Sources {
	over := rewritten{}
	for _, r := range all {
		over[r.Path] = r.New
	}
	return over.sources(src)
}

// Absorb writes values back into the manifest's files, for one host with the facts that Resolve takes: only the bytes
// of the values change. The result is parsed and resolved, and taken only if nothing but those values changed. An edit
// that is not possible, because the value is no literal or comes from a built-in module, is an error at the place where
// the value comes from; then there are no rewrites at all. Ranges of errors lie in the texts of the manifest as it was.
func Absorb(src Sources, specs Specs, host string, facts model.Facts, edits []model.Edit) ([]Rewrite, diag.List) {
	a := &absorber{src: src, specs: specs, host: host, facts: facts}
	before, ok := a.load(nil)
	if !ok {
		return nil, a.diags.Sorted()
	}
	plans := make([]planned, 0, len(edits))
	for _, e := range edits {
		at, more := before.place(e)
		plans = append(plans, planned{e, at})
		a.diags = append(a.diags, more...)
	}
	if a.diags.HasErrors() {
		return nil, a.diags.Sorted()
	}
	// From the last place to the first, so that the places that are left stay where they were.
	slices.SortStableFunc(plans, func(x, y planned) int {
		return cmp.Or(cmp.Compare(y.at.File, x.at.File), cmp.Compare(y.at.Start.Byte, x.at.Start.Byte))
	})
	written := rewritten{}
	for _, p := range plans {
		a.apply(p, written)
	}
	if a.diags.HasErrors() {
		return nil, a.diags.Sorted()
	}
	return before.rewrites(written), nil
}

// planned is an edit and the place in the original texts that its errors name.
type planned struct {
	model.Edit
	at diag.Range
}

type absorber struct {
	src   Sources
	specs Specs
	host  string
	facts model.Facts
	diags diag.List
}

// edition is the manifest with some of its files rewritten, resolved.
type edition struct {
	m       *Manifest
	ev      *evaluator
	layers  []*layer // active, the earliest first
	machine model.Machine
}

// load reads and resolves the manifest with other texts for some files.
func (a *absorber) load(over rewritten) (*edition, bool) {
	m, list := Load(over.sources(a.src), a.specs)
	if list.HasErrors() {
		a.diags = append(a.diags, list...)
		return nil, false
	}
	h := m.host(a.host)
	if h == nil && len(m.hosts) > 0 {
		a.diags.Errorf(m.file, "unknown-host", "Unknown host `"+a.host+"`", "There is no `host \"%s\"` block. %s", a.host, didYouMean(a.host, m.Hosts()))
		return nil, false
	}
	r := m.resolver(h, a.facts)
	out := &edition{m: m, ev: r.ev, layers: r.layers()}
	out.machine = r.merged(out.layers)
	out.machine.Host = a.host
	r.requireFacts(a.host)
	if r.diags.HasErrors() {
		a.diags = append(a.diags, r.diags...)
		return nil, false
	}
	return out, true
}

// apply makes one edit after those in written. A refusal is told at the edit's place in the original.
func (a *absorber) apply(p planned, written rewritten) {
	refuse := func(why string) {
		a.diags.Errorf(p.at, "not-absorbed", "`"+dotted(p.Path)+"` cannot be written back", "%s Write %s by hand.", why, p.wanted())
	}
	try := &absorber{src: a.src, specs: a.specs, host: a.host, facts: a.facts}
	now, ok := try.load(written)
	if !ok {
		refuse(firstReason(try.diags))
		return
	}
	changes, list := now.changes(p.Edit)
	if len(list) > 0 {
		a.diags = append(a.diags, list...)
		return
	}
	next := written.clone()
	for name, splices := range changes {
		next[name] = splice(now.raw(name), splices)
	}
	after, ok := try.load(next)
	if !ok {
		refuse(firstReason(try.diags))
		return
	}
	if got, want := digestMachine(after.machine), digestMachine(edited(now.machine, p.Edit)); got != want {
		refuse("The manifest would then mean something else, too: another layer, a function or a spelling that HCL does not keep has a part in it.")
		return
	}
	for name, text := range next {
		written[name] = text
	}
}

func firstReason(l diag.List) string {
	for _, d := range l.Sorted() {
		if d.Severity == diag.Error {
			return d.Summary + ". " + d.Detail
		}
	}
	return ""
}

// wanted says in HCL what an edit wants at its place.
func (p planned) wanted() string { return wanted(p.Edit) }

func wanted(e model.Edit) string {
	name, value := dotted(e.Path), "the value"
	if !holdsCredential(e.Value) && e.Value.Kind != model.KindAbsent {
		value = "`" + hclText(e.Value, "") + "`"
	}
	switch e.Op {
	case model.Unset:
		return "it without `" + name + "`"
	case model.AddElement:
		return value + " into `" + name + "`"
	case model.RemoveElement:
		return "`" + name + "` without " + value
	}
	return "`" + name + "` as " + value
}

func dotted(keys []string) string { return strings.Join(keys, ".") }

// holdsCredential reports whether a text in the value must not be shown or written.
func holdsCredential(v model.Value) bool {
	return looksLikeCredential(v.Text) != "" || slices.ContainsFunc(v.List, holdsCredential) ||
		slices.ContainsFunc(v.Fields, func(f model.Field) bool { return holdsCredential(f.Value) })
}

// rewritten is the files that were rewritten: source label to bytes.
type rewritten map[string][]byte

func (o rewritten) clone() rewritten {
	out := rewritten{}
	for name, text := range o {
		out[name] = text
	}
	return out
}

// sources reads the rewritten files from memory and all else as before.
func (o rewritten) sources(src Sources) Sources {
	if len(o) == 0 {
		return src
	}
	below := src.Module
	src.Root = overlaid{src.Root, o, "."}
	src.Module = func(dir string) (fs.FS, error) {
		if below == nil {
			return nil, fs.ErrNotExist
		}
		fsys, err := below(dir)
		if err != nil {
			return nil, err
		}
		return overlaid{fsys, o, dir}, nil
	}
	return src
}

// raw is the bytes of a file of this edition.
func (e *edition) raw(label string) []byte {
	for _, ly := range e.m.layers() {
		src := ly.scope.source
		if rel, ok := src.holds(label); ok {
			if data, p := src.read(rel, MaxFile); p == nil {
				return data
			}
		}
	}
	return nil
}

// holds gives the name in the folder of the file with that label.
func (s *source) holds(label string) (string, bool) {
	if path.Dir(label) != s.dir {
		return "", false
	}
	return path.Base(label), true
}

// rewrites lists what changed, by path.
func (e *edition) rewrites(written rewritten) []Rewrite {
	var out []Rewrite
	for label, text := range written {
		old := e.raw(label)
		if string(old) == string(text) {
			continue
		}
		out = append(out, Rewrite{Path: label, Name: path.Join(path.Dir(e.m.file.File), label), Old: old, New: text})
	}
	slices.SortFunc(out, func(a, b Rewrite) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// digestMachine is a text that is equal for machines that differ in nothing but places.
func digestMachine(m model.Machine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "profiles %q\n", m.Profiles)
	for _, c := range m.Channels {
		fmt.Fprintf(&b, "channel %q\n", c.Value)
	}
	for i, files := range [][]model.File{m.Persona, m.Rules, m.Manifesto, m.Instructions, m.Agents, m.Commands} {
		for _, f := range files {
			fmt.Fprintf(&b, "file %d %q %q %d\n", i, f.Source, f.Rel, len(f.Data))
		}
	}
	for _, f := range m.Skills {
		fmt.Fprintf(&b, "skill %q %q %d\n", f.Name, f.Source, len(f.Files))
	}
	for _, list := range [][]model.Block{m.Targets, m.MCP, m.Secrets, m.Guards, m.Hooks, m.Reminders} {
		for _, block := range list {
			fmt.Fprintf(&b, "%s %q %s\n", block.Type, block.Label, valueKey(block.Attrs))
		}
	}
	return b.String()
}
