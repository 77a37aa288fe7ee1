package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/targets"
)

func shellInitCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "shell-init bash|zsh|fish",
		Short: "Print the lines that load the agents' environment into a shell",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := targets.ShellInit(args[0], a.env("HOME"))
			if err != nil {
				return usageError{err}
			}
			if a.json {
				a.printJSON(struct {
					Schema int    `json:"schema"`
					Shell  string `json:"shell"`
					Text   string `json:"text"`
				}{schema, args[0], text})
				return nil
			}
			fmt.Fprint(a.stdout, text)
			return nil
		},
	}
}
