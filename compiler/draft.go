package compiler

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// Draft is a manifest that is yet to be written: attributes of the top level, then blocks.
type Draft struct {
	Head   string // a comment, without the #
	Lists  []DraftList
	Blocks []model.Block // each must fit its spec; Origin is not looked at
}

// DraftList is an attribute of the top level that takes a list of texts.
type DraftList struct {
	Name   string
	Values []string
}

// Spot says what a line of a draft is about. Of a list Attr is its name and Key the one value that the line holds; of an
// attribute with an object of several lines Key is the member. Lines about nothing have the zero Spot.
type Spot struct{ Type, Label, Attr, Key string }

// Text is the manifest in its canonical layout. Line n of it, counted from 1, is about spots[n-1].
func (d Draft) Text() (text []byte, spots []Spot) {
	w := draftWriter{table: newTable(Specs{})}
	for line := range strings.Lines(d.Head) {
		w.line(Spot{}, "# "+line)
	}
	if d.Head != "" {
		w.line(Spot{}, "")
	}
	for _, l := range d.Lists {
		w.list(l)
	}
	for i, b := range d.Blocks {
		if i > 0 || len(d.Lists) > 0 {
			w.line(Spot{}, "")
		}
		w.block(b)
	}
	text, list := Format(w.text.Bytes(), "draft")
	if list.HasErrors() || bytes.Count(text, []byte("\n")) != len(w.spots) {
		panic(fmt.Sprintf("a draft is no manifest: %v\n%s", list, w.text.String()))
	}
	return text, w.spots
}

type draftWriter struct {
	table table
	text  bytes.Buffer
	spots []Spot
}

// line writes a text of one line or more that is about one thing.
func (w *draftWriter) line(about Spot, text string) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		w.text.WriteString(strings.TrimRight(line, " \r") + "\n")
		w.spots = append(w.spots, about)
	}
}

func (w *draftWriter) list(l DraftList) {
	if len(l.Values) == 1 {
		w.line(Spot{Attr: l.Name, Key: l.Values[0]}, l.Name+" = ["+quoteHCL(l.Values[0])+"]")
		return
	}
	w.line(Spot{Attr: l.Name}, l.Name+" = [")
	for _, v := range l.Values {
		w.line(Spot{Attr: l.Name, Key: v}, "  "+quoteHCL(v)+",")
	}
	w.line(Spot{Attr: l.Name}, "]")
}

// inOrder is the attributes of a block in the order in which its documentation has them.
func (w *draftWriter) inOrder(b model.Block) []model.Field {
	var names []string
	for _, spec := range w.table.block(b.Type).specs {
		for _, a := range spec.Attributes {
			names = append(names, a.Name)
		}
	}
	return slices.SortedStableFunc(slices.Values(b.Attrs.Fields), func(a, b model.Field) int {
		return cmp.Compare(slices.Index(names, a.Name), slices.Index(names, b.Name))
	})
}

// block writes a block. An object in a target's block has a line for each member: they are what people come back for.
func (w *draftWriter) block(b model.Block) {
	about := Spot{Type: b.Type, Label: b.Label}
	w.line(about, b.Type+" "+quoteHCL(b.Label)+" {")
	for _, f := range w.inOrder(b) {
		about.Attr, about.Key = f.Name, ""
		if b.Type != "target" || len(f.Value.Fields) == 0 {
			w.line(about, "  "+f.Name+" = "+hclText(f.Value, "  "))
			continue
		}
		w.line(about, "  "+f.Name+" = {")
		for _, m := range f.Value.Fields {
			about.Key = m.Name
			w.line(about, "    "+hclKey(m.Name)+" = "+hclText(m.Value, "    "))
		}
		about.Key = ""
		w.line(about, "  }")
	}
	w.line(Spot{Type: b.Type, Label: b.Label}, "}")
}
