package jsonedit

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// list is what objects and arrays have in common: items with white space and comments before each (its lead, from the
// comma or bracket before it) and before the closing bracket (the tail).
type list struct {
	obj *hujson.Object
	arr *hujson.Array
}

// item is one member or element. An element's name is nil.
type item struct {
	name  *hujson.Value
	value hujson.Value
}

func listOf(v *hujson.Value) list {
	l := list{}
	l.obj, _ = v.Value.(*hujson.Object)
	l.arr, _ = v.Value.(*hujson.Array)
	return l
}

func (l list) len() int {
	if l.obj != nil {
		return len(l.obj.Members)
	}
	return len(l.arr.Elements)
}

func (l list) tail() *hujson.Extra {
	if l.obj != nil {
		return &l.obj.AfterExtra
	}
	return &l.arr.AfterExtra
}

func (l list) lead(i int) *hujson.Extra {
	if l.obj != nil {
		return &l.obj.Members[i].Name.BeforeExtra
	}
	return &l.arr.Elements[i].BeforeExtra
}

func (l list) value(i int) *hujson.Value {
	if l.obj != nil {
		return &l.obj.Members[i].Value
	}
	return &l.arr.Elements[i]
}

// after is what stands before item i in the text if i counts, else before the closing bracket.
func (l list) after(i int) *hujson.Extra {
	if i < l.len() {
		return l.lead(i)
	}
	return l.tail()
}

// trailingComma reports whether a comma follows the last item. The syntax tree shows it as extra that is not nil.
func (l list) trailingComma() bool {
	return l.len() > 0 && l.value(l.len()-1).AfterExtra != nil
}

// multiline reports whether any item or the closing bracket stands on its own line.
func (l list) multiline() bool {
	for i := range l.len() + 1 {
		if hasNewline(*l.after(i)) {
			return true
		}
	}
	return false
}

// insert puts it before item i, or last. own is the indentation of the line on which the list begins; multi says how
// an empty list is to be laid out. It returns the indentation of the new item's line and whether that is its own line.
// Comments keep their side: one on the line before stays there, one above the next item stays above that, and those
// at the end of the list come to stand above the new last item.
func (s style) insert(l list, i int, it item, own string, multi bool) (indent string, ownLine bool) {
	var lead, rest []byte
	next := *l.after(i)
	switch {
	case i < l.len() && hasNewline(next):
		same, below := splitFirst(next)
		indent, ownLine = indentOf(next), true
		lead, rest = s.join(same, []byte(s.newline+indent)), below
	case i < l.len():
		lead, rest = bytes.Clone(blankStart(next)), next
		if i == 0 && !hasComment(next) {
			rest = s.separator(l)
		}
		indent = own
	case l.multiline() || l.len() == 0 && multi:
		indent, ownLine = s.itemIndent(l, own), true
		above, line := splitLast(next)
		if !hasNewline(next) {
			above, line = bytes.TrimRight(next, space), bytes.Clone(blankEnd(next))
			if l.len() == 0 {
				line = []byte(s.newline + own)
			}
		}
		lead, rest = s.join(above, []byte(s.newline+indent)), line
	default:
		indent = own
		lead = append(bytes.TrimRight(bytes.Clone(next), space), s.separator(l)...)
		rest = bytes.Clone(blankEnd(next))
	}
	last, comma := i == l.len(), l.trailingComma()
	*l.after(i) = rest
	l.put(i, it, lead)
	if last && comma {
		l.value(i).AfterExtra = []byte{}
	}
	return indent, ownLine
}

func (l list) put(i int, it item, lead []byte) {
	if l.obj == nil {
		it.value.BeforeExtra = lead
		l.arr.Elements = slices.Insert(l.arr.Elements, i, it.value)
		return
	}
	it.name.BeforeExtra = lead
	if len(l.obj.Members) > 0 {
		it.value.BeforeExtra = colonSpace(l.obj.Members[len(l.obj.Members)-1])
	} else {
		it.value.BeforeExtra = []byte(" ")
	}
	l.obj.Members = slices.Insert(l.obj.Members, i, hujson.ObjectMember{Name: *it.name, Value: it.value})
}

// colonSpace is what stands between the colon and the value, as a neighbour has it.
func colonSpace(m hujson.ObjectMember) []byte {
	if x := m.Value.BeforeExtra; !hasComment(x) && !hasNewline(x) {
		return bytes.Clone(x)
	}
	return []byte(" ")
}

// separator is the white space before an item of a list on one line.
func (s style) separator(l list) []byte {
	n := l.len()
	if n == 0 {
		return bytes.Clone(blankEnd(*l.tail()))
	}
	if n > 1 {
		if x := *l.lead(n - 1); !hasComment(x) && !hasNewline(x) {
			return bytes.Clone(x)
		}
	}
	if l.obj != nil && len(l.obj.Members[n-1].Value.BeforeExtra) == 0 && len(*l.lead(0)) == 0 {
		return nil // {"a":1}
	}
	return []byte(" ")
}

// itemIndent is the indentation of a list's items, as the last of those on their own line has it.
func (s style) itemIndent(l list, own string) string {
	for i := l.len() - 1; i >= 0; i-- {
		if x := *l.lead(i); hasNewline(x) {
			return indentOf(x)
		}
	}
	return own + s.step
}

// remove takes item i out. Comments above it and on lines that it shares go to what follows; only what stands on its
// own line goes with it.
func (s style) remove(l list, i int) {
	lead, trail := *l.lead(i), *l.after(i + 1)
	inner := l.value(i).AfterExtra // between the value and its comma
	last, comma := i == l.len()-1, l.trailingComma()
	alone := (hasNewline(lead) || i == 0) && hasNewline(trail) && !hasNewline(inner)

	kept, line := splitFirst(lead)
	if line != nil {
		above, _ := splitLast(line)
		kept = s.join(kept, above)
	}
	if same, below := splitFirst(inner); below != nil {
		kept = s.join(kept, bytes.TrimRight(below, space))
	} else if !alone && hasComment(same) {
		kept = s.join(kept, same)
	}
	same, below := splitFirst(trail)
	var rest []byte
	switch {
	case below != nil:
		if !alone && hasComment(same) {
			kept = s.join(bytes.TrimRight(kept, " \t"), same)
		} else if line == nil && !hasComment(kept) {
			kept = bytes.TrimRight(kept, " \t")
		}
		rest = s.join(kept, below)
	case line != nil && !last: // the next item takes its place at the beginning of the line
		rest = s.join(kept, s.lineStart(line))
		if hasComment(trail) {
			rest = s.join(rest, bytes.TrimLeft(trail, space))
		}
	case line != nil || hasComment(kept): // the bracket, or a comment that shares the line
		rest = s.join(kept, trail)
		if line == nil {
			rest = s.join(bytes.TrimRight(kept, " \t"), trail)
		}
	case i == 0 && !last:
		rest = s.join(kept, bytes.TrimLeft(trail, space))
	default:
		rest = trail
	}
	rest = s.closed(rest)
	l.cut(i)
	*l.after(i) = rest
	if last && l.len() > 0 {
		s.closeLast(l, comma)
	}
	if l.len() == 0 && !hasComment(rest) && hasNewline(rest) {
		*l.tail() = nil
	}
}

// lineStart is the line end and indentation at the end of x, without a comment.
func (s style) lineStart(x []byte) []byte { return []byte(s.newline + indentOf(x)) }

func (l list) cut(i int) {
	if l.obj != nil {
		l.obj.Members = slices.Delete(l.obj.Members, i, i+1)
	} else {
		l.arr.Elements = slices.Delete(l.arr.Elements, i, i+1)
	}
}

// closeLast makes the last item end as the former last did: with a comma or without.
func (s style) closeLast(l list, comma bool) {
	v := l.value(l.len() - 1)
	switch {
	case comma && v.AfterExtra == nil:
		v.AfterExtra = []byte{}
	case !comma && v.AfterExtra != nil:
		*l.tail() = s.closed(s.join(v.AfterExtra, *l.tail()))
		v.AfterExtra = nil
	}
}
