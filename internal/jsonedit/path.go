package jsonedit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Value is a value as it stands in the text, comments within it and all, and where it begins. Line and Column count
// from 1 in the text that was parsed, columns in bytes; they are meaningless after an edit.
type Value struct {
	Text         []byte
	Line, Column int
}

// PathError says why a path of keys cannot be followed or edited.
type PathError struct {
	Path         []string
	Line, Column int // where, counted from 1
	Reason       string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("line %d, column %d: %q: %s", e.Line, e.Column, strings.Join(e.Path, "."), e.Reason)
}

func (d *Doc) pathError(path []string, at int, reason string) error {
	line, column := place(d.src, at)
	return &PathError{slices.Clone(path), line, column, reason}
}

// Get is the value at a path of object keys. ok is false where it or a parent is absent. A parent that is no object
// and a key that stands twice are a *PathError: programs differ in which of two they take.
func (d *Doc) Get(path []string) (v Value, ok bool, err error) {
	spot, found, err := d.walk(path)
	if err != nil || found < len(path) {
		return Value{}, false, err
	}
	return d.valueOf(spot.value), true, nil
}

// Elements are the values of the array at path. ok is false where it is absent; another kind of value is a *PathError.
func (d *Doc) Elements(path []string) (els []Value, ok bool, err error) {
	spot, found, err := d.walk(path)
	if err != nil || found < len(path) {
		return nil, false, err
	}
	arr, isArray := spot.value.Value.(*hujson.Array)
	if !isArray {
		return nil, false, d.pathError(path, spot.value.StartOffset, "it is no array")
	}
	for i := range arr.Elements {
		els = append(els, d.valueOf(&arr.Elements[i]))
	}
	return els, true, nil
}

func (d *Doc) valueOf(v *hujson.Value) Value {
	line, column := place(d.src, v.StartOffset)
	return Value{packTrimmed(v), line, column}
}

func packTrimmed(v *hujson.Value) []byte {
	return bytes.Clone(hujson.Value{Value: v.Value}.Pack())
}

// spot is a value in the tree and the layout around it.
type spot struct {
	value   *hujson.Value
	indent  string // of the line on which it begins
	ownLine bool   // its member begins a line
}

// walk follows path as far as it exists and returns the last value found and how many keys led there.
func (d *Doc) walk(path []string) (s spot, found int, err error) {
	s = spot{&d.root, "", true}
	for i, key := range path {
		obj, ok := s.value.Value.(*hujson.Object)
		if !ok {
			return s, i, d.pathError(path[:i], s.value.StartOffset, "it is no object")
		}
		at := memberIndex(obj, key)
		if at < 0 {
			return s, i, nil
		}
		if dup := memberIndex(&hujson.Object{Members: obj.Members[:at]}, key); dup >= 0 {
			return s, i, d.pathError(path[:i+1], obj.Members[at].Name.StartOffset,
				"the key stands twice in one object; remove one of them")
		}
		s = within(s, obj.Members[at].Name.BeforeExtra, &obj.Members[at].Value)
	}
	return s, len(path), nil
}

// within is the spot of an item that has the given lead and stands in the value of outer.
func within(outer spot, lead []byte, v *hujson.Value) spot {
	if hasNewline(lead) {
		return spot{v, indentOf(lead), true}
	}
	return spot{v, outer.indent, false}
}

// memberIndex is the last member with a name: the one that JSON readers take. Names compare unescaped.
func memberIndex(obj *hujson.Object, key string) int {
	for i, m := range slices.Backward(obj.Members) {
		if nameOf(m) == key {
			return i
		}
	}
	return -1
}

func nameOf(m hujson.ObjectMember) string {
	lit, _ := m.Name.Value.(hujson.Literal)
	return lit.String()
}
