package facts

import (
	"path"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// Complete adds to the facts of another machine what follows from its home: the folders as they are where no variable
// of the environment moves them.
func Complete(f model.Facts) model.Facts {
	if f.Home == "" {
		return f
	}
	if f.StateDir == "" {
		f.StateDir = path.Join(f.Home, ".local/state/agentihooks")
	}
	if f.CopilotHome == "" {
		f.CopilotHome = path.Join(f.Home, ".copilot")
	}
	return f
}
