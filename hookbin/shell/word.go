package shell

import "strings"

// Word is one word after quotes, braces and the assignments of the text itself were taken into account. Text is the
// part that is known; Holes say where text is missing that only the shell can know.
type Word struct {
	Text  string
	Holes []Hole // in order
}

// Hole is a stretch of a word that only the shell can know. At is the offset in Text at which it belongs.
type Hole struct {
	At   int
	Kind HoleKind
	Full bool // it is not empty
}

// HoleKind says what a hole can become.
type HoleKind uint8

// The kinds of holes.
const (
	Value  HoleKind = iota // any text within the word
	Fields                 // any text, also with further words: an unquoted expansion
	Glob                   // the names of files, if there are any that match
)

// hole is a word of which nothing is known.
func hole(kind HoleKind) Word { return Word{Holes: []Hole{{Kind: kind}}} }

// Known reports whether the whole word is known.
func (w Word) Known() bool { return len(w.Holes) == 0 }

// Splits reports whether the word may become several words, or none.
func (w Word) Splits() bool {
	for _, h := range w.Holes {
		if h.Kind == Fields {
			return true
		}
	}
	return false
}

// Expands reports whether the word has a hole other than the names of files.
func (w Word) Expands() bool {
	for _, h := range w.Holes {
		if h.Kind != Glob {
			return true
		}
	}
	return false
}

// Unknown reports whether nothing at all is known of the word.
func (w Word) Unknown() bool { return w.Text == "" && len(w.Holes) > 0 }

// Base is the word after its last slash.
func (w Word) Base() Word { return w.From(strings.LastIndexByte(w.Text, '/') + 1) }

// From is the word from an offset of its text on.
func (w Word) From(at int) Word {
	out := Word{Text: w.Text[at:]}
	for _, h := range w.Holes {
		if h.At >= at {
			h.At -= at
			out.Holes = append(out.Holes, h)
		}
	}
	return out
}

// HoleBefore reports whether text is missing before an offset of what is known.
func (w Word) HoleBefore(at int) bool { return len(w.Holes) > 0 && w.Holes[0].At < at }

// Join is the two words with text between them.
func (w Word) Join(between string, next Word) Word { return w.then(Word{Text: between}).then(next) }

// cut is the word without its last n bytes of text. Holes that stood there are gone.
func (w Word) cut(n int) Word {
	end := len(w.Text) - n
	out := Word{Text: w.Text[:end]}
	for _, h := range w.Holes {
		if h.At <= end {
			out.Holes = append(out.Holes, h)
		}
	}
	return out
}

// then is the two words as one.
func (w Word) then(next Word) Word {
	out := Word{Text: w.Text + next.Text, Holes: w.Holes[:len(w.Holes):len(w.Holes)]}
	for _, h := range next.Holes {
		h.At += len(w.Text)
		out.Holes = append(out.Holes, h)
	}
	return out
}

// with is the word with every hole of the given kind.
func (w Word) with(kind HoleKind) Word {
	out := Word{Text: w.Text}
	for _, h := range w.Holes {
		h.Kind = kind
		out.Holes = append(out.Holes, h)
	}
	return out
}

// holeCode stands for a hole where a word is read as shell text: a parameter that nothing assigns.
const holeCode = "${_}"

// code is the word as shell text.
func (w Word) code() string {
	if w.Known() {
		return w.Text
	}
	var b strings.Builder
	at := 0
	for _, h := range w.Holes {
		b.WriteString(w.Text[at:h.At])
		b.WriteString(holeCode)
		at = h.At
	}
	b.WriteString(w.Text[at:])
	return b.String()
}

// Quoted is the word as shell text that reads back as this one word.
func (w Word) Quoted() string {
	var b strings.Builder
	at := 0
	for _, h := range w.Holes {
		quote(&b, w.Text[at:h.At])
		if h.Kind == Fields {
			b.WriteString(holeCode)
		} else {
			b.WriteString(`"` + holeCode + `"`)
		}
		at = h.At
	}
	if at < len(w.Text) || len(w.Holes) == 0 {
		quote(&b, w.Text[at:])
	}
	return b.String()
}

func quote(b *strings.Builder, text string) {
	b.WriteByte('\'')
	b.WriteString(strings.ReplaceAll(text, "'", `'\''`))
	b.WriteByte('\'')
}

// replace is the word with every occurrence of old in its text turned into a hole.
func (w Word) replace(old string) Word {
	if old == "" || !strings.Contains(w.Text, old) {
		return w
	}
	var out Word
	for {
		at := strings.Index(w.Text, old)
		if at < 0 {
			return out.then(w)
		}
		out = out.then(w.cut(len(w.Text) - at)).then(Word{Holes: []Hole{{Full: true}}})
		w = w.From(at + len(old))
	}
}

// join is the words with a space between two.
func join(words []Word) Word { return joinWith(words, " ") }

func joinWith(words []Word, between string) Word {
	var text strings.Builder
	var out Word
	for i, word := range words {
		if i > 0 {
			text.WriteString(between)
		}
		for _, h := range word.Holes {
			h.At += text.Len()
			out.Holes = append(out.Holes, h)
		}
		text.WriteString(word.Text)
	}
	out.Text = text.String()
	return out
}

// size bounds what a word may hold; a longer one is not known.
func (w Word) size() Word {
	if len(w.Text) > maxValue || len(w.Holes) > maxFields {
		return hole(Fields)
	}
	return w
}
