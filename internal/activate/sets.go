package activate

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/agentihooks/agentihooks/internal/jsonedit"
)

// declareSet merges an array element by element. An element that is there already is the user's and stays when we
// withdraw it; one of ours that the user took out stays out. What it is to be without is taken out once; where the user
// puts it in again, it stays.
func (m *merger) declareSet(path, without []string) error {
	wanted, err := compactElements(m.ours, path)
	if err != nil {
		return err
	}
	base, known := m.base.key(path, true)
	before, present, err := m.doc.Elements(path)
	if err != nil && known {
		m.out.left = append(m.out.left, Left{Path: m.dest, Key: KeyName(path)})
		m.own(base)
		return nil
	}
	if err != nil {
		m.refuse(path, jsonedit.Value{}, err)
		return nil
	}
	was := arrayOrNil(before, present)
	hint, _ := m.hint.key(path, true)
	rec := Key{Path: slices.Clone(path), Set: true}
	if err := m.withdrawElements(base, wanted); err != nil {
		return err
	}
	for _, value := range wanted {
		there := hasElement(before, value)
		e, known := base.element(value)
		switch {
		case known && !there && !m.adopt:
			m.out.left = append(m.out.left, Left{Path: m.dest, Key: KeyName(path) + "[" + string(value) + "]", Element: true})
		case known && there:
		case there:
			e = Element{Value: string(value), Prior: true}
			if h, ok := hint.element(value); ok {
				e.Prior = h.Prior
			}
		default:
			e = Element{Value: string(value)}
			if l, ok := base.lifted(value); ok {
				e.Prior = l.Prior
			}
			if !present {
				m.noteParents(path)
				m.markMade(path)
				present = true
			}
			m.out.adds = true
			if err := m.doc.AddElement(path, value, wanted, m.order(path)); err != nil {
				return err
			}
		}
		rec.Elements = append(rec.Elements, e)
	}
	if rec.Lifted, err = m.lift(path, without, base, hint); err != nil {
		return err
	}
	if err := m.putBack(base, rec); err != nil {
		return err
	}
	m.own(rec)
	return m.changeSet(path, was)
}

// lift takes out of a set what it is to be without.
func (m *merger) lift(path, without []string, base, hint Key) ([]Element, error) {
	now, _, err := m.doc.Elements(path)
	if err != nil {
		return nil, err
	}
	var out []Element
	for _, text := range without {
		value, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		e, known := base.lifted(value)
		there := hasElement(now, value)
		if !known {
			e = Element{Value: string(value), Prior: there}
			if h, ok := hint.lifted(value); ok && !there {
				e.Prior = h.Prior
			}
		}
		out = append(out, e)
		switch {
		case !there:
		case known && !m.adopt:
			m.out.left = append(m.out.left, Left{Path: m.dest, Key: KeyName(path) + "[" + string(value) + "]", Element: true})
		default:
			m.out.drops = true // what it frees comes after all else, as with an element that is withdrawn
			if !m.keep {
				if err := m.doc.RemoveElement(path, value); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// putBack gives a set what was taken out of it and is no longer to be kept out.
func (m *merger) putBack(base, now Key) error {
	have, present, err := m.doc.Elements(base.Path)
	if err != nil || !present {
		return nil // the user made something else of it
	}
	for _, e := range base.Lifted {
		value := []byte(e.Value)
		_, still := now.lifted(value)
		_, declared := now.element(value)
		if !e.Prior || still || declared || hasElement(have, value) {
			continue
		}
		m.out.adds = true
		if err := m.doc.AddElement(base.Path, value, [][]byte{value}, nil); err != nil {
			return err
		}
	}
	return nil
}

// withdrawSet takes back all that we did to a set.
func (m *merger) withdrawSet(k Key) error {
	before, present, err := m.doc.Elements(k.Path)
	if err != nil || !present {
		return nil // the user made something else of it
	}
	if err := m.withdrawElements(k, nil); err != nil {
		return err
	}
	if err := m.putBack(k, Key{}); err != nil {
		return err
	}
	return m.changeSet(k.Path, arrayOrNil(before, present))
}

// withdrawElements takes out those elements of ours that are not among keep.
func (m *merger) withdrawElements(k Key, keep [][]byte) error {
	before, present, err := m.doc.Elements(k.Path)
	if err != nil || !present {
		return nil // the user made something else of it
	}
	for _, e := range k.Elements {
		if e.Prior || hasText(keep, []byte(e.Value)) || !hasElement(before, []byte(e.Value)) {
			continue
		}
		m.out.drops = true
		if m.keep {
			continue
		}
		if err := m.doc.RemoveElement(k.Path, []byte(e.Value)); err != nil {
			return err
		}
	}
	return nil
}

// changeSet notes the change of a whole set, if there is one. was is the array before, nil if there was none.
func (m *merger) changeSet(path []string, was []byte) error {
	after, present, err := m.doc.Elements(path)
	if err != nil {
		return err
	}
	now := arrayOrNil(after, present)
	if !bytes.Equal(was, now) {
		m.out.changes = append(m.out.changes, KeyChange{slices.Clone(path), was, now})
	}
	return nil
}

func arrayOrNil(els []jsonedit.Value, present bool) []byte {
	if !present {
		return nil
	}
	out := []byte("[")
	for i, e := range els {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, compactOrNil(e.Text)...)
	}
	return append(out, ']')
}

func compactElements(doc *jsonedit.Doc, path []string) ([][]byte, error) {
	els, _, err := doc.Elements(path)
	out := make([][]byte, 0, len(els))
	for _, e := range els {
		if v := compactOrNil(e.Text); !hasText(out, v) {
			out = append(out, v)
		}
	}
	return out, err
}

func hasElement(els []jsonedit.Value, value []byte) bool {
	return slices.ContainsFunc(els, func(e jsonedit.Value) bool { return jsonedit.Equal(e.Text, value) })
}

func hasText(texts [][]byte, value []byte) bool {
	return slices.ContainsFunc(texts, func(t []byte) bool { return jsonedit.Equal(t, value) })
}
