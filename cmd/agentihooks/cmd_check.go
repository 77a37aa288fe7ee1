package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
)

func checkCommand(a *app) *cobra.Command {
	var allHosts bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Parse, resolve and validate the manifest; write nothing",
		RunE: func(*cobra.Command, []string) error {
			if allHosts && a.host != "" {
				return usagef("--all-hosts and --host exclude each other")
			}
			if allHosts && a.strict {
				return usagef("--all-hosts renders nothing, so it cannot be --strict; build --all-hosts --strict can")
			}
			m, err := a.load()
			if err != nil {
				return err
			}
			var list diag.List
			said := "every host"
			if allHosts {
				list = append(m.warnings, m.CheckAll()...)
				if list.HasErrors() {
					return inputError{list, m.Texts()}
				}
			} else {
				b, err := a.compileHere(m)
				if err != nil {
					return err
				}
				list, said = b.warnings, "host "+b.host
			}
			if a.json {
				a.printJSON(struct {
					Schema   int       `json:"schema"`
					Errors   []message `json:"errors"`
					Warnings []message `json:"warnings"`
				}{schema, []message{}, messages(list, diag.Warning)})
				return nil
			}
			a.printWarnings(list, m.Texts())
			fmt.Fprintf(a.stdout, "%s is valid for %s\n", m.path, said)
			return nil
		},
	}
	a.strictFlag(c)
	c.Flags().BoolVar(&allHosts, "all-hosts", false, "check every host, with the facts that the manifest gives")
	return c
}
