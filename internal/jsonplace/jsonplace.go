// Package jsonplace reads values of a JSON file of the user's, with comments and trailing commas, and says where each
// stands.
package jsonplace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonedit"
)

// File is a file that has been parsed.
type File struct {
	Name string // as the reader knows it
	data []byte
	doc  *jsonedit.Doc

	lines, columns int // where doc begins in data, if it is a part: lines above, bytes of the line before
}

// Parse parses a file. lost says what a program makes of one that is no JSON, as a sentence.
func Parse(l *diag.List, name string, data []byte, lost string) (f File, ok bool) {
	f = File{Name: name, data: data}
	if to, ok := Link(data); ok {
		l.Errorf(f.Place(1, 1), "git-link", name+" is a link that git could not make",
			"It holds the path %q in place of what is there: it was checked out on a system without links. Name that file, or check out again with core.symlinks on.", to)
		return f, false
	}
	if line, column, ok := noText(data); ok {
		l.Errorf(f.Place(line, column), "invalid-json", name+" is no JSON", "It holds bytes that are no UTF-8. %s Correct the file.", lost)
		return f, false
	}
	doc, err := jsonedit.Parse(data)
	if err != nil {
		at, reason := f.Place(1, 1), err.Error()
		var syntax *jsonedit.SyntaxError
		if errors.As(err, &syntax) {
			at, reason = f.Place(syntax.Line, syntax.Column), syntax.Reason
		}
		l.Errorf(at, "invalid-json", name+" is no JSON", "%s. %s Correct the file.", reason, lost)
		return f, false
	}
	f.doc = doc
	return f, true
}

// noText is the place of the first byte that is no UTF-8, if there is one: a decoder would put another character there.
func noText(data []byte) (line, column int, found bool) {
	line = 1
	for text := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && size == 1 {
				return line, i + 1, true
			}
			i += size
		}
		line++
	}
	return 0, 0, false
}

// Link is the path that a git link leads to, if that is what a file holds: git on a system without links checks one out
// as a text file with the path, without a newline.
func Link(data []byte) (string, bool) {
	text := string(data)
	if len(text) == 0 || len(text) > 4096 || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r\x00{}[]\"*?<>|") {
		return "", false
	}
	return text, strings.HasSuffix(text, ".json") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "./")
}

// Place is a place of the whole file by line and column, columns in bytes.
func (f File) Place(line, column int) diag.Range {
	data := bytes.TrimPrefix(f.data, []byte("\xef\xbb\xbf"))
	offset := len(f.data) - len(data)
	for range line - 1 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			break
		}
		data, offset = data[i+1:], offset+i+1
	}
	pos := diag.Pos{Line: line, Column: column, Byte: min(offset+column-1, len(f.data))}
	return diag.Range{File: f.Name, Start: pos, End: pos}
}

// Get is the value at a path of object keys and where it stands; ok is false where there is none. Numbers are
// json.Number. A member that stands twice is an error.
func (f File) Get(l *diag.List, path ...string) (value any, at diag.Range, ok bool) {
	v, ok, err := f.doc.Get(path)
	if err != nil {
		f.failed(l, err)
	}
	if err != nil || !ok {
		return nil, diag.Range{}, false
	}
	return f.plain(l, v, path)
}

// Element is a value of an array.
type Element struct {
	Value any
	At    diag.Range
	Part  File // the value as a file of its own; places in it are those of the whole file
}

// Elements are the values of the array at path; ok is false where there is none.
func (f File) Elements(l *diag.List, path ...string) (out []Element, ok bool) {
	els, ok, err := f.doc.Elements(path)
	if err != nil {
		f.failed(l, err)
	}
	if err != nil || !ok {
		return nil, false
	}
	for _, v := range els {
		doc, err := jsonedit.Parse(v.Text)
		value, at, ok := f.plain(l, v, path)
		if err == nil && ok { // it came out of a text that parsed
			line, column := f.whole(v.Line, v.Column)
			out = append(out, Element{value, at, File{f.Name, f.data, doc, line - 1, column - 1}})
		}
	}
	return out, true
}

// whole is a place of the document as one of the whole file.
func (f File) whole(line, column int) (int, int) {
	if line == 1 {
		column += f.columns
	}
	return line + f.lines, column
}

func (f File) failed(l *diag.List, err error) {
	var bad *jsonedit.PathError
	if errors.As(err, &bad) {
		l.Errorf(f.Place(f.whole(bad.Line, bad.Column)), "invalid-json", fmt.Sprintf("%q: %s", strings.Join(bad.Path, "."), bad.Reason), "Programs differ in which one they take. Correct the file.")
	}
}

func (f File) plain(l *diag.List, v jsonedit.Value, path []string) (any, diag.Range, bool) {
	at := f.Place(f.whole(v.Line, v.Column))
	plain, err := jsonedit.Compact(v.Text)
	if err != nil {
		return nil, at, false // it came out of a text that parsed
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		l.Errorf(at, "invalid-json", strings.Join(path, ".")+" is no plain value", "%v. Correct the file.", err)
		return nil, at, false
	}
	return value, at, true
}
