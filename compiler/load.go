package compiler

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// loader reads sources into a manifest.
type loader struct {
	m         *Manifest
	from      Sources
	sources   map[string]*source // by folder
	parsed    map[string][]*hclsyntax.Body
	files     map[string][]byte // for the revision
	functions []string          // known names
	exprs     []*expr
	locals    []*local
	groups    map[*instance]*groups
	instances int
	diags     diag.List
}

// Load parses the manifest and its modules. All faults that do not depend on facts are found; if there are errors,
// it also evaluates what it can, so that one run shows as many of them as possible; the manifest is then good for Texts
// alone.
func Load(src Sources, specs Specs) (*Manifest, diag.List) {
	l := newLoader(src, specs)
	if !l.manifest() {
		return l.m, l.diags.Sorted()
	}
	l.finish()
	if l.diags.HasErrors() {
		for _, d := range l.m.CheckAll() {
			if d.Severity == diag.Error {
				l.diags = append(l.diags, d)
			}
		}
		return l.m, l.diags.Sorted()
	}
	return l.m, l.diags.Sorted()
}

func newLoader(src Sources, specs Specs) *loader {
	return &loader{
		m: &Manifest{
			table: newTable(specs), file: diag.Range{File: src.Name, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}},
			byLabel: map[string]*host{}, profiles: map[string]*profile{},
			secrets: map[string]diag.Range{}, texts: map[string][]byte{},
		},
		from: src, sources: map[string]*source{}, parsed: map[string][]*hclsyntax.Body{}, files: map[string][]byte{},
		groups: map[*instance]*groups{}, functions: functionNames(),
	}
}

// manifest reads the manifest's own file and then all modules. It is false if there is nothing to go on with.
func (l *loader) manifest() bool {
	l.sources["."] = newSource(l.m, l.from.Root, ".", path.Dir(l.from.Name), 0)
	root := &scope{source: l.sources["."], locals: map[string]*local{}}
	l.m.root = root
	l.m.top = &layer{title: "the top level", scope: root}
	body := l.parse(root.source, path.Base(l.from.Name))
	if body == nil {
		return false
	}
	l.body(l.m.top, atTop, body)
	l.modules(nil)
	return true
}

// finish does what needs all names: secrets, references, circles of locals and profiles.
func (l *loader) finish() {
	l.m.secret = l.secretObject()
	for _, e := range l.exprs {
		l.analyze(e)
	}
	l.checkLocals()
	l.linkProfiles()
	names := map[string]bool{}
	for _, e := range l.exprs {
		for _, w := range e.refs.which {
			names[w] = true
		}
	}
	l.m.which = slices.Sorted(maps.Keys(names))
	l.m.revision = revisionOf(l.files)
}

// parse reads one HCL file of a folder. It is nil if the file cannot be used.
func (l *loader) parse(src *source, rel string) *hclsyntax.Body {
	name := src.show(rel)
	raw, p := src.read(rel, MaxFile)
	if p != nil {
		l.diags.Errorf(diag.Range{File: name}, p.code, p.summary, "%s", p.detail)
		return nil
	}
	l.files[src.label(rel)] = raw
	// A heredoc would keep the \r of a checkout made on Windows, and every hash of it would differ.
	text := unixText(raw)
	l.m.addText(name, text)
	if ds := checkBounds(text, name); len(ds) > 0 {
		l.diags = append(l.diags, ds...)
		return nil
	}
	file, ds := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	broken := false
	var rest hcl.Diagnostics
	for _, d := range ds {
		if conflict, ok := redefined(d, file); ok {
			l.diags = append(l.diags, conflict)
			continue
		}
		rest = append(rest, d)
		broken = broken || d.Severity == hcl.DiagError
	}
	l.diags = append(l.diags, fromHCL(rest, "syntax")...)
	if broken {
		return nil
	}
	return file.Body.(*hclsyntax.Body)
}

// unixText has \n at the end of each line, the last one too: hcl does not see the end of a heredoc without it.
func unixText(raw []byte) []byte {
	text := bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// cut is the source text of a range.
func (l *loader) cut(r hcl.Range) string {
	text := l.m.texts[r.Filename]
	if r.Start.Byte > r.End.Byte || r.End.Byte > len(text) {
		return ""
	}
	return string(text[r.Start.Byte:r.End.Byte])
}

// constant evaluates an expression that may not refer to anything, and checks that it is a string.
func (l *loader) constant(e hclsyntax.Expression, what string) (string, bool) {
	v, ds := e.Value(nil)
	if ds.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		l.diags.Errorf(rangeOf(e.Range()), "wrong-type", what+" must be a literal string",
			"It has to be known before anything is evaluated. Write it in quotes, without references.")
		return "", false
	}
	return v.AsString(), true
}

// declareSecrets notes the secrets of a layer.
func (l *loader) declareSecrets(ly *layer) {
	for _, b := range ly.blocks {
		if b.kind.name != "secret" {
			continue
		}
		if _, known := l.m.secrets[b.label]; !known {
			l.m.secrets[b.label] = rangeOf(b.at)
		}
	}
}

// layers is every layer of the manifest, in a fixed order.
func (m *Manifest) layers() []*layer {
	out := []*layer{m.top}
	var add func([]*instance)
	add = func(list []*instance) {
		for _, i := range list {
			out = append(out, i.layer)
			add(i.modules)
		}
	}
	add(m.modules)
	for _, name := range slices.Sorted(maps.Keys(m.profiles)) {
		out = append(out, m.profiles[name].layer)
	}
	for _, h := range m.hosts {
		out = append(out, h.layer)
	}
	return out
}

// secretObject is the value behind secret.*: references, never values.
func (l *loader) secretObject() cty.Value {
	for _, ly := range l.m.layers() {
		l.declareSecrets(ly)
	}
	attrs := map[string]cty.Value{}
	for name := range l.m.secrets {
		attrs[name] = cty.StringVal(reference(name)).Mark(secretMark{name})
	}
	return cty.ObjectVal(attrs)
}

// conflict reports two declarations of one name.
func (l *loader) conflict(what string, second, first hcl.Range) {
	l.diags.Errorf(rangeOf(second), "conflict", what+" is declared twice",
		"Each name stands for one thing. Give one of the two another name, or join them.")
	also(l.diags, "first declared here", rangeOf(first))
}

// sortedAttributes orders attributes by place, because hcl keeps them in a map.
func sortedAttributes(attrs hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(attrs), func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.NameRange.Start.Byte, b.NameRange.Start.Byte)
	})
}

// count is "1 file" or "2 files".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
