package compiler

import (
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// merger lays values over each other: of two layers, or, with same set, of two places in one layer, where nothing
// wins and two different values are an error.
type merger struct {
	same  bool
	what  string // "`url` of mcp `x`"
	diags *diag.List
}

// merge lays b over a. Either may be nil. Null removes what a says, but from a set: only([]) does that.
func (m merger) merge(a, b *node, how model.Merge) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case how == model.MergeSet && b.kind == null:
		return a
	case how == model.MergeSet && a.kind == list && b.kind == list:
		return m.union(a, b)
	case how == model.MergeDeep && a.kind == object && b.kind == object:
		return m.deep(a, b)
	case m.same && a.key() != b.key():
		m.conflict(a, b)
		return a
	case m.same:
		return a
	}
	return b
}

func (m merger) union(a, b *node) *node {
	if b.only && !m.same {
		return b
	}
	seen := make(map[string]bool, len(a.list)+len(b.list))
	out := &node{kind: list, only: a.only || b.only, origin: b.origin}
	for _, item := range slices.Concat(a.list, b.list) {
		if k := item.key(); !seen[k] {
			seen[k] = true
			out.list = append(out.list, item)
		}
	}
	return out
}

func (m merger) deep(a, b *node) *node {
	out := &node{kind: object, origin: b.origin, fields: make([]nodeField, 0, len(a.fields)+len(b.fields))}
	what := m.what
	for _, f := range a.fields {
		m.what = "`" + f.name + "` in " + what
		out.fields = append(out.fields, nodeField{f.name, m.merge(f.node, b.field(f.name), model.MergeDeep)})
	}
	for _, f := range b.fields {
		if a.field(f.name) == nil {
			out.fields = append(out.fields, f)
		}
	}
	slices.SortFunc(out.fields, byName)
	return out
}

func (m merger) conflict(a, b *node) {
	m.diags.Errorf(b.origin, "conflict", m.what+" has two values in one layer",
		"Neither of the two comes later, so neither wins. Keep one of them, or move one to a profile or a host.")
	also(*m.diags, "the other value is set here", a.origin)
}

// setValue is a merged attribute of a body: texts, files or folders, in first-seen order.
type setValue struct {
	only  bool
	items []setItem
}

// setItem is one element; items with equal keys are one.
type setItem struct {
	key    string
	text   model.Text
	file   *model.File
	folder *model.Folder
}

// add lays b over a, leaving both as they are.
func (a setValue) add(b setValue, same bool) setValue {
	if b.only && !same {
		return b
	}
	if len(a.items) == 0 && !a.only {
		return b
	}
	return setValue{only: a.only || b.only, items: distinct(slices.Concat(a.items, b.items))}
}

// distinct keeps the first of items with equal keys.
func distinct(items []setItem) []setItem {
	seen := make(map[string]bool, len(items))
	out := make([]setItem, 0, len(items))
	for _, item := range items {
		if !seen[item.key] {
			seen[item.key] = true
			out = append(out, item)
		}
	}
	return out
}
