package activate

import (
	"slices"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/jsonedit"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// KeyDrift is a key of ours in a merged file that was changed since we wrote it. Base is what we last wrote, Ours what
// the tree declares now, Theirs what stands there, all compact JSON; Theirs is nil if it is gone, and Gone is then how
// many steps of the path still exist. Of a set only Added and Removed are given: elements that somebody put in, and
// elements of ours that were taken out.
type KeyDrift struct {
	Dest               string
	Path               []string
	Set                bool
	Base, Ours, Theirs []byte
	Gone               int
	Added, Removed     [][]byte
}

// Name is the key as it is shown.
func (d KeyDrift) Name() string { return KeyName(d.Path) }

// KeyDrifts compares the merged files in the home with what we last wrote into them, for the keys that the tree still
// declares; sorted by file and key. A file that is missing, or that cannot be one of ours, gives none: a switch puts it
// back or refuses. One that cannot be read is an *UnreadableError. It takes no lock and writes nothing.
func KeyDrifts(state generation.State, st store.Store, tr tree.Tree) ([]KeyDrift, error) {
	files := treeFiles(tr)
	goal := target{index: tr.Index, name: tr.Name(), read: files.read}
	s, err := survey(state, st, &goal)
	if err != nil {
		return nil, err
	}
	defer s.home.close()
	seen, err := observe(s.home, s.destinations(&tr.Index))
	if err != nil {
		return nil, err
	}
	var out []KeyDrift
	var faults []FileFault
	for _, e := range tr.Index.Entries {
		place := seen.At(string(e.Dest))
		if e.Placement != tree.Merge || place.Kind != RegularFile {
			continue
		}
		doc, err := jsonedit.Parse(place.Data)
		if syntax, ok := err.(*jsonedit.SyntaxError); ok {
			faults = append(faults, FileFault{string(e.Dest), syntax.Line, syntax.Column, syntax.Reason})
			continue
		}
		if err != nil {
			return nil, err
		}
		want, err := files.read(e.Path)
		if err != nil {
			return nil, err
		}
		ours, err := jsonedit.Parse(want)
		if err != nil {
			return nil, err
		}
		base := s.applied.file(string(e.Dest))
		for _, k := range e.Keys {
			if d, ok := keyDrift(doc, ours, base, k); ok {
				d.Dest = string(e.Dest)
				out = append(out, d)
			}
		}
	}
	if len(faults) > 0 {
		return nil, &UnreadableError{faults}
	}
	return out, nil
}

func keyDrift(theirs, ours *jsonedit.Doc, base File, k tree.Key) (KeyDrift, bool) {
	rec, known := base.key(k.Path, k.Set)
	if !known {
		return KeyDrift{}, false
	}
	d := KeyDrift{Path: k.Path, Set: k.Set}
	if k.Set {
		return setDrift(d, theirs, ours, rec)
	}
	want, _, err := ours.Get(k.Path)
	if err != nil {
		return KeyDrift{}, false
	}
	d.Base, d.Ours = []byte(rec.Value), compactOrNil(want.Text)
	have, present, err := theirs.Get(k.Path)
	switch {
	case err != nil: // a parent is no object, or the key stands twice
		d.Gone = -1
		return d, true
	case !present:
		for d.Gone+1 < len(k.Path) {
			if _, ok, err := theirs.Get(k.Path[:d.Gone+1]); err != nil || !ok {
				break
			}
			d.Gone++
		}
		return d, true
	case jsonedit.Equal(have.Text, d.Base) || jsonedit.Equal(have.Text, d.Ours):
		return KeyDrift{}, false
	}
	d.Theirs = compactOrNil(have.Text)
	return d, true
}

func setDrift(d KeyDrift, theirs, ours *jsonedit.Doc, rec Key) (KeyDrift, bool) {
	wanted, err := compactElements(ours, d.Path)
	if err != nil {
		return KeyDrift{}, false
	}
	have, _, err := theirs.Elements(d.Path)
	if err != nil { // it is no list any more
		d.Gone = -1
		return d, true
	}
	for _, value := range wanted {
		if _, mine := rec.element(value); mine && !hasElement(have, value) {
			d.Removed = append(d.Removed, value)
		}
	}
	for _, e := range have {
		value := compactOrNil(e.Text)
		if _, mine := rec.element(value); !mine && !hasText(wanted, value) && !hasText(d.Added, value) {
			d.Added = append(d.Added, value)
		}
	}
	return d, len(slices.Concat(d.Added, d.Removed)) > 0
}
