package crash

import (
	"maps"
	"slices"
)

// machine is what a manifest declares, small: files by destination, values of keys by name, elements of one set.
type machine struct {
	Links    map[string]string
	Keys     map[string]string
	Elements []string
}

// model is what a home must hold, told in the terms of a user: what is theirs, what is ours, what was there before.
type model struct {
	files    map[string]place
	keys     map[string]value
	elements map[string]element
	noFile   bool // the user removed the merged file; with it goes the memory of it
	machines []machine
	live     int // index of machines; -1: none
}

// place is one destination. Kind of what stands there: nothing, a file of the user's, our link.
type place struct {
	file  string // content of the user's file, or what our link leads to
	is    standing
	ours  bool    // we know the place as ours, whatever stands there
	prior *string // what our link took the place of

	// Of a file of the user's that is shared:
	block  string // our text within it; file is the rest
	shared bool   // on record as shared, though the user may have taken our part out
	broken bool   // the user wrote into our part: file is all of it
}

type standing uint8

const (
	nothing standing = iota
	userFile
	ourLink
)

// value is one key; nil is no value.
type value struct {
	now   *string
	ours  *string // what we last wrote; nil: the key is not ours
	prior *string
}

type element struct {
	there, ours, prior bool
}

// mode is what becomes of that which is in the way.
type mode uint8

const (
	refusing mode = iota
	adopting      // it is taken over
	yielding      // a key stays as the user set it: a rollback
)

func newModel() *model {
	return &model{files: map[string]place{}, keys: map[string]value{}, elements: map[string]element{}, live: -1}
}

func (m *model) clone() *model {
	c := *m
	c.files, c.keys, c.elements = maps.Clone(m.files), maps.Clone(m.keys), maps.Clone(m.elements)
	c.machines = slices.Clone(m.machines)
	return &c
}

// apply is what a switch must do; false if something is in its way, and then nothing changes.
func (m *model) apply(to machine, how mode) (*model, bool) {
	c := m.clone()
	for dest, p := range m.files {
		if _, declared := to.Links[dest]; !declared {
			c.files[dest] = p.withdraw()
		}
	}
	ok := true
	for dest, text := range to.Links {
		declare := place.declare
		if dest == sharedDest {
			declare = place.share
		}
		p, free := declare(c.files[dest], text, how)
		c.files[dest], ok = p, ok && free
	}
	if c.noFile {
		c.forget()
	}
	for name, v := range c.keys {
		if _, declared := to.Keys[name]; !declared {
			c.keys[name] = v.withdraw()
		}
	}
	for name, text := range to.Keys {
		v, free := c.keys[name].declare(text, how)
		c.keys[name], ok = v, ok && free
	}
	for name, e := range c.elements {
		if !slices.Contains(to.Elements, name) {
			c.elements[name] = e.withdraw()
		}
	}
	for _, name := range to.Elements {
		c.elements[name] = c.elements[name].declare(how)
	}
	if len(to.Keys)+len(to.Elements) > 0 {
		c.noFile = false
	}
	if !ok {
		return m, false
	}
	return c, true
}

// forget is for a merged file that the user removed: nothing in it is ours any more.
func (m *model) forget() {
	for name, v := range m.keys {
		m.keys[name] = value{now: v.now}
	}
	for name, e := range m.elements {
		m.elements[name] = element{there: e.there}
	}
}

func (p place) withdraw() place {
	switch {
	case p.is != ourLink:
		return place{file: p.file, is: p.is, broken: p.broken}
	case p.prior != nil:
		return place{file: *p.prior, is: userFile}
	}
	return place{}
}

func (p place) declare(text string, how mode) (place, bool) {
	next := place{file: text, is: ourLink, ours: true, prior: p.prior}
	if p.is == userFile {
		switch {
		case p.file == text && p.ours: // our link became a copy of what it led to
		case p.file == text || how == adopting:
			next.prior = &p.file
		default:
			return p, false
		}
	}
	return next, true
}

// share is declare for the one file in which our text can stand beside the user's.
func (p place) share(text string, how mode) (place, bool) {
	switch {
	case p.is != userFile || p.block == "" && p.file == text || !p.shared && how != adopting:
		return p.declare(text, how)
	case p.broken:
		return p, false
	}
	return place{file: p.file, is: userFile, block: text, shared: true}, true
}

func (v value) withdraw() value {
	if v.ours == nil || !same(v.now, v.ours) {
		return value{now: v.now}
	}
	return value{now: v.prior}
}

func (v value) declare(text string, how mode) (value, bool) {
	switch {
	case same(v.now, &text):
		if v.ours == nil {
			v.prior = v.now
		}
	case v.ours == nil && v.now == nil:
		v.prior = nil
	case v.ours != nil && same(v.now, v.ours):
	case how == adopting:
		v.prior = v.now
	case v.ours != nil:
		return v, true // the user's change stays
	case how == yielding:
		return value{now: v.now, ours: &text, prior: v.now}, true
	default:
		return v, false
	}
	return value{now: &text, ours: &text, prior: v.prior}, true
}

func same(a, b *string) bool { return a != nil && b != nil && *a == *b }

func (e element) withdraw() element {
	return element{there: e.there && (!e.ours || e.prior)}
}

func (e element) declare(how mode) element {
	switch {
	case e.ours && !e.there && how != adopting: // the user took it out
		return e
	case e.ours && e.there:
		return e
	case e.there:
		return element{there: true, ours: true, prior: true}
	}
	return element{there: true, ours: true}
}
