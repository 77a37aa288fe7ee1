package jsonedit

import (
	"errors"
	"strings"
	"testing"
)

// edit is one step of a table test, written as "set a.b=1", "put …", "del a.b", "delempty a", "add a=1", "rm a=1".
func edit(t *testing.T, d *Doc, step string, order [][]string) {
	t.Helper()
	op, rest, _ := strings.Cut(step, " ")
	key, value, _ := strings.Cut(rest, "=")
	path := strings.Split(key, ".")
	var err error
	switch op {
	case "set":
		err = d.Set(path, []byte(value), order)
	case "put":
		err = d.Put(path, []byte(value), order)
	case "del":
		err = d.Delete(path)
	case "delempty":
		err = d.DeleteEmpty(path)
	case "add":
		err = d.AddElement(path, []byte(value), nil, order)
	case "rm":
		err = d.RemoveElement(path, []byte(value))
	default:
		t.Fatalf("unknown step %q", step)
	}
	if err != nil {
		t.Fatalf("%s: %v", step, err)
	}
}

func TestEdit(t *testing.T) {
	tests := []struct{ name, in, steps, want string }{
		{"append to a file of ours", "{}\n", "set a=1|set b=[1,{\"x\":2}]", "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    {\n      \"x\": 2\n    }\n  ]\n}\n"},
		{"parents are made", "{}\n", "set a.b.c=true", "{\n  \"a\": {\n    \"b\": {\n      \"c\": true\n    }\n  }\n}\n"},
		{"tabs", "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}", "set c.d=1|set a.e=[2]", "{\n\t\"a\": {\n\t\t\"b\": 1,\n\t\t\"e\": [\n\t\t\t2\n\t\t]\n\t},\n\t\"c\": {\n\t\t\"d\": 1\n\t}\n}"},
		{"crlf", "{\r\n  \"a\": 1 // one\r\n}\r\n", "set b={\"c\":1}", "{\r\n  \"a\": 1, // one\r\n  \"b\": {\r\n    \"c\": 1\r\n  }\r\n}\r\n"},
		{"bom", "\xef\xbb\xbf{\"a\":1}", "set b=2", "\xef\xbb\xbf{\"a\":1,\"b\":2}"},
		{"trailing comma stays", "{\n  \"a\": 1,\n}\n", "set b=2", "{\n  \"a\": 1,\n  \"b\": 2,\n}\n"},
		{"trailing comma stays on delete", "{\n  \"a\": 1,\n  \"b\": 2,\n}\n", "del b", "{\n  \"a\": 1,\n}\n"},
		{"no comma comes on delete", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "del b", "{\n  \"a\": 1\n}\n"},
		{"one line", `{ "a": 1 }`, `set b={"x":[1,2]}`, `{ "a": 1, "b": {"x":[1,2]} }`},
		{"one line, tight", `{"a":1}`, `set b=2`, `{"a":1,"b":2}`},
		{"one line in a long file", "{\n  \"m\": { \"a\": 1 },\n  \"z\": 1\n}", "set m.b=2", "{\n  \"m\": { \"a\": 1, \"b\": 2 },\n  \"z\": 1\n}"},
		{"comment of the last line stays with it", "{\n  \"a\": 1 // one\n  // end\n}\n", "set b=2", "{\n  \"a\": 1, // one\n  // end\n  \"b\": 2\n}\n"},
		{"comment in an empty object", "{ // nothing yet\n}\n", "set a=1", "{ // nothing yet\n  \"a\": 1\n}\n"},
		{"open comment at the end of the file", "{\"a\": 1} // end", "set a=2", "{\"a\": 2} // end"},
		{"comment above the deleted key stays", "{\n  // mine\n  \"a\": 1, // of a\n  // next\n  \"b\": 2\n}", "del a", "{\n  // mine\n  // next\n  \"b\": 2\n}"},
		{"comment of the line before stays", "{\n  \"a\": 1, // of a\n  \"b\": 2 // of b\n}", "del b", "{\n  \"a\": 1 // of a\n}"},
		{"delete from a shared line", "{\n  \"a\": 1, \"b\": 2, // both\n  \"c\": 3\n}", "del b", "{\n  \"a\": 1, // both\n  \"c\": 3\n}"},
		{"delete the first of a shared line", "{\n  \"a\": 1, /* x */ \"b\": 2\n}", "del a", "{\n  /* x */ \"b\": 2\n}"},
		{"delete the only one", "{\n  \"a\": 1\n}\n", "del a", "{}\n"},
		{"delete in one line", `{ "a": 1, "b": 2, "c": 3 }`, "del b", `{ "a": 1, "c": 3 }`},
		{"delete the first in one line", `{ "a": 1, "b": 2 }`, "del a", `{ "b": 2 }`},
		{"delete the last in one line", `{ "a": 1, "b": 2 }`, "del b", `{ "a": 1 }`},
		{"comments around a comma", "{\n  \"a\": 1 /* a1 */ , // a2\n  \"b\": 2\n}", "del b", "{\n  \"a\": 1 /* a1 */  // a2\n}"},
		{"comma on the next line", "{\n  \"a\": 1\n  // about b\n  , \"b\": 2\n}", "del a", "{\n  // about b\n  \"b\": 2\n}"},
		{"replace keeps comments", "{\n  \"a\": /* x */ 1 /* y */, // z\n  \"b\": 2\n}", "set a=\"new\"", "{\n  \"a\": /* x */ \"new\" /* y */, // z\n  \"b\": 2\n}"},
		{"replace touches what differs", "{\n  \"s\": {\n    // the program\n    \"command\": \"x\",\n    \"args\": [\"a\", \"b\"] // two\n  }\n}", `set s={"args":["a","c"],"command":"y","env":{}}`, "{\n  \"s\": {\n    // the program\n    \"command\": \"y\",\n    \"args\": [\"a\", \"c\"], // two\n    \"env\": {}\n  }\n}"},
		{"equal is left alone", "{ \"a\": [1.0, {\"y\": 1, \"x\": 2}] }", `set a=[1,{"x":2.00,"y":1e0}]`, "{ \"a\": [1.0, {\"y\": 1, \"x\": 2}] }"},
		{"escaped name", `{"\u0061": 1}`, "set a=2", `{"\u0061": 2}`},
		{"put is verbatim", "{\n  \"a\": 1\n}", "put a={ \"b\": [ 1 ] /* c */ }", "{\n  \"a\": { \"b\": [ 1 ] /* c */ }\n}"},
		{"delete what is not there", "{ }", "del a|del b.c|delempty d|rm e=1", "{ }"},
		{"empty parent goes", "{\n  \"a\": {\n    \"b\": 1\n  }\n}", "del a.b|delempty a", "{}"},
		{"parent with a comment stays", "{\n  \"a\": {\n    // mine\n    \"b\": 1\n  }\n}", "del a.b|delempty a", "{\n  \"a\": {\n    // mine\n  }\n}"},
		{"add to an array", "{\n  \"l\": [\n    \"a\" // one\n  ]\n}", `add l="b"|add l="a"`, "{\n  \"l\": [\n    \"a\", // one\n    \"b\"\n  ]\n}"},
		{"add to an array in one line", `{ "l": ["a"] }`, `add l="b"`, `{ "l": ["a", "b"] }`},
		{"add to no array", "{}", `add l="b"`, "{\n  \"l\": [\n    \"b\"\n  ]\n}"},
		{"remove from an array", "{\n  \"l\": [\n    \"a\", // one\n    \"b\", // two\n    \"a\"\n  ]\n}", `rm l="a"`, "{\n  \"l\": [\n    \"b\" // two\n  ]\n}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); got != tt.in {
				t.Fatalf("unedited: %q, want %q", got, tt.in)
			}
			for step := range strings.SplitSeq(tt.steps, "|") {
				edit(t, d, step, nil)
			}
			if got := string(d.Bytes()); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s\n(%q)", got, tt.want, got)
			}
		})
	}
}

// A key that is withdrawn and comes back stands where it stood.
func TestOrder(t *testing.T) {
	order := [][]string{{"a"}, {"m"}, {"m", "x"}, {"m", "y"}, {"c"}}
	d := New()
	for _, step := range []string{"set a=1", "set m.x=1", "set m.y=2", "set c=3"} {
		edit(t, d, step, order)
	}
	want := string(d.Bytes())
	for _, gone := range [][]string{{"a"}, {"m", "x"}, {"m", "y"}, {"c"}} {
		v, _, err := d.Get(gone)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Delete(gone); err != nil {
			t.Fatal(err)
		}
		if err := d.Set(gone, v.Text, order); err != nil {
			t.Fatal(err)
		}
		if got := string(d.Bytes()); got != want {
			t.Errorf("%v went and came back:\n%s\nwant\n%s", gone, got, want)
		}
	}
}

func TestElementOrder(t *testing.T) {
	order := [][]byte{[]byte(`"a"`), []byte(`"b"`), []byte(`"c"`)}
	d, err := Parse([]byte(`{"l":["z","b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{`"c"`, `"a"`} {
		if err := d.AddElement([]string{"l"}, []byte(v), order, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := string(d.Bytes()), `{"l":["z","a","b","c"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, in     string
		line, column int
	}{
		{"empty", "", 1, 1},
		{"white space", " \n ", 2, 2},
		{"comment only", "// x\n", 2, 1},
		{"cut short", "{\n  \"a\": [1,", 2, 11},
		{"single quotes", "{'a': 1}", 1, 2},
		{"hash comment", "{\n# x\n}", 2, 1},
		{"comma alone", "{,}", 1, 2},
		{"nul", "{}\x00", 1, 3},
		{"bom twice", "\xef\xbb\xbf\xef\xbb\xbf{}", 1, 1},
		{"deep", strings.Repeat("[", 2_000_000), 1, 1001},
		{"deep behind a string", `["]]]\"]",` + strings.Repeat(`{"a":`, 1000), 1, 5006},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.in))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error %v, want a SyntaxError", err)
			}
			if syntax.Line != tt.line || syntax.Column != tt.column {
				t.Errorf("%v, want line %d, column %d", err, tt.line, tt.column)
			}
		})
	}
	if _, err := Parse(append([]byte("{}"), make([]byte, MaxSize)...)); err == nil {
		t.Error("a text over the size limit parsed")
	}
	if _, err := Parse([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))); err != nil {
		t.Errorf("1,000 levels: %v", err)
	}
	if _, err := Parse([]byte("{\"a\": \"[[[\" /* [[[ */ } // [[[")); err != nil {
		t.Errorf("brackets in strings and comments: %v", err)
	}
}

func TestPathErrors(t *testing.T) {
	const in = "{\n  \"s\": \"text\",\n  \"d\": 1,\n  \"e\": {\"d\": 1, \"d\": 2},\n  \"d\": 2\n}"
	d, err := Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		err  error
		line int
	}{
		{"parent is no object", d.Set([]string{"s", "x"}, []byte("1"), nil), 2},
		{"duplicate", d.Set([]string{"d"}, []byte("1"), nil), 5},
		{"duplicate below", d.Delete([]string{"e", "d"}), 4},
		{"no array", d.AddElement([]string{"s"}, []byte("1"), nil, nil), 2},
		{"no path", d.Set(nil, []byte("1"), nil), 1},
		{"no path to delete", d.Delete(nil), 1},
	}
	for _, tt := range tests {
		var at *PathError
		if !errors.As(tt.err, &at) || at.Line != tt.line {
			t.Errorf("%s: %v, want a PathError in line %d", tt.name, tt.err, tt.line)
		}
	}
	if err := d.Set([]string{"n"}, []byte("{"), nil); err == nil {
		t.Error("a value that is not JSON was set")
	}
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	if err := d.Set([]string{"n"}, []byte(deep), nil); err == nil {
		t.Error("a value too deep for its place was set")
	}
	if got := string(d.Bytes()); got != in {
		t.Errorf("refused edits changed the text: %q", got)
	}
	v, ok, err := d.Get([]string{"e"})
	if err != nil || !ok || v.Line != 4 || v.Column != 8 || string(v.Text) != `{"d": 1, "d": 2}` {
		t.Errorf("Get: %q %d:%d %v %v", v.Text, v.Line, v.Column, ok, err)
	}
	if _, err := Parse([]byte("[1]")); err != nil {
		t.Errorf("an array as root: %v", err)
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`100`, `1E+2`, true},
		{`0.1`, `1e-1`, true},
		{`-0`, `0.00`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e999999999`, `1e999999998`, false},
		{`1e99999999999999999999`, `1e99999999999999999999`, true},
		{`-1`, `1`, false},
		{`"a"`, `"\u0061"`, true},
		{`"\ud800"`, `"\ud801"`, false},
		{`"1"`, `1`, false},
		{`{"a":1,"b":[2]}`, "{\"b\": [2,], // c\n \"a\": 1.0}", true},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1}`, `{"a":1,"a":1}`, false},
		{`null`, `false`, false},
		{`{`, `{`, false},
	}
	for _, tt := range tests {
		if got := Equal([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.a, tt.b, got)
		}
	}
	in := []byte("{ /* c */ \"b\": [1, ], \"a\": 2 }")
	out, err := Compact(in)
	if err != nil || string(out) != `{"b":[1],"a":2}` {
		t.Errorf("Compact: %s, %v", out, err)
	}
	if string(in) != "{ /* c */ \"b\": [1, ], \"a\": 2 }" {
		t.Errorf("Compact wrote into its input: %s", in)
	}
}
