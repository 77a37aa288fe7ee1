package activate

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// Legacy is what another program put into the home and gives up to us: only what its own records claim. A switch takes it
// over in its one journalled step. What the manifest declares too takes its place, the rest goes, and nothing of it ever
// comes back by itself; but every file that is replaced, removed or changed for it is in the backups as it was. Each part is
// looked at again under the lock, and one that is something else by then stays, with a warning.
type Legacy struct {
	Of      string   // the program: "the Python agentihooks"
	Keys    []File   // keys of merged files with the values that it wrote, and elements of sets
	Whole   []string // files, folders and links that are all its own, in the order in which to remove them
	Shared  []string // likewise, but other agents need them too: only what the manifest wants the place of is taken
	Cuts    []Cut    // its parts of texts of the user's
	Adds    []Add    // what of the user's was in a file of its own
	Folders []string // that it made for these
}

// Cut is a part of a text file that goes. The rest is the user's.
type Cut struct{ Path, Text string }

// Add is a file of the user's that is made, where nothing is.
type Add struct{ Path, Text string }

func (l Legacy) file(dest string) (File, bool) {
	i := slices.IndexFunc(l.Keys, func(f File) bool { return f.Dest == dest })
	if i < 0 {
		return File{}, false
	}
	return l.Keys[i], true
}

// paths are all that a plan has to look at.
func (l Legacy) paths() []string {
	out := slices.Concat(l.Whole, l.Shared, l.Folders)
	for _, f := range l.Keys {
		out = append(out, f.Dest)
	}
	for _, c := range l.Cuts {
		out = append(out, c.Path)
	}
	for _, a := range l.Adds {
		out = append(out, a.Path)
	}
	return out
}

// inheriting is the record with the keys of another program as if we had written them. Where it wrote over ours, what was
// there before us is still known; of keys in an object that it wrote over as a whole nothing is.
func (a Applied) inheriting(files []File) Applied {
	for _, f := range files {
		ours := a.file(f.Dest)
		ours.Keys = slices.DeleteFunc(slices.Clone(ours.Keys), func(k Key) bool {
			return slices.ContainsFunc(f.Keys, func(l Key) bool {
				return !l.Set && len(k.Path) > len(l.Path) && slices.Equal(k.Path[:len(l.Path)], l.Path)
			})
		})
		for i, k := range ours.Keys {
			if l, ok := f.key(k.Path, false); ok && !k.Set {
				ours.Keys[i].Value = l.Value
			}
		}
		a.replaceFile(ours.with(f))
	}
	return a
}

// inherit finds what of the legacy still stands. It comes first: planning an entry asks for it.
func (p *planner) inherit() {
	p.Applied = p.Applied.inheriting(p.Legacy.Keys)
	p.inherited = p.Legacy.Keys
	p.of = p.Legacy.Of
	for _, path := range p.Legacy.Whole {
		place := p.Observed.At(path)
		switch e, declared := p.entries[path]; {
		case place.Kind == Absent || place.Kind == SymbolicLink && p.isOurs(place.Text):
			p.stays(path, "it cannot be reached without following a link, or is gone by now")
		case p.hindrance(path, place) != "":
			p.stays(path, p.hindrance(path, place))
		case declared && e.Placement == tree.Link:
			p.whole[path] = true
		default:
			p.whole[path] = true
			p.takes = append(p.takes, savedPlace{path, priorOf(place)})
			p.act(ActionRemove, path, "")
		}
	}
	for _, path := range p.Legacy.Shared {
		if e, declared := p.entries[path]; declared && e.Placement == tree.Link && p.Observed.At(path).Kind == SymbolicLink {
			p.whole[path] = !p.isOurs(p.Observed.At(path).Text)
		}
	}
	for _, c := range p.Legacy.Cuts {
		place := p.Observed.At(c.Path)
		if place.Kind != RegularFile || len(place.Data) >= maxRead || strings.Count(string(place.Data), c.Text) != 1 {
			p.stays(c.Path, "it was changed meanwhile, or cannot be reached without following a link")
			continue
		}
		p.cuts[c.Path] = c.Text
		if e, declared := p.entries[c.Path]; declared && e.Placement == tree.Link && p.isInstructions(c.Path) {
			continue // its text is written with ours in it
		}
		p.writeText(c.Path, place, []byte(without(string(place.Data), c.Text)))
		p.act(ActionBlock, c.Path, "")
	}
	for _, a := range p.Legacy.Adds {
		if p.Observed.At(a.Path).Kind != Absent {
			p.stays(a.Path, "something stands where "+p.Legacy.Of+" leaves a file of yours")
			continue
		}
		p.merges = append(p.merges, fileMerge{
			mergeResult: mergeResult{text: []byte(a.Text), applied: File{Dest: a.Path}}, mode: 0o600, add: a.Text,
		})
		p.act(ActionWrite, a.Path, "")
	}
}

func (p *planner) stays(path, why string) {
	p.warnf("%s: it is of %s and stays: %s", path, p.Legacy.Of, why)
}

func without(text, cut string) string { return strings.Replace(text, cut, "", 1) }

// copyInherited notes which files go to the backups because parts of them are taken over.
func (p *planner) copyInherited() {
	for _, m := range p.merges {
		_, keys := p.Legacy.file(m.applied.Dest)
		if m.before != nil && (keys || p.cuts[m.applied.Dest] != "") {
			p.copies = append(p.copies, savedPlace{m.applied.Dest, priorOf(p.Observed.At(m.applied.Dest))})
		}
	}
}

// inherits reports whether a folder was made by the other program and holds nothing but what it or we made: then it is
// ours to remove when it is empty.
func (p *planner) inherits(dir string) bool {
	if !slices.Contains(p.Legacy.Folders, dir) || p.isOwnFolder(dir) {
		return false
	}
	for _, name := range p.Observed.At(dir).Names {
		path := filepath.Join(dir, name)
		_, declared := p.entries[path]
		if !declared && !p.whole[path] && !p.inherits(path) && !p.isOwnFolder(path) {
			return false
		}
	}
	return !slices.ContainsFunc(p.Legacy.Adds, func(a Add) bool { return filepath.Dir(a.Path) == dir })
}

// emptied is the folders of the other program that may be empty in the end, children first.
func (p *planner) emptied() []string {
	var out []string
	for _, dir := range p.Legacy.Folders {
		if p.Observed.At(dir).Kind == Folder {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// formerly is whose it was that goes to the backups; "" where it is the user's and comes back.
func (j journal) formerly(path string) string {
	if p, ok := j.Applied.path(path); ok && p.Prior != nil {
		return ""
	}
	return j.Of
}

// takeAll removes what another program left and nothing takes the place of. It comes last, and only if all else went well:
// its records are the last of it, so that whatever stays can be taken over again.
func (a *applier) takeAll() {
	if len(a.warnings) > 0 && len(a.Takes) > 0 {
		a.warnings = append(a.warnings, fmt.Sprintf("what else is of %s stays until it is taken over again", a.Of))
		return
	}
	for _, t := range a.Takes {
		if err := a.take(t); err != nil {
			a.fail(t.Path, err)
			return
		}
	}
	for _, dir := range a.Hollow {
		_ = a.rmdir(dir) // one that holds something stays
	}
}

// take removes one file, folder or link that is in the backups. It is moved aside first, so that what was changed at the
// last moment goes back.
func (a *applier) take(t savedPlace) error {
	dir, name, err := a.home.at(t.Path)
	if err != nil {
		return ignoreAbsent(err)
	}
	aside, gone := tempName(name, tempPrior), tempName(name, tempGone)
	if err := removeAll(dir, gone); err != nil { // of a crash
		return err
	}
	ok, err := matches(dir, name, *t.Prior)
	switch {
	case errors.Is(err, fs.ErrNotExist): // done, or a crash came when it was aside
	case err != nil:
		return err
	case !ok:
		return errors.New("it was changed meanwhile")
	default:
		a.home.forget(t.Path)
		if err := a.home.renameFree(dir, name, aside); err != nil {
			return err
		}
	}
	ok, err = matches(dir, aside, *t.Prior)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !ok:
		err = errors.New("it was changed meanwhile")
	case err == nil && t.Prior.Folder:
		if err = dir.Rename(aside, gone); err != nil {
			break
		}
		if err = removeAll(dir, gone); err == nil {
			return nil
		}
		aside = gone // what is left of it is found again
	case err == nil:
		if err = dir.Remove(aside); err == nil {
			return nil
		}
	}
	return errors.Join(err, a.home.renameFree(dir, aside, name))
}

// addAnew writes a file of the user's whose staged content is lost, if nothing else stands there by now.
func (a *applier) addAnew(m mergeStep) error {
	data, ok, err := a.current(m.Dest)
	switch {
	case err != nil:
		return err
	case ok && digestOf(data) == m.After:
		return nil
	case ok:
		return fmt.Errorf("%s: something else stands there by now", m.Dest)
	}
	return a.replaceNow(m, "", []byte(m.Add))
}
