package compiler

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// layer is one level of the manifest: a module or bundle, the top level, a profile or a host. Several files of a module
// make one layer; that of a bundle has no attributes or blocks of its own.
type layer struct {
	title   string // "profile `work`", for messages
	scope   *scope
	attrs   []attribute
	blocks  []*block
	modules []*occurrence // and bundles, in source order

	once  sync.Once // guards deps
	deps  []string  // the facts that its value depends on
	mu    sync.Mutex
	cache map[string]*layerValue // by the values of those facts
}

// attribute is one attribute as written.
type attribute struct {
	spec model.AttrSpec
	expr *expr
	at   hcl.Range // its name
}

// block is one labelled settings block as written: a target, server, secret or guard.
type block struct {
	kind  *blockType
	label string
	at    hcl.Range // its label
	attrs []attribute
	body  *hclsyntax.Body
	bad   bool // something in it was reported: what only the whole shows is not checked
}

// scope is what the names in an expression mean.
type scope struct {
	source *source
	module *instance // nil in the manifest's own files
	parent *scope    // the body around this one, in the same module
	locals map[string]*local
}

// local is one named value.
type local struct {
	name string
	at   hcl.Range
	expr *expr
}

func (s *scope) local(name string) *local {
	for ; s != nil; s = s.parent {
		if l, ok := s.locals[name]; ok {
			return l
		}
	}
	return nil
}

func (s *scope) localNames() []string {
	var out []string
	for ; s != nil; s = s.parent {
		for name := range s.locals {
			out = append(out, name)
		}
	}
	return out
}

func (s *scope) child() *scope {
	return &scope{source: s.source, module: s.module, parent: s, locals: map[string]*local{}}
}

// body decodes what a body of that place holds into a layer, and gives back the attributes that are the place's own.
func (l *loader) body(ly *layer, title string, b *hclsyntax.Body) map[string]attribute {
	p := l.m.table.place(title)
	content := l.content(p, b)
	own := map[string]attribute{}
	for _, a := range l.attributes(p, content, ly.scope) {
		if slices.ContainsFunc(l.m.table.body, func(s bodyAttr) bool { return s.Name == a.spec.Name }) {
			ly.attrs = append(ly.attrs, a)
		} else {
			own[a.spec.Name] = a
		}
	}
	// Locals first: the other blocks of the body may use them.
	for _, pass := range []bool{true, false} {
		for _, inner := range content.Blocks {
			if (inner.Type == "locals") != pass {
				continue
			}
			native := &hclsyntax.Block{
				Type: inner.Type, Labels: inner.Labels, Body: inner.Body.(*hclsyntax.Body),
				TypeRange: inner.TypeRange, LabelRanges: inner.LabelRanges,
			}
			if !l.checkLabel(native) {
				continue
			}
			bt := l.m.table.block(inner.Type)
			if bt.decode != nil {
				bt.decode(l, ly, native)
			} else {
				l.settings(ly, bt, native)
			}
		}
	}
	return own
}

// checkLabel reports a label that cannot be shown as it is.
func (l *loader) checkLabel(b *hclsyntax.Block) bool {
	for i, label := range b.Labels {
		if !printable(label) || strings.ContainsFunc(label, func(r rune) bool { return r == '\u2028' || r == '\u2029' }) {
			l.diags.Errorf(rangeOf(b.LabelRanges[i]), "invalid-label", "The label of this `"+b.Type+"` block is not a name",
				"A label is not empty and holds no control characters. Write a plain name.")
			return false
		}
	}
	return true
}

// content checks a body against its schema.
func (l *loader) content(p place, b *hclsyntax.Body) *hcl.BodyContent {
	content, ds := b.Content(p.schema)
	for _, d := range ds {
		name := ""
		if d.Subject != nil {
			name = l.cut(*d.Subject)
		}
		at := rangeOf(*cmp.Or(d.Subject, &b.SrcRange))
		switch {
		case d.Summary == "Unsupported argument":
			l.diags.Errorf(at, "unknown-attribute", "Unknown attribute `"+name+"`",
				"There is no attribute `%s` in %s. %s", name, p.title, l.m.table.suggestAttribute(name, p))
		case d.Summary == "Unsupported block type":
			l.diags.Errorf(at, "unknown-block", "Unknown block `"+name+"`",
				"There is no block `%s` in %s. %s", name, p.title, l.m.table.suggestBlock(name, p))
		case strings.HasPrefix(d.Summary, "Extraneous label"), strings.HasPrefix(d.Summary, "Missing"):
			l.diags.Errorf(at, "wrong-labels", d.Summary, "%s Write `%s { … }`.", d.Detail, l.m.table.headerAt(b, at))
		default:
			l.diags = append(l.diags, fromHCL(hcl.Diagnostics{d}, "syntax")...)
		}
	}
	return content
}

// headerAt is how the block around a place should begin.
func (t *table) headerAt(b *hclsyntax.Body, at diag.Range) string {
	for _, inner := range b.Blocks {
		if inner.TypeRange.Start.Byte <= at.Start.Byte && at.Start.Byte < inner.Body.EndRange.End.Byte {
			return t.header(inner.Type)
		}
	}
	return "name"
}

// attributes pairs what is written with its spec, in source order.
func (l *loader) attributes(p place, content *hcl.BodyContent, sc *scope) []attribute {
	var out []attribute
	for _, spec := range p.attrs {
		if a, ok := content.Attributes[spec.Name]; ok {
			out = append(out, attribute{spec: spec, expr: l.expr(a.Expr, sc), at: a.NameRange})
		}
	}
	slices.SortFunc(out, func(a, b attribute) int { return cmp.Compare(a.at.Start.Byte, b.at.Start.Byte) })
	return out
}

// settings decodes a labelled block by its specs: one for each label, or one for all labels.
func (l *loader) settings(ly *layer, bt *blockType, b *hclsyntax.Block) {
	label, at := b.Labels[0], b.LabelRanges[0]
	fixed := ""
	i := slices.IndexFunc(bt.specs, func(s model.BlockSpec) bool { return s.Label == label })
	switch {
	case i >= 0:
		fixed = label
	case len(bt.specs) == 1 && bt.specs[0].Label == "":
	default:
		var known []string
		for _, s := range bt.specs {
			known = append(known, s.Label)
		}
		l.diags.Errorf(rangeOf(at), "unknown-"+bt.name, "Unknown "+bt.name+" `"+label+"`",
			"There is no %s `%s`. %s", bt.name, label, didYouMean(label, known))
		return
	}
	if bt.labels != nil {
		if why := bt.labels(label); why != "" {
			l.diags.Errorf(rangeOf(at), "invalid-label", "`"+label+"` is no "+bt.name+" "+bt.label, "%s", why)
		}
	}
	p := l.m.table.place(titleOf(bt.name, fixed))
	before := len(l.diags)
	content := l.content(p, b.Body)
	ly.blocks = append(ly.blocks, &block{
		kind: bt, label: label, at: at, body: b.Body,
		attrs: l.attributes(p, content, ly.scope), bad: len(l.diags) > before,
	})
}
