package model

import "path"

// Complete adds to the facts of another machine what follows from its home: the folders as they are where no variable
// of the environment moves them. It comes last, once it is settled which home it is.
func (f Facts) Complete() Facts {
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
