package main

import "github.com/spf13/cobra"

func adoptCommand(a *app) *cobra.Command {
	var how switching
	c := &cobra.Command{
		Use:   "adopt PATH...",
		Short: "Take over what is in the way at these paths, and switch",
		Long: `Take over what is in the way at these paths, and switch. A file or folder goes to the backups, the text of a link and the
value of a key on record; all of it comes back when the manifest no longer wants the place, or on uninstall. Your own
copilot-instructions.md stays, with a marked part in it that the manifest makes.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				path, err := a.homePath(arg)
				if err != nil {
					return err
				}
				how.paths = append(how.paths, path)
			}
			return a.switchHome(cmd.Context(), how)
		},
	}
	how.flags(c)
	return c
}
