package compiler

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// fact is one fact as manifests see it.
type fact struct {
	name     string
	typ      model.Type
	doc      string
	hidden   bool // not under facts.*, but may be given in host { facts }
	required bool // every tree needs it
	absolute bool // a clean absolute path
	text     func(*model.Facts) *string
	table    func(*model.Facts) *map[string]string
}

// factTable is every fact. wsl is the only one that is neither a text nor a table.
func factTable() []fact {
	text := kind(model.TypeString)
	return []fact{
		{name: "hostname", typ: text, doc: "The name of the machine, without its domain.", text: func(f *model.Facts) *string { return &f.Hostname }},
		{name: "os", typ: enum("linux", "darwin"), doc: "`linux` or `darwin`.", required: true, text: func(f *model.Facts) *string { return &f.OS }},
		{name: "arch", typ: enum("amd64", "arm64"), doc: "`amd64` or `arm64`.", required: true, text: func(f *model.Facts) *string { return &f.Arch }},
		{name: "wsl", typ: kind(model.TypeBool), doc: "Whether it is a Linux inside Windows."},
		{name: "user", typ: text, doc: "The login name.", text: func(f *model.Facts) *string { return &f.User }},
		{name: "home", typ: text, doc: "The home folder.", required: true, absolute: true, text: func(f *model.Facts) *string { return &f.Home }},
		{name: "stateDir", typ: text, doc: "Where agentihooks keeps its store.", required: true, absolute: true, text: func(f *model.Facts) *string { return &f.StateDir }},
		{name: "copilotHome", typ: text, doc: "Copilot's folder: COPILOT_HOME, else ~/.copilot.", absolute: true, text: func(f *model.Facts) *string { return &f.CopilotHome }},
		{name: "versions", typ: mapOf(model.TypeString), doc: "Versions of the programs found, by name: `try(facts.versions.copilot, \"\")`.", table: func(f *model.Facts) *map[string]string { return &f.Versions }},
		{name: "which", typ: mapOf(model.TypeString), hidden: true, doc: "Answers to `which(\"name\")`: absolute paths, \"\" for what is not there.", table: func(f *model.Facts) *map[string]string { return &f.Which }},
	}
}

// factNames is what may follow `facts.`, in the order of the table.
func factNames() []string {
	var out []string
	for _, f := range factTable() {
		if !f.hidden {
			out = append(out, f.name)
		}
	}
	return out
}

// factsObject is the value behind facts.*. What is not known is an unknown value, marked with its name.
func factsObject(facts model.Facts) cty.Value {
	out := map[string]cty.Value{}
	for _, f := range factTable() {
		if !f.hidden {
			out[f.name] = f.value(&facts)
		}
	}
	return cty.ObjectVal(out)
}

func (f fact) value(facts *model.Facts) cty.Value {
	switch {
	case f.text != nil:
		if t := *f.text(facts); t != "" {
			return cty.StringVal(t)
		}
		return cty.UnknownVal(cty.String).Mark(factMark{f.name})
	case f.table != nil:
		t := *f.table(facts)
		if t == nil {
			return cty.UnknownVal(cty.Map(cty.String)).Mark(factMark{f.name})
		}
		if len(t) == 0 {
			return cty.MapValEmpty(cty.String)
		}
		values := make(map[string]cty.Value, len(t))
		for k, v := range t {
			values[k] = cty.StringVal(v)
		}
		return cty.MapVal(values)
	case facts.WSL != nil:
		return cty.BoolVal(*facts.WSL)
	}
	return cty.UnknownVal(cty.Bool).Mark(factMark{f.name})
}

// whichFact is how a question of which is called where facts are listed.
func whichFact(name string) string { return "which(" + strconv.Quote(name) + ")" }

// whichFunction answers from the facts, so that evaluation stays pure.
func whichFunction(answers map[string]string) function.Function {
	return function.New(&function.Spec{
		Description: "The absolute path of a program, or \"\" if the machine has none of that name.",
		Params:      []function.Parameter{{Name: "name", Type: cty.String}},
		Type:        function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			if found, ok := answers[name]; ok {
				return cty.StringVal(found), nil
			}
			return cty.UnknownVal(cty.String).Mark(factMark{whichFact(name)}), nil
		},
	})
}

// writeFact writes what a cache key needs of a fact: another text for each value, and for "not known".
func writeFact(b *strings.Builder, facts model.Facts, name string) {
	if asked, ok := strings.CutPrefix(name, "which("); ok {
		asked, _ = strconv.Unquote(strings.TrimSuffix(asked, ")"))
		answer, known := facts.Which[asked]
		b.WriteString(strconv.FormatBool(known) + strconv.Quote(answer))
		return
	}
	for _, f := range factTable() {
		if f.hidden || name != "*" && name != f.name {
			continue
		}
		switch {
		case f.text != nil:
			b.WriteString(strconv.Quote(*f.text(&facts)))
		case f.table != nil:
			t := *f.table(&facts)
			b.WriteString(strconv.FormatBool(t != nil))
			for _, k := range slices.Sorted(maps.Keys(t)) {
				b.WriteString(strconv.Quote(k) + strconv.Quote(t[k]))
			}
		case facts.WSL == nil:
			b.WriteByte('?')
		default:
			b.WriteString(strconv.FormatBool(*facts.WSL))
		}
	}
}

// missingFacts is the facts that every tree needs and these facts lack.
func missingFacts(facts model.Facts) []string {
	var out []string
	for _, f := range factTable() {
		if f.required && f.text != nil && *f.text(&facts) == "" {
			out = append(out, f.name)
		}
	}
	return out
}

// HostFacts is the facts of a host: base, overlaid by what its block says in `facts`. What follows from them is the
// matter of Facts.Complete.
func (m *Manifest) HostFacts(name string, base model.Facts) (model.Facts, diag.List) {
	out := base
	out.Versions, out.Which = maps.Clone(base.Versions), maps.Clone(base.Which)
	var diags diag.List
	if h := m.host(name); h != nil && h.facts != nil {
		ev := newEvaluator(m, model.Facts{})
		r := ev.eval(h.facts.expr)
		diags = append(diags, r.diags...)
		if r.ok {
			c := &converter{ev: ev, expr: h.facts.expr, what: "`facts` of host `" + h.label + "`", diags: &diags}
			if n := c.convert(r.value, h.facts.spec.Type); n != nil && n.kind == object {
				overlay(&out, n, &diags)
			}
		}
	}
	return out, diags.Sorted()
}

// overlay writes the facts of a host block over others.
func overlay(facts *model.Facts, n *node, diags *diag.List) {
	known := append(factNames(), "which")
	for _, m := range n.fields {
		i := slices.Index(known, m.name)
		if i < 0 {
			diags.Errorf(m.node.origin, "unknown-fact", "Unknown fact `"+m.name+"`",
				"There is no fact `%s`. %s", m.name, didYouMean(m.name, known))
			continue
		}
		if m.node.kind == null {
			continue
		}
		factTable()[i].set(facts, m.node, diags)
	}
}

// set writes one fact, or says why it cannot.
func (f fact) set(facts *model.Facts, n *node, diags *diag.List) {
	wrong := func() {
		diags.Errorf(n.origin, "wrong-type", "The fact `"+f.name+"` must be "+describe(f.typ), "Correct the value.")
	}
	switch {
	case f.table != nil:
		if n.kind != object {
			wrong()
			return
		}
		t := map[string]string{}
		for _, m := range n.fields {
			if m.node.kind != leaf || m.node.leaf.Kind != model.KindString {
				diags.Errorf(m.node.origin, "wrong-type", "`"+m.name+"` in the fact `"+f.name+"` must be a string", "Correct the value.")
				continue
			}
			t[m.name] = m.node.leaf.Text
		}
		*f.table(facts) = t
	case f.text == nil:
		if n.kind != leaf || n.leaf.Kind != model.KindBool {
			wrong()
			return
		}
		yes := n.leaf.Bool
		facts.WSL = &yes
	case n.kind != leaf || n.leaf.Kind != model.KindString,
		len(f.typ.Enum) > 0 && !slices.Contains(f.typ.Enum, n.leaf.Text):
		wrong()
	case f.absolute && (!path.IsAbs(n.leaf.Text) || path.Clean(n.leaf.Text) != n.leaf.Text):
		diags.Errorf(n.origin, "invalid-value", "The fact `"+f.name+"` must be an absolute path",
			"Write it from / on, without `.`, `..` and a slash at its end.")
	default:
		*f.text(facts) = n.leaf.Text
	}
}
