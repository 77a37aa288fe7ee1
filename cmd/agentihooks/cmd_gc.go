package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/gc"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

func gcCommand(a *app) *cobra.Command {
	var dryRun, fromAgent bool
	var keep int
	var olderThan string
	var wait time.Duration
	c := &cobra.Command{
		Use:   "gc",
		Short: "Free old generations and what only they needed",
		Long: `gc removes generations, and trees that no generation has. Kept are always: the live one and the one before it,
pinned ones, those that an interrupted switch needs, and those that running sessions began with. Of the others the
newest --keep stay; with --older-than also those that are younger, and then --keep counts only if it is given.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.refuseAgent(fromAgent || dryRun); err != nil {
				return err
			}
			if keep < 0 {
				return usagef("--keep is a number of generations, not %d", keep)
			}
			var newer time.Duration
			if olderThan != "" {
				var err error
				if newer, err = age(olderThan); err != nil {
					return err
				}
				if !cmd.Flags().Changed("keep") {
					keep = 0
				}
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			res, err := gc.Run(cmd.Context(), gc.Request{
				State: home.state, Store: home.store, Keep: keep, Newer: newer, Now: a.now(), Wait: wait, DryRun: dryRun,
			})
			if err != nil {
				return err
			}
			a.printFreed(res, dryRun)
			return nil
		},
	}
	c.Flags().IntVar(&keep, "keep", gc.DefaultKeep, "how many of the newest generations stay")
	c.Flags().StringVar(&olderThan, "older-than", "", "remove only generations older than this (30d, 12h)")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be removed, and why the rest is kept; write nothing")
	waitFlag(c, &wait)
	fromAgentFlag(c, &fromAgent)
	return c
}

// age reads a duration; unlike Go's own it may be in days.
func age(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36500 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d, nil
	}
	return 0, usagef("--older-than is an age such as 30d or 12h, not %q", s)
}

func (a *app) printFreed(res gc.Result, dryRun bool) {
	if a.json {
		a.printJSON(struct {
			Schema     int                 `json:"schema"`
			DryRun     bool                `json:"dryRun"`
			Kept       []gc.Kept           `json:"kept"`
			Removed    []generation.Number `json:"removed"`
			StorePaths []store.Path        `json:"storePaths"`
			Origins    []tree.Hash         `json:"origins"`
			Sessions   []string            `json:"sessions"`
			Ledgers    []string            `json:"ledgers"`
			Warnings   []string            `json:"warnings"`
		}{
			schema, dryRun, append([]gc.Kept{}, res.Kept...), append([]generation.Number{}, res.Removed...),
			append([]store.Path{}, res.StorePaths...), append([]tree.Hash{}, res.Origins...),
			append([]string{}, res.Sessions...), append([]string{}, res.Ledgers...), append([]string{}, res.Warnings...),
		})
		return
	}
	for _, w := range res.Warnings {
		fmt.Fprintln(a.stderr, diag.EscapeLine(w))
	}
	if dryRun || a.verbose {
		for _, k := range res.Kept {
			fmt.Fprintf(a.stdout, "keep   generation %s: %s\n", k.Number, strings.Join(k.Reasons, ", "))
		}
	}
	for _, n := range res.Removed {
		fmt.Fprintf(a.stdout, "remove generation %s\n", n)
	}
	for _, p := range res.StorePaths {
		fmt.Fprintf(a.stdout, "remove %s\n", diag.EscapeLine(string(p)))
	}
	if dryRun {
		fmt.Fprintln(a.stdout, "nothing was removed (--dry-run)")
		return
	}
	fmt.Fprintf(a.stdout, "removed: generations %d, trees %d, records of ended sessions %d, old ledgers %d\n",
		len(res.Removed), len(res.StorePaths), len(res.Sessions), len(res.Ledgers))
}

// freeSome is the gc after a switch that changed something. It is no part of the switch: what it cannot do is said with
// --verbose only, and another process at work comes first.
func (a *app) freeSome(ctx context.Context, home home, keep int) {
	_, err := gc.Run(ctx, gc.Request{State: home.state, Store: home.store, Keep: cmp.Or(keep, gc.DefaultKeep), Now: a.now(), Auto: true})
	if err != nil && a.verbose {
		fmt.Fprintf(a.stderr, "old generations were not removed: %s\n", diag.EscapeLine(err.Error()))
	}
}
