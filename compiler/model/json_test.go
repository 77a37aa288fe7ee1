package model

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestFromJSON(t *testing.T) {
	read := func(text string) (Value, bool) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		return FromJSON(v)
	}
	text := func(s string) Value { return Value{Kind: KindString, Text: s} }
	got, ok := read(`{"b": [1.50, "x", []], "a": true, "c": {}}`)
	want := Value{Kind: KindObject, Fields: []Field{
		{"a", Value{Kind: KindBool, Bool: true}},
		{"b", Value{Kind: KindList, List: []Value{{Kind: KindNumber, Number: "1.50"}, text("x"), {Kind: KindList}}}},
		{"c", Value{Kind: KindObject}},
	}}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, null := range []string{`null`, `[null]`, `{"a": {"b": [1, null]}}`} {
		if got, ok := read(null); ok || !reflect.DeepEqual(got, Value{}) {
			t.Errorf("%s is %+v", null, got)
		}
	}
}
