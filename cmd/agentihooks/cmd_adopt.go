package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/pythonhome"
)

func adoptCommand(a *app) *cobra.Command {
	var how switching
	c := &cobra.Command{
		Use:   "adopt PATH...",
		Short: "Take over what is in the way at these paths, and switch",
		Long: `Take over what is in the way at these paths, and switch. A file or folder goes to the backups, the text of a link and the
value of a key on record; all of it comes back when the manifest no longer wants the place, or on uninstall. Your own
copilot-instructions.md stays, with a marked part in it that the manifest makes.

With --from-python it takes over an installation of the Python agentihooks for Copilot too, and no PATH is needed. What the
records of that program claim, and what still is as they say, is replaced by what the manifest declares or removed, in the
one step of the switch: a new session finds the old hooks or the new ones, never none. Nothing of it comes back on
uninstall; everything that is replaced, removed or changed is in the backups as it was. What you changed since stays, and is
listed. Your own hooks in its file of hooks move to a file beside it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !how.fromPython {
				return usagef("name the paths to take over, or add --from-python")
			}
			return nil
		},
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
	c.Flags().BoolVar(&how.fromPython, "from-python", false, "take over an installation of the Python agentihooks")
	how.flags(c)
	return c
}

// inheritance is the installation of the Python agentihooks that a switch takes over. It is read when the switch holds the
// lock, and again where the switch has to be planned anew.
type inheritance struct {
	home, copilot string
	found         pythonhome.Installation
}

func (i *inheritance) read() (activate.Legacy, error) {
	found, list := pythonhome.Read(i.home, i.copilot)
	if list.HasErrors() {
		return activate.Legacy{}, inputError{list, nil} // without the texts: they may hold secrets
	}
	i.found = found
	return found.Legacy, nil
}

// warnings are what stays of it, and what the user has to know.
func (i *inheritance) warnings() []string {
	if !i.found.Found() {
		return []string{"nothing of " + pythonhome.Name + " is in this home"}
	}
	return slices.Concat(i.found.Kept, i.found.Notes)
}

// hintPython says of what is in the way, if it may be so, that one command takes all of it over.
func (a *app) hintPython(err error, python inheritance) {
	var collision *activate.CollisionError
	if !errors.As(err, &collision) {
		return
	}
	if legacy, err := python.read(); err == nil && len(legacy.Whole) > 0 {
		fmt.Fprintf(a.stderr, "%s is installed here: `agentihooks adopt --from-python` takes over what is of it\n", pythonhome.Name)
	}
}
