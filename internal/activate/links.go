package activate

import (
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

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
		if _, block := p.Applied.block(path); block {
			continue // withdrawBlocks has it
		}
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
	case p.whole[dest]: // nothing comes back
		step.Prior = priorOf(place)
		owned.Prior = nil
		p.late = append(p.late, step)
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
			owned.Prior = &PriorFile{Digest: e.Digest, Mode: uint32(place.Mode)}
			step.Prior = owned.Prior
		}
		p.late = append(p.late, step)
	case place.Kind == Folder && p.isOwnFolder(dest) && p.willBeEmpty(dest):
		p.late = append(p.late, step)
	case place.Kind == Folder && place.Tree == e.Digest && p.hindrance(dest, place) == "",
		p.adopts(dest) && p.hindrance(dest, place) == "":
		owned.Prior = priorOf(place)
		step.Prior = owned.Prior
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

// priorOf is the record of what a link takes the place of. Its backup gets its name with the journal.
func priorOf(place Place) *PriorFile {
	switch place.Kind {
	case SymbolicLink:
		return &PriorFile{Link: place.Text}
	case Folder:
		return &PriorFile{Digest: place.Archive, Mode: uint32(place.Mode), Folder: true}
	}
	return &PriorFile{Digest: digestOf(place.Data), Mode: uint32(place.Mode)}
}

// hindrance says why what stands at a destination cannot be taken over: a full sentence, "" if it can be.
func (p *planner) hindrance(dest string, place Place) string {
	switch {
	case place.Kind == Other:
		return "It is neither file, folder nor link, and cannot be backed up."
	case place.Kind == RegularFile && len(place.Data) >= maxRead:
		return fmt.Sprintf("It is larger than %d bytes, too large for the backups.", maxRead-1)
	case place.Kind == SymbolicLink && !utf8.ValidString(place.Text):
		return "Where it leads to is no UTF-8 text, and cannot be kept on record."
	case place.Kind != Folder:
		return ""
	case dest == p.New.Copilot || beneath(p.New.Copilot, dest) || beneath(p.Live, dest):
		return "It holds what the program or agentihooks keeps for itself."
	case p.isOwnFolder(dest) || p.holdsOurs(dest):
		return "It holds files of ours and of others."
	case place.Archive == "":
		return "It cannot be backed up: " + place.Odd + "."
	}
	return ""
}

// holdsOurs reports whether anything that we made lies in a folder.
func (p *planner) holdsOurs(dir string) bool {
	for _, path := range p.Applied.Paths {
		if beneath(path.Path, dir) {
			return true
		}
	}
	for _, f := range p.Applied.Files {
		if beneath(f.Dest, dir) {
			return true
		}
	}
	for path := range p.gone {
		if beneath(path, dir) {
			return true
		}
	}
	return slices.ContainsFunc(p.Applied.Blocks, func(b Block) bool { return beneath(b.Dest, dir) })
}

func (p *planner) blockLink(dest string, place Place, known bool) {
	class, reason := ClassDiffers, "A file with other content stands where a link is to be made."
	remedy := "Put what you want to keep of it into the manifest's sources, then take it over with `agentihooks adopt` (it goes to the backups, and comes back on uninstall)."
	switch {
	case place.Kind == SymbolicLink:
		class, reason = ClassLink, fmt.Sprintf("It is a link to %q that is not ours.", place.Text)
		remedy = "Take it over with `agentihooks adopt` (it comes back on uninstall), or take the entry out of the manifest."
	case place.Kind == Folder:
		class, reason = ClassFolder, "A folder stands where a link is to be made."
		remedy = "Take it over with `agentihooks adopt` (it goes to the backups, and comes back on uninstall), or take the entry out of the manifest."
	case known:
		reason = "Our link was replaced by a file with other content."
	case p.isInstructions(dest):
		remedy = "`agentihooks adopt` puts what the manifest says into it as a marked part, and leaves your text around it."
	}
	if why := p.hindrance(dest, place); why != "" {
		reason, remedy = reason+" "+why, "Move it away, then switch again."
	}
	p.collide(dest, class, reason, remedy)
}
