package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/generation"
)

func pinCommand(a *app) *cobra.Command {
	return a.pinning("pin N", "Keep a generation from gc", "pinned", true, generation.State.Pin)
}

func unpinCommand(a *app) *cobra.Command {
	return a.pinning("unpin N", "Let gc remove a generation again", "no longer pinned", false, generation.State.Unpin)
}

func (a *app) pinning(use, short, done string, pinned bool, change func(generation.State, generation.Number) error) *cobra.Command {
	var fromAgent bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseAgent(fromAgent); err != nil {
				return err
			}
			n, err := generationArg(args[0])
			if err != nil {
				return err
			}
			if err := a.changePin(cmd.Context(), n, wait, change); err != nil {
				return err
			}
			if a.json {
				a.printJSON(struct {
					Schema     int               `json:"schema"`
					Generation generation.Number `json:"generation"`
					Pinned     bool              `json:"pinned"`
				}{schema, n, pinned})
				return nil
			}
			fmt.Fprintf(a.stdout, "generation %s is %s\n", n, done)
			return nil
		},
	}
	waitFlag(c, &wait)
	fromAgentFlag(c, &fromAgent)
	return c
}

// changePin changes a pin under the lock, after an interrupted switch was ended.
func (a *app) changePin(ctx context.Context, n generation.Number, wait time.Duration, change func(generation.State, generation.Number) error) error {
	home, err := a.openHome(false)
	if err != nil {
		return err
	}
	absent := fmt.Errorf("there is no generation %s; `agentihooks generations` lists them", n)
	if exists, err := home.state.Exists(); err != nil {
		return err
	} else if !exists {
		return absent
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := home.state.Lock(limited)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := activate.Recover(ctx, home.state, home.store); err != nil {
		return err
	}
	if err := change(home.state, n); errors.Is(err, fs.ErrNotExist) {
		return absent
	} else if err != nil {
		return err
	}
	return nil
}
