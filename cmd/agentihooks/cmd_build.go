package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/target"
)

// buildResult is one built host in JSON.
type buildResult struct {
	Schema    int           `json:"schema"`
	Host      string        `json:"host"`
	StorePath store.Path    `json:"storePath"`
	Hash      tree.Hash     `json:"hash"`
	Entries   int           `json:"entries"`
	Losses    []target.Loss `json:"losses"`
}

func buildCommand(a *app) *cobra.Command {
	var allHosts bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "build",
		Short: "Build into the store and print the store path; nothing becomes live",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if allHosts && a.host != "" {
				return usagef("--all-hosts and --host exclude each other")
			}
			m, err := a.load()
			if err != nil {
				return err
			}
			all, err := a.buildAll(m, allHosts)
			if err != nil {
				return err
			}
			home, err := a.openHome(true)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), wait)
			defer cancel()
			unlock, err := home.state.Lock(ctx)
			if err != nil {
				return err
			}
			defer unlock()
			results := []buildResult{}
			for _, b := range all {
				path, _, err := home.store.Add(b.tree, home.livePath())
				if err != nil {
					return fmt.Errorf("storing the tree of %s: %w", b.host, err)
				}
				if err := home.state.WriteOrigins(b.tree.Hash, originsOf(b.tree)); err != nil {
					return err
				}
				results = append(results, buildResult{schema, b.host, path, b.tree.Hash, len(b.tree.Index.Entries), append([]target.Loss{}, b.losses...)})
			}
			a.printBuilt(results, all, allHosts)
			return nil
		},
	}
	c.Flags().BoolVar(&allHosts, "all-hosts", false, "build every host of the manifest")
	a.strictFlag(c)
	waitFlag(c, &wait)
	return c
}

// buildAll compiles the hosts that were asked for. Every host's errors are found before anything is stored.
func (a *app) buildAll(m *manifest, allHosts bool) ([]*built, error) {
	hosts := m.Hosts()
	switch {
	case !allHosts && a.host != "":
		hosts = []string{a.host}
	case !allHosts || len(hosts) == 0:
		b, err := a.compileHere(m)
		return []*built{b}, err
	}
	known, err := a.readFacts(m)
	if err != nil {
		return nil, err
	}
	var all []*built
	var faults diag.List
	for _, host := range hosts {
		b, err := a.compileHost(m, host, known, false)
		input, ok := err.(inputError)
		switch {
		case ok:
			faults = append(faults, input.list...)
		case err != nil:
			return nil, fmt.Errorf("host %s: %w", host, err)
		}
		all = append(all, b)
	}
	if len(faults) > 0 {
		return nil, inputError{faults, m.Texts()}
	}
	return all, nil
}

func (a *app) printBuilt(results []buildResult, all []*built, list bool) {
	switch {
	case a.json && list:
		a.printJSON(results)
	case a.json:
		a.printJSON(results[0])
	default:
		for i, r := range results {
			a.printWarnings(all[i].warnings, all[i].manifest.Texts())
			fmt.Fprintln(a.stdout, r.StorePath)
		}
	}
}
