package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape is the text with everything that could fool a terminal or its reader spelled out: control characters, bytes
// that are not UTF-8, and the characters that change the direction or the look of what follows. Newline and tab stay.
func Escape(s string) string { return escape(s, "\n\t") }

// EscapeLine is Escape for a text that has to stay on one line, such as a file name.
func EscapeLine(s string) string { return escape(s, "") }

func escape(s, keep string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strings.ContainsRune(keep, r):
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsGraphic(r): // control, format (among them the bidirectional ones), unassigned, private
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// Printer writes diagnostics for a person: what, where with the source line, why and what to do.
type Printer struct {
	W     io.Writer
	Texts map[string][]byte // source texts by the name that ranges carry
	Color bool
}

// Print writes the diagnostics in source order.
func (p Printer) Print(l List) {
	for _, d := range l.Sorted() {
		p.one(d)
	}
}

func (p Printer) one(d Diagnostic) {
	word, colour := "error", "\x1b[1;31m"
	if d.Severity == Warning {
		word, colour = "warning", "\x1b[1;33m"
	}
	fmt.Fprintf(p.W, "%s %s\n", p.paint(colour, word+":"), p.paint("\x1b[1m", EscapeLine(d.Summary)))
	p.place(d.Subject, "")
	for _, r := range d.Related {
		p.place(r.Range, r.Label)
	}
	for line := range strings.Lines(Escape(d.Detail)) {
		fmt.Fprintf(p.W, "  %s\n", strings.TrimRight(line, "\n"))
	}
	fmt.Fprintln(p.W)
}

// place writes where a range is, with its first line and a mark under the range.
func (p Printer) place(r Range, label string) {
	if r.IsZero() {
		return
	}
	if label != "" {
		label = " (" + label + ")"
	}
	fmt.Fprintf(p.W, "  --> %s%s\n", EscapeLine(r.String()), label)
	line, start, end, ok := p.snippet(r)
	if !ok {
		return
	}
	number := fmt.Sprint(r.Start.Line)
	pad := strings.Repeat(" ", len(number))
	before, marked := EscapeLine(strings.ReplaceAll(line[:start], "\t", "    ")), EscapeLine(line[start:end])
	after := EscapeLine(strings.ReplaceAll(line[end:], "\t", "    "))
	fmt.Fprintf(p.W, "   %s | %s%s%s\n", number, before, marked, after)
	mark := strings.Repeat("^", max(1, utf8.RuneCountInString(marked)))
	fmt.Fprintf(p.W, "   %s | %s%s\n", pad, strings.Repeat(" ", utf8.RuneCountInString(before)), p.paint("\x1b[31m", mark))
}

// snippet is the first line of the range and where in it the range lies. A line over 400 bytes is not shown: it is
// no help to a reader.
func (p Printer) snippet(r Range) (line string, start, end int, ok bool) {
	text, ok := p.Texts[r.File]
	if !ok || r.Start.Line == 0 || r.Start.Byte > len(text) || r.End.Byte > len(text) || r.End.Byte < r.Start.Byte {
		return "", 0, 0, false
	}
	from := bytes.LastIndexByte(text[:r.Start.Byte], '\n') + 1
	to := len(text)
	if n := bytes.IndexByte(text[r.Start.Byte:], '\n'); n >= 0 {
		to = r.Start.Byte + n
	}
	line = strings.TrimRight(string(text[from:to]), "\r")
	start = min(r.Start.Byte-from, len(line))
	end = max(start, min(r.End.Byte-from, len(line)))
	return line, start, end, len(line) <= 400
}

func (p Printer) paint(code, s string) string {
	if !p.Color {
		return s
	}
	return code + s + "\x1b[0m"
}
