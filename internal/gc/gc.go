// Package gc frees generations that nobody needs any more, and what only they needed.
package gc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/session"
	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// DefaultKeep is how many of the newest generations stay where nobody says otherwise.
const DefaultKeep = 20

// keepLedger is how long the verdicts of a session are kept after the last one.
const keepLedger = 30 * 24 * time.Hour

// Request is one run.
type Request struct {
	State  generation.State
	Store  store.Store
	Keep   int           // so many of the newest generations stay
	Newer  time.Duration // generations younger than this stay, too; 0: age does not matter
	Now    time.Time
	Wait   time.Duration // for another writer; 0: one try
	DryRun bool

	// Auto frees no more than a few generations and their trees, and leaves alone what no generation ever had.
	Auto bool
}

// Bounds of an automatic run: it comes after a switch, and nobody asked for it.
const (
	autoGenerations = 5
	autoTime        = 200 * time.Millisecond
)

// Kept is a generation that stays, with every reason for it.
type Kept struct {
	Number  generation.Number `json:"number"`
	Reasons []string          `json:"reasons"`
}

// Result is what stays and what was freed, or with DryRun would be; all of it sorted.
type Result struct {
	Kept       []Kept
	Removed    []generation.Number
	StorePaths []store.Path
	Origins    []tree.Hash
	Sessions   []string // names of session folders
	Ledgers    []string // of sessions, by the same names
	Warnings   []string
}

// Run frees under the lock. It deletes before it writes, so that it works on a full disk: where an interrupted switch
// cannot be recovered for want of space, what that needs is kept, and it is recovered after. Every name goes by one
// rename or unlink, so that a crash leaves whole things only, or leftovers that the next run removes.
func Run(ctx context.Context, req Request) (Result, error) {
	if req.DryRun {
		return req.free(nil)
	}
	if exists, err := req.State.Exists(); err != nil || !exists {
		return Result{}, err
	}
	wait, cancel := context.WithTimeout(ctx, req.Wait)
	defer cancel()
	unlock, err := req.State.Lock(wait)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	_ = req.State.WriteOwner() // only a message of those who wait gets worse, and a full disk must not stop us
	warnings, stuck := activate.Recover(ctx, req.State, req.Store)
	res, err := req.free(stuck)
	if stuck != nil && err == nil {
		var more []string
		more, err = activate.Recover(ctx, req.State, req.Store)
		warnings = append(warnings, more...)
	}
	res.Warnings = append(warnings, res.Warnings...)
	return res, err
}

// free decides and deletes. stuck is why an interrupted switch could not be recovered yet.
func (req Request) free(stuck error) (Result, error) {
	s, err := req.look()
	if err != nil {
		return Result{}, errors.Join(stuck, err)
	}
	var res Result
	res.Kept, res.Removed = s.decide(req)
	if req.Auto && len(res.Removed) > autoGenerations {
		res.Removed = res.Removed[:autoGenerations]
	}
	start := time.Now()
	for i, n := range res.Removed { // ascending: the highest number is written down before it goes, when there is space again
		if req.Auto && time.Since(start) > autoTime {
			res.Removed = res.Removed[:i]
			break
		}
		if err := req.freeGeneration(n, &s, &res); err != nil {
			res.Removed = res.Removed[:i]
			return res, fmt.Errorf("removing generation %s: %w", n, err)
		}
	}
	if req.Auto {
		return res, nil
	}
	return res, errors.Join(req.freeStore(s, &res), req.freeOrigins(&res), req.freeSessions(s, &res), req.freeLedgers(s, &res))
}

// freeGeneration removes one generation, and its tree if no other has it.
func (req Request) freeGeneration(n generation.Number, s *situation, res *Result) error {
	if !req.DryRun {
		if err := req.State.Delete(n); err != nil {
			return err
		}
	}
	name, ok := s.trees[n]
	delete(s.trees, n)
	if !ok || s.uses(name) {
		return nil
	}
	path := req.Store.PathOf(name)
	if !req.DryRun {
		if err := req.Store.Delete(path); err != nil {
			return err
		}
	}
	res.StorePaths = append(res.StorePaths, path)
	return nil
}

// freeStore removes the trees that no generation has: of builds, and of an earlier run that was interrupted.
func (req Request) freeStore(s situation, res *Result) error {
	paths, err := req.Store.List()
	if err != nil {
		return err
	}
	var all error
	for _, p := range paths {
		if s.uses(p.Name()) || slices.Contains(res.StorePaths, p) {
			continue
		}
		if !req.DryRun {
			if err := req.Store.Delete(p); err != nil {
				all = errors.Join(all, err)
				continue
			}
		}
		res.StorePaths = append(res.StorePaths, p)
	}
	slices.Sort(res.StorePaths)
	if !req.DryRun {
		all = errors.Join(all, req.Store.CleanTemp(), req.State.CleanTemp())
	}
	return all
}

func (req Request) freeOrigins(res *Result) error {
	left := map[tree.Hash]bool{}
	paths, err := req.Store.List()
	if err != nil {
		return err
	}
	for _, p := range paths {
		if !slices.Contains(res.StorePaths, p) {
			left[p.Hash()] = true
		}
	}
	res.Origins, err = req.State.CleanOrigins(func(h tree.Hash) bool { return left[h] }, req.Now, req.DryRun)
	return err
}

// freeSessions forgets sessions that ended without saying so.
func (req Request) freeSessions(s situation, res *Result) error {
	var all error
	for _, ended := range s.ended {
		if !req.DryRun {
			if err := ended.Remove(); err != nil {
				all = errors.Join(all, err)
				continue
			}
		}
		res.Sessions = append(res.Sessions, ended.Name)
	}
	return all
}

// freeLedgers removes what the hook said in sessions of long ago.
func (req Request) freeLedgers(s situation, res *Result) error {
	ledgers, err := ledger.List(req.State.Dir())
	if err != nil {
		return err
	}
	var all error
	for _, l := range ledgers {
		if s.running[l.Name] || req.Now.Sub(l.Changed) < keepLedger {
			continue
		}
		if !req.DryRun {
			if err := l.Remove(); err != nil {
				all = errors.Join(all, err)
				continue
			}
		}
		res.Ledgers = append(res.Ledgers, l.Name)
	}
	return all
}

// situation is what a run decides from.
type situation struct {
	numbers []generation.Number // ascending
	reasons map[generation.Number][]string
	created map[generation.Number]time.Time // of those whose record can be read
	trees   map[generation.Number]tree.Name // of those whose link can be read
	ended   []session.Session
	running map[string]bool // names of session folders
}

func (s situation) uses(name tree.Name) bool {
	for _, used := range s.trees {
		if used == name {
			return true
		}
	}
	return false
}

// look reads the state. What cannot be judged is an error, so that nothing is removed then: a journal or session record of
// a newer release.
func (req Request) look() (situation, error) {
	s := situation{
		reasons: map[generation.Number][]string{}, created: map[generation.Number]time.Time{}, trees: map[generation.Number]tree.Name{},
		running: map[string]bool{},
	}
	var err error
	if s.numbers, err = req.State.Numbers(); err != nil {
		return s, err
	}
	for _, n := range s.numbers {
		name, ok, err := req.State.StoreName(n)
		if err != nil {
			return s, err
		}
		if ok {
			s.trees[n] = name
		}
		if rec, err := req.State.Read(n); err == nil {
			s.created[n] = rec.CreatedAt
		} else {
			s.reasons[n] = append(s.reasons[n], "its record cannot be read")
		}
		pinned, err := req.State.Pinned(n)
		if err != nil {
			return s, err
		}
		if pinned {
			s.reasons[n] = append(s.reasons[n], "pinned")
		}
	}
	return s, req.roots(&s)
}

// roots adds what is live, was live before, is journalled, or is what a running session began with.
func (req Request) roots(s *situation) error {
	add := func(n generation.Number, reason string) {
		if !slices.Contains(s.reasons[n], reason) {
			s.reasons[n] = append(s.reasons[n], reason)
		}
	}
	if n, ok, err := req.State.Current(); err != nil {
		return err
	} else if ok {
		add(n, "current")
	}
	if n, ok, err := req.State.Previous(); err != nil {
		return err
	} else if ok {
		add(n, "previous")
	}
	journalled, err := activate.Journalled(req.State)
	if err != nil {
		return err
	}
	for _, n := range journalled {
		add(n, "an interrupted switch needs it")
	}
	sessions, err := session.List(req.State.Dir())
	if err != nil {
		return err
	}
	for _, live := range sessions {
		switch {
		case live.Live(req.Now):
			add(generation.Number(live.Record.Generation), "a running session began with it")
			s.running[live.Name] = true
		case !live.Fresh(req.Now):
			s.ended = append(s.ended, live)
		}
	}
	return nil
}

// decide says of every generation whether it stays.
func (s situation) decide(req Request) (kept []Kept, removed []generation.Number) {
	for i, n := range s.numbers {
		reasons := slices.Clone(s.reasons[n])
		if len(s.numbers)-i <= req.Keep {
			reasons = append(reasons, fmt.Sprintf("one of the newest %d", req.Keep))
		}
		if req.Newer > 0 && req.Now.Sub(s.created[n]) < req.Newer {
			reasons = append(reasons, "young enough")
		}
		if len(reasons) == 0 {
			removed = append(removed, n)
		} else {
			kept = append(kept, Kept{n, reasons})
		}
	}
	return kept, removed
}
