package activate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// DriftKind says how a destination of ours differs from what the live generation declares.
type DriftKind string

// The kinds of drift. Modified is content that changed behind a link or in a block, or a merged file that cannot be read; Dangling a
// link of ours whose file in the tree is gone; Foreign something in a folder that we made for our links alone.
const (
	DriftMissing  DriftKind = "missing"
	DriftReplaced DriftKind = "replaced"
	DriftModified DriftKind = "modified"
	DriftKey      DriftKind = "key"
	DriftDangling DriftKind = "dangling"
	DriftForeign  DriftKind = "foreign"
)

// Drift is one difference between the home and the live generation. Key is set for DriftKey.
type Drift struct {
	Path string    `json:"path"`
	Kind DriftKind `json:"kind"`
	Key  string    `json:"key"`
}

// Report is what is live, what differs from it, sorted by path and key, and whether a switch was interrupted.
type Report struct {
	Generation  generation.Number // 0: this home was never switched
	Drift       []Drift
	RecoveryDue bool
}

// Status compares the home with the live generation. It takes no lock and writes nothing; while a switch is under way
// or was interrupted it may report what that is about to change.
func Status(state generation.State, st store.Store) (Report, error) {
	due, err := RecoveryDue(state)
	if err != nil {
		return Report{}, err
	}
	s, err := surveyLive(state, st)
	if err != nil {
		return Report{}, err
	}
	defer s.home.close()
	rep := Report{Generation: s.live, RecoveryDue: due}
	if s.live == 0 {
		return rep, nil
	}
	seen, err := observe(s.home, s.destinations(s.index))
	if err != nil {
		return Report{}, err
	}
	plan, err := MakePlan(Input{
		Live: state.LiveTree(), Old: s.index, New: s.index, Applied: s.applied, Observed: seen,
		Values: func(path string) ([]byte, error) { return st.ReadFile(s.storeAt, path) },
	})
	if err != nil {
		return Report{}, err
	}
	rep.Drift = slices.Concat(plan.drift(seen), linkDrift(s, seen, state.LiveTree()), foreign(s, seen))
	behind, err := treeDrift(st, s, state.LiveTree(), rep.Drift)
	if err != nil {
		return Report{}, err
	}
	rep.Drift = append(rep.Drift, behind...)
	slices.SortFunc(rep.Drift, func(a, b Drift) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Key, b.Key), cmp.Compare(a.Kind, b.Kind))
	})
	rep.Drift = slices.Compact(rep.Drift)
	return rep, nil
}

// drift is what a switch to the live tree would put right or leave.
func (p Plan) drift(seen Observed) []Drift {
	var out []Drift
	for _, l := range slices.Concat(p.early, p.late) {
		kind := DriftReplaced
		if seen.At(l.Path).Kind == Absent {
			kind = DriftMissing
		}
		out = append(out, Drift{Path: l.Path, Kind: kind})
	}
	for _, c := range p.Collisions {
		switch {
		case c.Class == ClassKey:
			out = append(out, Drift{c.Path, DriftKey, c.Key})
		case c.block:
			out = append(out, Drift{Path: c.Path, Kind: DriftModified})
		default:
			out = append(out, Drift{Path: c.Path, Kind: DriftReplaced})
		}
	}
	for _, f := range p.Unreadable {
		out = append(out, Drift{Path: f.Path, Kind: DriftModified})
	}
	for _, l := range p.Left {
		out = append(out, Drift{l.Path, DriftKey, l.Key})
	}
	for _, m := range p.merges {
		if m.block {
			out = append(out, Drift{Path: m.applied.Dest, Kind: DriftModified})
			continue
		}
		if m.before == nil {
			out = append(out, Drift{Path: m.applied.Dest, Kind: DriftMissing})
			continue
		}
		for _, c := range m.changes {
			out = append(out, Drift{m.applied.Dest, DriftKey, KeyName(c.Path)})
		}
	}
	return out
}

// linkDrift looks behind the links that are in place.
func linkDrift(s situation, seen Observed, live string) []Drift {
	var out []Drift
	for _, e := range s.index.Entries {
		place := seen.At(string(e.Dest))
		if e.Placement != tree.Link || place.Kind != SymbolicLink || !beneath(place.Text, live) {
			continue
		}
		path := filepath.Join(string(s.storeAt), filepath.FromSlash(e.Path))
		info, err := os.Stat(path)
		if err != nil {
			out = append(out, Drift{Path: string(e.Dest), Kind: DriftDangling})
			continue
		}
		digest := ""
		if info.IsDir() {
			digest, err = tree.DigestDir(os.DirFS(path))
		} else if data, readErr := os.ReadFile(path); readErr == nil {
			digest = digestOf(data)
		}
		if err != nil || digest != e.Digest {
			out = append(out, Drift{Path: string(e.Dest), Kind: DriftModified})
		}
	}
	return out
}

// foreign finds what stands beside our links in folders that we made. The homes themselves are everybody's.
func foreign(s situation, seen Observed) []Drift {
	ours := map[string]bool{}
	holds := map[string]bool{} // folders that links stand in
	for _, e := range s.index.Entries {
		ours[string(e.Dest)] = true
		for _, dir := range seen.parents[string(e.Dest)] {
			ours[dir] = true
		}
		if e.Placement == tree.Link {
			holds[filepath.Dir(string(e.Dest))] = true
		}
	}
	var out []Drift
	for _, p := range s.applied.Paths {
		if !p.Folder || !holds[p.Path] || p.Path == s.index.Copilot || p.Path == s.index.Home {
			continue
		}
		for _, name := range seen.At(p.Path).Names {
			path := filepath.Join(p.Path, name)
			if _, known := s.applied.path(path); !known && !ours[path] {
				out = append(out, Drift{Path: path, Kind: DriftForeign})
			}
		}
	}
	return out
}

// surveyLive is survey for what is live.
func surveyLive(state generation.State, st store.Store) (situation, error) {
	s, err := survey(state, st, nil)
	if err != nil {
		return s, err
	}
	if s.live != 0 && s.index == nil {
		s.home.close()
		return s, fmt.Errorf("the tree of generation %s in %s cannot be read; switch again to write it anew", s.live, s.storeAt)
	}
	return s, nil
}
