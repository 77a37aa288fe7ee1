package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/targets"
)

func rollbackCommand(a *app) *cobra.Command {
	var dryRun, fromAgent bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "rollback [N]",
		Short: "Make an earlier generation live again: the one before, or N",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseAgent(fromAgent || dryRun); err != nil {
				return err
			}
			var to generation.Number
			if len(args) == 1 {
				n, err := generationArg(args[0])
				if err != nil {
					return err
				}
				to = n
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			local, err := facts.Read(a.env, nil)
			if err != nil {
				return err
			}
			before := home.liveReader()
			res, err := activate.Rollback(cmd.Context(), activate.RollbackRequest{
				State: home.state, Store: home.store, Machine: home.machine, Check: targets.Check(local.Versions), To: to, Wait: wait, DryRun: dryRun,
				Now: a.now().UTC().Truncate(time.Second),
			})
			if err != nil {
				return err
			}
			risks := targets.Risks(before, storeReader(home.store, res.StorePath))
			return a.printResult(res, risks, nil, nil, dryRun)
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be done, write nothing")
	waitFlag(c, &wait)
	fromAgentFlag(c, &fromAgent)
	return c
}

// generationArg reads the number of a generation.
func generationArg(s string) (generation.Number, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, usagef("%q is no number of a generation", s)
	}
	return generation.Number(n), nil
}
