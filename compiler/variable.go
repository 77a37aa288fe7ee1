package compiler

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/agentihooks/agentihooks/internal/diag"
)

var errTooLarge = errors.New("too large")

// variables is the values of one module's variables.
type variables struct {
	results map[string]result
	diags   diag.List
}

// argument is what the last active module block says of a variable, or nil.
func (ev *evaluator) argument(inst *instance, name string) *argument {
	for _, o := range slices.Backward(ev.active[inst]) {
		if a, ok := o.args[name]; ok {
			return a
		}
	}
	return nil
}

// variables evaluates the arguments of a module, once.
func (ev *evaluator) variables(inst *instance) *variables {
	if v, ok := ev.vars[inst]; ok {
		return v
	}
	out := &variables{results: map[string]result{}}
	ev.vars[inst] = out
	names := slices.Sorted(maps.Keys(inst.variables))
	for _, name := range names {
		r := ev.variable(inst, inst.variables[name])
		out.results[name] = r
		out.diags = append(out.diags, r.diags...)
	}
	for _, name := range names {
		if r := out.results[name]; r.ok {
			out.diags = append(out.diags, ev.validate(inst, inst.variables[name])...)
		}
	}
	out.diags = out.diags.Sorted()
	return out
}

// variable is the value of one variable: the argument, or the default.
func (ev *evaluator) variable(inst *instance, v *variable) result {
	if a := ev.argument(inst, v.name); a != nil {
		r := ev.eval(a.expr)
		if !r.ok {
			return r
		}
		if plain, _ := r.value.Unmark(); plain.IsKnown() && plain.IsNull() && v.fallback != nil {
			return ev.fallback(v)
		}
		return typed(r, v, rangeOf(a.expr.syntax.Range()))
	}
	if v.fallback != nil {
		return ev.fallback(v)
	}
	r := result{}
	at := inst.occurrences[0].at
	if len(ev.active[inst]) > 0 {
		at = ev.active[inst][0].at
	}
	r.diags.Errorf(rangeOf(at), "missing-attribute", "The module `"+inst.label+"` needs `"+v.name+"`",
		"The variable has no default. Add `%s = …` to the module block.", v.name)
	also(r.diags, "declared here", rangeOf(v.at))
	return r
}

func (ev *evaluator) fallback(v *variable) result {
	r := ev.eval(v.fallback)
	if !r.ok {
		return r
	}
	if r.value.IsNull() {
		r.value = cty.NullVal(v.typ)
		return r
	}
	return typed(r, v, rangeOf(v.fallback.syntax.Range()))
}

// typed checks a value against the variable's type. Nothing is converted in silence, as cty would: "7" is no number.
func typed(r result, v *variable, at diag.Range) result {
	if why := mismatch(r.value, v.typ); why != "" {
		r.diags.Errorf(at, "wrong-type", "`"+v.name+"` has the wrong type",
			"It must be %s, but %s. Correct the value.", typeexpr.TypeString(v.typ), why)
		r.ok = false
		return r
	}
	converted, err := convert.Convert(r.value, v.typ)
	if err != nil {
		r.diags.Errorf(at, "wrong-type", "`"+v.name+"` has the wrong type",
			"It must be %s: %s. Correct the value.", typeexpr.TypeString(v.typ), err)
		r.ok = false
		return r
	}
	r.value = converted
	return checkSize(r, at)
}

// mismatch says where a value is of another primitive type than wanted.
func mismatch(v cty.Value, want cty.Type) string {
	v, _ = v.Unmark()
	if want == cty.DynamicPseudoType || v.IsNull() || !v.IsKnown() {
		return ""
	}
	got := v.Type()
	switch {
	case want.IsPrimitiveType():
		if got != want {
			return "this is " + article(got)
		}
	case want.IsListType(), want.IsSetType():
		if !got.IsListType() && !got.IsSetType() && !got.IsTupleType() {
			return "this is " + article(got)
		}
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			if why := mismatch(e, want.ElementType()); why != "" {
				return "in an element, " + why
			}
		}
	case want.IsMapType(), want.IsObjectType():
		if !got.IsMapType() && !got.IsObjectType() {
			return "this is " + article(got)
		}
		for it := v.ElementIterator(); it.Next(); {
			k, e := it.Element()
			name := k.AsString()
			inner := cty.DynamicPseudoType
			if want.IsMapType() {
				inner = want.ElementType()
			} else if want.HasAttribute(name) {
				inner = want.AttributeType(name)
			}
			if why := mismatch(e, inner); why != "" {
				return "in `" + name + "`, " + why
			}
		}
	}
	return ""
}

// article is a cty type in words.
func article(t cty.Type) string {
	switch {
	case t == cty.String:
		return "a string"
	case t == cty.Number:
		return "a number"
	case t == cty.Bool:
		return "a bool"
	case t.IsListType(), t.IsSetType(), t.IsTupleType():
		return "a list"
	case t.IsMapType(), t.IsObjectType():
		return "an object"
	}
	return t.FriendlyName()
}

// validate checks the conditions of a variable.
func (ev *evaluator) validate(inst *instance, v *variable) (out diag.List) {
	for _, c := range v.checks {
		r := ev.eval(c.condition)
		out = append(out, r.diags...)
		if !r.ok {
			continue
		}
		held, marks := r.value.Unmark()
		at := rangeOf(c.condition.syntax.Range())
		switch {
		case len(secretsOf(marks)) > 0:
			out.Errorf(at, "secret-changed", "The condition of `"+v.name+"` looks at a secret",
				"Its value is not known when the manifest is compiled. Remove the condition, or the secret.")
		case !held.IsKnown():
		case held.IsNull() || held.Type() != cty.Bool:
			out.Errorf(at, "wrong-type", "The condition of `"+v.name+"` must be true or false", "Write a comparison.")
		case held.False():
			out = append(out, ev.violated(inst, v, c))
		}
	}
	return out
}

func (ev *evaluator) violated(inst *instance, v *variable, c validation) diag.Diagnostic {
	message := "The condition at " + rangeOf(c.condition.syntax.Range()).String() + " does not hold."
	if r := ev.eval(c.message); r.ok {
		if text, _ := r.value.Unmark(); text.IsKnown() && !text.IsNull() && text.Type() == cty.String {
			message = text.AsString()
		}
	}
	at := rangeOf(v.at)
	if a := ev.argument(inst, v.name); a != nil {
		at = rangeOf(a.expr.syntax.Range())
	}
	var l diag.List
	l.Errorf(at, "invalid-value", fmt.Sprintf("`%s` of module `%s` is not valid", v.name, inst.label), "%s Correct the value.", message)
	also(l, "the condition is here", rangeOf(c.condition.syntax.Range()))
	return l[0]
}
