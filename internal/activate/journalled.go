package activate

import "github.com/agentihooks/agentihooks/internal/generation"

// Journalled is the generations that an interrupted switch went from and to: none of them may be removed before it is
// recovered. It is empty where nothing was interrupted.
func Journalled(state generation.State) ([]generation.Number, error) {
	j, due, err := loadJournal(state.Dir())
	if err != nil || !due {
		return nil, err
	}
	out := []generation.Number{j.Next}
	if j.Previous != 0 && j.Previous != j.Next {
		out = append(out, j.Previous)
	}
	return out, nil
}
