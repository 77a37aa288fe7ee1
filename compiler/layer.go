package compiler

import (
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// maxCached bounds how many values of one layer are kept: one for each combination of the facts that it names.
const maxCached = 1024

// layerValue is a layer evaluated for some facts. It is shared between hosts and never changed.
type layerValue struct {
	sets    map[string]setValue // by attribute
	single  map[string]*node    // by attribute, of those that are no sets
	blocks  []*blockValue       // labels in source order, one for each type and label
	diags   diag.List
	unknown []unknown
}

// blockValue is one labelled block of one layer.
type blockValue struct {
	kind  *blockType
	label string
	at    diag.Range
	attrs []nodeAttr
	bad   bool // an attribute of it failed or is unknown
	whole bool // it takes the place of what earlier layers say of the label
}

// nodeAttr is one attribute's value.
type nodeAttr struct {
	spec model.AttrSpec
	node *node
}

// unknown is a value that cannot be told without facts that nobody gave.
type unknown struct {
	facts []string
	what  string
	at    diag.Range
}

// layer evaluates a layer, once for each combination of the facts that it depends on.
func (ev *evaluator) layer(ly *layer) *layerValue {
	key := ev.cacheKey(ly)
	ly.mu.Lock()
	v, ok := ly.cache[key]
	ly.mu.Unlock()
	if ok {
		return v
	}
	v = ev.layerOnce(ly)
	ly.mu.Lock()
	defer ly.mu.Unlock()
	if ly.cache == nil || len(ly.cache) >= maxCached {
		ly.cache = map[string]*layerValue{}
	}
	ly.cache[key] = v
	return v
}

func (ev *evaluator) layerOnce(ly *layer) *layerValue {
	out := &layerValue{sets: map[string]setValue{}, single: map[string]*node{}}
	if inst := ly.scope.module; inst != nil && inst.layer == ly {
		if inst.occurrences[0].bundle() {
			return ev.bundle(inst)
		}
		out.diags = append(out.diags, ev.variables(inst).diags...)
	}
	for _, a := range ly.attrs {
		if a.spec.Merge != model.MergeSet {
			name := "`" + a.spec.Name + "`"
			if n, ok := ev.attribute(a, name, false, out); ok {
				m := merger{same: true, what: name, diags: &out.diags}
				out.single[a.spec.Name] = m.merge(out.single[a.spec.Name], n, a.spec.Merge)
			}
			continue
		}
		if set, ok := ev.set(ly, a, out); ok {
			if old, twice := out.sets[a.spec.Name]; twice {
				set = old.add(set, true)
			}
			out.sets[a.spec.Name] = set
		}
	}
	byLabel := map[string]*blockValue{}
	for _, b := range ly.blocks {
		v := ev.block(b, out)
		key := b.kind.name + "\x00" + b.label
		if first, twice := byLabel[key]; twice {
			first.join(v, &out.diags)
			continue
		}
		byLabel[key] = v
		out.blocks = append(out.blocks, v)
	}
	out.diags = out.diags.Sorted()
	return out
}

// set evaluates an attribute of a body.
func (ev *evaluator) set(ly *layer, a attribute, out *layerValue) (setValue, bool) {
	table := ev.m.table.bodyAttr(a.spec.Name)
	n, ok := ev.attribute(a, "`"+a.spec.Name+"`", true, out)
	if !ok || n.kind == null {
		return setValue{}, false
	}
	set := setValue{only: n.only}
	if table.paths != noPath {
		set.items = distinct(ly.scope.source.items(n, table, &out.diags))
		return set, true
	}
	for _, e := range n.list {
		if strings.TrimSpace(e.leaf.Text) == "" {
			out.diags.Errorf(e.origin, "invalid-value", "An element of `"+a.spec.Name+"` is empty", "Write a name, or remove it.")
			continue
		}
		set.items = append(set.items, setItem{key: e.leaf.Text, text: model.Text{Value: e.leaf.Text, Origin: e.origin}})
	}
	set.items = distinct(set.items)
	return set, true
}

func (ev *evaluator) block(b *block, out *layerValue) *blockValue {
	v := &blockValue{kind: b.kind, label: b.label, at: rangeOf(b.at), bad: b.bad}
	for _, a := range b.attrs {
		what := "`" + a.spec.Name + "` of " + b.kind.name + " `" + b.label + "`"
		n, ok := ev.attribute(a, what, a.spec.Merge == model.MergeSet, out)
		if !ok {
			v.bad = true
			continue
		}
		v.attrs = append(v.attrs, nodeAttr{a.spec, n})
	}
	return v
}

// attribute evaluates one attribute. Without ok it failed, or is not known.
func (ev *evaluator) attribute(a attribute, what string, only bool, out *layerValue) (*node, bool) {
	r := ev.eval(a.expr)
	out.diags = append(out.diags, r.diags...)
	if !r.ok {
		return nil, false
	}
	if u, ok := ev.unknownIn(a, what, r.value); ok {
		out.unknown = append(out.unknown, u)
		return nil, false
	}
	v, marks := r.value.Unmark()
	_, replaces := marks[onlyMark{}]
	if replaces && only {
		delete(marks, onlyMark{})
	}
	before := len(out.diags)
	c := converter{ev: ev, expr: a.expr, what: what, secret: a.spec.Secret, diags: &out.diags}
	n := c.convert(v.WithMarks(marks), a.spec.Type)
	if n == nil {
		return nil, false
	}
	if replaces && n.kind == list {
		n.only = true
	}
	return n, len(out.diags) == before
}

// unknownIn says which facts a value waits for, if any.
func (ev *evaluator) unknownIn(a attribute, what string, v cty.Value) (unknown, bool) {
	plain, marks := v.UnmarkDeep()
	if plain.IsWhollyKnown() {
		return unknown{}, false
	}
	u := unknown{facts: factsOf(marks), what: what, at: rangeOf(a.at)}
	if len(u.facts) == 0 {
		// try(…) drops marks, so all unknown facts in reach are named.
		a.expr.deps(map[*expr]bool{}, func(f string) {
			if ev.isUnknown(f) {
				u.facts = append(u.facts, f)
			}
		})
	}
	return u, true
}

func (ev *evaluator) isUnknown(name string) bool {
	for _, f := range factTable() {
		if f.name == name && !f.hidden {
			v, _ := f.value(&ev.facts).Unmark()
			return !v.IsKnown()
		}
	}
	return name != "*"
}

// join adds a second block of one layer with the same label. Its attributes may not contradict the first's.
func (b *blockValue) join(other *blockValue, diags *diag.List) {
	b.bad = b.bad || other.bad
	for _, a := range other.attrs {
		m := merger{same: true, what: "`" + a.spec.Name + "` of " + b.kind.name + " `" + b.label + "`", diags: diags}
		joined := false
		for i, have := range b.attrs {
			if have.spec.Name == a.spec.Name {
				b.attrs[i].node = m.merge(have.node, a.node, a.spec.Merge)
				joined = true
			}
		}
		if !joined {
			b.attrs = append(b.attrs, a)
		}
	}
}

func (t *table) bodyAttr(name string) bodyAttr {
	for _, a := range t.body {
		if a.Name == name {
			return a
		}
	}
	panic("no body attribute " + name)
}
