package activate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/internal/jsonedit"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// mergeInput is one file that a program and we both write. Base is what we last wrote, Want what we write now, Text
// what is there.
type mergeInput struct {
	dest  string
	text  []byte     // nil: there is no such file
	keys  []tree.Key // what we declare now, in order; none: all that is ours is withdrawn
	want  []byte     // a JSON object that holds the keys
	base  File
	hint  File // what an interrupted switch was writing: it knows what was there before
	adopt bool // take keys that have another value
	yield bool // leave keys that have another value to the user
}

// mergeResult is what becomes of the file. Nothing of it is meant if there are collisions.
type mergeResult struct {
	text    []byte // nil: the file goes, for we made it and nothing is left in it
	interim []byte // text, but with the withdrawn elements still in sets; nil if it does not differ or nothing is added
	adds    bool   // elements are added to sets
	drops   bool   // elements are withdrawn from sets
	applied File   // what is ours afterwards
	changes []KeyChange
	left    []Left
	clashes []Collision
}

// KeyChange is a key of a merged file that changes. Old and New are compact JSON, nil where there is none.
type KeyChange struct {
	Path     []string
	Old, New []byte
}

// Left is a key or element of ours that the user changed since we wrote it; it stays as it is.
type Left struct {
	Path    string
	Key     string
	Element bool // an element that was taken out of a set: ordinary use of the program, not worth a warning
	Gone    bool // it is no longer declared, and so no longer ours
}

// merger works on one file. Every method that can fail on the user's text reports a collision instead.
type merger struct {
	mergeInput
	doc  *jsonedit.Doc
	ours *jsonedit.Doc
	keep bool // hold back the removal of elements
	out  mergeResult
}

// merge does the three-way merge, key by key. An error is a bare *jsonedit.SyntaxError of the user's text, or a fault of
// ours. Equal by value is no change: then the result's text is the input's, byte for byte.
func merge(in mergeInput) (mergeResult, error) {
	out, err := mergeOnce(in, false)
	if err != nil || !out.adds || !out.drops {
		return out, err
	}
	// A server is disabled before it appears and enabled again after it is gone: that takes two writes of this file.
	interim, err := mergeOnce(in, true)
	out.interim = interim.text
	return out, err
}

func mergeOnce(in mergeInput, keep bool) (mergeResult, error) {
	m := &merger{mergeInput: in, keep: keep, out: mergeResult{text: in.text}}
	m.out.applied = File{Dest: in.dest, Created: in.base.Created || len(in.base.Keys) == 0 && in.hint.Created}
	if in.text == nil {
		if len(in.keys) == 0 {
			return m.out, nil
		}
		// Somebody removed the file, and with it whatever was there before us.
		m.base, m.hint, m.doc, m.out.applied.Created = File{}, File{}, jsonedit.New(), true
	} else {
		doc, err := jsonedit.Parse(in.text)
		if err != nil {
			return mergeResult{}, err
		}
		m.doc = doc
	}
	if err := m.parseOurs(); err != nil {
		return mergeResult{}, fmt.Errorf("reading our values for %s: %w", in.dest, err)
	}
	m.findMade()
	steps := []func() error{m.withdraw, m.prune, m.declare, m.prune}
	for _, step := range steps {
		if err := step(); err != nil {
			return mergeResult{}, fmt.Errorf("merging into %s: %w", in.dest, err)
		}
	}
	m.finish()
	return m.out, nil
}

func (m *merger) parseOurs() error {
	if len(m.keys) == 0 {
		return nil
	}
	var err error
	if m.ours, err = jsonedit.Parse(m.want); err != nil {
		return err
	}
	for _, k := range m.keys {
		if _, ok, err := m.ours.Get(k.Path); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("the tree has no value for %s", KeyName(k.Path))
		}
	}
	return nil
}

func (m *merger) finish() {
	if len(m.out.applied.Keys) == 0 {
		m.out.applied.Made = nil
	}
	text := m.doc.Bytes()
	switch {
	case m.out.applied.Created && len(m.out.applied.Keys) == 0 && m.doc.IsEmpty():
		m.out.text = nil
	case !bytes.Equal(text, m.text):
		m.out.text = text
	}
}

// findMade takes over which objects and arrays are of our making, as far as they exist.
func (m *merger) findMade() {
	for _, path := range slices.Concat(m.base.Made, m.hint.Made) {
		if _, ok, err := m.doc.Get(path); err == nil && ok {
			m.markMade(path)
		}
	}
}

func (m *merger) markMade(path []string) {
	at, found := slices.BinarySearchFunc(m.out.applied.Made, path, slices.Compare)
	if !found {
		m.out.applied.Made = slices.Insert(m.out.applied.Made, at, slices.Clone(path))
	}
}

// noteParents marks the parents that the next Set of path is going to make.
func (m *merger) noteParents(path []string) {
	for n := 1; n < len(path); n++ {
		if _, ok, err := m.doc.Get(path[:n]); err == nil && !ok {
			m.markMade(path[:n])
		}
	}
}

// prune removes what we made and emptied. An object that a declared key is about to enter stays: it keeps its place.
func (m *merger) prune() error {
	for _, path := range slices.Backward(m.out.applied.Made) { // children come after their parents
		if slices.ContainsFunc(m.keys, func(k tree.Key) bool { return enters(k, path) }) {
			continue
		}
		if err := m.doc.DeleteEmpty(path); err != nil {
			continue // the user made something else of it
		}
		if _, ok, err := m.doc.Get(path); err == nil && !ok {
			m.out.applied.Made = slices.DeleteFunc(m.out.applied.Made, func(p []string) bool { return slices.Equal(p, path) })
		}
	}
	return nil
}

// enters reports whether a key lies in the object at path, or its elements in the array there.
func enters(k tree.Key, path []string) bool {
	return len(k.Path) >= len(path) && slices.Equal(k.Path[:len(path)], path) && (len(k.Path) > len(path) || k.Set)
}

// withdraw takes back what is ours and no longer declared.
func (m *merger) withdraw() error {
	for _, k := range m.base.Keys {
		if slices.ContainsFunc(m.keys, func(d tree.Key) bool { return d.Set == k.Set && slices.Equal(d.Path, k.Path) }) {
			continue
		}
		if err := m.withdrawKey(k); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) withdrawKey(k Key) error {
	if k.Set {
		return m.withdrawSet(k)
	}
	theirs, ok, err := m.doc.Get(k.Path)
	switch {
	case err != nil || ok && !jsonedit.Equal(theirs.Text, []byte(k.Value)):
		m.out.left = append(m.out.left, Left{Path: m.dest, Key: KeyName(k.Path), Gone: true})
		return nil
	case !ok: // the user has removed it already
		return nil
	case k.Prior == nil:
		m.change(k.Path, theirs.Text, nil)
		return m.doc.Delete(k.Path)
	case jsonedit.Equal([]byte(*k.Prior), theirs.Text):
		return nil
	}
	m.change(k.Path, theirs.Text, []byte(*k.Prior))
	return m.doc.Put(k.Path, []byte(*k.Prior), nil)
}

// declare writes what is declared.
func (m *merger) declare() error {
	for _, k := range m.keys {
		var err error
		if k.Set {
			err = m.declareSet(k.Path, k.Without)
		} else {
			err = m.declareKey(k.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) declareKey(path []string) error {
	ours, _, err := m.ours.Get(path)
	if err != nil {
		return err
	}
	value, err := jsonedit.Compact(ours.Text)
	if err != nil {
		return err
	}
	theirs, present, err := m.doc.Get(path)
	if err != nil {
		m.refuse(path, theirs, err)
		return nil
	}
	rec := Key{Path: slices.Clone(path), Value: string(value)}
	base, known := m.base.key(path, false)
	rec.Prior = base.Prior
	switch {
	case present && jsonedit.Equal(theirs.Text, value):
		if hint, ok := m.hint.key(path, false); ok && jsonedit.Equal([]byte(hint.Value), value) {
			rec.Prior = hint.Prior // an interrupted switch has just written it
		} else if !known {
			prior := string(theirs.Text)
			rec.Prior = &prior
		}
	case !known && !present:
		return m.write(rec, theirs, value)
	case known && present && jsonedit.Equal(theirs.Text, []byte(base.Value)):
		return m.write(rec, theirs, value)
	case (m.adopt || m.adopting(path, theirs, present)) && utf8.Valid(theirs.Text):
		rec.Prior = nil
		if present {
			prior := string(theirs.Text)
			rec.Prior = &prior
		}
		return m.write(rec, theirs, value)
	case known: // the user changed or removed it since
		m.out.left = append(m.out.left, Left{Path: m.dest, Key: KeyName(path)})
		m.own(base)
		return nil
	case m.yield && utf8.Valid(theirs.Text):
		// From here on it is a key of ours that the user changed: the next switch leaves it too, and status tells.
		prior := string(theirs.Text)
		rec.Prior = &prior
		m.out.left = append(m.out.left, Left{Path: m.dest, Key: KeyName(path)})
	default:
		m.refuse(path, theirs, nil)
		return nil
	}
	m.own(rec)
	return nil
}

// adopting reports whether an interrupted switch was about to take the value that stands there.
func (m *merger) adopting(path []string, theirs jsonedit.Value, present bool) bool {
	hint, ok := m.hint.key(path, false)
	return ok && present && hint.Prior != nil && jsonedit.Equal([]byte(*hint.Prior), theirs.Text)
}

// order is the keys and objects of our making, as they should stand among each other, with the one that is about to be
// written. What stood there before us is not in it: a new key of ours goes to the end, not beside one of those.
func (m *merger) order(about []string) [][]string {
	var out [][]string
	for _, k := range m.keys {
		for n := 1; n < len(k.Path); n++ {
			if m.isMade(k.Path[:n]) {
				out = append(out, k.Path[:n])
			}
		}
		if slices.Equal(k.Path, about) || m.isMade(k.Path) || m.inserted(k) {
			out = append(out, k.Path)
		}
	}
	return out
}

func (m *merger) isMade(path []string) bool {
	_, made := slices.BinarySearchFunc(m.out.applied.Made, path, slices.Compare)
	return made
}

// inserted reports whether a value was put by us where nothing was.
func (m *merger) inserted(k tree.Key) bool {
	rec, ok := m.out.applied.key(k.Path, k.Set)
	if !ok {
		rec, ok = m.base.key(k.Path, k.Set)
	}
	return ok && !k.Set && rec.Prior == nil
}

func (m *merger) write(rec Key, theirs jsonedit.Value, value []byte) error {
	m.noteParents(rec.Path)
	if err := m.doc.Set(rec.Path, value, m.order(rec.Path)); err != nil {
		var at *jsonedit.PathError
		if errors.As(err, &at) { // a parent is no object
			m.refuse(rec.Path, theirs, err)
			return nil
		}
		return err
	}
	m.change(rec.Path, theirs.Text, value)
	m.own(rec)
	return nil
}

func (m *merger) own(k Key) { m.out.applied.Keys = append(m.out.applied.Keys, k) }

func (m *merger) change(path []string, before, after []byte) {
	m.out.changes = append(m.out.changes, KeyChange{slices.Clone(path), compactOrNil(before), compactOrNil(after)})
}

func compactOrNil(text []byte) []byte {
	if text == nil {
		return nil
	}
	out, err := jsonedit.Compact(text)
	if err != nil {
		return text // it came out of a text that parsed
	}
	return out
}

// refuse reports a key that we cannot take: it has another value, or its place cannot hold it.
func (m *merger) refuse(path []string, theirs jsonedit.Value, err error) {
	c := Collision{
		Path: m.dest, Class: ClassKey, Key: KeyName(path), Line: theirs.Line, Column: theirs.Column,
		Reason: fmt.Sprintf("The key %s has another value than the manifest gives it.", KeyName(path)),
		Remedy: "Take it over with `agentihooks adopt` (its value is kept on record, and comes back on uninstall), remove it there, or take it out of the manifest.",
	}
	var at *jsonedit.PathError
	if errors.As(err, &at) {
		c.Line, c.Column = at.Line, at.Column
		c.Reason = fmt.Sprintf("The key %s cannot be set: at %s, %s.", KeyName(path), KeyName(at.Path), at.Reason)
		c.Remedy = "Correct that in the file, or take the key out of the manifest."
	}
	m.out.clashes = append(m.out.clashes, c)
}
