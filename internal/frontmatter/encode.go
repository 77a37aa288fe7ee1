package frontmatter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Encode writes a header with the fields in the given order, and the body behind it. Lists and maps are written in
// flow form on one line, strings in double quotes unless they are plain words; Parse reads equal values back, and so
// does every YAML 1.1 or 1.2 reader.
func Encode(fields []Field, body string) []byte {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range fields {
		writeString(&b, f.Name)
		b.WriteString(": ")
		writeValue(&b, f.Value)
		b.WriteByte('\n')
	}
	b.WriteString("---\n")
	b.WriteString(body)
	return []byte(b.String())
}

// String is a string value.
func String(s string) Value { return Value{Kind: KindString, Text: s} }

// Strings is a list of string values, empty but there for no strings.
func Strings(list []string) Value {
	v := Value{Kind: KindList}
	for _, s := range list {
		v.List = append(v.List, String(s))
	}
	return v
}

// String is the value as Encode writes it.
func (v Value) String() string {
	var b strings.Builder
	writeValue(&b, v)
	return b.String()
}

func writeValue(b *strings.Builder, v Value) {
	switch v.Kind {
	case KindAbsent, KindNull:
		b.WriteString("null")
	case KindBool:
		fmt.Fprint(b, v.Bool)
	case KindNumber:
		b.WriteString(v.Number)
	case KindString:
		writeString(b, v.Text)
	case KindList:
		b.WriteByte('[')
		for i, x := range v.List {
			if i > 0 {
				b.WriteString(", ")
			}
			writeValue(b, x)
		}
		b.WriteByte(']')
	case KindMap:
		b.WriteByte('{')
		for i, f := range v.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			writeString(b, f.Name)
			b.WriteString(": ")
			writeValue(b, f.Value)
		}
		b.WriteByte('}')
	}
}

// words are the plain words that some YAML reader takes for a boolean or for nothing.
var words = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}

func writeString(b *strings.Builder, s string) {
	if plainWords(s) && !slices.Contains(words, strings.ToLower(s)) {
		b.WriteString(s)
		return
	}
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff && !unicode.IsPrint(r):
			fmt.Fprintf(b, `\U%08x`, r)
		case r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// plainWords reports whether a text is letters, digits, dashes and underscores, in words with one blank between, and
// begins with a letter.
func plainWords(s string) bool {
	first := true
	for word := range strings.SplitSeq(s, " ") {
		if first && !plainName(word) || !first && (word == "" || !plainName("x"+word)) {
			return false
		}
		first = false
	}
	return true
}
