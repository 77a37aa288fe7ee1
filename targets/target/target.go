// Package target is the shape that every target has: what it reads of the manifest, what it renders, what it loses.
package target

import (
	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Target is one program that we render for.
type Target struct {
	Spec model.BlockSpec // Type "target", Label the program's name; its attributes
	// Probes is the names of programs whose place the facts have to hold (Facts.Which) before Render. It may be nil.
	Probes func(model.Machine, model.Block) []string
	Render func(Input) (Output, diag.List)
	Risks  func(old, new Reader) []Risk
	// Check looks at a merged file as it is going to be in the home, plain JSON: path is the one in the tree, version that of
	// the program found, or empty. It gives what the user has to know, and may be nil.
	Check func(path string, text []byte, version string) []string
	// Absorb turns changes of rendered keys back into edits of the manifest. Changes of other destinations are not its
	// business. It may be nil.
	Absorb func(Input, []KeyChange) ([]model.Edit, []Unabsorbed)
}

// Input is what a target renders from.
type Input struct {
	Machine model.Machine
	Block   model.Block // the target's own block
	Hook    string      // absolute path of the hook binary through $STATE/current
}

// Output is a target's part of the tree. Each target writes below its own folder of the tree; a shared file
// (agents/skills/…) may be given by several targets, with equal content.
type Output struct {
	Files   []tree.File
	Entries []tree.Entry
	Losses  []Loss
}

// Loss is something of the manifest that the program cannot take: said at build time, an error with --strict.
type Loss struct {
	File string `json:"file"`
	Line int    `json:"line"`
	What string `json:"what"`
}

// Reader reads the files of one tree by path. A nil Reader is the tree of a home that was never switched.
type Reader func(path string) (data []byte, ok bool)
