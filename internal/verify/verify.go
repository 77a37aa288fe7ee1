// Package verify hashes the trees of generations again, and restores what is damaged.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/restore"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Request is one run.
type Request struct {
	State  generation.State
	Store  store.Store
	Only   generation.Number // of this generation alone; 0: of all
	Repair bool
	Wait   time.Duration // of a repair for another writer; 0: one try

	// Rebuild makes the tree of a generation again from its manifest as that is now. It is asked where the store does not
	// have what is lost; only a tree of the very name is taken.
	Rebuild func(generation.Record) (tree.Tree, error)
}

// Path is one tree that generations need. Damaged is the paths in it that differ, "." where the whole is missing; where
// Known is false all that may differ. Repaired is those of them that were put right. OK is false if damage remains.
type Path struct {
	StorePath store.Path `json:"storePath"`
	OK        bool       `json:"ok"`
	Damaged   []string   `json:"damaged"`
	Repaired  []string   `json:"repaired"`

	Generations []generation.Number `json:"-"`
	Known       bool                `json:"-"` // what the tree was is known, so that a repair can restore it
	Reason      string              `json:"-"` // why it is not
}

// Result is the trees, sorted by path, and what else is wrong with generations, full sentences.
type Result struct {
	Paths    []Path
	Faults   []string
	Warnings []string
}

// OK reports whether nothing is damaged any more.
func (r Result) OK() bool {
	return len(r.Faults) == 0 && !slices.ContainsFunc(r.Paths, func(p Path) bool { return !p.OK })
}

// Run verifies. Without Repair it takes no lock and writes nothing. A repair writes a new copy of the whole tree, with files
// of its own: a damaged file may be a hard link that other trees have, too.
func Run(ctx context.Context, req Request) (Result, error) {
	if exists, err := req.State.Exists(); err != nil || !exists {
		if err == nil && req.Only != 0 {
			err = absent(req.Only)
		}
		return Result{}, err
	}
	if !req.Repair {
		return req.verify()
	}
	wait, cancel := context.WithTimeout(ctx, req.Wait)
	defer cancel()
	unlock, err := req.State.Lock(wait)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	warnings, err := activate.Recover(ctx, req.State, req.Store)
	if err != nil {
		return Result{}, err
	}
	res, err := req.verify()
	res.Warnings = append(warnings, res.Warnings...)
	return res, err
}

func absent(n generation.Number) error {
	return fmt.Errorf("there is no generation %s; `agentihooks generations` lists them", n)
}

func (req Request) verify() (Result, error) {
	var res Result
	needed, err := req.needed(&res)
	if err != nil {
		return res, err
	}
	for _, p := range needed {
		if err := req.look(&p); err != nil {
			return res, err
		}
		res.Paths = append(res.Paths, p)
	}
	// What is restored may hold what another tree lacks.
	for progress := true; progress; {
		progress = false
		for i := range res.Paths {
			p := &res.Paths[i]
			if p.OK {
				continue
			}
			if err := req.mend(p); err != nil {
				return res, err
			}
			progress = progress || p.OK
		}
	}
	return res, nil
}

// needed is the trees that the generations have, by their links: a record that cannot be read still has its tree.
func (req Request) needed(res *Result) ([]Path, error) {
	numbers, err := req.State.Numbers()
	if err != nil {
		return nil, err
	}
	if req.Only != 0 {
		if !slices.Contains(numbers, req.Only) {
			return nil, absent(req.Only)
		}
		numbers = []generation.Number{req.Only}
	}
	at := map[store.Path][]generation.Number{}
	for _, n := range numbers {
		rec, err := req.State.Read(n)
		if err != nil {
			res.Faults = append(res.Faults, fmt.Sprintf("The record of generation %s cannot be read: %v. It cannot be made live; `agentihooks switch` makes a new one.", n, err))
		}
		name, ok, _ := req.State.StoreName(n) // one that cannot be read is a fault of the record already
		if !ok && err == nil {
			name, ok = rec.Store, true
		}
		if ok {
			p := req.Store.PathOf(name)
			at[p] = append(at[p], n)
		}
	}
	var out []Path
	for p, n := range at {
		out = append(out, Path{StorePath: p, Generations: n})
	}
	slices.SortFunc(out, func(a, b Path) int { return strings.Compare(string(a.StorePath), string(b.StorePath)) })
	return out, nil
}

// look hashes one tree.
func (req Request) look(p *Path) error {
	p.Damaged, p.Repaired = []string{}, []string{}
	err := req.Store.Verify(p.StorePath)
	p.OK = err == nil
	if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// mend says what is damaged in a tree, and restores it if that is asked for and can be.
func (req Request) mend(p *Path) error {
	want, err := req.find(p)
	if err != nil {
		return err
	}
	if !p.Known {
		p.Damaged, err = restore.Suspects(req.Store, p.StorePath)
		return err
	}
	if p.Damaged, err = restore.Damage(p.StorePath, want); err != nil || !req.Repair {
		return err
	}
	if _, _, err := req.Store.Add(want, ""); err != nil {
		return fmt.Errorf("restoring %s: %w", p.StorePath, err)
	}
	if err := durable.Sync(req.Store.Dir()); err != nil {
		return err
	}
	p.Repaired, p.OK = p.Damaged, true
	return nil
}

// find looks for the tree in the store, then makes it again from the sources.
func (req Request) find(p *Path) (tree.Tree, error) {
	want, ok, err := restore.Find(req.Store, p.StorePath, restore.Thorough)
	if err != nil || ok {
		p.Known = ok
		return want, err
	}
	p.Reason = "No other tree has what is lost, and the manifest gives another tree now."
	for i := len(p.Generations) - 1; i >= 0; i-- {
		rec, err := req.State.Read(p.Generations[i])
		if err != nil {
			continue
		}
		made, err := req.Rebuild(rec)
		switch {
		case err != nil:
			p.Reason = fmt.Sprintf("No other tree has what is lost, and it cannot be built from the sources: %v.", err)
		case made.Name() == p.StorePath.Name():
			p.Known, p.Reason = true, ""
			return made, nil
		}
	}
	return tree.Tree{}, nil
}
