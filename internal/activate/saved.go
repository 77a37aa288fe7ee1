package activate

import "slices"

// savedPlace is what stands at a path and goes to the backups.
type savedPlace struct {
	Path  string     `json:"path"`
	Prior *PriorFile `json:"prior"`
}

// saved is all that goes to the backups before the flip. Their IDs are given through the pointers.
func (j journal) saved() []savedPlace {
	var out []savedPlace
	for _, l := range j.Late {
		if l.Prior != nil {
			out = append(out, savedPlace{l.Path, l.Prior})
		}
	}
	return slices.Concat(out, j.Takes, j.Copies)
}

// backedUp reports whether all is in the backups that goes there.
func (a *applier) backedUp() bool {
	for _, s := range a.saved() {
		if s.Prior.Link != "" {
			continue
		}
		if _, err := loadBackup(a.state.Dir(), *s.Prior); err != nil {
			return false
		}
	}
	return true
}
