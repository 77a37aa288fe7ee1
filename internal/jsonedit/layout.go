package jsonedit

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// style is how a text is laid out: its line ends and its step of indentation.
type style struct {
	newline string
	step    string
}

// styleOf reads the style from the first line end, and the step from the first member that stands on its own line.
func styleOf(src []byte, root *hujson.Value) style {
	s := style{newline: "\n", step: "  "}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if obj, ok := root.Value.(*hujson.Object); ok {
		for _, m := range obj.Members {
			if in := indentOf(m.Name.BeforeExtra); hasNewline(m.Name.BeforeExtra) && in != "" {
				s.step = in
				break
			}
		}
	}
	return s
}

// newlines are the offsets of the line ends in x that are not inside a block comment; with \r\n, of the \r.
func newlines(x []byte) []int {
	var at []int
	for i := 0; i < len(x); i++ {
		switch x[i] {
		case '\n':
			if i > 0 && x[i-1] == '\r' {
				at = append(at, i-1)
			} else {
				at = append(at, i)
			}
		case '/':
			if n := commentLen(x[i:]); n > 0 {
				i += n - 1
			}
		}
	}
	return at
}

func hasNewline(x []byte) bool { return len(newlines(x)) > 0 }

func hasComment(x []byte) bool { return bytes.IndexByte(x, '/') >= 0 }

// splitFirst cuts x before its first line end: what still belongs to the line before, and the rest.
func splitFirst(x []byte) (same, rest []byte) {
	if at := newlines(x); len(at) > 0 {
		return x[:at[0]:at[0]], x[at[0]:]
	}
	return x[:len(x):len(x)], nil
}

// splitLast cuts x before its last line end: the lines above, and the line of what follows.
func splitLast(x []byte) (above, line []byte) {
	if at := newlines(x); len(at) > 0 {
		cut := at[len(at)-1]
		return x[:cut:cut], x[cut:]
	}
	return nil, x
}

// indentOf is the white space at the beginning of the last line of x.
func indentOf(x []byte) string {
	_, line := splitLast(x)
	line = bytes.TrimLeft(line, "\r\n")
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

const space = " \t\r\n"

// blankEnd is the white space at the end of x, unless a line comment needs it.
func blankEnd(x []byte) []byte { return x[len(bytes.TrimRight(x, space)):] }

func blankStart(x []byte) []byte { return x[:len(x)-len(bytes.TrimLeft(x, space))] }

// join puts b after a. Where a ends in a line comment, b must begin with a line end, or it would become part of it.
func (s style) join(a, b []byte) []byte {
	out := bytes.Clone(a)
	if len(b) > 0 && endsOpen(a) && !bytes.HasPrefix(b, []byte("\n")) && !bytes.HasPrefix(b, []byte("\r\n")) {
		out = append(out, s.newline...)
	}
	return append(out, b...)
}

// closed is x with the line end that a line comment at its end needs.
func (s style) closed(x []byte) []byte {
	if endsOpen(x) {
		return append(bytes.Clone(x), s.newline...)
	}
	return x
}

// endsOpen reports whether x ends inside a line comment.
func endsOpen(x []byte) bool {
	for i := 0; i < len(x); i++ {
		if n := commentLen(x[i:]); n > 0 {
			if x[i+1] == '/' && i+n == len(x) {
				return true
			}
			i += n - 1
		}
	}
	return false
}
