package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
)

func backupsCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "backups",
		Short: "List, restore and prune the files that were taken over",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return usagef("name what to do: list, restore or prune") },
	}
	for _, command := range []func(*app) *cobra.Command{backupsList, backupsRestore, backupsPrune} {
		sub := command(a)
		sub.Args = usageArgs(sub.Args)
		c.AddCommand(sub)
	}
	return c
}

// backup is a backup as the interface shows it.
type backup struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	CreatedAt time.Time `json:"createdAt"`
	Digest    string    `json:"digest"`
	Size      int64     `json:"size"`
}

func (a *app) printBackups(all []activate.Backup) {
	list := []backup{}
	for _, b := range all {
		list = append(list, backup{b.ID, b.Path, b.CreatedAt, b.Digest, b.Size})
	}
	if a.json {
		a.printJSON(struct {
			Schema  int      `json:"schema"`
			Backups []backup `json:"backups"`
		}{schema, list})
		return
	}
	for _, b := range all {
		note := ""
		switch {
		case b.Needed:
			note = "  (comes back when our link goes)"
		case b.Of != "":
			note = "  (was of " + b.Of + ", in part or all)"
		}
		fmt.Fprintf(a.stdout, "%-22s %s %9d  %s%s\n", b.ID, b.CreatedAt.Format(time.RFC3339), b.Size, diag.EscapeLine(b.Path), note)
	}
}

func backupsList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the backups, the oldest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			all, err := activate.Backups(home.state)
			if err != nil {
				return err
			}
			a.printBackups(all)
			if len(all) == 0 && !a.json {
				fmt.Fprintln(a.stdout, "there are no backups")
			}
			return nil
		},
	}
}

func backupsRestore(a *app) *cobra.Command {
	var to string
	var fromAgent bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "restore ID",
		Short: "Write a backup to where it came from, if nothing is there, or to another place",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseAgent(fromAgent); err != nil {
				return err
			}
			if to != "" {
				var err error
				if to, err = a.homePath(to); err != nil {
					return err
				}
			}
			return a.recovered(cmd.Context(), wait, func(home home) error {
				at, err := activate.RestoreBackup(home.state, args[0], to)
				if err != nil {
					return err
				}
				if a.json {
					a.printJSON(struct {
						Schema int    `json:"schema"`
						Path   string `json:"path"`
					}{schema, at})
					return nil
				}
				fmt.Fprintf(a.stdout, "restored %s\n", diag.EscapeLine(at))
				return nil
			})
		},
	}
	c.Flags().StringVar(&to, "to", "", "the place to write it to (default: where it came from)")
	waitFlag(c, &wait)
	fromAgentFlag(c, &fromAgent)
	return c
}

func backupsPrune(a *app) *cobra.Command {
	var dryRun, fromAgent bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "prune [ID...]",
		Short: "Remove the backups that nothing is to get back, or these of them",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseAgent(fromAgent || dryRun); err != nil {
				return err
			}
			prune := func(home home) error {
				gone, err := activate.PruneBackups(home.state, args, dryRun)
				if err != nil {
					return err
				}
				a.printBackups(gone)
				if !a.json {
					fmt.Fprintf(a.stdout, "%d backups removed\n", len(gone))
				}
				return nil
			}
			if dryRun {
				home, err := a.openHome(false)
				if err != nil {
					return err
				}
				return prune(home)
			}
			return a.recovered(cmd.Context(), wait, prune)
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be removed, write nothing")
	waitFlag(c, &wait)
	fromAgentFlag(c, &fromAgent)
	return c
}

// recovered calls do under the lock, after an interrupted switch was ended. In a home without a state folder there is
// neither.
func (a *app) recovered(ctx context.Context, wait time.Duration, do func(home) error) error {
	home, err := a.openHome(false)
	if err != nil {
		return err
	}
	exists, err := home.state.Exists()
	if err != nil || !exists {
		if err == nil {
			err = do(home)
		}
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := home.state.Lock(waiting)
	if err != nil {
		return err
	}
	defer unlock()
	warnings, err := activate.Recover(ctx, home.state, home.store)
	for _, w := range warnings {
		fmt.Fprintln(a.stderr, diag.EscapeLine(w))
	}
	if err != nil {
		return err
	}
	return do(home)
}
