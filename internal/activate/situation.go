package activate

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// situation is what a plan starts from.
type situation struct {
	live    generation.Number // 0: none
	storeAt store.Path        // of the live generation; empty: none
	index   *tree.Index       // nil: none, or it cannot be read
	applied Applied
	home    *home
	roots   []string
}

// survey reads the state and opens the homes. The caller closes them. goal is what is to be live; nil: as it is.
func survey(state generation.State, st store.Store, goal *target) (situation, error) {
	var s situation
	var to *tree.Index
	if goal != nil {
		to = &goal.index
	}
	var err error
	if s.live, _, err = state.Current(); err != nil {
		return s, err
	}
	if s.applied, err = loadApplied(state.Dir()); err != nil {
		return s, err
	}
	if s.live != 0 {
		rec, err := state.Read(s.live)
		if err != nil {
			return s, err
		}
		s.storeAt = st.PathOf(rec.Store)
		s.index = readIndex(st, s.storeAt, goal)
	}
	for _, idx := range []*tree.Index{to, s.index} {
		if idx != nil {
			s.addRoots(idx.Home, idx.Copilot)
		}
	}
	if s.applied.Home != "" {
		s.addRoots(s.applied.Home)
	}
	if to != nil && s.applied.Home != "" && s.applied.Home != to.Home {
		return s, fmt.Errorf("the state folder %s belongs to the home %s, not to %s; set AGENTIHOOKS_STATE_DIR to another folder for this home", state.Dir(), s.applied.Home, to.Home)
	}
	s.home, err = openHome(s.roots...)
	return s, err
}

// readIndex is the index of the live tree, nil if it was damaged or lost: that must not stop the switch that puts another
// in its place. One with the very bytes of the goal's needs no decoding, a third of the time that a switch without
// changes takes.
func readIndex(st store.Store, at store.Path, goal *target) *tree.Index {
	if goal != nil && st.PathOf(goal.name) == at {
		have, err := st.ReadFile(at, tree.IndexPath)
		want, err2 := goal.read(tree.IndexPath)
		if err == nil && err2 == nil && bytes.Equal(have, want) {
			return &goal.index
		}
	}
	idx, err := st.ReadIndex(at)
	if err != nil {
		return nil
	}
	return &idx
}

// addRoots adds homes. One that we made ourselves is reached from above, so that it can go again.
func (s *situation) addRoots(paths ...string) {
	for _, path := range paths {
		for p, ok := s.applied.path(path); ok && p.Folder; p, ok = s.applied.path(path) {
			path = filepath.Dir(path)
		}
		s.roots = append(s.roots, path)
	}
}

// adoption is what becomes of that which is in the way: all of it is taken over, or what stands at some paths. With
// yield, keys that have another value are left to the user. legacy reads what another program gives up.
type adoption struct {
	all    bool
	paths  []string
	yield  bool
	legacy func() (Legacy, error)
}

// plan observes the home and plans.
func (s situation) plan(state generation.State, to target, adopt adoption) (Plan, error) {
	var legacy Legacy
	if adopt.legacy != nil {
		var err error
		if legacy, err = adopt.legacy(); err != nil {
			return Plan{}, err
		}
	}
	seen, err := observe(s.home, s.destinations(&to.index, legacy.paths()...))
	if err != nil {
		return Plan{}, err
	}
	if err := seen.packFolders(s.home, to.index, s.applied, legacy.Whole); err != nil {
		return Plan{}, err
	}
	in := Input{
		Live: state.LiveTree(), Old: s.index, New: &to.index, Values: to.read, Check: to.check, Applied: s.applied, Observed: seen, Legacy: legacy,
	}
	if len(adopt.paths) > 0 {
		without, err := MakePlan(in)
		if err != nil {
			return Plan{}, err
		}
		if err := without.standingAt(adopt.paths); err != nil {
			return Plan{}, err
		}
	}
	in.Adopt, in.Adopting, in.Yield = adopt.all, adopt.paths, adopt.yield
	return MakePlan(in)
}

// destinations are all paths that a plan may speak of, with more. One that lies in a home that is no longer ours is left out.
func (s situation) destinations(to *tree.Index, more ...string) []string {
	out := more
	for _, idx := range []*tree.Index{s.index, to} {
		if idx == nil {
			continue
		}
		for _, e := range idx.Entries {
			out = append(out, string(e.Dest))
		}
	}
	for _, p := range s.applied.Paths {
		out = append(out, p.Path)
	}
	for _, f := range s.applied.Files {
		out = append(out, f.Dest)
	}
	for _, b := range s.applied.Blocks {
		out = append(out, b.Dest)
	}
	out = slices.DeleteFunc(out, func(p string) bool { _, err := s.home.parents(p); return err != nil })
	slices.Sort(out)
	return slices.Compact(out)
}
