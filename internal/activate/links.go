package activate

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// isOurs reports whether a link's text leads into the live tree, whatever it names there.
func (p *planner) isOurs(text string) bool { return beneath(text, p.Live) }

// planRemovals finds our links that are no longer declared: in the old index, or recorded as made by us. Only what is
// still our link is removed.
func (p *planner) planRemovals() {
	paths := map[string]bool{}
	for _, path := range p.Applied.Paths {
		if !path.Folder {
			paths[path.Path] = true
		}
	}
	if p.Old != nil {
		for _, e := range p.Old.Entries {
			if e.Placement == tree.Link {
				paths[string(e.Dest)] = true
			}
		}
	}
	for _, parents := range p.Observed.parents { // no record of it was kept, and yet it is in the way
		for _, dir := range parents {
			if place := p.Observed.At(dir); place.Kind == SymbolicLink && p.isOurs(place.Text) {
				paths[dir] = true
			}
		}
	}
	sorted := make([]string, 0, len(paths))
	for path := range paths {
		if _, declared := p.entries[path]; !declared {
			sorted = append(sorted, path)
		}
	}
	slices.Sort(sorted)
	for _, path := range sorted {
		switch place := p.Observed.At(path); {
		case place.Kind == SymbolicLink && p.isOurs(place.Text):
			p.gone[path] = true
			p.removes = append(p.removes, removeStep{path, p.priorOf(path)})
			p.act(ActionRemove, path, "")
		case place.Kind != Absent:
			p.warnf("%s: it is no longer declared, but something else stands there now and stays as it is", path)
		}
	}
}

// planLink plans one linked destination.
func (p *planner) planLink(e tree.Entry) {
	dest := string(e.Dest)
	step := linkStep{Path: dest, Text: filepath.Join(p.Live, filepath.FromSlash(e.Path))}
	owned, known := p.Applied.path(dest)
	known = known && !owned.Folder
	place := p.Observed.At(dest)
	switch {
	case len(p.Applied.file(dest).Keys) > 0 && place.Kind == RegularFile:
		p.collide(dest, ClassDiffers, "It is a file that was merged into until now, and is to become a link.",
			"Move it away, then switch again.")
		return
	case place.Kind == Absent && !p.behindGone(dest):
		p.early = append(p.early, step)
	case place.Kind == Absent:
		p.late = append(p.late, step)
	case place.Kind == SymbolicLink && place.Text == step.Text:
		if !p.changed(e) {
			p.own(Path{Path: dest, Prior: owned.Prior})
			return
		}
	case place.Kind == SymbolicLink && (known || p.isOurs(place.Text)):
		if !p.isOurs(place.Text) {
			p.warnf("%s: our link had been replaced by one to %q; it leads into the tree again", dest, place.Text)
		}
		p.late = append(p.late, step)
	case place.Kind == RegularFile && digestOf(place.Data) == e.Digest && len(place.Data) < maxRead:
		if !known {
			owned.Prior = &PriorFile{e.Digest, uint32(place.Mode)}
			step.Prior = owned.Prior
		}
		p.late = append(p.late, step)
	case place.Kind == Folder && p.isOwnFolder(dest) && p.willBeEmpty(dest):
		p.late = append(p.late, step)
	default:
		p.blockLink(dest, place, known)
		return
	}
	p.own(Path{Path: dest, Prior: owned.Prior})
	p.act(ActionLink, dest, e.Path)
}

// changed reports whether the content behind a link that stays is another one.
func (p *planner) changed(e tree.Entry) bool {
	if p.Old == nil {
		return false
	}
	return !slices.ContainsFunc(p.Old.Entries, func(old tree.Entry) bool { return old.Dest == e.Dest && old.Digest == e.Digest })
}

func (p *planner) isOwnFolder(path string) bool {
	owned, ok := p.Applied.path(path)
	return ok && owned.Folder
}

func (p *planner) blockLink(dest string, place Place, known bool) {
	switch {
	case place.Kind == SymbolicLink:
		p.collide(dest, ClassLink, fmt.Sprintf("It is a link to %q that is not ours.", place.Text), "Remove the link, or take the entry out of the manifest.")
	case place.Kind == Folder:
		p.collide(dest, ClassFolder, "A folder stands where a link is to be made.", "Move it away, or take the entry out of the manifest.")
	case known:
		p.collide(dest, ClassDiffers, "Our link was replaced by a file with other content.",
			"Put what you want to keep of it into the manifest's sources, move the file away, then switch again.")
	default:
		p.collide(dest, ClassDiffers, "A file with other content stands where a link is to be made.",
			"Put what you want to keep of it into the manifest's sources, move the file away, then switch again.")
	}
}
