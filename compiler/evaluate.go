package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// maxValue bounds what one expression may be made of: ten locals that each repeat the one before a hundred times
// would otherwise fill any memory.
const maxValue = 16 << 20

// evaluator evaluates expressions for the facts of one host and the module blocks that are active for it.
type evaluator struct {
	m      *Manifest
	facts  model.Facts
	object cty.Value // the object behind facts.*
	active map[*instance][]*occurrence
	which  map[string]function.Function
	locals map[*local]result
	vars   map[*instance]*variables
}

// result is a value with what was found while it was made.
type result struct {
	value cty.Value
	size  int
	ok    bool
	diags diag.List
}

func newEvaluator(m *Manifest, facts model.Facts) *evaluator {
	return &evaluator{
		m: m, facts: facts, object: factsObject(facts),
		active: map[*instance][]*occurrence{}, locals: map[*local]result{}, vars: map[*instance]*variables{},
		which: map[string]function.Function{"which": whichFunction(facts.Which)},
	}
}

// eval evaluates an expression. Without ok there is nothing to go on with; why is among the diagnostics, of this
// expression or of one that it refers to.
func (ev *evaluator) eval(e *expr) result {
	if e.bad || e.skip {
		return result{}
	}
	ctx, r := ev.context(e)
	if !r.ok {
		return r
	}
	if r.size > maxValue {
		r.diags.Errorf(rangeOf(e.syntax.Range()), "too-large", "The value is too large",
			"What it is made of has more than %d bytes. Make it smaller.", maxValue)
		r.ok = false
		return r
	}
	v, ds := e.syntax.Value(ctx)
	r.diags = append(r.diags, fromHCL(ds, "expression")...)
	r.value, r.ok = v, !ds.HasErrors()
	return r
}

// context is the names that an expression may use. Its result holds the diagnostics of what it refers to.
func (ev *evaluator) context(e *expr) (*hcl.EvalContext, result) {
	r := result{ok: true}
	names := map[string]cty.Value{"facts": ev.object, "secret": ev.m.secret}
	use := func(group map[string]cty.Value, name string, part result) {
		r.diags = append(r.diags, part.diags...)
		r.size += part.size
		r.ok = r.ok && part.ok
		group[name] = part.value
	}
	if len(e.refs.locals) > 0 {
		locals := map[string]cty.Value{}
		for _, x := range e.refs.locals {
			use(locals, x.name, ev.local(x))
		}
		if r.ok {
			names["local"] = cty.ObjectVal(locals)
		}
	}
	if len(e.refs.vars) > 0 {
		values := map[string]cty.Value{}
		all := ev.variables(e.scope.module)
		for _, name := range e.refs.vars {
			use(values, name, all.results[name])
		}
		if r.ok {
			names["var"] = cty.ObjectVal(values)
		}
	}
	r.diags = r.diags.Sorted()
	ctx := e.scope.source.context().NewChild()
	ctx.Variables, ctx.Functions = names, ev.which
	return ctx, r
}

func (ev *evaluator) local(x *local) result {
	if r, ok := ev.locals[x]; ok {
		return r
	}
	r := ev.eval(x.expr)
	if r.ok {
		r = checkSize(r, rangeOf(x.expr.syntax.Range()))
	}
	ev.locals[x] = r
	return r
}

// checkSize measures a value that other expressions refer to.
func checkSize(r result, at diag.Range) result {
	r.size = 0
	limit := cty.Walk(r.value, func(_ cty.Path, v cty.Value) (bool, error) {
		r.size += 16
		v, _ = v.Unmark()
		if v.IsKnown() && !v.IsNull() {
			switch v.Type() {
			case cty.String:
				r.size += len(v.AsString())
			case cty.Number:
				if !sane(v.AsBigFloat()) {
					return false, errTooLarge
				}
			}
		}
		if r.size > maxValue {
			return false, errTooLarge
		}
		return true, nil
	})
	if limit != nil {
		r.diags.Errorf(at, "too-large", "The value is too large", "It has more than %d bytes or 300 digits. Make it smaller.", maxValue)
		r.ok = false
	}
	return r
}

// behind is the expression that a reference stands for: that of a local, or the argument or default of a variable.
func (ev *evaluator) behind(sc *scope, t hcl.Traversal) *expr {
	name, ok := step(t)
	if !ok {
		return nil
	}
	switch t.RootName() {
	case "local":
		if x := sc.local(name); x != nil {
			return x.expr
		}
	case "var":
		if sc.module == nil {
			return nil
		}
		if a := ev.argument(sc.module, name); a != nil {
			return a.expr
		}
		if v := sc.module.variables[name]; v != nil {
			return v.fallback
		}
	}
	return nil
}

// deps is the facts that an expression depends on, through locals and variables too. which("x") counts as the
// fact `which("x")`.
func (e *expr) deps(seen map[*expr]bool, add func(string)) {
	if e == nil || seen[e] {
		return
	}
	seen[e] = true
	for _, f := range e.refs.facts {
		add(f)
	}
	for _, w := range e.refs.which {
		add(whichFact(w))
	}
	for _, x := range e.refs.locals {
		x.expr.deps(seen, add)
	}
	if len(e.refs.vars) > 0 {
		e.scope.module.deps(seen, add)
	}
}

// deps is the facts that a module's arguments depend on.
func (i *instance) deps(seen map[*expr]bool, add func(string)) {
	for _, o := range i.occurrences {
		for _, a := range o.args {
			a.expr.deps(seen, add)
		}
	}
}

// dependencies is the sorted facts that a layer's value depends on.
func (ly *layer) dependencies() []string {
	ly.once.Do(func() {
		seen := map[*expr]bool{}
		add := func(f string) { ly.deps = append(ly.deps, f) }
		if ly.scope.module != nil {
			ly.scope.module.deps(seen, add)
		}
		for _, a := range ly.attrs {
			a.expr.deps(seen, add)
		}
		for _, b := range ly.blocks {
			for _, a := range b.attrs {
				a.expr.deps(seen, add)
			}
		}
		slices.Sort(ly.deps)
		ly.deps = slices.Compact(ly.deps)
		if slices.Contains(ly.deps, "*") {
			ly.deps = slices.DeleteFunc(ly.deps, func(f string) bool { return f != "*" && !strings.HasPrefix(f, "which(") })
		}
	})
	return ly.deps
}

// cacheKey names the facts and the module arguments that a layer's value depends on.
func (ev *evaluator) cacheKey(ly *layer) string {
	var b strings.Builder
	for _, f := range ly.dependencies() {
		writeFact(&b, ev.facts, f)
		b.WriteByte(0)
	}
	for i := ly.scope.module; i != nil; i = i.parent {
		for n, o := range i.occurrences {
			if slices.Contains(ev.active[i], o) {
				b.WriteByte(byte('0' + n%64))
			} else {
				b.WriteByte('-')
			}
		}
		b.WriteByte(1)
	}
	return b.String()
}
