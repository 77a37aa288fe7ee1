// Package frontmatter reads Markdown with a YAML header between two lines of three dashes, and writes it canonically.
package frontmatter

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// Limits of a header. A YAML parser recurses, and a deep input would end the process: both are checked before it runs.
const (
	maxHeader  = 64 << 10 // bytes
	maxNesting = 64
)

// Doc is one Markdown file, taken apart.
type Doc struct {
	Header   bool         // there is a header, perhaps an empty one
	Fields   []Field      // of the header, in source order, names unique
	Body     string       // what follows the header's last line; without a header the whole text. Line ends are LF, a BOM is cut
	Repaired []diag.Range // values that are no YAML as they stand but could be read (see repair)
}

// Field is one named value of a header.
type Field struct {
	Name  string
	Value Value
	At    diag.Range // the name
	Raw   string     // the value as it is written on the name's line, trimmed; "" if it begins on a later line
}

// Value is one value of a header. Exactly the fields of its Kind are set, and At.
type Value struct {
	Kind   Kind
	Bool   bool
	Text   string  // KindString: decoded; KindNumber: as it is written, "1.10"
	Number string  // KindNumber: canonical JSON number
	List   []Value // KindList
	Fields []Field // KindMap, in source order, names unique
	At     diag.Range
}

// Kind is the kind of a Value.
type Kind uint8

// The kinds. KindAbsent is the zero Value: what Get returns for a name that the header does not have.
const (
	KindAbsent Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindList
	KindMap
)

// String is the kind's name with its article, for messages.
func (k Kind) String() string {
	return [...]string{"nothing", "empty", "a boolean", "a number", "a string", "a list", "a map"}[k]
}

// Error is why a header cannot be read.
type Error struct {
	At     diag.Range
	Reason string // a clause without a full stop: "the header is not closed"
}

func (e *Error) Error() string { return e.At.String() + ": " + e.Reason }

// Get is the value of a field, or the zero Value.
func (d Doc) Get(name string) Value {
	for _, f := range d.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return Value{}
}

// Start is the place of a file's first line: where to point if the header lacks something.
func Start(name string, data []byte) diag.Range {
	return source{name, data}.line(1)
}

// Line is the place of a line, counted from 1.
func Line(name string, data []byte, line int) diag.Range {
	return source{name, data}.line(line)
}

// Parse takes a Markdown file apart. Name is what ranges call the file. The error is always an *Error: the header is
// not closed, is no YAML mapping, is too large or too deep, names a field twice, uses an anchor, an alias, a tag or a
// merge key, the text is not UTF-8, or the file is a link that Git checked out as text.
//
// A header opens with a first line of exactly three dashes and closes with the next such line; blanks may follow the
// dashes. This is how Copilot CLI 1.0.83 and 1.0.102 take it: neither an empty line before it nor four dashes work.
func Parse(name string, data []byte) (Doc, error) {
	src := source{name, data}
	if err := src.valid(); err != nil {
		return Doc{}, err
	}
	text := normalise(data)
	first, rest, _ := strings.Cut(text, "\n")
	if !fence(first) {
		return Doc{Body: text}, nil
	}
	header, body, ok := cutHeader(rest)
	if !ok {
		return Doc{}, &Error{src.line(1), "the header that opens here is not closed by a line of three dashes"}
	}
	doc := Doc{Header: true, Body: body}
	var err error
	doc.Fields, doc.Repaired, err = src.fields(header)
	if err != nil {
		return Doc{}, err
	}
	return doc, nil
}

// normalise cuts a BOM and turns CRLF into LF, CR CR LF too.
func normalise(data []byte) string {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !strings.Contains(text, "\r\n") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if l, ok := strings.CutSuffix(line, "\n"); ok {
			line = strings.TrimRight(l, "\r") + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func fence(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// cutHeader splits what follows the opening fence.
func cutHeader(text string) (header, body string, ok bool) {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		end := min(at+len(line)+1, len(text))
		if fence(line) {
			return text[:at], text[end:], true
		}
		at = end
	}
	return "", "", false
}

// source is the file as it came, to find places in.
type source struct {
	name string
	data []byte
}

// valid refuses what is not UTF-8 or holds NUL, and names the line.
func (s source) valid() error {
	if gitLink(s.data) {
		return &Error{s.line(1), "it holds a path and nothing else, which is how Git writes a link to disk where core.symlinks is off"}
	}
	for i := 0; i < len(s.data); {
		r, size := utf8.DecodeRune(s.data[i:])
		reason := ""
		switch {
		case r == utf8.RuneError && size == 1:
			reason = "the text is not UTF-8"
		case r == 0:
			reason = "the text holds a NUL byte"
		}
		if reason != "" {
			return &Error{s.line(1 + bytes.Count(s.data[:i], []byte("\n"))), reason}
		}
		i += size
	}
	return nil
}

// gitLink reports whether a text is one path without a line end.
func gitLink(data []byte) bool {
	text := string(data)
	return len(text) < 4096 && !strings.ContainsAny(text, " \t\r\n\x00") && utf8.ValidString(text) &&
		(strings.Contains(text, "/") || strings.HasSuffix(text, ".md")) && !strings.Contains(text, "://")
}

// lineAt is the byte range of a line, counted from 1, without its line end and without a BOM.
func (s source) lineAt(line int) (start, end int) {
	if line == 1 && bytes.HasPrefix(s.data, []byte("\ufeff")) {
		start = len("\ufeff")
	}
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(s.data[start:], '\n')
		if i < 0 {
			return len(s.data), len(s.data)
		}
		start += i + 1
	}
	end = len(s.data)
	if i := bytes.IndexByte(s.data[start:], '\n'); i >= 0 {
		end = start + i
	}
	return start, start + len(bytes.TrimSuffix(s.data[start:end], []byte("\r")))
}

// line is the range of a whole line.
func (s source) line(line int) diag.Range {
	start, end := s.lineAt(line)
	return s.span(line, start, start, end)
}

// at is the range of a text that begins in a line at a column, both counted from 1, the column in characters. A text
// that does not stand there reaches to the end of the line.
func (s source) at(line, column int, text string) diag.Range {
	start, end := s.lineAt(line)
	from := start
	for n := 1; n < column && from < end; n++ {
		_, size := utf8.DecodeRune(s.data[from:end])
		from += size
	}
	if text != "" && bytes.HasPrefix(s.data[from:end], []byte(text)) {
		end = from + len(text)
	}
	return s.span(line, start, from, end)
}

func (s source) span(line, start, from, to int) diag.Range {
	pos := func(b int) diag.Pos {
		return diag.Pos{Line: line, Column: 1 + utf8.RuneCount(s.data[start:b]), Byte: b}
	}
	return diag.Range{File: s.name, Start: pos(from), End: pos(to)}
}

// Text is a Markdown file whole, its header included: a BOM is cut and line ends are LF. The error is an *Error for a
// text that is not UTF-8.
func Text(name string, data []byte) (string, error) {
	if err := (source{name, data}).valid(); err != nil {
		return "", err
	}
	return normalise(data), nil
}
