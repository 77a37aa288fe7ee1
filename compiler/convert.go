package compiler

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// converter turns the value of one attribute into nodes: the one place where values leave cty, marks are read, and
// types and origins are settled.
type converter struct {
	ev       *evaluator
	expr     *expr  // the attribute's; nil: the value comes from a bundle's JSON
	what     string // "`env` of mcp `x`"
	secret   bool   // secrets are allowed
	diags    *diag.List
	reported map[diag.Range]bool // secrets that were reported, by place
}

// origin is a place in the source together with the expression there, as long as value and expression go together.
type origin struct {
	at     diag.Range
	syntax hclsyntax.Expression // nil: every value below has this place
	scope  *scope
	fields map[string]diag.Range // the places of an object's members, if it comes from JSON
	// written is the expression in the attribute itself, before names were followed: where faults are shown.
	written *expr
}

// convert checks the value against its type and gives its node, or nil.
func (c *converter) convert(v cty.Value, t model.Type) *node {
	from := c.start(c.expr.syntax, c.expr.scope)
	from.written = c.expr
	c.reported = map[diag.Range]bool{}
	return c.node(v, from, t, c.what)
}

// start is the origin that an expression gives.
func (c *converter) start(e hclsyntax.Expression, sc *scope) origin {
	return c.follow(origin{at: rangeOf(e.Range()), syntax: e, scope: sc, written: &expr{syntax: e, scope: sc}})
}

// follow goes through parentheses, only(…), and names of locals and variables to the expression that made a value.
func (c *converter) follow(o origin) origin {
	for range 100 {
		switch x := o.syntax.(type) {
		case *hclsyntax.ParenthesesExpr:
			o.syntax = x.Expression
		case *hclsyntax.FunctionCallExpr:
			if x.Name != "only" || len(x.Args) != 1 {
				o.syntax = nil
				return o
			}
			o.syntax = x.Args[0]
		case *hclsyntax.ScopeTraversalExpr:
			next := (*expr)(nil)
			if len(x.Traversal) == 2 {
				next = c.ev.behind(o.scope, x.Traversal)
			}
			if next == nil {
				o.syntax = nil
				return o
			}
			o.syntax, o.scope = next.syntax, next.scope
		default:
			return o
		}
		o.at = rangeOf(o.syntax.Range())
	}
	o.syntax = nil
	return o
}

// element is the origin of a list's i-th element.
func (c *converter) element(o origin, i int) origin {
	if t, ok := o.syntax.(*hclsyntax.TupleConsExpr); ok && i < len(t.Exprs) {
		return c.start(t.Exprs[i], o.scope)
	}
	return origin{at: o.at, written: o.written}
}

// members is the origins of an object's members that are written out.
func (c *converter) members(o origin) map[string]origin {
	if o.fields != nil {
		out := make(map[string]origin, len(o.fields))
		for name, at := range o.fields {
			out[name] = origin{at: at}
		}
		return out
	}
	cons, ok := o.syntax.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil
	}
	out := make(map[string]origin, len(cons.Items))
	for _, item := range cons.Items {
		if key, ok := literalKey(item.KeyExpr); ok {
			out[key] = c.start(item.ValueExpr, o.scope)
		}
	}
	return out
}

func (c *converter) node(v cty.Value, o origin, t model.Type, what string) *node {
	v, marks := v.Unmark()
	if _, ok := marks[onlyMark{}]; ok {
		c.diags.Errorf(o.at, "only-not-here", "`only` cannot be used in "+what,
			"It replaces what earlier layers say, and works on a whole list with set meaning. Remove it here.")
		return nil
	}
	names := secretsOf(marks)
	if !c.secret {
		for _, n := range names {
			c.misplaced(n, o, what)
		}
		if len(names) > 0 {
			return nil
		}
	}
	if _, ok := marks[changedMark{}]; ok {
		for _, n := range names {
			c.broken(n, o, what)
		}
		return nil
	}
	if v.IsNull() {
		c.unbroken(names, nil, o, what)
		return &node{kind: null, origin: o.at}
	}
	t, ok := choose(t, v.Type())
	if !ok {
		c.diags.Errorf(o.at, "wrong-type", what+" must be "+describe(t),
			"This is %s. Write %s.", article(v.Type()), describe(t))
		return nil
	}
	switch ty := v.Type(); {
	case ty.IsPrimitiveType():
		return c.leaf(v, o, t, names, what)
	case ty.IsListType(), ty.IsSetType(), ty.IsTupleType():
		n := c.list(v, o, t, what)
		c.unbroken(names, n, o, what)
		return n
	case ty.IsMapType(), ty.IsObjectType():
		n := c.object(v, o, t, what)
		c.unbroken(names, n, o, what)
		return n
	}
	c.diags.Errorf(o.at, "wrong-type", what+" has no plain value", "Write a string, number, bool, list or object.")
	return nil
}

// unbroken requires that the secrets of a whole list or object are somewhere in it.
func (c *converter) unbroken(names []string, n *node, o origin, what string) {
	if len(names) == 0 {
		return
	}
	found := map[string]bool{}
	if n != nil {
		n.secrets(func(name string, _ diag.Range) { found[name] = true })
	}
	for _, name := range names {
		if !found[name] {
			c.broken(name, o, what)
		}
	}
}

func (c *converter) leaf(v cty.Value, o origin, t model.Type, names []string, what string) *node {
	out := &node{kind: leaf, origin: o.at}
	switch v.Type() {
	case cty.Bool:
		out.leaf = model.Value{Kind: model.KindBool, Bool: v.True(), Origin: o.at}
	case cty.Number:
		text, ok := number(v.AsBigFloat())
		if !ok {
			c.diags.Errorf(o.at, "invalid-number", what+" is out of range",
				"Numbers have at most 300 digits before or after the point. Write a smaller one.")
			return nil
		}
		out.leaf = model.Value{Kind: model.KindNumber, Number: text, Origin: o.at}
	default:
		return c.text(v.AsString(), o, t, names, what)
	}
	c.unbroken(names, nil, o, what)
	return out
}

// text checks a string and takes the references to secrets in it apart.
func (c *converter) text(s string, o origin, t model.Type, names []string, what string) *node {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		c.diags.Errorf(o.at, "invalid-character", what+" holds bytes that are no text",
			"A NUL byte and bytes that are no UTF-8 cannot be stored. Remove them.")
		return nil
	}
	if len(t.Enum) > 0 && !slices.Contains(t.Enum, s) {
		c.diags.Errorf(o.at, "invalid-value", what+" cannot be `"+s+"`", "It must be %s. %s", describe(t), didYouMean(s, t.Enum))
		return nil
	}
	out := &node{kind: leaf, origin: o.at}
	if len(names) == 0 {
		c.credential(s, o, what)
		out.leaf = model.Value{Kind: model.KindString, Text: s, Origin: o.at}
		return out
	}
	parts, found := split(s, names)
	for _, p := range parts {
		c.credential(p.Literal, o, what)
	}
	for _, n := range names {
		if !slices.Contains(found, n) {
			c.broken(n, o, what)
		}
	}
	out.leaf = model.Value{Kind: model.KindTemplate, Parts: parts, Origin: o.at}
	return out
}

func (c *converter) credential(s string, o origin, what string) {
	if kind := looksLikeCredential(s); kind != "" {
		name := "${secret.NAME}"
		if c.expr == nil {
			name = "${NAME}"
		}
		c.diags.Errorf(o.at, "credential", what+" holds what looks like "+kind,
			"It would be written into files that the agent can read. Declare `secret \"NAME\" { env = \"NAME\" }` and write %s in its place.", name)
	}
}

func (c *converter) list(v cty.Value, o origin, t model.Type, what string) *node {
	out := &node{kind: list, origin: o.at}
	elem := model.Type{}
	if t.Elem != nil {
		elem = *t.Elem
	}
	i := 0
	for it := v.ElementIterator(); it.Next(); i++ {
		_, e := it.Element()
		n := c.node(e, c.element(o, i), elem, "an element of "+what)
		if n != nil && n.kind == null {
			c.diags.Errorf(n.origin, "wrong-type", "An element of "+what+" is null", "Leave it out, or write a value.")
			continue
		}
		if n != nil {
			out.list = append(out.list, n)
		}
	}
	return out
}

func (c *converter) object(v cty.Value, o origin, t model.Type, what string) *node {
	out := &node{kind: object, origin: o.at}
	elem := model.Type{}
	if t.Elem != nil {
		elem = *t.Elem
	}
	at := c.members(o)
	values := v.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		from, ok := at[name]
		if !ok {
			from = origin{at: o.at, written: o.written}
		}
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			c.diags.Errorf(from.at, "invalid-character", "A key of "+what+" holds bytes that are no text", "Rename it.")
			continue
		}
		if n := c.node(values[name], from, elem, "`"+name+"` in "+what); n != nil {
			out.fields = append(out.fields, nodeField{name, n})
		}
	}
	return out
}
