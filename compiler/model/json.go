package model

import (
	"encoding/json"
	"maps"
	"slices"
)

// FromJSON is a value of JSON as a decoder with UseNumber gives it, without origins. There is no value for null, nor for
// what holds one: then ok is false.
func FromJSON(v any) (out Value, ok bool) {
	switch v := v.(type) {
	case bool:
		return Value{Kind: KindBool, Bool: v}, true
	case json.Number:
		return Value{Kind: KindNumber, Number: v.String()}, true
	case string:
		return Value{Kind: KindString, Text: v}, true
	case []any:
		out = Value{Kind: KindList}
		for _, e := range v {
			x, ok := FromJSON(e)
			if !ok {
				return Value{}, false
			}
			out.List = append(out.List, x)
		}
		return out, true
	case map[string]any:
		out = Value{Kind: KindObject}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			x, ok := FromJSON(v[name])
			if !ok {
				return Value{}, false
			}
			out.Fields = append(out.Fields, Field{Name: name, Value: x})
		}
		return out, true
	}
	return Value{}, false
}
