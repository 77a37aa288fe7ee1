package compiler

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/internal/nearest"
)

// expr is an expression with what it refers to, found once.
type expr struct {
	syntax hclsyntax.Expression
	scope  *scope
	only   []string // the roots that may be used here: "facts", "local", "secret", "var"
	refs   refs
	skip   bool // it is read by its syntax, never evaluated
	bad    bool // it was reported already, and is not evaluated
}

// refs is what an expression refers to by itself. locals and vars hold one entry for each mention.
type refs struct {
	facts   []string // names; "*" for the whole object
	which   []string
	locals  []*local
	vars    []string
	secrets []string
}

// roots are the names that an expression may begin with.
var roots = []string{"facts", "local", "secret", "var"}

// expr registers an expression for analysis, which happens once all names are known.
func (l *loader) expr(e hcl.Expression, sc *scope) *expr {
	out := &expr{syntax: e.(hclsyntax.Expression), scope: sc, only: roots}
	l.exprs = append(l.exprs, out)
	return out
}

// analyze finds what an expression refers to, and reports names that do not exist.
func (l *loader) analyze(e *expr) {
	if e.skip {
		return
	}
	before := len(l.diags)
	for _, t := range e.syntax.Variables() {
		l.traversal(e, t)
	}
	_ = hclsyntax.VisitAll(e.syntax, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.FunctionCallExpr:
			l.call(e, n)
		case *hclsyntax.ObjectConsExpr:
			l.duplicateKeys(n)
		case *hclsyntax.LiteralValueExpr:
			l.literal(n)
		}
		return nil
	})
	e.bad = len(l.diags) > before
}

// traversal takes one reference apart.
func (l *loader) traversal(e *expr, t hcl.Traversal) {
	root, at := t.RootName(), rangeOf(t.SourceRange())
	if !slices.Contains(roots, root) {
		hint := "Names begin with " + quoted(e.only) + "."
		switch {
		case len(e.only) == 0:
			hint = "Only literal values and functions may stand here."
		case nearest.Name(root, e.only) != "":
			hint = "Did you mean `" + nearest.Name(root, e.only) + "`?"
		case len(t) == 1:
			hint = fmt.Sprintf("If it is a text, write %q.", root)
		}
		l.diags.Errorf(at, "unknown-name", "Unknown name `"+root+"`", "Nothing is called `%s` here. %s", root, hint)
		return
	}
	if !slices.Contains(e.only, root) {
		l.diags.Errorf(at, "not-here", "`"+root+"` cannot be used here", "%s", notHere(root, e))
		return
	}
	name, ok := step(t)
	if root == "facts" {
		l.fact(e, t, name, ok)
		return
	}
	if !ok {
		l.diags.Errorf(at, "unknown-name", "`"+root+"` needs a name",
			"Name one, as in `%s.x`. The whole object and names computed at run time cannot be used.", root)
		return
	}
	switch root {
	case "local":
		found := e.scope.local(name)
		if found == nil {
			l.diags.Errorf(at, "unknown-name", "Unknown local `"+name+"`",
				"No `locals` block in reach defines `%s`. %s", name, didYouMean(name, e.scope.localNames()))
			return
		}
		e.refs.locals = append(e.refs.locals, found)
	case "secret":
		if _, ok := l.m.secrets[name]; !ok {
			l.diags.Errorf(at, "unknown-secret", "Unknown secret `"+name+"`", "No `secret \"%s\"` block declares it. %s",
				name, didYouMean(name, slices.Collect(maps.Keys(l.m.secrets))))
			return
		}
		e.refs.secrets = append(e.refs.secrets, name)
	case "var":
		l.variableRef(e, at, name)
	}
}

// notHere says why a root is not to be used in an expression.
func notHere(root string, e *expr) string {
	switch {
	case len(e.only) == 0:
		return "The value must be known before anything is evaluated. Write a literal value."
	case root == "secret":
		return "A secret's value is not known when the manifest is compiled. Use it in `env`, `headers` or `url` of an `mcp` block."
	}
	return "Only " + quoted(e.only) + " can be used here. Use one of them."
}

func (l *loader) fact(e *expr, t hcl.Traversal, name string, named bool) {
	if !named {
		e.refs.facts = append(e.refs.facts, "*")
		return
	}
	if !slices.Contains(factNames(), name) {
		l.diags.Errorf(rangeOf(t.SourceRange()), "unknown-fact", "Unknown fact `"+name+"`",
			"There is no fact `%s`. %s", name, didYouMean(name, factNames()))
		return
	}
	e.refs.facts = append(e.refs.facts, name)
}

// step is the name after the root: local.a or local["a"].
func step(t hcl.Traversal) (string, bool) {
	if len(t) < 2 {
		return "", false
	}
	switch s := t[1].(type) {
	case hcl.TraverseAttr:
		return s.Name, true
	case hcl.TraverseIndex:
		if s.Key.Type() == cty.String && s.Key.IsKnown() && !s.Key.IsNull() {
			return s.Key.AsString(), true
		}
	}
	return "", false
}

// call checks the name of a function, and collects what which("…") asks for: it must be known before facts are read.
func (l *loader) call(e *expr, c *hclsyntax.FunctionCallExpr) {
	at := rangeOf(c.NameRange)
	if !slices.Contains(l.functions, c.Name) {
		l.diags.Errorf(at, "unknown-function", "Unknown function `"+c.Name+"`",
			"There is no function `%s`. %s", c.Name, didYouMean(c.Name, l.functions))
		return
	}
	if c.Name != "which" {
		return
	}
	name := ""
	if len(c.Args) == 1 {
		if v, ds := c.Args[0].Value(nil); !ds.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
			name = v.AsString()
		}
	}
	if !printable(name) {
		l.diags.Errorf(at, "function-call", "`which` needs one literal name",
			"The machine is asked for it before the manifest is evaluated. Write it as in `which(\"zsh\")`.")
		return
	}
	e.refs.which = append(e.refs.which, name)
}

// duplicateKeys reports keys that stand twice in one object: hcl takes the last one without a word.
func (l *loader) duplicateKeys(o *hclsyntax.ObjectConsExpr) {
	seen := map[string]hcl.Range{}
	for _, item := range o.Items {
		key, ok := literalKey(item.KeyExpr)
		if !ok {
			continue
		}
		at := item.KeyExpr.Range()
		if first, twice := seen[key]; twice {
			l.diags.Errorf(rangeOf(at), "conflict", "The key `"+key+"` stands twice in one object",
				"Only the last value would count. Keep one of the two.")
			also(l.diags, "first set here", rangeOf(first))
			continue
		}
		seen[key] = at
	}
}

// literalKey is the key of an object's item if it is written out.
func literalKey(e hclsyntax.Expression) (string, bool) {
	if k, ok := e.(*hclsyntax.ObjectConsKeyExpr); !ok || !k.ForceNonLiteral {
		if word := hcl.ExprAsKeyword(e); word != "" {
			return word, true
		}
	}
	v, ds := e.Value(nil)
	if ds.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}

func (l *loader) literal(n *hclsyntax.LiteralValueExpr) {
	if v := n.Val; v.Type() == cty.Number && v.IsKnown() && !v.IsNull() && !sane(v.AsBigFloat()) {
		l.diags.Errorf(rangeOf(n.SrcRange), "invalid-number", "The number is out of range",
			"Numbers have at most 300 digits before or after the point. Write a smaller one, or a string.")
	}
}

// checkLocals reports locals that need themselves, with every place of the cycle.
func (l *loader) checkLocals() {
	const (
		open = 1
		done = 2
	)
	state := map[*local]int{}
	var path []*local
	var visit func(*local)
	visit = func(x *local) {
		switch state[x] {
		case done:
			return
		case open:
			cycle := path[slices.Index(path, x):]
			l.diags.Errorf(rangeOf(x.at), "cycle", "The local `"+x.name+"` needs itself",
				"A local cannot refer to itself, not through others either. Break the circle.")
			for _, step := range cycle {
				step.expr.bad = true
				also(l.diags, "`"+step.name+"` is part of the circle", rangeOf(step.at))
			}
			return
		}
		state[x] = open
		path = append(path, x)
		for _, next := range x.expr.refs.locals {
			visit(next)
		}
		path = path[:len(path)-1]
		state[x] = done
	}
	for _, x := range l.locals {
		visit(x)
	}
}
