package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fields makes the words that the shell would make of the parsed ones.
func (w *walker) fields(words []*syntax.Word) []Word {
	out := make([]Word, 0, len(words))
	for _, word := range words {
		if lit, ok := plain(word); ok {
			out = append(out, Word{Text: lit})
			w.step(1)
			continue
		}
		for _, parts := range expandBraces(word) {
			b := builder{w: w, globs: true}
			for _, part := range parts {
				b.part(part, false)
			}
			b.end()
			w.step(len(b.out) + 1)
			out = append(out, b.out...)
		}
	}
	return out
}

// single makes one word: what an assignment, a redirection or a here-string makes of it. There, nothing is split and
// no file names are matched.
func (w *walker) single(word *syntax.Word) Word {
	if word == nil {
		return Word{}
	}
	if lit, ok := plain(word); ok {
		return Word{Text: lit}
	}
	b := builder{w: w, joined: true}
	for _, part := range word.Parts {
		b.part(part, false)
	}
	return b.current()
}

// body is the text of a here-document.
func (w *walker) body(r *syntax.Redirect) Word {
	if r.Hdoc == nil {
		return Word{}
	}
	raw := isQuoted(r.Word)
	b := builder{w: w, joined: true}
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case !ok:
			b.part(part, true)
		case raw:
			b.text.WriteString(lit.Value)
		default:
			b.escaped(lit.Value, "$`\\\n")
		}
	}
	word := b.current()
	if r.Op == syntax.DashHdoc && word.Known() {
		word.Text = strings.ReplaceAll("\n"+word.Text, "\n\t", "\n")[1:]
	}
	return word
}

func isQuoted(word *syntax.Word) bool {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// plain is the text of a word that needs no expansion: the usual case.
func plain(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	lit, ok := word.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, `\*?[{`) {
		return "", false
	}
	return lit.Value, true
}

// builder makes words of the parts of one.
type builder struct {
	w      *walker
	globs  bool // unquoted * ? [ match file names
	joined bool // no splitting
	out    []Word
	text   strings.Builder
	holes  []Hole
	begun  bool // there is a word, even if it is empty
}

func (b *builder) current() Word { return Word{b.text.String(), b.holes}.size() }

// end closes the current word, if there is one.
func (b *builder) end() {
	if !b.begun && b.text.Len() == 0 && len(b.holes) == 0 {
		return
	}
	if len(b.out) >= maxFields {
		b.out[maxFields-1] = hole(Fields)
	} else {
		b.out = append(b.out, b.current())
	}
	b.text, b.holes, b.begun = strings.Builder{}, nil, false
}

func (b *builder) hole(kind HoleKind, full bool) {
	b.holes = append(b.holes, Hole{b.text.Len(), kind, full})
}

func (b *builder) part(part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		if quoted {
			b.escaped(part.Value, "$`\"\\\n")
		} else {
			b.literal(part.Value)
		}
	case *syntax.SglQuoted:
		b.begun = true
		if part.Dollar {
			b.text.WriteString(unescape(part.Value, ansiC))
		} else {
			b.text.WriteString(part.Value)
		}
	case *syntax.DblQuoted:
		b.double(part)
	case *syntax.ParamExp:
		value, list := b.w.param(part)
		b.value(value, list, quoted)
	case *syntax.CmdSubst:
		value := b.w.substituted(part.Stmts)
		b.value([]Word{value}, false, quoted)
	case *syntax.ArithmExp:
		b.hole(Value, true)
	case *syntax.ProcSubst:
		b.text.WriteString(b.w.procFile(part))
	case *syntax.ExtGlob:
		b.hole(Glob, false)
	default:
		b.hole(Fields, false)
	}
}

// double adds a double-quoted part. "$@" alone is as many words as there are, also none.
func (b *builder) double(q *syntax.DblQuoted) {
	if len(q.Parts) == 1 {
		if pe, ok := q.Parts[0].(*syntax.ParamExp); ok {
			value, list := b.w.param(pe)
			b.begun = b.begun || !list
			b.value(value, list, true)
			return
		}
	}
	b.begun = true
	for _, part := range q.Parts {
		b.part(part, true)
	}
}

// escaped adds text in which a backslash counts only before one of the given characters.
func (b *builder) escaped(text, before string) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(before, text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.text.WriteByte(text[i])
	}
}

// literal adds unquoted text.
func (b *builder) literal(text string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i < len(text) && text[i] != '\n' {
				b.text.WriteByte(text[i])
				b.begun = true
			}
		case b.globs && (c == '*' || c == '?'):
			b.hole(Glob, c == '?')
		case b.globs && c == '[' && strings.IndexByte(text[i+1:], ']') > 0:
			b.hole(Glob, true)
			i += 1 + strings.IndexByte(text[i+1:], ']')
		default:
			b.text.WriteByte(c)
		}
	}
}

// value adds the value of an expansion. A list is the words of "$@" or of a whole array.
func (b *builder) value(words []Word, list, quoted bool) {
	for i, word := range words {
		if i > 0 {
			switch {
			case b.joined:
				b.text.WriteByte(' ')
			default:
				b.end()
			}
		}
		switch {
		case quoted && !list, b.joined:
			b.add(word.with(Value))
		case quoted:
			b.begun = true
			b.add(word)
		default:
			b.split(word)
		}
	}
}

func (b *builder) add(word Word) {
	for _, h := range word.Holes {
		h.At += b.text.Len()
		b.holes = append(b.holes, h)
	}
	b.text.WriteString(word.Text)
}

// split adds an unquoted value: it is cut at white space (or IFS), and the pieces may match file names.
func (b *builder) split(word Word) {
	separators := b.w.separators()
	at := 0
	for i := 0; i <= len(word.Text); i++ {
		for ; at < len(word.Holes) && word.Holes[at].At == i; at++ {
			kind := word.Holes[at].Kind
			if kind == Value {
				kind = Fields
			}
			b.hole(kind, word.Holes[at].Full)
		}
		if i == len(word.Text) {
			return
		}
		switch c := word.Text[i]; {
		case strings.IndexByte(separators, c) >= 0:
			b.end()
		case b.globs && (c == '*' || c == '?'):
			b.hole(Glob, c == '?')
		default:
			b.text.WriteByte(c)
		}
	}
}
