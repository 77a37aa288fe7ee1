// Package strictjson decodes JSON of which every byte has one meaning: names known, spelled exactly and given once.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds nesting. Our own formats need less than ten levels.
const maxDepth = 64

// Decode reads the one JSON value in data into v, a pointer. Beyond what encoding/json checks it refuses invalid UTF-8
// (which encoding/json replaces), a name that v's type does not have in exactly that spelling (encoding/json ignores
// case), a name given twice (it takes the last), nesting over 64 levels, and anything after the value. Errors name
// the line. The size is the caller's to bound.
func Decode(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New("not valid UTF-8")
	}
	w := walker{data: data, dec: json.NewDecoder(bytes.NewReader(data)), fields: map[reflect.Type][]reflect.StructField{}}
	if err := w.value(reflect.TypeOf(v), 0); err != nil {
		return err
	}
	if _, err := w.dec.Token(); err != io.EOF {
		return w.errorf("something follows the value")
	}
	return json.Unmarshal(data, v)
}

type walker struct {
	data   []byte
	dec    *json.Decoder
	fields map[reflect.Type][]reflect.StructField // as VisibleFields gave them, which is slow
}

func (w *walker) errorf(format string, args ...any) error {
	line := 1 + bytes.Count(w.data[:w.dec.InputOffset()], []byte("\n"))
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

func (w *walker) token() (json.Token, error) {
	tok, err := w.dec.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, w.errorf("%v", err)
	}
	return tok, nil
}

// value walks one value that will be decoded into t; nil means that any names are fine.
func (w *walker) value(t reflect.Type, depth int) error {
	tok, err := w.token()
	if err != nil {
		return err
	}
	t = plain(t)
	switch tok {
	case json.Delim('{'):
		err = w.object(t, depth)
	case json.Delim('['):
		err = w.array(t, depth)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.token() // the closing bracket
	return err
}

func (w *walker) object(t reflect.Type, depth int) error {
	if depth == maxDepth {
		return w.errorf("nested deeper than %d levels", maxDepth)
	}
	seen := map[string]bool{}
	for w.dec.More() {
		tok, err := w.token()
		if err != nil {
			return err
		}
		name, _ := tok.(string) // the decoder gives nothing else here
		if seen[name] {
			return w.errorf("name %q is given twice", name)
		}
		seen[name] = true
		member, err := w.member(t, name)
		if err != nil {
			return err
		}
		if err := w.value(member, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) array(t reflect.Type, depth int) error {
	if depth == maxDepth {
		return w.errorf("nested deeper than %d levels", maxDepth)
	}
	var elem reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		elem = t.Elem()
	}
	for w.dec.More() {
		if err := w.value(elem, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// member is the type of an object's member: a struct's field by its JSON name, or a map's element.
func (w *walker) member(t reflect.Type, name string) (reflect.Type, error) {
	if t == nil {
		return nil, nil
	}
	switch t.Kind() {
	case reflect.Map:
		return t.Elem(), nil
	case reflect.Struct:
	default:
		return nil, nil // a kind that json.Unmarshal will refuse
	}
	fields, ok := w.fields[t]
	if !ok {
		fields = reflect.VisibleFields(t)
		w.fields[t] = fields
	}
	for _, f := range fields {
		known, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || f.Anonymous || known == "-":
		case known == name:
			return f.Type, nil
		case strings.EqualFold(known, name):
			return nil, w.errorf("unknown name %q: it is spelled %q", name, known)
		}
	}
	return nil, w.errorf("unknown name %q", name)
}

// plain takes pointers away, and gives nil for a type that decodes itself.
func plain(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	return t
}
