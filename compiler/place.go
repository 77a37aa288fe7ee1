package compiler

import (
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// site is where a value stands in the syntax, or how far the way to it goes.
type site struct {
	layer *layer
	block *block
	attr  *hclsyntax.Attribute // nil: the block does not set it
	found int                  // how many steps of the path lead to expr; 0: no attribute
	expr  hclsyntax.Expression // after the last step found, without parentheses and only(…)
	in    *hclsyntax.ObjectConsExpr
	item  int // of in, that expr is the value of; both only with found > 1
}

// at is the narrowest range of the site.
func (s site) at() hcl.Range {
	if s.expr != nil {
		return s.expr.Range()
	}
	return s.block.at
}

// label names the site's file as overlays do.
func (s site) label() string {
	return s.layer.scope.source.label(path.Base(s.at().Filename))
}

func (s site) builtin() bool { return strings.HasPrefix(s.layer.scope.source.dir, BuiltinPrefix) }

// sites is where active layers set the place of an edit, the earliest first. Where none does, it is the one site that
// comes nearest: of those, the last.
func (ed *edition) sites(e model.Edit) (all []site, whole bool) {
	var nearest *site
	for _, ly := range ed.layers {
		n, depth := ed.node(ly, e)
		best := ly.site(e)
		switch {
		case best == nil:
		case n != nil && depth == len(e.Path):
			all = append(all, *best)
		case nearest == nil || best.found >= nearest.found:
			nearest = best
		}
	}
	if len(all) == 0 && nearest != nil {
		return []site{*nearest}, false
	}
	return all, len(all) > 0
}

// node is what a layer says of a place, and how many steps of the path it has.
func (ed *edition) node(ly *layer, e model.Edit) (*node, int) {
	for _, b := range ed.ev.layer(ly).blocks {
		if b.kind.name != e.Type || b.label != e.Label {
			continue
		}
		for _, a := range b.attrs {
			if a.spec.Name == e.Path[0] {
				return a.node.walk(e.Path[1:], 1)
			}
		}
	}
	return nil, 0
}

func (n *node) walk(keys []string, depth int) (*node, int) {
	for _, key := range keys {
		if n.kind != object {
			return n, depth
		}
		next := n.field(key)
		if next == nil {
			return n, depth
		}
		n, depth = next, depth+1
	}
	return n, depth
}

// site is the block of the layer in which the way to a place goes furthest; of several, the last. Nil: it has none.
func (ly *layer) site(e model.Edit) *site {
	var best *site
	for _, b := range ly.blocks {
		if b.kind.name != e.Type || b.label != e.Label {
			continue
		}
		s := site{layer: ly, block: b}
		if s.attr = b.body.Attributes[e.Path[0]]; s.attr != nil {
			s.descend(e.Path)
		}
		if best == nil || s.found >= best.found {
			best = &s
		}
	}
	return best
}

func (s *site) descend(keys []string) {
	s.expr, s.found = bare(s.attr.Expr), 1
	for _, key := range keys[1:] {
		cons, ok := s.expr.(*hclsyntax.ObjectConsExpr)
		if !ok {
			return
		}
		i := slices.IndexFunc(cons.Items, func(item hclsyntax.ObjectConsItem) bool {
			name, ok := literalKey(item.KeyExpr)
			return ok && name == key
		})
		if i < 0 {
			return
		}
		s.in, s.item, s.expr = cons, i, bare(cons.Items[i].ValueExpr)
		s.found++
	}
}

// bare is an expression without the parentheses and the only(…) around it.
func bare(e hclsyntax.Expression) hclsyntax.Expression {
	for {
		switch x := e.(type) {
		case *hclsyntax.ParenthesesExpr:
			e = x.Expression
		case *hclsyntax.FunctionCallExpr:
			if x.Name != "only" || len(x.Args) != 1 {
				return e
			}
			e = x.Args[0]
		default:
			return e
		}
	}
}

// isLiteral reports whether an expression is written out: it says the same wherever it stands.
func isLiteral(e hclsyntax.Expression) bool {
	switch x := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.TemplateExpr:
		return !slices.ContainsFunc(x.Parts, func(p hclsyntax.Expression) bool { _, text := p.(*hclsyntax.LiteralValueExpr); return !text })
	case *hclsyntax.UnaryOpExpr:
		return isLiteral(x.Val)
	case *hclsyntax.ParenthesesExpr:
		return isLiteral(x.Expression)
	case *hclsyntax.TupleConsExpr:
		return !slices.ContainsFunc(x.Exprs, func(p hclsyntax.Expression) bool { return !isLiteral(p) })
	case *hclsyntax.ObjectConsExpr:
		return !slices.ContainsFunc(x.Items, func(item hclsyntax.ObjectConsItem) bool {
			_, named := literalKey(item.KeyExpr)
			return !named || !isLiteral(item.ValueExpr)
		})
	}
	return false
}

// refuse explains why an edit is not made at a site.
func (ed *edition) refuse(s site, e model.Edit, code, why string) diag.List {
	var l diag.List
	at := rangeOf(s.at())
	l.Errorf(at, code, "`"+dotted(e.Path)+"` of "+e.Type+" `"+e.Label+"` cannot be written back", "%s Write %s yourself.", why, wanted(e))
	if from := originIn(ed.machine, e); !from.IsZero() && from != at {
		also(l, "the value comes from here", from)
	}
	return l
}

// originIn is where the present value of a place comes from.
func originIn(m model.Machine, e model.Edit) diag.Range {
	for _, b := range slices.Concat(m.Targets, m.MCP, m.Guards, m.Hooks, m.Reminders) {
		if b.Type != e.Type || b.Label != e.Label {
			continue
		}
		v := b.Attrs
		for _, key := range e.Path {
			v = v.Get(key)
		}
		return v.Origin
	}
	return diag.Range{}
}
