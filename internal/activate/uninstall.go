package activate

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentihooks/agentihooks/internal/generation"
)

// errNothingLive ends an uninstall of a home that was never switched.
var errNothingLive = errors.New("nothing is live")

// Uninstall gives the home back as it was: a switch to a tree without destinations, with all that such a switch can do
// and be interrupted at. What the user changed since stays, and the warnings say so. The tree, req.Tree, should hold a
// hook that lets everything pass, for the sessions that go on calling it. A home that was never switched, or is
// uninstalled already, is not written.
func Uninstall(ctx context.Context, req Request) (Result, error) {
	if n := len(req.Tree.Index.Entries); n > 0 {
		return Result{}, fmt.Errorf("the tree for an uninstalled home has %d destinations", n)
	}
	if exists, err := req.State.Exists(); err != nil || !exists {
		return Result{}, err
	}
	if err := req.Machine.check(req.Tree.Index); err != nil {
		return Result{}, err
	}
	o := req.operation()
	o.choose = func() error {
		_, ok, err := req.State.Current()
		if err == nil && !ok {
			err = errNothingLive
		}
		return err
	}
	res, err := o.run(ctx, req.Wait)
	if errors.Is(err, errNothingLive) {
		return res, nil
	}
	if err != nil || req.DryRun {
		return res, err
	}
	left, err := Backups(req.State)
	for _, b := range left {
		if b.Of != "" {
			continue
		}
		res.Warnings = append(res.Warnings, fmt.Sprintf("%s: what stood there before was not put back, for our link to it was changed; it is backup %s", b.Path, b.ID))
	}
	if err != nil {
		res.Warnings = append(res.Warnings, err.Error())
	}
	return res, nil
}

// owns reports whether anything in the home is still ours, folders apart.
func (a Applied) owns() bool {
	for _, p := range a.Paths {
		if !p.Folder {
			return true
		}
	}
	return len(a.Files)+len(a.Blocks) > 0
}

// Installed reports whether anything in the home is ours, or may be: a switch was interrupted.
func Installed(state generation.State) (bool, error) {
	due, err := RecoveryDue(state)
	if err != nil || due {
		return due, err
	}
	applied, err := loadApplied(state.Dir())
	return applied.owns(), err
}
