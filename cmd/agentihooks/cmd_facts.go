package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/facts"
)

func factsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "facts",
		Short: "Print what is known about this machine",
		RunE: func(*cobra.Command, []string) error {
			if a.facts != "" || a.host != "" {
				return usagef("facts are those of this machine: leave out --facts and --host")
			}
			// With a manifest, its questions (which) are answered too; without one the machine still has facts.
			local, err := facts.Read(a.env, nil)
			if err != nil {
				return err
			}
			if m, err := a.load(); err == nil {
				if b, err := a.compileHere(m); err == nil {
					local.Which = b.facts.Which
				}
			}
			data := facts.Encode(local)
			if a.json {
				_, err := a.stdout.Write(data)
				return err
			}
			var all map[string]any
			if err := json.Unmarshal(data, &all); err != nil {
				return err
			}
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if name != "schema" {
					text, _ := json.Marshal(all[name])
					fmt.Fprintf(a.stdout, "%-12s %s\n", name, diag.EscapeLine(string(text)))
				}
			}
			return nil
		},
	}
}
