package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Set gives the key at path a value, a JSON text, laid out as the text around it. A value that is equal already is
// left alone; of an object or array only what differs is touched, so that comments in it stay. Missing parents are
// made. order lists paths of keys (and of their parents) as new keys should stand among each other: in each object a new
// key goes after the nearest listed one before it that exists, else before the nearest one after it, else last.
func (d *Doc) Set(path []string, value []byte, order [][]string) error {
	v, err := parseValue(value, len(path))
	if err != nil {
		return fmt.Errorf("the new value of %q: %w", path, err)
	}
	return d.set(path, v, order, false)
}

// Put is Set with the value verbatim, comments and layout too: it puts back what Get returned.
func (d *Doc) Put(path []string, text []byte, order [][]string) error {
	v, err := parseValue(text, len(path))
	if err != nil {
		return fmt.Errorf("the new value of %q: %w", path, err)
	}
	return d.set(path, v, order, true)
}

func (d *Doc) set(path []string, v hujson.Value, order [][]string, verbatim bool) error {
	if len(path) == 0 {
		return d.pathError(path, d.root.StartOffset, "a path of keys is needed")
	}
	if !utf8.ValidString(strings.Join(path, "")) {
		return d.pathError(path, d.root.StartOffset, "a key must be valid UTF-8")
	}
	s, found, err := d.walk(path)
	if err != nil {
		return err
	}
	if found == len(path) {
		if verbatim {
			s.value.Value = v.Value
			return nil
		}
		return d.replace(s, &v)
	}
	if _, ok := s.value.Value.(*hujson.Object); !ok {
		return d.pathError(path[:found], s.value.StartOffset, "it is no object")
	}
	for ; found < len(path); found++ {
		l := listOf(s.value)
		at := insertionIndex(l.obj, path[found], siblings(order, path[:found]))
		name := hujson.Value{Value: hujson.String(path[found])}
		it := item{&name, hujson.Value{Value: &hujson.Object{}}}
		indent, ownLine := d.style.insert(l, at, it, s.indent, s.ownLine)
		s = spot{l.value(at), indent, ownLine}
	}
	if verbatim {
		s.value.Value = v.Value
		return nil
	}
	return d.write(s, &v)
}

// Delete takes the key at path out. An absent key is no error.
func (d *Doc) Delete(path []string) error {
	if len(path) == 0 {
		return d.pathError(path, d.root.StartOffset, "a path of keys is needed")
	}
	if _, found, err := d.walk(path); err != nil || found < len(path) {
		return err
	}
	parent, _, err := d.walk(path[:len(path)-1])
	if err != nil {
		return err
	}
	l := listOf(parent.value)
	d.style.remove(l, memberIndex(l.obj, path[len(path)-1]))
	return nil
}

// DeleteEmpty is Delete if the value is an object or array without items and comments.
func (d *Doc) DeleteEmpty(path []string) error {
	s, found, err := d.walk(path)
	if err != nil || found < len(path) {
		return err
	}
	if l := listOf(s.value); l.obj == nil && l.arr == nil || l.len() > 0 || hasComment(*l.tail()) {
		return nil
	}
	return d.Delete(path)
}

// AddElement adds a value to the array at path, which is made if it is absent. A value that the array has already is
// left alone. order lists elements, and keys key paths, as for Set.
func (d *Doc) AddElement(path []string, value []byte, order [][]byte, keys [][]string) error {
	v, err := parseValue(value, len(path)+1)
	if err != nil {
		return fmt.Errorf("the new element of %q: %w", path, err)
	}
	els, ok, err := d.Elements(path)
	if err != nil {
		return err
	}
	if !ok {
		return d.Set(path, slices.Concat([]byte("["), value, []byte("]")), keys)
	}
	if slices.ContainsFunc(els, func(e Value) bool { return Equal(e.Text, value) }) {
		return nil
	}
	s, _, err := d.walk(path)
	if err != nil {
		return err
	}
	return d.addElement(s, elementIndex(els, value, order), &v)
}

func (d *Doc) addElement(s spot, at int, v *hujson.Value) error {
	l := listOf(s.value)
	indent, ownLine := d.style.insert(l, at, item{value: hujson.Value{Value: hujson.Literal("null")}}, s.indent, s.ownLine)
	return d.write(spot{l.value(at), indent, ownLine}, v)
}

// RemoveElement takes every element equal to value out of the array at path. An absent one is no error.
func (d *Doc) RemoveElement(path []string, value []byte) error {
	els, ok, err := d.Elements(path)
	if err != nil || !ok {
		return err
	}
	s, _, err := d.walk(path)
	if err != nil {
		return err
	}
	for i, e := range slices.Backward(els) {
		if Equal(e.Text, value) {
			d.style.remove(listOf(s.value), i)
		}
	}
	return nil
}

// replace makes the value at s equal to v and touches only what differs.
func (d *Doc) replace(s spot, v *hujson.Value) error {
	if equalValues(s.value, v) {
		return nil
	}
	have, want := listOf(s.value), listOf(v)
	switch {
	case have.obj != nil && want.obj != nil && uniqueNames(have.obj):
		return d.replaceMembers(s, have, want.obj)
	case have.arr != nil && want.arr != nil:
		return d.replaceElements(s, have, want.arr)
	}
	return d.write(s, v)
}

func (d *Doc) replaceMembers(s spot, have list, want *hujson.Object) error {
	for i := have.len() - 1; i >= 0; i-- {
		if memberIndex(want, nameOf(have.obj.Members[i])) < 0 {
			d.style.remove(have, i)
		}
	}
	for _, m := range want.Members {
		at := memberIndex(have.obj, nameOf(m))
		if at >= 0 {
			if err := d.replace(within(s, *have.lead(at), have.value(at)), &m.Value); err != nil {
				return err
			}
			continue
		}
		at = have.len()
		name := hujson.Value{Value: m.Name.Value}
		indent, ownLine := d.style.insert(have, at, item{&name, hujson.Value{Value: hujson.Literal("null")}}, s.indent, s.ownLine)
		if err := d.write(spot{have.value(at), indent, ownLine}, &m.Value); err != nil {
			return err
		}
	}
	return nil
}

// replaceElements keeps the elements that can stand at the beginning of the new array, in order, and adds the rest.
func (d *Doc) replaceElements(s spot, have list, want *hujson.Array) error {
	keep := 0
	for i := 0; i < have.len(); {
		if keep < len(want.Elements) && equalValues(have.value(i), &want.Elements[keep]) {
			keep++
			i++
		} else {
			d.style.remove(have, i)
		}
	}
	for i := range want.Elements[keep:] {
		if err := d.addElement(s, have.len(), &want.Elements[keep+i]); err != nil {
			return err
		}
	}
	return nil
}

// write puts v at s, indented if s begins a line, else on one line.
func (d *Doc) write(s spot, v *hujson.Value) error {
	plain, err := Compact(packTrimmed(v))
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if s.ownLine {
		if err := json.Indent(&buf, plain, s.indent, d.style.step); err != nil {
			return err
		}
	} else {
		buf.Write(plain)
	}
	text := bytes.ReplaceAll(buf.Bytes(), []byte("\n"), []byte(d.style.newline))
	laid, err := hujson.Parse(text)
	if err != nil {
		return err
	}
	s.value.Value = laid.Value
	return nil
}

// insertionIndex is where a new member goes, given its own and other names in the order that they should have.
func insertionIndex(obj *hujson.Object, name string, order []string) int {
	own := slices.Index(order, name)
	for i := own - 1; i >= 0; i-- {
		if at := memberIndex(obj, order[i]); at >= 0 {
			return at + 1
		}
	}
	for i := own + 1; own >= 0 && i < len(order); i++ {
		if at := memberIndex(obj, order[i]); at >= 0 {
			return at
		}
	}
	return len(obj.Members)
}

func elementIndex(els []Value, value []byte, order [][]byte) int {
	index := func(v []byte) int {
		return slices.IndexFunc(els, func(e Value) bool { return Equal(e.Text, v) })
	}
	own := slices.IndexFunc(order, func(v []byte) bool { return Equal(v, value) })
	for i := own - 1; i >= 0; i-- {
		if at := index(order[i]); at >= 0 {
			return at + 1
		}
	}
	for i := own + 1; own >= 0 && i < len(order); i++ {
		if at := index(order[i]); at >= 0 {
			return at
		}
	}
	return len(els)
}

// siblings are the keys that order has directly below parent, each once.
func siblings(order [][]string, parent []string) []string {
	var names []string
	for _, p := range order {
		if len(p) == len(parent)+1 && slices.Equal(p[:len(parent)], parent) && !slices.Contains(names, p[len(parent)]) {
			names = append(names, p[len(parent)])
		}
	}
	return names
}

func uniqueNames(obj *hujson.Object) bool {
	seen := map[string]bool{}
	for _, m := range obj.Members {
		if seen[nameOf(m)] {
			return false
		}
		seen[nameOf(m)] = true
	}
	return true
}

// parseValue parses a value that is to stand below depth keys.
func parseValue(text []byte, depth int) (hujson.Value, error) {
	if _, deep := tooDeep(text, MaxDepth-depth); deep || len(text) > MaxSize {
		return hujson.Value{}, fmt.Errorf("it is nested too deeply or too long")
	}
	v, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return hujson.Value{}, syntaxError(err)
	}
	return hujson.Value{Value: v.Value}, nil
}
