package compiler

import (
	"maps"
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// SchemaDoc is the manifest's language as data: what `agentihooks schema --json` prints.
type SchemaDoc struct {
	Schema    int           `json:"schema"`     // 1
	Body      []AttrDoc     `json:"attributes"` // of the top level, modules, profiles and hosts
	Blocks    []BlockDoc    `json:"blocks"`
	Facts     []FactDoc     `json:"facts"`
	Functions []FunctionDoc `json:"functions"`
}

// BlockDoc is one block type, or one kind of it if Label is set.
type BlockDoc struct {
	Type       string     `json:"type"`
	LabelName  string     `json:"labelName,omitempty"` // what the label is; empty: the block has none
	Label      string     `json:"label,omitempty"`     // the one label that this entry is about
	Doc        string     `json:"doc"`
	In         []string   `json:"in,omitempty"` // where it may stand
	Body       bool       `json:"body"`         // it takes the attributes and blocks of a body, too
	Attributes []AttrDoc  `json:"attributes"`
	Blocks     []BlockDoc `json:"blocks,omitempty"`
}

// AttrDoc is one attribute.
type AttrDoc struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // in words
	Values   []string `json:"values,omitempty"`
	Merge    string   `json:"merge"` // replace, set or deep
	Required bool     `json:"required"`
	Secret   bool     `json:"secret"` // secrets may stand in it
	Doc      string   `json:"doc"`
	Example  string   `json:"example,omitempty"`
	Key      string   `json:"key,omitempty"` // what it becomes in the program's own file
}

// FactDoc is one fact.
type FactDoc struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Doc  string `json:"doc"`
}

// FunctionDoc is one function.
type FunctionDoc struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Schema describes every block, attribute, fact and function. All of it comes from the tables that the compiler
// itself decodes by.
func Schema(specs Specs) SchemaDoc {
	t := newTable(specs)
	out := SchemaDoc{Schema: 1}
	for _, a := range t.body {
		out.Body = append(out.Body, attrDoc(a.AttrSpec))
	}
	for _, b := range t.blocks {
		all := b.specs
		if len(all) == 0 {
			all = []model.BlockSpec{{}}
		}
		for _, s := range all {
			out.Blocks = append(out.Blocks, blockDoc(b, s))
		}
	}
	for _, f := range factTable() {
		if !f.hidden {
			out.Facts = append(out.Facts, FactDoc{f.name, describe(f.typ), f.doc})
		}
	}
	docs := functionDocs()
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		out.Functions = append(out.Functions, FunctionDoc{name, docs[name]})
	}
	return out
}

func blockDoc(b blockType, s model.BlockSpec) BlockDoc {
	out := BlockDoc{
		Type: b.name, LabelName: b.label, Label: s.Label, Doc: b.doc, In: b.in, Body: b.body, Attributes: []AttrDoc{},
	}
	if s.Label != "" && s.Doc != "" {
		out.Doc = s.Doc
	}
	for _, a := range s.Attributes {
		out.Attributes = append(out.Attributes, attrDoc(a))
	}
	for _, n := range b.nested {
		inner := BlockDoc{Type: n.name, Doc: n.doc, Attributes: []AttrDoc{}}
		for _, a := range n.attrs {
			inner.Attributes = append(inner.Attributes, attrDoc(a))
		}
		out.Blocks = append(out.Blocks, inner)
	}
	return out
}

func attrDoc(a model.AttrSpec) AttrDoc {
	return AttrDoc{
		Name: a.Name, Type: describe(a.Type), Values: a.Type.Enum, Merge: mergeName(a.Merge), Required: a.Required,
		Secret: a.Secret, Doc: a.Doc, Example: a.Example, Key: a.Key,
	}
}

func mergeName(m model.Merge) string {
	switch m {
	case model.MergeSet:
		return "set"
	case model.MergeDeep:
		return "deep"
	}
	return "replace"
}
