package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/targets"
)

func statusCommand(a *app) *cobra.Command {
	var exitCode bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what was changed in the home since the switch",
		RunE: func(*cobra.Command, []string) error {
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			report, err := activate.Status(home.state, home.store)
			if err != nil {
				return err
			}
			stale := a.staleEnvironment(home)
			if a.json {
				a.printJSON(struct {
					Schema           int               `json:"schema"`
					Generation       generation.Number `json:"generation"`
					Drift            []activate.Drift  `json:"drift"`
					RecoveryDue      bool              `json:"recoveryDue"`
					StaleEnvironment []string          `json:"staleEnvironment"`
				}{schema, report.Generation, append([]activate.Drift{}, report.Drift...), report.RecoveryDue, append([]string{}, stale...)})
			} else {
				a.printStatus(report)
				if len(stale) > 0 {
					fmt.Fprintf(a.stdout, "This shell has not loaded the current environment (%s): start a new one. See agentihooks shell-init.\n", strings.Join(stale, ", "))
				}
			}
			if exitCode && len(report.Drift) > 0 {
				return errDifferences
			}
			return nil
		},
	}
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit 4 if anything was changed")
	return c
}

// staleEnvironment is the variables of the live tree that have another value in this shell.
func (a *app) staleEnvironment(home home) []string {
	var out []string
	want := targets.Environment(home.liveReader())
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if a.env(name) != want[name] {
			out = append(out, name)
		}
	}
	return out
}

func (a *app) printStatus(r activate.Report) {
	if r.RecoveryDue {
		fmt.Fprintln(a.stdout, "A switch was interrupted; the next command that writes ends it first.")
	}
	if r.Generation == 0 {
		fmt.Fprintln(a.stdout, "This home was never switched: agentihooks switch")
		return
	}
	if len(r.Drift) == 0 {
		fmt.Fprintf(a.stdout, "Generation %s is live and nothing was changed.\n", r.Generation)
		return
	}
	fmt.Fprintf(a.stdout, "Generation %s is live. Changed since:\n", r.Generation)
	for _, d := range r.Drift {
		place := d.Path
		if d.Key != "" {
			place += " (" + d.Key + ")"
		}
		fmt.Fprintf(a.stdout, "  %-9s %s\n", d.Kind, diag.EscapeLine(place))
	}
}
