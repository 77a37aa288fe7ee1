package target

import (
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// KeyChange is a key of a merged file that somebody else changed. Ours is the rendered value, Theirs the one in the home,
// compact JSON; Theirs is nil if it is gone, and Depth is then how many steps of the path still exist. Of a set only
// Added and Removed are given.
type KeyChange struct {
	Dest           tree.Dest
	Path           []string
	Set            bool
	Ours, Theirs   []byte
	Depth          int
	Added, Removed [][]byte
}

// Unabsorbed is a change that the manifest has no words for.
type Unabsorbed struct {
	Dest tree.Dest
	Key  []string
	Why  string     // full sentences, ending in what to do
	At   diag.Range // what made the value; may be zero
}
