package activate

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Change is what happens to a path.
type Change string

// The changes.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// Difference is one path that a switch changes, or that differs between two generations. For a link Old and New are the
// content, nil where there is none; a linked folder gives one difference for each file in it. For a merged file there
// are only Keys: the rest of it is not ours to show.
type Difference struct {
	Path             string
	Change           Change
	Placement        tree.Placement
	Entry            tree.Dest // the destination that the path is, or lies in
	Old, New         []byte
	OldExec, NewExec bool
	Keys             []KeyDifference
}

// KeyDifference is one key of a merged file. Old and New are compact JSON, nil where there is none.
type KeyDifference struct {
	Key      string
	Old, New json.RawMessage
}

// Outlook is what a switch would do.
type Outlook struct {
	Live        generation.Number // 0: this home was never switched
	Differences []Difference      // sorted by path
	Collisions  []Collision
	Unreadable  []FileFault
	Warnings    []string
}

// Preview compares a tree with the live generation and with the home, which may never have been switched. It takes no
// lock and writes nothing. check may be nil.
func Preview(state generation.State, st store.Store, tr tree.Tree, check Check) (Outlook, error) {
	now := treeFiles(tr)
	goal := target{tr.Index, tr.Name(), now.read, check}
	s, err := survey(state, st, &goal)
	if err != nil {
		return Outlook{}, err
	}
	defer s.home.close()
	plan, err := s.plan(state, goal, adoption{})
	if err != nil {
		return Outlook{}, err
	}
	out := Outlook{Live: s.live, Collisions: plan.Collisions, Unreadable: plan.Unreadable, Warnings: plan.Warnings}
	before, err := s.filesOf(st)
	if err != nil {
		return Outlook{}, err
	}
	// What is to be linked anew is not there, whatever the store holds.
	fresh := map[string]bool{}
	for _, l := range slices.Concat(plan.early, plan.late) {
		fresh[l.Path] = true
	}
	old := links(s.index)
	for dest := range old {
		if fresh[dest] {
			delete(old, dest)
		}
	}
	out.Differences = linkDifferences(old, before, links(&tr.Index), now)
	for i, d := range out.Differences {
		if _, block := plan.applied.block(d.Path); block {
			out.Differences[i].Placement = tree.Block
		}
	}
	for _, m := range plan.merges {
		if m.block {
			continue // what it says is among the links already
		}
		d := Difference{Path: m.applied.Dest, Change: Changed, Placement: tree.Merge, Entry: tree.Dest(m.applied.Dest)}
		switch {
		case m.before == nil:
			d.Change = Added
		case m.text == nil:
			d.Change = Removed
		}
		for _, c := range m.changes {
			d.Keys = append(d.Keys, KeyDifference{KeyName(c.Path), c.Old, c.New})
		}
		out.Differences = append(out.Differences, d)
	}
	sortDifferences(out.Differences)
	return out, nil
}

// Between compares the trees of two generations, without looking at the home.
func Between(st store.Store, a, b store.Path) ([]Difference, error) {
	idxA, err := st.ReadIndex(a)
	if err != nil {
		return nil, err
	}
	idxB, err := st.ReadIndex(b)
	if err != nil {
		return nil, err
	}
	filesA, err := storeFiles(a)
	if err != nil {
		return nil, err
	}
	filesB, err := storeFiles(b)
	if err != nil {
		return nil, err
	}
	out := linkDifferences(links(&idxA), filesA, links(&idxB), filesB)
	merges, err := mergeDifferences(&idxA, filesA, &idxB, filesB)
	out = append(out, merges...)
	sortDifferences(out)
	return out, err
}

func sortDifferences(ds []Difference) {
	slices.SortStableFunc(ds, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
}
