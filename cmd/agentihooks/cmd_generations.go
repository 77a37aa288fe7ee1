package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
)

func generationsCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "generations",
		Short: "List the generations of this home",
		RunE: func(*cobra.Command, []string) error {
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			live, _, err := home.state.Current()
			if err != nil {
				return err
			}
			records, err := home.state.List()
			if err != nil {
				return err
			}
			type row struct {
				Number    generation.Number `json:"number"`
				CreatedAt time.Time         `json:"createdAt"`
				StorePath store.Path        `json:"storePath"`
				Host      string            `json:"host"`
				Message   string            `json:"message"`
				Pinned    bool              `json:"pinned"`
			}
			rows := []row{}
			for _, r := range records {
				pinned, err := home.state.Pinned(r.Number)
				if err != nil {
					return err
				}
				rows = append(rows, row{r.Number, r.CreatedAt, home.store.PathOf(r.Store), r.Host, r.Message, pinned})
			}
			if a.json {
				a.printJSON(struct {
					Schema      int               `json:"schema"`
					Current     generation.Number `json:"current"`
					Generations []row             `json:"generations"`
				}{schema, live, rows})
				return nil
			}
			for _, r := range rows {
				mark := " "
				if r.Number == live {
					mark = "*"
				}
				if r.Pinned {
					r.Message = strings.TrimSpace("(pinned) " + r.Message)
				}
				fmt.Fprintf(a.stdout, "%s %3s  %s  %s  %s\n", mark, r.Number, r.CreatedAt.Format(timeFormat), r.Host, diag.EscapeLine(r.Message))
			}
			return nil
		},
	}
	c.AddCommand(pinCommand(a), unpinCommand(a))
	return c
}
