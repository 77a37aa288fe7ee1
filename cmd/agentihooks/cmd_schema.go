package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/compiler"
	"github.com/agentihooks/agentihooks/modules"
)

func schemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print every block and attribute of the manifest language",
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				a.printJSON(compiler.Schema(specs()))
				return nil
			}
			fmt.Fprint(a.stdout, compiler.Reference(specs()), compiler.ModuleReference(modules.FS))
			return nil
		},
	}
}
