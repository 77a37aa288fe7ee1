package shell

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// expandBraces is the words that braces make of one, each as its parts: {push,--force} is two. Too many of them are
// one word that nobody knows.
func expandBraces(word *syntax.Word) [][]syntax.WordPart {
	split := *word // SplitBraces writes into the word
	if !syntax.SplitBraces(&split) {
		return [][]syntax.WordPart{word.Parts}
	}
	out, ok := braces(split.Parts)
	if !ok {
		return [][]syntax.WordPart{{&syntax.BraceExp{}}}
	}
	for i := range out {
		out[i] = mergeNames(out[i])
	}
	return out
}

// mergeNames reads a name again after the braces are gone: $x{a,b} is $xa and $xb.
func mergeNames(parts []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, part := range parts {
		lit, isLit := part.(*syntax.Lit)
		if isLit && len(out) > 0 {
			if pe, ok := out[len(out)-1].(*syntax.ParamExp); ok && pe.Short && pe.Index == nil && IsName(pe.Param.Value) {
				end := 0
				for end < len(lit.Value) && isNameByte(lit.Value[end]) {
					end++
				}
				longer, rest := *pe, *lit
				longer.Param = &syntax.Lit{Value: pe.Param.Value + lit.Value[:end]}
				rest.Value = lit.Value[end:]
				out[len(out)-1] = &longer
				part = &rest
			}
		}
		out = append(out, part)
	}
	return out
}

func braces(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, part := range parts {
		brace, isBrace := part.(*syntax.BraceExp)
		if !isBrace {
			for i := range out {
				out[i] = append(out[i], part)
			}
			continue
		}
		elems, ok := elements(brace)
		if !ok || len(out)*len(elems) > maxFields {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, head := range out {
			for _, tail := range elems {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		out = next
	}
	return out, true
}

func elements(brace *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if brace.Sequence {
		return sequence(brace)
	}
	var out [][]syntax.WordPart
	for _, elem := range brace.Elems {
		words, ok := braces(elem.Parts)
		if !ok || len(out)+len(words) > maxFields {
			return nil, false
		}
		out = append(out, words...)
	}
	return out, true
}

// sequence is the elements of {1..9} and {a..e..2}.
func sequence(brace *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	from, isNumber := bracePoint(brace.Elems[0])
	to, _ := bracePoint(brace.Elems[1])
	step := int64(1)
	if len(brace.Elems) > 2 {
		step, _ = bracePoint(brace.Elems[2])
		step = max(step, -step, 1)
	}
	count := max(to-from, from-to)/step + 1
	if count < 1 || count > maxFields {
		return nil, false
	}
	if from > to {
		step = -step
	}
	var out [][]syntax.WordPart
	for n := range count {
		text := string(rune(from + n*step))
		if isNumber {
			text = strconv.FormatInt(from+n*step, 10)
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: text}})
	}
	return out, true
}

func bracePoint(word *syntax.Word) (at int64, isNumber bool) {
	text := word.Lit()
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return n, true
	}
	if text == "" {
		return 0, false
	}
	return int64(text[0]), false
}
