package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/hookbin/session"
	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/doctor"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets"
)

func uninstallCommand(a *app) *cobra.Command {
	var dryRun, fromAgent, purge, force bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Give the home back as it was before the first switch",
		Long: `Give the home back as it was before the first switch: what was taken over comes back, what you changed since stays. Sessions
that still run keep a hook that lets every call pass. The state folder stays until --purge.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.refuseAgent(fromAgent || dryRun); err != nil {
				return err
			}
			if force && !purge || purge && dryRun {
				return usagef("--force goes with --purge, and --purge not with --dry-run")
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			if purge && !force {
				if err := a.refuseLiveSessions(home.state); err != nil {
					return err
				}
			}
			res, err := a.uninstall(cmd.Context(), home, wait, dryRun)
			if err != nil {
				return err
			}
			if purge {
				if err := activate.Purge(cmd.Context(), home.state, wait, force); err != nil {
					return fmt.Errorf("the home is given back, but %s stays: %w", home.state.Dir(), err)
				}
			}
			return a.printUninstalled(res, home, dryRun, purge)
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be done, write nothing")
	c.Flags().BoolVar(&purge, "purge", false, "remove the state folder too: all generations and backups")
	c.Flags().BoolVar(&force, "force", false, "with --purge: though sessions run, or files of yours are left in the backups")
	waitFlag(c, &wait)
	fromAgentFlag(c, &fromAgent)
	return c
}

func (a *app) uninstall(ctx context.Context, home home, wait time.Duration, dryRun bool) (activate.Result, error) {
	local, err := facts.Read(a.env, nil)
	if err != nil {
		return activate.Result{}, fmt.Errorf("reading the facts of this machine: %w", err)
	}
	idx := tree.Index{Host: "uninstalled", OS: home.machine.OS, Arch: home.machine.Arch, Home: home.machine.Home, Copilot: local.CopilotHome}
	if live := home.livePath(); live != "" {
		idx.Host = live.Host()
		if old, err := home.store.ReadIndex(live); err == nil { // a damaged one is no reason to keep the home
			idx.Copilot = old.Copilot
		}
	} else if home.state.LeadsHere(filepath.Join(local.CopilotHome, doctor.HooksFile)) {
		return activate.Result{}, fmt.Errorf("links of this home lead into %s, but what it had on record is gone; run \"agentihooks switch\", which takes them over, and uninstall after that", home.state.Dir())
	}
	tr, err := a.passAll(home, idx)
	if err != nil {
		return activate.Result{}, err
	}
	return activate.Uninstall(ctx, activate.Request{
		State: home.state, Store: home.store, Machine: home.machine, Tree: tr, Wait: wait, DryRun: dryRun,
		Record: generation.Record{CreatedAt: a.now().UTC().Truncate(time.Second), Message: "uninstalled", Release: release()},
	})
}

// passAll is the tree of a home that nothing is declared for. Its hook is ours, or where this build has none the live one.
func (a *app) passAll(home home, idx tree.Index) (tree.Tree, error) {
	hook, err := a.hookBinary(idx.OS, idx.Arch)
	if read := home.liveReader(); err != nil && read != nil {
		hook, _ = read(targets.HookPath)
	}
	tr, list := targets.PassAll(idx, home.state.Dir(), hook)
	if list.HasErrors() {
		return tree.Tree{}, inputError{list, nil}
	}
	return tr, nil
}

// refuseLiveSessions refuses to remove what running sessions call: a tool call whose hook is missing is denied.
func (a *app) refuseLiveSessions(state generation.State) error {
	all, err := session.List(state.Dir())
	if err != nil {
		return err
	}
	n := 0
	for _, s := range all {
		if s.Live(a.now()) || s.Fresh(a.now()) && !s.Subagent() {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d agent sessions still run and call the hook in %s, and every tool call would be denied without it; end them, or add --force", n, state.Dir())
	}
	return nil
}

func (a *app) printUninstalled(res activate.Result, home home, dryRun, purged bool) error {
	if a.json || res.Changed {
		if err := a.printResult(res, nil, nil, nil, dryRun); err != nil || a.json {
			return err
		}
	} else {
		switch installed, err := activate.Installed(home.state); {
		case err != nil:
			return err
		case installed:
			fmt.Fprintln(a.stdout, "nothing to do: what is left of ours in this home cannot be taken out")
		default:
			fmt.Fprintln(a.stdout, "nothing to do: nothing in this home is ours")
		}
		for _, w := range res.Warnings {
			fmt.Fprintln(a.stderr, diag.EscapeLine(w))
		}
	}
	exists, err := home.state.Exists()
	switch {
	case err != nil:
		return err
	case purged:
		fmt.Fprintf(a.stdout, "%s is removed\n", diag.EscapeLine(home.state.Dir()))
	case exists && !dryRun:
		fmt.Fprintf(a.stdout, "sessions that still run call a hook in %s that lets everything pass; when none runs, \"agentihooks uninstall --purge\" removes it\n",
			diag.EscapeLine(home.state.Dir()))
	}
	return nil
}
