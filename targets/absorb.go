package targets

import (
	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/targets/target"
)

// Absorb says which values of the manifest a change in the home comes from, and what they would have to be. Changes that
// cannot be told are the second result.
func Absorb(m model.Machine, changes []target.KeyChange) ([]model.Edit, []target.Unabsorbed) {
	var edits []model.Edit
	var rest []target.Unabsorbed
	for _, block := range m.Targets {
		if absorb := find(block.Label).Absorb; absorb != nil {
			more, left := absorb(target.Input{Machine: m, Block: block, Hook: hookDest(m.Facts)}, changes)
			edits, rest = append(edits, more...), append(rest, left...)
		}
	}
	return edits, rest
}
