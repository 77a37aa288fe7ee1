package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param is what a parameter expansion gives, as words; list says that they are "$@" or a whole array.
func (w *walker) param(pe *syntax.ParamExp) (value []Word, list bool) {
	if pe.Param == nil || pe.Names != 0 || pe.Excl && pe.Index != nil {
		return []Word{hole(Fields)}, false
	}
	if pe.Length || pe.Width || pe.IsSet {
		return []Word{{Holes: []Hole{{Full: true}}}}, false
	}
	name := pe.Param.Value
	if pe.Excl {
		target, _, _ := w.lookup(name)
		if len(target) == 0 || !target[0].Known() || !IsName(target[0].Text) {
			return []Word{hole(Value)}, false
		}
		name = target[0].Text
	}
	value, list, known := w.lookup(name)
	if pe.Index != nil {
		value, list = element(value, pe.Index, known)
	} else if !list && len(value) > 1 {
		value = value[:1]
	}
	switch {
	case pe.Exp != nil:
		return w.operate(pe, name, value, known), list
	case pe.Repl != nil:
		return w.each(value, func(text string) (string, bool) { return w.substitute(pe.Repl, text) }), list
	case pe.Slice != nil:
		return w.each(value, func(text string) (string, bool) { return slice(pe.Slice, text) }), list
	}
	return value, list
}

// element is what an index takes of an array.
func element(value []Word, index syntax.ArithmExpr, known bool) (words []Word, list bool) {
	n, text := -1, arithmText(index)
	if text == "@" || text == "*" {
		if !known {
			return []Word{hole(Fields)}, true
		}
		return value, true
	}
	if i, err := strconv.Atoi(text); err == nil {
		n = i
	}
	if n >= 0 && n < len(value) && known {
		return value[n : n+1], false
	}
	return []Word{hole(Value)}, false
}

// arithmText is an arithmetic expression that is one literal word, or "".
func arithmText(x syntax.ArithmExpr) string {
	if word, ok := x.(*syntax.Word); ok {
		return word.Lit()
	}
	return ""
}

// operate carries out ${name:-word} and its like. Where the text does not say the value, both ways are read.
func (w *walker) operate(pe *syntax.ParamExp, name string, value []Word, known bool) []Word {
	empty := known && (len(value) == 0 || len(value) == 1 && value[0].Known() && value[0].Text == "")
	doubt := !known || !empty && len(value) > 0 && value[0].Unknown()
	switch op := pe.Exp.Op; op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if empty || doubt && w.pick(pe, 2) == 1 {
			value = []Word{w.single(pe.Exp.Word)}
			if (op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull) && IsName(name) {
				w.set(name, variable{value})
			}
			return value
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if empty || doubt && w.pick(pe, 2) == 1 {
			return nil
		}
		return []Word{w.single(pe.Exp.Word)}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if len(value) == 1 && value[0].Unknown() {
			return []Word{{Holes: []Hole{{Kind: value[0].Holes[0].Kind, Full: op == syntax.ErrorUnsetOrNull}}}}
		}
	case syntax.UpperAll, syntax.LowerAll, syntax.UpperFirst, syntax.LowerFirst:
		return w.each(value, func(text string) (string, bool) { return changeCase(op, text), pe.Exp.Word == nil })
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return w.each(value, func(text string) (string, bool) { return w.trim(op, pe.Exp.Word, text) })
	default:
		return []Word{hole(Value)}
	}
	return value
}

// each is the words after f; where f cannot tell, or a word is not known, nothing is known.
func (w *walker) each(value []Word, f func(string) (string, bool)) []Word {
	out := make([]Word, 0, len(value))
	for _, word := range value {
		text, ok := f(word.Text)
		if !ok || !word.Known() {
			out = append(out, hole(Value))
			continue
		}
		out = append(out, Word{Text: text})
	}
	return out
}

func changeCase(op syntax.ParExpOperator, text string) string {
	if text == "" {
		return text
	}
	switch op {
	case syntax.UpperAll:
		return strings.ToUpper(text)
	case syntax.LowerAll:
		return strings.ToLower(text)
	case syntax.UpperFirst:
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return strings.ToLower(text[:1]) + text[1:]
}

func (w *walker) trim(op syntax.ParExpOperator, pattern *syntax.Word, text string) (string, bool) {
	fix, ok := w.literally(pattern)
	if !ok {
		return "", false
	}
	if op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix {
		return strings.TrimPrefix(text, fix), true
	}
	return strings.TrimSuffix(text, fix), true
}

// substitute carries out ${name/old/new} for literal texts.
func (w *walker) substitute(r *syntax.Replace, text string) (string, bool) {
	old, ok := w.literally(r.Orig)
	if !ok || old == "" || strings.ContainsAny(old[:1], "#%") {
		return "", false
	}
	with, ok := w.literally(r.With)
	if !ok {
		return "", false
	}
	n := 1
	if r.All {
		n = -1
	}
	if strings.Count(text, old)*len(with)+len(text) > maxValue {
		return "", false
	}
	return strings.Replace(text, old, with, n), true
}

// literally is the text of a pattern that matches only itself.
func (w *walker) literally(pattern *syntax.Word) (string, bool) {
	if pattern == nil {
		return "", true
	}
	b := builder{w: w, joined: true, globs: true}
	for _, part := range pattern.Parts {
		b.part(part, false)
	}
	word := b.current()
	return word.Text, word.Known()
}

// slice carries out ${name:offset:length} for literal numbers from the front.
func slice(s *syntax.Slice, text string) (string, bool) {
	from, err := strconv.Atoi(arithmText(s.Offset))
	if err != nil || from < 0 {
		return "", false
	}
	text = text[min(from, len(text)):]
	if s.Length == nil {
		return text, true
	}
	n, err := strconv.Atoi(arithmText(s.Length))
	if err != nil || n < 0 {
		return "", false
	}
	return text[:min(n, len(text))], true
}
