package compiler

import (
	"fmt"
	"slices"

	"github.com/agentihooks/agentihooks/internal/nearest"
)

// didYouMean is a sentence that names the nearest candidate, or else all of them if they are few.
func didYouMean(name string, candidates []string) string {
	if n := nearest.Name(name, candidates); n != "" {
		return fmt.Sprintf("Did you mean `%s`?", n)
	}
	switch {
	case len(candidates) == 0:
		return "There is none."
	case len(candidates) <= 20:
		known := slices.Compact(slices.Sorted(slices.Values(candidates)))
		return fmt.Sprintf("Known here: %s.", quoted(known))
	}
	return "See `agentihooks schema` for the known names."
}

// suggestAttribute says what to write in place of an unknown attribute: a near name of the same place, a block of
// that name, or another place that knows the name.
func (t *table) suggestAttribute(name string, here place) string {
	known := here.attributeNames()
	if n := nearest.Name(name, known); n != "" {
		return fmt.Sprintf("Did you mean `%s`?", n)
	}
	if slices.Contains(here.blocks, name) {
		return fmt.Sprintf("`%s` is a block: write `%s { … }` without the equals sign.", name, t.header(name))
	}
	for _, p := range t.places {
		if p.title != here.title && slices.Contains(p.attributeNames(), name) {
			return fmt.Sprintf("`%s` belongs in %s.", name, p.title)
		}
	}
	if b := nearest.Name(name, here.blocks); b != "" {
		return fmt.Sprintf("Did you mean the block `%s { … }`?", t.header(b))
	}
	for _, p := range t.places {
		if n := nearest.Name(name, p.attributeNames()); n != "" {
			return fmt.Sprintf("`%s` belongs in %s.", n, p.title)
		}
	}
	return didYouMean(name, known)
}

// suggestBlock says what to write in place of an unknown block.
func (t *table) suggestBlock(name string, here place) string {
	if n := nearest.Name(name, here.blocks); n != "" {
		return fmt.Sprintf("Did you mean `%s`?", n)
	}
	if slices.Contains(here.attributeNames(), name) {
		return fmt.Sprintf("`%s` is an attribute: write `%s = …`.", name, name)
	}
	for _, p := range t.places {
		if p.title != here.title && slices.Contains(p.blocks, name) {
			return fmt.Sprintf("`%s` blocks stand in %s.", name, p.title)
		}
	}
	if n := nearest.Name(name, here.attributeNames()); n != "" {
		return fmt.Sprintf("Did you mean the attribute `%s`? Write `%s = …`.", n, n)
	}
	if len(here.blocks) == 0 {
		return "No blocks may stand here."
	}
	return didYouMean(name, here.blocks)
}
