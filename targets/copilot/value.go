package copilot

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// texts is the strings of a list of strings.
func texts(v model.Value) []string {
	out := make([]string, 0, len(v.List))
	for _, e := range v.List {
		out = append(out, e.Text)
	}
	return out
}

// plain is a value as encoding/json takes it. A template panics: whoever calls has refused or resolved secrets.
func plain(v model.Value) any {
	switch v.Kind {
	case model.KindBool:
		return v.Bool
	case model.KindNumber:
		return json.Number(v.Number)
	case model.KindString:
		return v.Text
	case model.KindList:
		list := make([]any, 0, len(v.List))
		for _, e := range v.List {
			list = append(list, plain(e))
		}
		return list
	case model.KindObject:
		object := make(map[string]any, len(v.Fields))
		for _, f := range v.Fields {
			object[f.Name] = plain(f.Value)
		}
		return object
	}
	panic(fmt.Sprintf("copilot: a value of kind %d has no JSON form", v.Kind))
}

// secretIn is the first template inside a value, or the zero Value.
func secretIn(v model.Value) model.Value {
	if v.Kind == model.KindTemplate {
		return v
	}
	for _, e := range v.List {
		if t := secretIn(e); t.Kind != model.KindAbsent {
			return t
		}
	}
	for _, f := range v.Fields {
		if t := secretIn(f.Value); t.Kind != model.KindAbsent {
			return t
		}
	}
	return model.Value{}
}

// canonical is JSON with sorted names, two blanks of indentation and a newline at its end.
func canonical(v any) []byte {
	return encode(v, "  ")
}

// compact is JSON on one line, without a newline.
func compact(v any) string { return string(bytes.TrimSuffix(encode(v, ""), []byte("\n"))) }

func encode(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic("copilot: encoding JSON: " + err.Error()) // only our own maps, lists and texts come here
	}
	return b.Bytes()
}
