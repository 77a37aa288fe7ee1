package compiler

import (
	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin/guard"
)

func guardBlock(guards []guard.Spec) blockType {
	bt := blockType{
		name: "guard", label: "kind", in: everywhere(),
		doc: "A check that the hook makes before a tool call.",
	}
	for _, g := range guards {
		s := guardSpec(g)
		s.Attributes = append(s.Attributes, enabledAttr())
		bt.specs = append(bt.specs, s)
	}
	return bt
}

// guardSpec is a guard's own description in the shape that all blocks share.
func guardSpec(g guard.Spec) model.BlockSpec {
	s := model.BlockSpec{Type: "guard", Label: g.Kind, Doc: g.Doc}
	for _, a := range g.Args {
		if a.Internal {
			continue
		}
		attr := model.AttrSpec{Name: a.Name, Required: a.Required, Doc: a.Doc, Example: a.Example}
		switch a.Type {
		case guard.Strings:
			attr.Type, attr.Merge = listOf(model.TypeString), model.MergeSet
		case guard.String:
			attr.Type = model.Type{Kind: model.TypeString, Enum: a.OneOf}
		case guard.Int:
			attr.Type = kind(model.TypeNumber)
		case guard.Bool:
			attr.Type = kind(model.TypeBool)
		}
		s.Attributes = append(s.Attributes, attr)
	}
	return s
}
