// Package jsonedit edits single values of a JSON text with comments and keeps every other byte as it was.
package jsonedit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// MaxSize and MaxDepth bound what Parse reads, in bytes and in nested objects and arrays. The parser recurses, and Go
// cannot recover from an overflowed stack, so both are checked before it runs.
const (
	MaxSize  = 16 << 20
	MaxDepth = 1000
)

var bom = []byte("\xef\xbb\xbf")

// Doc is one parsed text. It is edited in memory; Bytes gives the result.
type Doc struct {
	src     []byte // as parsed: without the BOM, perhaps with a final newline of ours
	bom     bool
	newline bool // src got a final newline because it ends in a line comment
	root    hujson.Value
	style   style
}

// SyntaxError says where a text is not JSON with comments. Line and Column count from 1, columns in bytes.
type SyntaxError struct {
	Line, Column int
	Reason       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Parse reads JSON with // and /* */ comments and trailing commas, with or without a BOM. An empty text is an error:
// a file that another program is just writing must never pass for {}. All errors are *SyntaxError.
func Parse(src []byte) (*Doc, error) {
	d := &Doc{bom: bytes.HasPrefix(src, bom)}
	d.src = bytes.Clone(bytes.TrimPrefix(src, bom)) // the syntax tree aliases it
	if err := checkBounds(d.src); err != nil {
		return nil, err
	}
	root, err := hujson.Parse(d.src)
	if err != nil && !bytes.HasSuffix(d.src, []byte("\n")) {
		// The parser wants a newline after a final // comment.
		closed := append(bytes.Clone(d.src), '\n')
		if again, err2 := hujson.Parse(closed); err2 == nil {
			d.src, d.newline, root, err = closed, true, again, nil
		}
	}
	if err != nil {
		return nil, syntaxError(err)
	}
	d.root = root
	d.style = styleOf(d.src, &d.root)
	return d, nil
}

// New is the text of a file that did not exist: an empty object and a newline.
func New() *Doc {
	d, err := Parse([]byte("{}\n"))
	if err != nil {
		panic(err) // the literal above is valid
	}
	return d
}

// Plain is the text with all edits as plain JSON: no BOM, comments, trailing commas and white space. Keys keep their order.
func (d *Doc) Plain() []byte {
	v, err := hujson.Parse(d.root.Pack()) // a copy: Minimize writes into the text
	if err != nil {
		panic(err) // it is the text of a value that was parsed
	}
	v.Minimize()
	return v.Pack()
}

// Bytes is the text with all edits. Without an edit it is the parsed text itself.
func (d *Doc) Bytes() []byte {
	out := d.root.Pack()
	if d.newline {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	if d.bom {
		out = append(bytes.Clone(bom), out...)
	}
	return out
}

// IsEmpty reports whether the text is an object without members and comments.
func (d *Doc) IsEmpty() bool {
	obj, ok := d.root.Value.(*hujson.Object)
	return ok && len(obj.Members) == 0 && !hasComment(obj.AfterExtra) &&
		!hasComment(d.root.BeforeExtra) && !hasComment(d.root.AfterExtra)
}

func syntaxError(err error) *SyntaxError {
	e := &SyntaxError{Line: 1, Column: 1, Reason: err.Error()}
	var line, column int
	if n, _ := fmt.Sscanf(e.Reason, "hujson: line %d, column %d:", &line, &column); n == 2 {
		_, reason, _ := strings.Cut(e.Reason, ": ")
		_, reason, _ = strings.Cut(reason, ": ")
		e.Line, e.Column, e.Reason = line, column, reason
	}
	if len(e.Reason) > 200 {
		e.Reason = strings.ToValidUTF8(e.Reason[:200], "") + "…"
	}
	return e
}

// place is the line and column of an offset in src.
func place(src []byte, at int) (line, column int) {
	at = min(at, len(src))
	return 1 + bytes.Count(src[:at], []byte("\n")), at - bytes.LastIndexByte(src[:at], '\n')
}

func checkBounds(src []byte) error {
	if len(src) > MaxSize {
		return &SyntaxError{1, 1, fmt.Sprintf("the text has %d bytes, more than %d", len(src), MaxSize)}
	}
	if at, ok := tooDeep(src, MaxDepth); ok {
		line, column := place(src, at)
		return &SyntaxError{line, column, fmt.Sprintf("more than %d objects and arrays are nested", MaxDepth)}
	}
	return nil
}

// tooDeep finds the bracket that nests deeper than limit, outside strings and comments.
func tooDeep(src []byte, limit int) (at int, found bool) {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '{', '[':
			if depth++; depth > limit {
				return i, true
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case '/':
			if n := commentLen(src[i:]); n > 0 {
				i += n - 1
			}
		}
	}
	return 0, false
}

// commentLen is the length of the comment that b begins with, a line comment without its newline; 0 if there is none.
func commentLen(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		if n := bytes.IndexByte(b, '\n'); n >= 0 {
			return n
		}
		return len(b)
	case bytes.HasPrefix(b, []byte("/*")):
		if n := bytes.Index(b[2:], []byte("*/")); n >= 0 {
			return n + 4
		}
		return len(b)
	}
	return 0
}
