package activate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
)

// RollbackRequest is one rollback.
type RollbackRequest struct {
	State   generation.State
	Store   store.Store
	Machine Machine
	Check   Check             // of merged files; may be nil
	To      generation.Number // 0: the highest below the live one that was live itself
	Wait    time.Duration     // for another writer; 0: one try
	DryRun  bool
	Now     time.Time // UTC, whole seconds: when backups are made
}

// ErrNoPrevious is in the chain of Rollback's error where there is nothing to go back to.
var ErrNoPrevious = errors.New("no earlier generation")

// Rollback makes an existing generation live again, by the same plan as a switch: what the user changed belongs to no
// generation and stays. Its tree is hashed first; a damaged one (store.ErrDamaged) is never made live.
func Rollback(ctx context.Context, req RollbackRequest) (Result, error) {
	// A key that the user set since its generation was live belongs to no generation: it is no reason not to go back.
	o := operation{state: req.State, store: req.Store, adopt: adoption{yield: true}, dryRun: req.DryRun, now: req.Now}
	o.to.check = req.Check
	o.choose = func() error {
		n, err := req.choose()
		if err != nil {
			return err
		}
		o.number = n
		return o.goTo(n, req.Machine)
	}
	return o.run(ctx, req.Wait)
}

// choose is called under the lock: another switch may have come first.
func (req RollbackRequest) choose() (generation.Number, error) {
	live, ok, err := req.State.Current()
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, fmt.Errorf("%w: this home was never switched", ErrNoPrevious)
	}
	if req.To == 0 {
		n, ok, err := req.State.Previous()
		if err == nil && !ok {
			err = fmt.Errorf("%w: generation %s is the first; `agentihooks uninstall` gives the home back as it was before it", ErrNoPrevious, live)
		}
		return n, err
	}
	if req.To == live {
		return 0, fmt.Errorf("generation %s is live already", live)
	}
	if _, err := req.State.Read(req.To); errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("there is no generation %s; `agentihooks generations` lists them", req.To)
	}
	if was, err := req.State.Activated(req.To); err != nil {
		return 0, err
	} else if !was {
		return 0, fmt.Errorf("generation %s was never live: its switch was interrupted; choose another", req.To)
	}
	return req.To, nil
}

// goTo aims the operation at an existing generation, if its tree is whole and for this machine.
func (o *operation) goTo(n generation.Number, machine Machine) error {
	rec, err := o.state.Read(n)
	if err != nil {
		return err
	}
	path := o.store.PathOf(rec.Store)
	if err := o.store.Verify(path); err != nil {
		return fmt.Errorf("generation %s cannot be made live: %w", n, err)
	}
	idx, err := o.store.ReadIndex(path)
	if err != nil {
		return err
	}
	o.to.index, o.to.name = idx, rec.Store
	o.to.read = func(name string) ([]byte, error) { return o.store.ReadFile(path, name) }
	return machine.check(idx)
}
