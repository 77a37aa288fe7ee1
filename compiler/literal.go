package compiler

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// maxLine is how long a value may be to stand on one line.
const maxLine = 80

// hclText is a value as HCL: on one line if it is short, else one item a line below indent.
func hclText(v model.Value, indent string) string {
	if line := hclLine(v); len(line) <= maxLine || len(v.List)+len(v.Fields) == 0 {
		return line
	}
	inner := indent + indentStep(indent)
	var b strings.Builder
	if v.Kind == model.KindList {
		b.WriteString("[\n")
		for _, e := range v.List {
			b.WriteString(inner + hclText(e, inner) + ",\n")
		}
		return b.String() + indent + "]"
	}
	b.WriteString("{\n")
	for _, f := range v.Fields {
		b.WriteString(inner + hclKey(f.Name) + " = " + hclText(f.Value, inner) + "\n")
	}
	return b.String() + indent + "}"
}

func hclLine(v model.Value) string {
	switch v.Kind {
	case model.KindBool:
		return strconv.FormatBool(v.Bool)
	case model.KindNumber:
		return v.Number
	case model.KindList:
		items := make([]string, 0, len(v.List))
		for _, e := range v.List {
			items = append(items, hclLine(e))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case model.KindObject:
		if len(v.Fields) == 0 {
			return "{}"
		}
		items := make([]string, 0, len(v.Fields))
		for _, f := range v.Fields {
			items = append(items, hclKey(f.Name)+" = "+hclLine(f.Value))
		}
		return "{ " + strings.Join(items, ", ") + " }"
	case model.KindTemplate:
		return hclTemplate(v.Parts)
	}
	return quoteHCL(v.Text)
}

// hclTemplate is a text with secrets in it. The names of secrets are identifiers.
func hclTemplate(parts []model.Part) string {
	var b strings.Builder
	for i, p := range parts {
		quoted := quoteHCL(p.Literal)
		text := quoted[1 : len(quoted)-1]
		switch before, dollar := strings.CutSuffix(text, "$"); {
		case p.Secret != "":
			text = "${secret." + p.Secret + "}"
		case dollar && i+1 < len(parts): // $${ would be no template
			text = before + `${"$"}`
		}
		b.WriteString(text)
	}
	return `"` + b.String() + `"`
}

// quoteHCL is a text in quotes. Of bytes that are no UTF-8 nothing good comes out, which a second reading shows.
func quoteHCL(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }

// hclKey is the key of an object: bare where it can be.
func hclKey(name string) string {
	if hclsyntax.ValidIdentifier(name) && !slices.Contains([]string{"for", "if", "in", "null", "true", "false"}, name) {
		return name
	}
	return quoteHCL(name)
}

// literalValue is the value of an expression that is written out.
func literalValue(e hclsyntax.Expression) (model.Value, bool) {
	if !isLiteral(e) {
		return model.Value{}, false
	}
	v, ds := e.Value(nil)
	if ds.HasErrors() || v.IsNull() || !v.IsWhollyKnown() {
		return model.Value{}, false
	}
	switch v.Type() {
	case cty.String:
		return model.Value{Kind: model.KindString, Text: v.AsString()}, true
	case cty.Bool:
		return model.Value{Kind: model.KindBool, Bool: v.True()}, true
	case cty.Number:
		text, ok := number(v.AsBigFloat())
		return model.Value{Kind: model.KindNumber, Number: text}, ok
	}
	return model.Value{}, false
}

// valueKey is a text that is equal for equal values, wherever they were written and however a number is spelled.
func valueKey(v model.Value) string {
	var b strings.Builder
	writeValueKey(&b, v)
	return b.String()
}

func writeValueKey(b *strings.Builder, v model.Value) {
	b.WriteString(strconv.Itoa(int(v.Kind)))
	switch v.Kind {
	case model.KindBool:
		b.WriteString(strconv.FormatBool(v.Bool))
	case model.KindNumber:
		b.WriteString(canonicalNumber(v.Number))
	case model.KindString:
		b.WriteString(strconv.Quote(v.Text))
	case model.KindTemplate:
		for _, p := range v.Parts {
			b.WriteString(strconv.Quote(p.Literal) + strconv.Quote(p.Secret))
		}
	case model.KindList:
		for _, e := range v.List {
			writeValueKey(b, e)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case model.KindObject:
		for _, f := range v.Fields {
			b.WriteString(strconv.Quote(f.Name))
			writeValueKey(b, f.Value)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

func canonicalNumber(text string) string {
	f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven) // as cty reads it
	if err != nil {
		return text
	}
	if out, ok := number(f); ok {
		return out
	}
	return text
}

// edited is the machine as an edit wants it. Its places are not those of the result.
func edited(m model.Machine, e model.Edit) model.Machine {
	change := func(list []model.Block) []model.Block {
		out := slices.Clone(list)
		i := slices.IndexFunc(out, func(b model.Block) bool { return b.Type == e.Type && b.Label == e.Label })
		switch {
		case i < 0:
		case len(e.Path) == 1 && e.Path[0] == "enabled" && e.Op == model.Set && !e.Value.Bool:
			out = slices.Delete(out, i, i+1)
		default:
			out[i].Attrs = editedValue(out[i].Attrs, e.Path, e)
		}
		return out
	}
	m.Targets, m.MCP, m.Guards, m.Secrets, m.Hooks = change(m.Targets), change(m.MCP), change(m.Guards), change(m.Secrets), change(m.Hooks)
	m.Reminders = change(m.Reminders)
	return m
}

func editedValue(v model.Value, keys []string, e model.Edit) model.Value {
	if len(keys) == 0 {
		switch e.Op {
		case model.AddElement:
			return model.Value{Kind: model.KindList, List: append(slices.Clone(v.List), e.Value)}
		case model.RemoveElement:
			out := model.Value{Kind: model.KindList}
			for _, x := range v.List {
				if valueKey(x) != valueKey(e.Value) {
					out.List = append(out.List, x)
				}
			}
			return out
		}
		return e.Value
	}
	out := model.Value{Kind: model.KindObject, Fields: slices.Clone(v.Fields)}
	i, found := slices.BinarySearchFunc(out.Fields, keys[0], func(f model.Field, n string) int { return strings.Compare(f.Name, n) })
	switch {
	case len(keys) == 1 && e.Op == model.Unset:
		if found {
			out.Fields = slices.Delete(out.Fields, i, i+1)
		}
		return out
	case !found:
		out.Fields = slices.Insert(out.Fields, i, model.Field{Name: keys[0]})
	}
	out.Fields[i].Value = editedValue(out.Fields[i].Value, keys[1:], e)
	return out
}
