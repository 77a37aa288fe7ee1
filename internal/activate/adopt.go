package activate

import (
	"fmt"
	"slices"
	"strings"
)

// AdoptError names paths that were to be taken over and at which nothing is in the way. Nothing was written.
type AdoptError struct{ Paths []string }

func (e *AdoptError) Error() string {
	return fmt.Sprintf("nothing is in the way at %s; `agentihooks switch --dry-run` lists what is, by the paths to name here", strings.Join(e.Paths, ", "))
}

// standingAt makes sure that each path is one at which something is in the way, or a merged file in which a key of ours
// was changed.
func (p Plan) standingAt(paths []string) error {
	var free []string
	for _, path := range paths {
		stands := slices.ContainsFunc(p.Collisions, func(c Collision) bool { return c.Path == path }) ||
			slices.ContainsFunc(p.Left, func(l Left) bool { return l.Path == path && !l.Gone })
		if !stands && !slices.Contains(free, path) {
			free = append(free, path)
		}
	}
	if len(free) > 0 {
		slices.Sort(free)
		return &AdoptError{free}
	}
	return nil
}
