package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/internal/verify"
	"github.com/agentihooks/agentihooks/targets"
)

// errFound ends a command with exit code 1. It has printed all that there is to say.
var errFound = errors.New("something is wrong")

func verifyCommand(a *app) *cobra.Command {
	var repair, fromAgent bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "verify [N]",
		Short: "Hash the trees of all generations, or of N, again; --repair restores what is damaged",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseAgent(fromAgent || !repair); err != nil {
				return err
			}
			var only generation.Number
			if len(args) == 1 {
				n, err := generationArg(args[0])
				if err != nil {
					return err
				}
				only = n
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			res, err := verify.Run(cmd.Context(), verify.Request{
				State: home.state, Store: home.store, Only: only, Repair: repair, Wait: wait,
				Rebuild: func(rec generation.Record) (tree.Tree, error) { return a.rebuild(home, rec) },
			})
			if err != nil {
				return err
			}
			a.printVerified(res, repair)
			if !res.OK() {
				return errFound
			}
			return nil
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "restore damaged trees: from equal files elsewhere in the store, else from the sources")
	waitFlag(c, &wait)
	fromAgentFlag(c, &fromAgent)
	return c
}

// rebuild compiles the manifest of a generation again, for the facts that it was compiled with.
func (a *app) rebuild(home home, rec generation.Record) (tree.Tree, error) {
	known, err := facts.Decode(rec.Facts)
	if err != nil {
		return tree.Tree{}, fmt.Errorf("reading the facts of generation %s: %w", rec.Number, err)
	}
	then := *a
	then.file, then.host, then.facts = rec.Manifest, "", ""
	m, err := then.load()
	if err != nil {
		return tree.Tree{}, err
	}
	b, err := then.compile(m, rec.Host, known, false)
	if err != nil {
		return tree.Tree{}, err
	}
	if _, ok := b.tree.File(targets.HookPath); !ok { // no targets
		return a.passAll(home, b.tree.Index)
	}
	return b.tree, nil
}

func (a *app) printVerified(res verify.Result, repair bool) {
	for _, text := range append(res.Warnings, res.Faults...) {
		fmt.Fprintln(a.stderr, diag.EscapeLine(text))
	}
	if a.json {
		a.printJSON(struct {
			Schema int           `json:"schema"`
			Paths  []verify.Path `json:"paths"`
		}{schema, append([]verify.Path{}, res.Paths...)})
		return
	}
	for _, p := range res.Paths {
		a.printVerifiedPath(p, repair)
	}
	if res.OK() {
		fmt.Fprintf(a.stdout, "whole: %d\n", len(res.Paths))
	}
}

func (a *app) printVerifiedPath(p verify.Path, repair bool) {
	if len(p.Damaged) == 0 {
		if a.verbose {
			fmt.Fprintf(a.stdout, "whole    %s\n", diag.EscapeLine(string(p.StorePath)))
		}
		return
	}
	var of []string
	for _, n := range p.Generations {
		of = append(of, n.String())
	}
	word, may := "damaged ", ""
	if p.OK {
		word = "repaired"
	}
	if !p.Known {
		may = "may be this: "
	}
	fmt.Fprintf(a.stdout, "%s %s, generations %s\n", word, diag.EscapeLine(string(p.StorePath)), strings.Join(of, ", "))
	for _, name := range p.Damaged {
		if name == "." {
			name = "the whole tree"
		}
		fmt.Fprintf(a.stdout, "         %s%s\n", may, diag.EscapeLine(name))
	}
	switch {
	case p.OK:
	case p.Known && !repair:
		fmt.Fprintln(a.stdout, "         It can be restored: agentihooks verify --repair")
	default:
		fmt.Fprintf(a.stdout, "         It cannot be restored. %s Put the manifest back as it was then, or switch to another tree and let `agentihooks gc` free this one.\n", diag.EscapeLine(p.Reason))
	}
}
