package compiler

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func variableBlock() blockType {
	return blockType{
		name: "variable", label: "name", in: []string{inModule},
		doc: "An option of a module. Whoever uses the module sets it by its name, and the module reads `var.<name>`.",
		specs: []model.BlockSpec{{Type: "variable", Attributes: []model.AttrSpec{
			{Name: "type", Type: kind(model.TypeAny), Doc: "`string`, `number`, `bool`, `any`, or `list(…)`, `set(…)`, `map(…)`, `object({…})` of them. Default: any.", Example: "list(string)"},
			{Name: "default", Type: kind(model.TypeAny), Doc: "The value if none is given. Without it the option is required; `null` makes it optional.", Example: "[]"},
			{Name: "description", Type: kind(model.TypeString), Doc: "What it does, in one or two sentences.", Example: `"Channels of every session."`},
		}}},
		nested: []nestedBlock{{
			name: "validation", doc: "A condition that every value of the variable must fulfil.",
			attrs: []model.AttrSpec{
				{Name: "condition", Type: kind(model.TypeBool), Required: true, Doc: "Must be true. It may refer to variables only.", Example: "length(var.channels) > 0"},
				{Name: "error_message", Type: kind(model.TypeString), Required: true, Doc: "What is said if it is not.", Example: `"Name at least one channel."`},
			},
		}},
		decode: (*loader).variable,
	}
}

// variable is one option of a module.
type variable struct {
	name        string
	at          hcl.Range
	typ         cty.Type
	fallback    *expr // nil: the option is required
	description string
	checks      []validation
}

// validation is a condition on a variable's value.
type validation struct{ condition, message *expr }

func (l *loader) variable(ly *layer, b *hclsyntax.Block) {
	v := &variable{name: b.Labels[0], at: b.LabelRanges[0], typ: cty.DynamicPseudoType}
	inst := ly.scope.module
	switch first, twice := inst.variables[v.name]; {
	case twice:
		l.conflict("The variable `"+v.name+"`", v.at, first.at)
		return
	case v.name == "source" || v.name == "enabled" || !hclsyntax.ValidIdentifier(v.name):
		l.diags.Errorf(rangeOf(v.at), "invalid-label", "A variable cannot be called `"+v.name+"`",
			"It is set as an attribute of the `module` block, where `source` and `enabled` mean something else. Choose another identifier.")
		return
	}
	inst.variables[v.name] = v
	p := l.m.table.place(titleOf("variable", ""))
	content := l.content(p, b.Body)
	for _, a := range l.attributes(p, content, ly.scope) {
		a.expr.only = nil
		switch a.spec.Name {
		case "type":
			a.expr.skip = true // a type is no value
			t, ds := typeexpr.TypeConstraint(a.expr.syntax)
			l.diags = append(l.diags, fromHCL(ds, "wrong-type")...)
			if !ds.HasErrors() {
				v.typ = t
			}
		case "default":
			v.fallback = a.expr
		case "description":
			a.expr.skip = true
			v.description, _ = l.constant(a.expr.syntax, "`description`")
		}
	}
	l.validations(v, content, ly.scope)
}

func (l *loader) validations(v *variable, content *hcl.BodyContent, sc *scope) {
	p := l.m.table.place(titleOf("validation", ""))
	for _, inner := range content.Blocks {
		parts := map[string]*expr{}
		body := l.content(p, inner.Body.(*hclsyntax.Body))
		for _, a := range l.attributes(p, body, sc) {
			a.expr.only = []string{"var"}
			parts[a.spec.Name] = a.expr
		}
		if parts["condition"] == nil || parts["error_message"] == nil {
			l.diags.Errorf(rangeOf(inner.TypeRange), "missing-attribute", "A validation needs `condition` and `error_message`",
				"Write both.")
			continue
		}
		v.checks = append(v.checks, validation{parts["condition"], parts["error_message"]})
	}
}
