package compiler

import (
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func targetBlock(targets []model.BlockSpec) blockType {
	bt := blockType{
		name: "target", label: "program", in: everywhere(),
		doc: "A program that the machine is compiled for, with its settings.",
	}
	for _, s := range targets {
		s.Attributes = append(slices.Clone(s.Attributes), enabledAttr())
		bt.specs = append(bt.specs, s)
	}
	return bt
}
