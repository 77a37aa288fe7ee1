package activate

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// keysOf is the keys named: "a m.x" are values, "s[]" is a set, "s[-x-y]" one that is to be without x and y.
func keysOf(names string) []tree.Key {
	var out []tree.Key
	for name := range strings.FieldsSeq(names) {
		name, rest, set := strings.Cut(name, "[")
		k := tree.Key{Path: strings.Split(name, "."), Set: set}
		if rest = strings.Trim(rest, "-]"); rest != "" {
			k.Without = strings.Split(rest, "-")
		}
		out = append(out, k)
	}
	return out
}

// A story is a file of the user's, then steps: "keys => object" declares, "user: text" rewrites the file, "adopt: keys
// => object" declares with adoption. After each step but the user's stands what the file must be, or "refused".
func TestMergeStories(t *testing.T) {
	tests := []struct {
		name, start string // start "absent": no file
		steps       []string
	}{
		{"a missing file comes and goes", "absent", []string{
			`a m.x => {"a":1,"m":{"x":[1]}}`, "{\n  \"a\": 1,\n  \"m\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n",
			`=> {}`, "absent",
		}},
		{"a file of ours stays with the user's key in it", "absent", []string{
			`a => {"a":1}`, "{\n  \"a\": 1\n}\n",
			"user: {\n  \"a\": 1,\n  \"mine\": 2\n}\n", "",
			`=> {}`, "{\n  \"mine\": 2\n}\n",
		}},
		{"the user's text comes back byte for byte", "\xef\xbb\xbf{ // head\r\n\t\"z\": 1, // z\r\n\t/* s */ \"m\": {\"y\":0},\r\n}", []string{
			`a m.x => {"a":"A","m":{"x":{"k":1}}}`, "\xef\xbb\xbf{ // head\r\n\t\"z\": 1, // z\r\n\t/* s */ \"m\": {\"y\":0,\"x\":{\"k\":1}},\r\n\t\"a\": \"A\",\r\n}",
			`=> {}`, "\xef\xbb\xbf{ // head\r\n\t\"z\": 1, // z\r\n\t/* s */ \"m\": {\"y\":0},\r\n}",
		}},
		{"another value is refused", `{"a": 2}`, []string{`a => {"a":1}`, "refused"}},
		{"another value is adopted and comes back as it was spelled", `{"a": [ 2.0 ]}`, []string{
			`adopt: a => {"a":1}`, `{"a": 1}`,
			`=> {}`, `{"a": [ 2.0 ]}`,
		}},
		{"equal by value is ours without a write, and stays", `{"a": 1.0}`, []string{
			`a => {"a":1}`, `{"a": 1.0}`,
			`a => {"a":2}`, `{"a": 2}`,
			`=> {}`, `{"a": 1.0}`,
		}},
		{"a change of ours", "absent", []string{
			`a => {"a":1}`, "{\n  \"a\": 1\n}\n",
			`a => {"a":2}`, "{\n  \"a\": 2\n}\n",
		}},
		{"a key that the user changed is left, then not withdrawn", "{}", []string{
			`a => {"a":1}`, "{\n  \"a\": 1\n}",
			`user: {"a":5}`, "",
			`a => {"a":2}`, `{"a":5}`,
			`a => {"a":2}`, `{"a":5}`,
			`=> {}`, `{"a":5}`,
		}},
		{"a key that the user removed stays removed", "{}", []string{
			`a => {"a":1}`, "{\n  \"a\": 1\n}",
			`user: {}`, "",
			`a => {"a":2}`, `{}`,
			`=> {}`, `{}`,
		}},
		{"a user's change is adopted again", "{}", []string{
			`a => {"a":1}`, "{\n  \"a\": 1\n}",
			`user: {"a":5}`, "",
			`adopt: a => {"a":2}`, `{"a":2}`,
			`=> {}`, `{"a":5}`,
		}},
		{"what a set is to be without is taken out, and comes back", `{"s": ["x", "y"]}`, []string{
			`s[-q-x] => {"s":["z"]}`, `{"s": ["y", "z"]}`,
			`s[-q-x] => {"s":["z"]}`, `{"s": ["y", "z"]}`,
			`=> {}`, `{"s": ["y", "x"]}`,
		}},
		{"it comes back when only the rest is declared", `{"s": ["x"]}`, []string{
			`s[-x] => {"s":["z"]}`, `{"s": ["z"]}`,
			`s[] => {"s":["z"]}`, `{"s": ["z", "x"]}`,
			`=> {}`, `{"s": ["x"]}`,
		}},
		{"where the user puts it in again, it stays", `{"s": ["x"]}`, []string{
			`s[-x] => {"s":[]}`, `{"s": []}`,
			`user: {"s": ["x"]}`, "",
			`s[-x] => {"s":[]}`, `{"s": ["x"]}`,
			`adopt: s[-x] => {"s":[]}`, `{"s": []}`,
			`=> {}`, `{"s": ["x"]}`,
		}},
		{"what was taken out and is ours now stays the user's", `{"s": ["x"]}`, []string{
			`s[-x] => {"s":[]}`, `{"s": []}`,
			`s[] => {"s":["x"]}`, `{"s": ["x"]}`,
			`=> {}`, `{"s": ["x"]}`,
		}},
		{"what was ours and is to be out does not come back", "{}", []string{
			`s[] => {"s":["x","y"]}`, "{\n  \"s\": [\n    \"x\",\n    \"y\"\n  ]\n}",
			`s[-x] => {"s":["y"]}`, "{\n  \"s\": [\n    \"y\"\n  ]\n}",
			`=> {}`, "{}",
		}},
		{"nothing to take out", "{}", []string{`s[-x] => {"s":[]}`, "{}", `=> {}`, "{}"}},
		{"a set that is no list is left", `{"s": 1}`, []string{`s[-x] => {"s":[]}`, "refused"}},
		{"a file that is gone comes back", "{}", []string{
			`a s[] => {"a":1,"s":["x"]}`, "{\n  \"a\": 1,\n  \"s\": [\n    \"x\"\n  ]\n}",
			"user: absent", "",
			`a s[] => {"a":1,"s":["x"]}`, "{\n  \"a\": 1,\n  \"s\": [\n    \"x\"\n  ]\n}\n",
			`=> {}`, "absent",
		}},
		{"the program reorders and drops comments", "{\n  // mine\n  \"u\": true\n}", []string{
			`a m.x => {"a":1,"m":{"x":{"p":1,"q":2}}}`, "{\n  // mine\n  \"u\": true,\n  \"a\": 1,\n  \"m\": {\n    \"x\": {\n      \"p\": 1,\n      \"q\": 2\n    }\n  }\n}",
			`user: {"m":{"x":{"q":2,"p":1}},"a":1,"u":true,"more":0}`, "",
			`a m.x => {"a":1,"m":{"x":{"p":1,"q":2}}}`, `{"m":{"x":{"q":2,"p":1}},"a":1,"u":true,"more":0}`,
			`a m.x => {"a":1,"m":{"x":{"p":1,"q":3}}}`, `{"m":{"x":{"q":3,"p":1}},"a":1,"u":true,"more":0}`,
			`=> {}`, `{"u":true,"more":0}`,
		}},
		{"elements: ours come and go, the user's stay", `{"s":["u","both"]}`, []string{
			`s[] => {"s":["x","both","y"]}`, `{"s":["u","x","both","y"]}`,
			`user: {"s":["u","x","both","y","v"]}`, "",
			`s[] => {"s":["y"]}`, `{"s":["u","both","y","v"]}`,
			`=> {}`, `{"s":["u","both","v"]}`,
		}},
		{"an element that the user took out stays out", `{}`, []string{
			`s[] => {"s":["x","y"]}`, "{\n  \"s\": [\n    \"x\",\n    \"y\"\n  ]\n}",
			`user: {"s":["y"]}`, "",
			`s[] => {"s":["x","y"]}`, `{"s":["y"]}`,
			`=> {}`, `{}`,
			`s[] => {"s":["x"]}`, "{\n  \"s\": [\n    \"x\"\n  ]\n}",
		}},
		{"a set that is no array", `{"s":"x"}`, []string{`s[] => {"s":["x"]}`, "refused"}},
		{"a parent that is no object", `{"m":1}`, []string{`m.x => {"m":{"x":1}}`, "refused"}},
		{"a key that stands twice", `{"a":1,"a":1}`, []string{`a => {"a":1}`, "refused"}},
		{"an empty parent of the user's stays", `{"m":{}}`, []string{
			`m.x => {"m":{"x":1}}`, `{"m":{"x": 1}}`,
			`=> {}`, `{"m":{}}`,
		}},
		{"a key becomes part of one, and the other way", "{}", []string{
			`m => {"m":{"x":1,"y":2}}`, "{\n  \"m\": {\n    \"x\": 1,\n    \"y\": 2\n  }\n}",
			`m.x => {"m":{"x":1}}`, "{\n  \"m\": {\n    \"x\": 1\n  }\n}",
			`m => {"m":{"x":3}}`, "{\n  \"m\": {\n    \"x\": 3\n  }\n}",
			`=> {}`, "{}",
		}},
		{"a key goes and comes back to its place", "{}", []string{
			`a b c => {"a":1,"b":2,"c":3}`, "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}",
			`a c => {"a":1,"c":3}`, "{\n  \"a\": 1,\n  \"c\": 3\n}",
			`a b c => {"a":1,"b":2,"c":3}`, "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tellStory(t, tt.start, tt.steps) })
	}
}

func tellStory(t *testing.T, start string, steps []string) {
	text := []byte(start)
	if start == "absent" {
		text = nil
	}
	var base File
	for i := 0; i < len(steps); i += 2 {
		if user, ok := strings.CutPrefix(steps[i], "user: "); ok {
			if text = []byte(user); user == "absent" {
				text = nil
			}
			continue
		}
		step, adopt := strings.CutPrefix(steps[i], "adopt: ")
		names, want, _ := strings.Cut(step, "=> ")
		in := mergeInput{dest: "/f.json", text: text, keys: keysOf(names), want: []byte(want), base: base, adopt: adopt}
		out, err := merge(in)
		if err != nil {
			t.Fatalf("%s: %v", steps[i], err)
		}
		got := string(out.text)
		if out.text == nil {
			got = "absent"
		}
		if len(out.clashes) > 0 {
			got = "refused"
		}
		if got != steps[i+1] {
			t.Fatalf("%s: got\n%s\nwant\n%s\n(%q)", steps[i], got, steps[i+1], got)
		}
		if len(out.clashes) > 0 {
			continue
		}
		checkSecondMerge(t, in, out)
		text, base = out.text, out.applied
	}
}

// A second merge of the same changes nothing: neither the text nor the record. One after a crash, when the text is
// written but the record is not, comes to the same record.
func checkSecondMerge(t *testing.T, in mergeInput, first mergeResult) {
	t.Helper()
	in.text = first.text
	crashed := in
	crashed.hint = first.applied
	in.base = first.applied
	for name, in := range map[string]mergeInput{"again": in, "after a crash": crashed} {
		out, err := merge(in)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.text, first.text) || len(out.clashes) > 0 {
			t.Errorf("%s: text is\n%s\nthen\n%s", name, first.text, out.text)
		}
		if !reflect.DeepEqual(out.applied.Keys, first.applied.Keys) && len(first.applied.Keys) > 0 && len(in.base.Keys) > 0 {
			t.Errorf("%s: record is\n%+v\nthen\n%+v", name, first.applied, out.applied)
		}
	}
}

func TestMergeReports(t *testing.T) {
	first, err := merge(mergeInput{dest: "/f", text: []byte("{}"), keys: keysOf("a b s[]"), want: []byte(`{"a":1,"b":1,"s":["x","y"]}`)})
	if err != nil {
		t.Fatal(err)
	}
	second, err := merge(mergeInput{
		dest: "/f", text: []byte("{\"a\":9,\n \"b\":1,\"c\":[0],\"s\":[\"y\"]}"), keys: keysOf("a c s[]"),
		want: []byte(`{"a":1,"c":2,"s":["x","y","z"]}`), base: first.applied,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantLeft := []Left{{Path: "/f", Key: "a"}, {Path: "/f", Key: `s["x"]`, Element: true}}
	if !reflect.DeepEqual(second.left, wantLeft) {
		t.Errorf("left %+v, want %+v", second.left, wantLeft)
	}
	if len(second.clashes) != 1 || second.clashes[0].Key != "c" || second.clashes[0].Line != 2 || second.clashes[0].Column != 12 {
		t.Errorf("collisions %+v", second.clashes)
	}
	var changes []string
	for _, c := range second.changes {
		changes = append(changes, fmt.Sprintf("%s: %s -> %s", KeyName(c.Path), c.Old, c.New))
	}
	if want := []string{`b: 1 -> `, `s: ["y"] -> ["y","z"]`}; !reflect.DeepEqual(changes, want) {
		t.Errorf("changes %q, want %q", changes, want)
	}
}

// A server is disabled before it appears and enabled after it is gone: with both in one switch the file is written
// twice, first with the union.
func TestMergeInterim(t *testing.T) {
	first, err := merge(mergeInput{dest: "/f", text: []byte(`{"s":["u"]}`), keys: keysOf("s[]"), want: []byte(`{"s":["old"]}`)})
	if err != nil {
		t.Fatal(err)
	}
	second, err := merge(mergeInput{dest: "/f", text: first.text, keys: keysOf("s[]"), want: []byte(`{"s":["new"]}`), base: first.applied})
	if err != nil {
		t.Fatal(err)
	}
	if string(second.interim) != `{"s":["u", "old", "new"]}` || string(second.text) != `{"s":["u", "new"]}` {
		t.Errorf("interim %s, text %s", second.interim, second.text)
	}
}

func TestMergeRefusesUnparsableText(t *testing.T) {
	for _, text := range []string{"", "{\"a\": 1", "[", "\x00"} {
		if _, err := merge(mergeInput{dest: "/f", text: []byte(text), keys: keysOf("a"), want: []byte(`{"a":1}`)}); err == nil {
			t.Errorf("%q was merged into", text)
		}
	}
}
