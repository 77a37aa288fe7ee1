package activate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Machine is what is true of the machine that we run on, as its facts say: a tree of another one is refused.
type Machine struct {
	OS, Arch, Home string
}

// Request is one switch.
type Request struct {
	State   generation.State
	Store   store.Store
	Machine Machine
	Tree    tree.Tree
	Check   Check                  // of merged files; may be nil
	Record  generation.Record      // without Version, Number, Store and Host
	Wait    time.Duration          // for another writer; 0: one try
	Adopt   bool                   // take over all that is in the way: files to the backups, values of keys on record
	Paths   []string               // take over what stands at these paths, absolute; one with nothing in the way is an error
	DryRun  bool                   // plan and report, write nothing
	Legacy  func() (Legacy, error) // reads what another program gives up, under the lock; nil: nothing
	Ahead   *store.Ahead           // of the live tree, begun before the manifest was read; nil: hash it if it is needed
}

// Result is what a switch or rollback did, or with DryRun would do.
type Result struct {
	Changed    bool
	Previous   *generation.Number // nil: there was none
	Generation generation.Number  // live now; with DryRun the one that is live still, 0 if none
	StorePath  store.Path
	Actions    []Action
	Warnings   []string
}

// Switch makes a tree live: everything is planned first, and a collision (*CollisionError) or a file that cannot be
// read (*UnreadableError) refuses it before anything is stored or written. The tree that is live already makes no
// generation: what of ours is missing is put back, and a home that is as it should be is not written at all.
func Switch(ctx context.Context, req Request) (Result, error) {
	if err := req.Machine.check(req.Tree.Index); err != nil {
		return Result{}, err
	}
	o := req.operation()
	return o.run(ctx, req.Wait)
}

func (req Request) operation() operation {
	o := operation{
		state: req.State, store: req.Store, adopt: adoption{all: req.Adopt, paths: req.Paths, legacy: req.Legacy}, dryRun: req.DryRun,
		ahead: req.Ahead, now: req.Record.CreatedAt,
	}
	o.to = target{
		index: req.Tree.Index, name: req.Tree.Name(), check: req.Check,
		read: func(path string) ([]byte, error) {
			f, ok := req.Tree.File(path)
			if !ok {
				return nil, fs.ErrNotExist
			}
			return f.Data, nil
		},
	}
	o.add = func(previous store.Path, whole *tree.Index) (err error) {
		if whole != nil {
			_, _, err = req.Store.AddNext(req.Tree, previous, *whole)
		} else {
			_, _, err = req.Store.Add(req.Tree, previous)
		}
		return err
	}
	o.record = func() (generation.Number, error) {
		rec := req.Record
		rec.Store, rec.Host = req.Tree.Name(), req.Tree.Index.Host
		return req.State.Create(rec)
	}
	return o
}

func (m Machine) check(idx tree.Index) error {
	switch {
	case idx.OS != m.OS || idx.Arch != m.Arch:
		return fmt.Errorf("the tree is for %s on %s, this machine is %s on %s; build it there, or choose the host that fits", idx.OS, idx.Arch, m.OS, m.Arch)
	case idx.Home != m.Home:
		return fmt.Errorf("the tree is for the home %s, this home is %s; choose the host that fits", idx.Home, m.Home)
	}
	return nil
}

// target is what is to be live.
type target struct {
	index tree.Index
	name  tree.Name
	read  func(path string) ([]byte, error)
	check Check
}

// operation is one switch or rollback, from the lock to the end of the journal.
type operation struct {
	state  generation.State
	store  store.Store
	to     target
	adopt  adoption
	dryRun bool
	ahead  *store.Ahead
	now    time.Time
	number generation.Number                                  // of an existing generation to go to; 0: record one
	add    func(previous store.Path, whole *tree.Index) error // stores the tree; whole is the index of a whole previous one
	record func() (generation.Number, error)
	choose func() error // sets to and number, under the lock; nil: they are set

	contended []string // merged files that a program changed under an earlier try
}

// switchTries bounds how often a switch is planned anew because the home changed under it.
const switchTries = 5

func (o *operation) run(ctx context.Context, wait time.Duration) (Result, error) {
	var warnings []string
	if o.dryRun {
		due, err := RecoveryDue(o.state)
		if err != nil {
			return Result{}, err
		}
		if due {
			warnings = []string{"an earlier switch was interrupted; the next command that writes ends it first"}
		}
	} else {
		if err := o.prepare(ctx); err != nil {
			return Result{}, err
		}
		unlock, err := o.lock(ctx, wait)
		if err != nil {
			return Result{}, err
		}
		defer unlock()
		if warnings, err = Recover(ctx, o.state, o.store); err != nil {
			return Result{}, err
		}
	}
	if o.choose != nil {
		if err := o.choose(); err != nil {
			return Result{Warnings: warnings}, err
		}
	}
	res, err := o.tryOften(ctx)
	res.Warnings = slices.Concat(warnings, res.Warnings)
	return res, err
}

// prepare makes the state folder of a home that was never switched, once it is known that the switch will not be
// refused: a refused one leaves nothing behind, not even a lock.
func (o *operation) prepare(ctx context.Context) error {
	if exists, err := o.state.Exists(); err != nil || exists {
		return err
	}
	if o.choose != nil {
		if err := o.choose(); err != nil {
			return err
		}
	}
	rehearsal := *o
	rehearsal.dryRun = true
	if _, err := rehearsal.tryOften(ctx); err != nil {
		return err
	}
	return o.state.Make()
}

func (o *operation) lock(ctx context.Context, wait time.Duration) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return o.state.Lock(ctx)
}

func (o *operation) tryOften(ctx context.Context) (Result, error) {
	for try := 1; ; try++ {
		res, err := o.try(ctx)
		var changed *changedError
		if !errors.As(err, &changed) {
			return res, err
		}
		if try == switchTries {
			return res, &BusyError{changed.path}
		}
	}
}

// refusal is the error of a plan that must not be carried out.
func (p Plan) refusal() error {
	var all error
	if len(p.Unreadable) > 0 {
		all = &UnreadableError{p.Unreadable}
	}
	if len(p.Collisions) > 0 {
		collision := &CollisionError{p.Collisions}
		if all == nil {
			return collision
		}
		all = errors.Join(collision, all)
	}
	return all
}

// try plans once and carries the plan out.
func (o *operation) try(ctx context.Context) (Result, error) {
	s, err := survey(o.state, o.store, &o.to)
	if err != nil {
		return Result{}, err
	}
	defer s.home.close()
	// Where a program was faster before, its locks are held from the plan on: the tree is stored already, so that is
	// still well below a second.
	unlock, err := lockPrograms(ctx, s.home, o.contended)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	res, a, err := o.begin(s)
	if err != nil || a == nil {
		return res, err
	}
	a.locked = o.contended
	err = a.run(ctx)
	o.contended = a.dests()
	res.Generation = a.Next
	res.Warnings = append(res.Warnings, a.warnings...)
	return res, err
}

// begin plans, stores the tree and records the generation. Without an applier nothing is left to do.
func (o *operation) begin(s situation) (Result, *applier, error) {
	plan, err := s.plan(o.state, o.to, o.adopt)
	if err != nil {
		return Result{}, nil, err
	}
	res := Result{Generation: s.live, StorePath: o.store.PathOf(o.to.name), Actions: plan.Actions, Warnings: plan.Warnings}
	if s.live != 0 {
		res.Previous = &s.live
	}
	if err := plan.refusal(); err != nil {
		return res, nil, err
	}
	same := res.StorePath == s.storeAt && (o.number == 0 || o.number == s.live)
	var whole *tree.Index
	if s.index != nil && (same || o.ahead.Of(s.storeAt)) && o.store.RehashOnce(s.storeAt, o.ahead) == nil {
		whole = s.index
	}
	stored := same && whole != nil
	if stored && plan.idle() && bytes.Equal(plan.applied.encode(), s.applied.encode()) {
		return res, nil, nil
	}
	res.Changed = true
	if o.dryRun {
		return res, nil, nil
	}
	if err := o.state.WriteOwner(); err != nil {
		return res, nil, err
	}
	if o.add != nil && !stored {
		if err := o.add(s.storeAt, whole); err != nil {
			return res, nil, err
		}
	}
	next, created := s.live, false
	switch {
	case same:
	case o.number != 0:
		next = o.number
	default:
		if next, err = o.record(); err != nil {
			return res, nil, err
		}
		created = true
	}
	salt := strconv.FormatUint(rand.Uint64(), 36)
	j := journalOf(plan, o.state.LiveTree(), s.roots, s.live, next, created, salt)
	if err := nameBackups(o.state.Dir(), next, j.saved()); err != nil {
		return res, nil, err
	}
	return res, &applier{state: o.state, store: o.store, home: s.home, journal: j, now: o.now}, nil
}
