package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/targets"
	"github.com/agentihooks/agentihooks/targets/target"
)

func switchCommand(a *app) *cobra.Command {
	var how switching
	c := &cobra.Command{
		Use:   "switch",
		Short: "Build the manifest and make it live",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkKinds(cmd, how.denied); err != nil {
				return err
			}
			return a.switchHome(cmd.Context(), how)
		},
	}
	a.strictFlag(c)
	c.Flags().BoolVar(&how.adopt, "adopt", false, "take over all that is in the way: files go to the backups, values of keys on record")
	denyRiskFlag(c, &how.denied)
	how.flags(c)
	return c
}

// switching is how a switch is to be done.
type switching struct {
	adopt      bool
	paths      []string // take over what stands there
	fromPython bool     // take over what the Python agentihooks put there
	denied     []string // kinds of risk that stop it
	dryRun     bool
	message    string
	fromAgent  bool
	wait       time.Duration
}

func (s *switching) flags(c *cobra.Command) {
	c.Flags().BoolVar(&s.dryRun, "dry-run", false, "say what would be done, write nothing")
	c.Flags().StringVarP(&s.message, "message", "m", "", "a note to find the generation by")
	waitFlag(c, &s.wait)
	fromAgentFlag(c, &s.fromAgent)
}

// switchHome builds the manifest and makes it live.
func (a *app) switchHome(ctx context.Context, how switching) error {
	if err := a.refuseAgent(how.fromAgent || how.dryRun); err != nil {
		return err
	}
	home, err := a.openHome(false)
	if err != nil {
		return err
	}
	// Mostly little changes, so that the live tree has to be looked at.
	ahead := home.rehashAhead()
	m, err := a.load()
	if err != nil {
		return err
	}
	b, err := a.compileHere(m)
	if err != nil {
		return err
	}
	if _, ok := b.tree.File(targets.HookPath); !ok { // no targets
		if b.tree, err = a.passAll(home, b.tree.Index); err != nil {
			return err
		}
	}
	var risks []target.Risk
	if home.livePath() != home.store.PathOf(b.tree.Name()) {
		risks = targets.Risks(home.liveReader(), treeReader(b.tree))
	}
	if denied := deny(risks, how.denied); len(denied) > 0 {
		return riskError{denied}
	}
	manifest, err := filepath.Abs(m.path)
	if err != nil {
		return err
	}
	req := activate.Request{
		State: home.state, Store: home.store, Machine: home.machine, Tree: b.tree, Check: targets.Check(b.versions), Wait: how.wait, DryRun: how.dryRun,
		Adopt: how.adopt, Paths: how.paths, Ahead: ahead,
		Record: generation.Record{
			CreatedAt: a.now().UTC().Truncate(time.Second), Message: how.message, Manifest: manifest, Revision: m.Revision(),
			Release: release(), Facts: facts.Encode(b.facts),
		},
	}
	python := inheritance{home: home.machine.Home, copilot: b.facts.CopilotHome}
	if how.fromPython {
		req.Legacy = python.read
	}
	res, err := activate.Switch(ctx, req)
	if err != nil {
		if !how.fromPython {
			a.hintPython(err, python)
		}
		return err
	}
	if how.fromPython {
		res.Warnings = append(res.Warnings, python.warnings()...)
	}
	if !how.dryRun {
		if err := home.state.WriteOrigins(b.tree.Hash, originsOf(b.tree)); err != nil {
			return fmt.Errorf("generation %s is live, but its origins were not recorded: %w", res.Generation, err)
		}
	}
	if res.Changed && !how.dryRun {
		a.freeSome(ctx, home, b.keep)
	}
	return a.printResult(res, risks, b.warnings, m.Texts(), how.dryRun)
}

func fromAgentFlag(c *cobra.Command, value *bool) {
	c.Flags().BoolVar(value, "from-agent", false, "allow it in an agent's shell")
}

// refuseAgent refuses a command that changes what the agents may do when an agent itself runs it. Copilot CLI sets
// COPILOT_CLI=1 in the shell of its bash tool and for its hooks (seen on 1.0.80, 1.0.83 and 1.0.102).
func (a *app) refuseAgent(allowed bool) error {
	if a.env("COPILOT_CLI") == "1" && !allowed {
		return fmt.Errorf("this is an agent's shell (COPILOT_CLI=1), and an agent does not decide what it may do: a person runs this command, or adds --from-agent")
	}
	return nil
}

// home is the state and store of this machine.
type home struct {
	state   generation.State
	store   store.Store
	machine activate.Machine
}

// openHome opens the state folder, and makes it for a command that writes there without a plan.
func (a *app) openHome(write bool) (home, error) {
	homeDir, stateDir, err := facts.Folders(a.env)
	if err != nil {
		return home{}, err
	}
	open := generation.LookState
	if write {
		open = generation.OpenState
	}
	state, err := open(stateDir, homeDir)
	if err != nil {
		return home{}, fmt.Errorf("opening the state folder %s: %w", stateDir, err)
	}
	return home{
		state:   state,
		store:   store.New(stateDir),
		machine: activate.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Home: homeDir},
	}, nil
}

// action is an action as the interface shows it.
type action struct {
	activate.Action
	Risk []string `json:"risk"`
}

// printResult prints what a switch or rollback did.
func (a *app) printResult(res activate.Result, risks []target.Risk, warnings diag.List, texts map[string][]byte, dryRun bool) error {
	var paths []string
	for _, act := range res.Actions {
		paths = append(paths, act.Path)
	}
	at, rest := placed(risks, paths)
	all := res.Warnings
	for _, r := range rest {
		if res.Changed {
			all = append(all, "risk: "+r)
		}
	}
	actions := []action{}
	for i, act := range res.Actions {
		actions = append(actions, action{act, at[i]})
	}
	if a.json {
		for _, d := range warnings.Sorted() {
			all = append(all, d.Summary+": "+d.Detail)
		}
		a.printJSON(struct {
			Schema     int                `json:"schema"`
			Changed    bool               `json:"changed"`
			Previous   *generation.Number `json:"previous"`
			Generation generation.Number  `json:"generation"`
			StorePath  store.Path         `json:"storePath"`
			Actions    []action           `json:"actions"`
			Warnings   []string           `json:"warnings"`
		}{schema, res.Changed, res.Previous, res.Generation, res.StorePath, actions, append([]string{}, all...)})
		return nil
	}
	a.printWarnings(warnings, texts)
	for _, act := range actions {
		fmt.Fprintf(a.stdout, "%-7s%s\n", act.Kind, diag.EscapeLine(act.Path))
		for _, r := range act.Risk {
			fmt.Fprintf(a.stdout, "       risk: %s\n", diag.EscapeLine(r))
		}
	}
	for _, w := range all {
		fmt.Fprintln(a.stderr, diag.EscapeLine(w))
	}
	switch {
	case !res.Changed:
		fmt.Fprintf(a.stdout, "nothing to do: generation %s is live\n", res.Generation)
	case dryRun:
		fmt.Fprintln(a.stdout, "nothing was written (--dry-run)")
	case res.Previous != nil && *res.Previous == res.Generation:
		fmt.Fprintf(a.stdout, "generation %s is live, and whole again\n", res.Generation)
	default:
		from := "an empty home"
		if res.Previous != nil {
			from = "generation " + res.Previous.String()
		}
		fmt.Fprintf(a.stdout, "generation %s is live, after %s\n", res.Generation, from)
	}
	return nil
}
