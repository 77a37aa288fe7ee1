package compiler

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// node is a value of one layer with its origins. Layers are merged as nodes, not as cty values: there, a list, a
// tuple and a set that look alike in HCL have three types, and ranges are lost. Nodes are never changed once made.
type node struct {
	kind   nodeKind
	leaf   model.Value // leaf
	list   []*node     // list
	fields []nodeField // object, sorted by name
	only   bool        // list: only([…])
	origin diag.Range
}

type nodeKind uint8

const (
	null nodeKind = iota // a tombstone: it removes what earlier layers say
	leaf
	list
	object
)

type nodeField struct {
	name string
	node *node
}

func byName(a, b nodeField) int { return cmp.Compare(a.name, b.name) }

// field is the member of that name, or nil.
func (n *node) field(name string) *node {
	i, ok := slices.BinarySearchFunc(n.fields, nodeField{name: name}, byName)
	if !ok {
		return nil
	}
	return n.fields[i].node
}

// value is the node as the plain value that leaves the compiler. Tombstones are gone.
func (n *node) value() model.Value {
	switch n.kind {
	case leaf:
		return n.leaf
	case list:
		out := model.Value{Kind: model.KindList, List: make([]model.Value, 0, len(n.list)), Origin: n.origin}
		for _, item := range n.list {
			if item.kind != null {
				out.List = append(out.List, item.value())
			}
		}
		return out
	case object:
		out := model.Value{Kind: model.KindObject, Fields: make([]model.Field, 0, len(n.fields)), Origin: n.origin}
		for _, f := range n.fields {
			if f.node.kind != null {
				out.Fields = append(out.Fields, model.Field{Name: f.name, Value: f.node.value()})
			}
		}
		return out
	}
	return model.Value{}
}

// key is a text that is equal for equal values, whatever their origins.
func (n *node) key() string {
	var b strings.Builder
	n.writeKey(&b)
	return b.String()
}

func (n *node) writeKey(b *strings.Builder) {
	switch n.kind {
	case null:
		b.WriteByte('0')
	case leaf:
		v := n.leaf
		b.WriteString(strconv.Itoa(int(v.Kind)))
		switch v.Kind {
		case model.KindBool:
			b.WriteString(strconv.FormatBool(v.Bool))
		case model.KindNumber:
			b.WriteString(v.Number)
		case model.KindTemplate:
			for _, p := range v.Parts {
				b.WriteString(strconv.Quote(p.Literal))
				b.WriteString(strconv.Quote(p.Secret))
			}
		default:
			b.WriteString(strconv.Quote(v.Text))
		}
	case list:
		b.WriteByte('[')
		for _, item := range n.list {
			item.writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for _, f := range n.fields {
			b.WriteString(strconv.Quote(f.name))
			f.node.writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

// secrets calls f for every secret that the value refers to.
func (n *node) secrets(f func(name string, at diag.Range)) {
	for _, p := range n.leaf.Parts {
		if p.Secret != "" {
			f(p.Secret, n.origin)
		}
	}
	for _, item := range n.list {
		item.secrets(f)
	}
	for _, m := range n.fields {
		m.node.secrets(f)
	}
}

// maxExponent bounds numbers: cty takes 1e400 and then prints 401 digits, and 1e999999999 would print a gigabyte.
const maxExponent = 1000 // in bits, a little over 300 digits

func sane(f *big.Float) bool {
	if f.IsInf() {
		return false
	}
	e := f.MantExp(nil)
	return -maxExponent <= e && e <= maxExponent
}

// number is the canonical JSON text of a number: whole numbers exactly, others as the nearest 64-bit value.
func number(f *big.Float) (string, bool) {
	if !sane(f) {
		return "", false
	}
	if f.IsInt() {
		i, _ := f.Int(nil)
		return i.String(), true
	}
	v, _ := f.Float64()
	return strconv.FormatFloat(v, 'f', -1, 64), true
}
