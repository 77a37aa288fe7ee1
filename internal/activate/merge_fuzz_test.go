package activate

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/jsonedit"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// leafKeys is every leaf of an object as a key of ours; a list under a name that begins with "s" is a set.
func leafKeys(object map[string]any, path []string) []tree.Key {
	var out []tree.Key
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := append(slices.Clip(path), name)
		switch v := object[name].(type) {
		case map[string]any:
			if len(v) > 0 {
				out = append(out, leafKeys(v, at)...)
				continue
			}
		case []any:
			if strings.HasPrefix(name, "s") {
				out = append(out, tree.Key{Path: at, Set: true})
				continue
			}
		}
		out = append(out, tree.Key{Path: at})
	}
	return out
}

// isSubsequence reports whether b is a with bytes put in between.
func isSubsequence(a, b []byte) bool {
	for _, c := range b {
		if len(a) > 0 && a[0] == c {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// Whatever the user's bytes and our keys: the file is refused, or the keys are set and every byte of the user's is still
// there, in order; doing it again changes nothing, and taking it back gives the user's bytes.
func FuzzMerge(f *testing.F) {
	for _, seed := range [][2]string{
		{"{\n  // mine\n  \"beep\": false, /* q */\n}\n", `{"theme": "dim", "footer": {"showBranch": true}, "servers": ["a", "b"]}`},
		{"\ufeff{\r\n\t\"servers\": [\"b\",],\r\n}", `{"servers": ["a", "b"], "x": {}}`},
		{`{"footer": {}, "x": 1.0}`, `{"footer": {"a": [1, {"b": null}]}, "x": 1}`},
		{`{"a":{"b":1}}`, `{"a":{"c":"é"}}`},
		{"{}", `{"": {"": ""}}`},
		{"{} // end", `{"a": 1}`},
		{"[", `{"a": 1}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, user, want []byte) {
		var object map[string]any
		if json.Unmarshal(want, &object) != nil || object == nil {
			return
		}
		keys := leafKeys(object, nil)
		canonical, err := json.Marshal(object)
		if err != nil || len(keys) == 0 || len(user)+len(want) > 10_000 {
			return
		}
		in := mergeInput{dest: "/f", text: append([]byte{}, user...), keys: keys, want: canonical}
		out, err := merge(in)
		var syntax *jsonedit.SyntaxError
		if errors.As(err, &syntax) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(out.clashes) > 0 {
			return
		}
		doc, err := jsonedit.Parse(out.text)
		if err != nil {
			t.Fatalf("%v in %s", err, out.text)
		}
		ours, err := jsonedit.Parse(canonical)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			wanted, _, err := ours.Get(k.Path)
			if err != nil {
				t.Fatal(err)
			}
			got, ok, err := doc.Get(k.Path)
			if err != nil || !ok || !k.Set && !jsonedit.Equal(got.Text, wanted.Text) {
				t.Errorf("%q is %s, want %s (%v)", k.Path, got.Text, wanted.Text, err)
			}
			els, _, _ := ours.Elements(k.Path)
			have, _, _ := doc.Elements(k.Path)
			for _, e := range els {
				if k.Set && !hasElement(have, e.Text) {
					t.Errorf("%q lacks %s", k.Path, e.Text)
				}
			}
		}
		if !isSubsequence(user, out.text) {
			t.Errorf("bytes of the user's are lost:\n%q\n%q", user, out.text)
		}
		again, err := merge(mergeInput{dest: "/f", text: out.text, keys: keys, want: canonical, base: out.applied})
		if err != nil || !bytes.Equal(again.text, out.text) || len(again.changes) > 0 {
			t.Errorf("the second time: %v\n%q\n%q", err, out.text, again.text)
		}
		back, err := merge(mergeInput{dest: "/f", text: out.text, base: out.applied})
		if err != nil || !bytes.Equal(back.text, user) {
			t.Errorf("taken back: %v\n%q\n%q\n%q", err, user, out.text, back.text)
		}
	})
}
