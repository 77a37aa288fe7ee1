package compiler

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// place is where an edit is going to be made, for messages, and why it cannot be made.
func (ed *edition) place(e model.Edit) (diag.Range, diag.List) {
	sites, _ := ed.sites(e)
	at := ed.m.file
	if len(sites) > 0 {
		at = rangeOf(sites[len(sites)-1].at())
	} else if from := ed.bundled(e); !from.IsZero() {
		at = from
	}
	_, list := ed.changes(e)
	return at, list
}

// bundled is where a bundle's file declares a block that no file of the manifest has.
func (ed *edition) bundled(e model.Edit) (at diag.Range) {
	for _, ly := range ed.layers {
		if ly.blocks != nil {
			continue
		}
		for _, b := range ed.ev.layer(ly).blocks {
			if b.kind.name == e.Type && b.label == e.Label {
				at = b.at
			}
		}
	}
	return at
}

// changes is the bytes to replace for an edit, by the label of the file.
func (ed *edition) changes(e model.Edit) (map[string][]replacement, diag.List) {
	sites, whole := ed.sites(e)
	if len(sites) == 0 {
		var l diag.List
		if at := ed.bundled(e); !at.IsZero() {
			l.Errorf(at, "not-absorbed", "`"+dotted(e.Path)+"` of "+e.Type+" `"+e.Label+"` cannot be written back",
				"It comes from a bundle, whose files are left as they are. Add a block `%s \"%s\"` with %s to the manifest.", e.Type, e.Label, wanted(e))
			return nil, l
		}
		l.Errorf(ed.m.file, "not-absorbed", "There is no "+e.Type+" `"+e.Label+"`", "Nothing active for this host declares it. Write %s yourself.", wanted(e))
		return nil, l
	}
	last := sites[len(sites)-1]
	if holdsCredential(e.Value) {
		return nil, ed.refuse(last, e, "credential",
			"The value holds what looks like a credential, which would get into files that the agent can read. Declare a `secret`, and take the text out of the home.")
	}
	var out []replacement
	var list diag.List
	switch {
	case e.Op == model.RemoveElement && whole:
		return ed.removeElement(sites, e)
	case (e.Op == model.Unset || e.Op == model.RemoveElement) && !whole:
		return nil, ed.refuse(last, e, "not-absorbed", "It is no longer in the home, but the manifest does not say it here.")
	case e.Op == model.Unset && len(sites) > 1: // an earlier layer would show through
		out, list = ed.set(last, e, "null")
	case e.Op == model.Unset:
		out, list = ed.unset(last, e)
	case e.Op == model.AddElement && whole:
		out, list = ed.addElement(last, e)
	case e.Op == model.AddElement:
		e.Value = model.Value{Kind: model.KindList, List: []model.Value{e.Value}}
		out, list = ed.set(last, e, "")
	default:
		out, list = ed.set(last, e, "")
	}
	if len(list) > 0 {
		return nil, list
	}
	return map[string][]replacement{last.label(): out}, nil
}

// editable says why nothing can be changed at a site, if so.
func (ed *edition) editable(s site, e model.Edit) diag.List {
	if s.builtin() {
		return ed.refuse(s, e, "not-literal", "It is set in the built-in module `"+s.layer.scope.source.dir+"`, which is part of the program.")
	}
	return nil
}

// literal says why the value at a site cannot be replaced, if so.
func (ed *edition) literal(s site, e model.Edit) diag.List {
	if list := ed.editable(s, e); len(list) > 0 {
		return list
	}
	if !isLiteral(s.expr) {
		return ed.refuse(s, e, "not-literal", "It is made by an expression, `"+ed.short(s.expr)+"`, which may serve other places too.")
	}
	if r := s.expr.Range(); hasComments(ed.m.texts[r.Filename][r.Start.Byte:r.End.Byte]) {
		return ed.refuse(s, e, "not-absorbed", "The value holds comments, which would be lost.")
	}
	return nil
}

// short is the beginning of an expression's text.
func (ed *edition) short(x hclsyntax.Expression) string {
	r := x.Range()
	text := string(bytes.Join(bytes.Fields(ed.m.texts[r.Filename][r.Start.Byte:r.End.Byte]), []byte(" ")))
	if len(text) > 60 {
		text = string(bytes.ToValidUTF8([]byte(text[:60]), nil)) + "…"
	}
	return text
}

// set gives the place a value, or the text given.
func (ed *edition) set(s site, e model.Edit, text string) ([]replacement, diag.List) {
	value := func(indent string, skip int) string {
		if text != "" {
			return text
		}
		return hclText(nest(e.Value, e.Path[skip:]), indent)
	}
	src := ed.m.texts[s.at().Filename]
	if s.found == len(e.Path) {
		if list := ed.literal(s, e); len(list) > 0 {
			return nil, list
		}
		r := s.expr.Range()
		return []replacement{{r.Start.Byte, r.End.Byte, value(lineIndent(src, r.Start.Byte), s.found)}}, nil
	}
	if list := ed.editable(s, e); len(list) > 0 {
		return nil, list
	}
	name := e.Path[s.found]
	if s.found == 0 {
		c := bodyItems(src, s.block)
		return c.insertLine(src, func(indent string) string { return name + " = " + value(indent, 1) }), nil
	}
	cons, ok := s.expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil, ed.refuse(s, e, "not-literal", "The object that it belongs in is made by an expression, `"+ed.short(s.expr)+"`.")
	}
	c := objectItems(cons)
	return c.insert(src, func(indent string) string { return hclKey(name) + c.assign(src, cons) + value(indent, s.found+1) }), nil
}

// nest is the value inside objects with these keys.
func nest(v model.Value, keys []string) model.Value {
	for _, key := range slices.Backward(keys) {
		v = model.Value{Kind: model.KindObject, Fields: []model.Field{{Name: key, Value: v}}}
	}
	return v
}

// unset takes the place out.
func (ed *edition) unset(s site, e model.Edit) ([]replacement, diag.List) {
	if list := ed.literal(s, e); len(list) > 0 {
		return nil, list
	}
	src := ed.m.texts[s.at().Filename]
	if s.found > 1 {
		return []replacement{objectItems(s.in).remove(src, s.item)}, nil
	}
	c := bodyItems(src, s.block)
	i := slices.IndexFunc(c.items, func(x span) bool { return x.start == s.attr.NameRange.Start.Byte })
	return []replacement{c.remove(src, i)}, nil
}

func (ed *edition) addElement(s site, e model.Edit) ([]replacement, diag.List) {
	if list := ed.editable(s, e); len(list) > 0 {
		return nil, list
	}
	tuple, ok := s.expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		return nil, ed.refuse(s, e, "not-literal", "The list is made by an expression, `"+ed.short(s.expr)+"`.")
	}
	src := ed.m.texts[s.at().Filename]
	return tupleItems(tuple).insert(src, func(indent string) string { return hclText(e.Value, indent) }), nil
}

// removeElement takes an element out of every list that gives it: lists with set meaning add up over the layers.
func (ed *edition) removeElement(sites []site, e model.Edit) (map[string][]replacement, diag.List) {
	out := map[string][]replacement{}
	want := valueKey(e.Value)
	for i, s := range sites {
		n, _ := ed.node(s.layer, e)
		if n.kind != list || !slices.ContainsFunc(n.list, func(x *node) bool { return valueKey(x.value()) == want }) {
			continue
		}
		if faults := ed.editable(s, e); len(faults) > 0 {
			return nil, faults
		}
		tuple, ok := s.expr.(*hclsyntax.TupleConsExpr)
		at := -1
		if ok {
			at = slices.IndexFunc(tuple.Exprs, func(x hclsyntax.Expression) bool {
				v, known := literalValue(x)
				return known && valueKey(v) == want
			})
		}
		if at < 0 {
			if i < len(sites)-1 && len(out) == 0 && !ok {
				continue // a later layer may replace it: what comes out is checked
			}
			return nil, ed.refuse(s, e, "not-literal", "The element is made by an expression, `"+ed.short(s.expr)+"`.")
		}
		out[s.label()] = append(out[s.label()], tupleItems(tuple).remove(ed.m.texts[s.at().Filename], at))
	}
	if len(out) == 0 {
		return nil, ed.refuse(sites[len(sites)-1], e, "not-absorbed", "The element is not among those that are written here.")
	}
	return out, nil
}

// objectItems is the items of an object in its brackets.
func objectItems(o *hclsyntax.ObjectConsExpr) container {
	r := o.SrcRange
	c := container{inner: span{r.Start.Byte + 1, r.End.Byte - 1}}
	for _, item := range o.Items {
		c.items = append(c.items, span{item.KeyExpr.Range().Start.Byte, item.ValueExpr.Range().End.Byte})
	}
	return c
}

func tupleItems(t *hclsyntax.TupleConsExpr) container {
	r := t.SrcRange
	c := container{inner: span{r.Start.Byte + 1, r.End.Byte - 1}, commas: true}
	for _, x := range t.Exprs {
		c.items = append(c.items, span{x.Range().Start.Byte, x.Range().End.Byte})
	}
	return c
}

// bodyItems is the attributes and blocks of a block's body.
func bodyItems(src []byte, of *block) container {
	b := of.body
	r := b.SrcRange
	c := container{inner: span{r.Start.Byte + 1, r.End.Byte - 1}}
	if src[r.Start.Byte] != '{' { // on one line, hcl 2.25.0 gives the range of the attribute
		c.inner.start = of.at.End.Byte + bytes.IndexByte(src[of.at.End.Byte:], '{') + 1
		for _, a := range b.Attributes {
			after := a.Expr.Range().End.Byte
			c.inner.end = after + bytes.IndexByte(src[after:], '}')
		}
	}
	for _, a := range b.Attributes {
		c.items = append(c.items, span{a.NameRange.Start.Byte, a.Expr.Range().End.Byte}) // SrcRange takes in what follows
	}
	for _, inner := range b.Blocks {
		c.items = append(c.items, span{inner.TypeRange.Start.Byte, inner.Body.SrcRange.End.Byte})
	}
	slices.SortFunc(c.items, func(x, y span) int { return cmp.Compare(x.start, y.start) })
	return c
}

// assign is what stands between a key and its value in an object.
func (c container) assign(src []byte, o *hclsyntax.ObjectConsExpr) string {
	if n := len(o.Items); n > 0 {
		item := o.Items[n-1]
		if bytes.Contains(src[item.KeyExpr.Range().End.Byte:item.ValueExpr.Range().Start.Byte], []byte(":")) {
			return ": "
		}
	}
	return " = "
}
