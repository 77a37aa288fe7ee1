package frontmatter

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// flat is a value without its places, for comparing.
func flat(v Value) any {
	switch v.Kind {
	case KindBool:
		return v.Bool
	case KindNumber:
		return [2]string{v.Text, v.Number}
	case KindString:
		return v.Text
	case KindList:
		list := []any{}
		for _, x := range v.List {
			list = append(list, flat(x))
		}
		return list
	case KindMap:
		return flatFields(v.Fields)
	}
	return v.Kind
}

func flatFields(fields []Field) map[string]any {
	m := map[string]any{}
	for _, f := range fields {
		m[f.Name] = flat(f.Value)
	}
	return m
}

func TestParse(t *testing.T) {
	type m = map[string]any
	type l = []any
	tests := []struct {
		name, in string
		fields   m
		body     string
	}{
		{"comma string", "---\nname: patch-checker\ntools: Read, Grep\n---\n\nBody.\n", m{"name": "patch-checker", "tools": "Read, Grep"}, "\nBody.\n"},
		{"block list", "---\ntools:\n  - view\n  - rg\n---\nB", m{"tools": l{"view", "rg"}}, "B"},
		{"list at the name's own indent", "---\ntools:\n- view\n- rg\n---\n", m{"tools": l{"view", "rg"}}, ""},
		{"flow list", "---\ntools: [vscode/run, 'github/*', web]\n---\n", m{"tools": l{"vscode/run", "github/*", "web"}}, ""},
		{"folded", "---\nd: >\n  Writes short.\n  Examples - (1) User: \"w\".\nc: x\n---\n", m{"d": "Writes short. Examples - (1) User: \"w\".\n", "c": "x"}, ""},
		{"literal with a fence inside", "---\nd: |-\n  a\n  ---\n  b\n---\nB\n", m{"d": "a\n---\nb"}, "B\n"},
		{"plain over lines", "---\nd: one\n  two\n---\n", m{"d": "one two"}, ""},
		{"quotes", "---\na: \"x\\ny\\u00e4\"\nb: 'it''s'\n---\n", m{"a": "x\nyä", "b": "it's"}, ""},
		{"kinds", "---\na: true\nb: yes\nc: 1.10\nd:\ne: 2026-03-07\nf: NO\ng: 0x10\nh: {k: [1]}\n---\n", m{
			"a": true, "b": "yes", "c": [2]string{"1.10", "1.1"}, "d": KindNull, "e": "2026-03-07", "f": "NO",
			"g": [2]string{"0x10", "16"}, "h": m{"k": l{[2]string{"1", "1"}}},
		}, ""},
		{"CRLF", "---\r\nname: win\r\nd: >\r\n  a\r\n  b\r\n---\r\n\r\nBody\r\n", m{"name": "win", "d": "a b\n"}, "\nBody\n"},
		{"BOM", "\ufeff---\na: b\n---\nB\n", m{"a": "b"}, "B\n"},
		{"blanks behind the fence", "--- \na: b\n---\t\nB\n", m{"a": "b"}, "B\n"},
		{"closed by the last line", "---\na: b\n---", m{"a": "b"}, ""},
		{"rules in the body", "---\na: b\n---\nOne\n\n---\n\nTwo\n---\n", m{"a": "b"}, "One\n\n---\n\nTwo\n---\n"},
		{"empty header", "---\n---\n\nBody.\n", m{}, "\nBody.\n"},
		{"comments only", "---\n# c\n---\n", m{}, ""},
		{"comment behind a value", "---\na: b # c\n---\n", m{"a": "b"}, ""},
		{"empty list", "---\ntools: []\n---\n", m{"tools": l{}}, ""},
		{"odd names", "---\n1: a\ntrue: b\n'x y': c\n---\n", m{"1": "a", "true": "b", "x y": "c"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Parse("f.md", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := flatFields(doc.Fields); !reflect.DeepEqual(got, tt.fields) {
				t.Errorf("fields %v, want %v", got, tt.fields)
			}
			if doc.Body != tt.body || !doc.Header || doc.Repaired != nil {
				t.Errorf("body %q, header %v, repaired %v; want body %q", doc.Body, doc.Header, doc.Repaired, tt.body)
			}
		})
	}
}

// A list that is indented by tabs, or holds a star, is read too.
func TestRepairList(t *testing.T) {
	for header, want := range map[string][]string{
		"tools: [*]": {"*"}, "tools: [ a, * ,b]": {"a", "*", "b"}, "tools:\n\t- a\n\t- b": {"a", "b"},
	} {
		doc, err := Parse("f.md", []byte("---\n"+header+"\n---\n"))
		if err != nil {
			t.Errorf("%q: %v", header, err)
			continue
		}
		var got []string
		for _, e := range doc.Get("tools").List {
			got = append(got, e.Text)
		}
		if !slices.Equal(got, want) || len(doc.Repaired) == 0 {
			t.Errorf("%q: %q, repaired %v", header, got, doc.Repaired)
		}
	}
}

func TestNoHeader(t *testing.T) {
	for _, in := range []string{"", "Body\r\n", "\n---\na: b\n---\n", "----\na: b\n----\n", " ---\na: b\n---\n", "../AGENTS.md\n", "See ../AGENTS.md", "https://e/x", "Body"} {
		doc, err := Parse("f.md", []byte(in))
		if err != nil || doc.Header || doc.Body != strings.ReplaceAll(in, "\r\n", "\n") {
			t.Errorf("%q: %+v, %v", in, doc, err)
		}
	}
}

func TestRepair(t *testing.T) {
	tests := []struct{ name, header, field, want string }{
		{"colon in prose", "d: Use when: errors. Examples: user: \"why?\" 'x'", "d", `Use when: errors. Examples: user: "why?" 'x'`},
		{"colon at the end", "d: as follows:", "d", "as follows:"},
		{"hint with two brackets", "d: x\nargument-hint: [a|b] [c]", "argument-hint", "[a|b] [c]"},
		{"hint with an open bracket", "d: x\nargument-hint: [a", "argument-hint", "[a"},
		{"a star", "d: *", "d", "*"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Parse("f.md", []byte("---\n"+tt.header+"\n---\nB\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := doc.Get(tt.field); got.Kind != KindString || got.Text != tt.want {
				t.Errorf("%q is %+v, want %q", tt.field, got, tt.want)
			}
			if len(doc.Repaired) != 1 {
				t.Errorf("repaired %v, want one line", doc.Repaired)
			}
		})
	}
}

func TestRaw(t *testing.T) {
	doc, err := Parse("f.md", []byte("---\nargument-hint: [service-name|every]\n\"q\" : 'x'\ntools:\n  - a\n---\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range doc.Fields {
		got = append(got, f.Raw)
	}
	if want := []string{"[service-name|every]", "'x'", ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, in string
		at       string // text at the place
		line     int
		reason   string
	}{
		{"not closed", "---\nname: open\n\nBody text.\n", "---", 1, "not closed"},
		{"closed by dots", "---\na: b\n...\nB\n", "---", 1, "not closed"},
		{"alias", "---\na: &x b\nc: *x\n---\n", "&", 2, "anchor"},
		{"an alias without its anchor", "---\ndescription: d\ntools: [*a]\n---\n", "", 3, "YAML anchor"},
		{"tag", "---\na: !!str 3\n---\n", "", 2, "tag"},
		{"merge key", "---\n<<: {a: b}\n---\n", "<<", 2, "merge key"},
		{"a tab inside", "---\nname: x\ntools:\n  \t- a: [\n---\n", "", 4, "no valid YAML"},
		{"twice", "---\nname: x\ndescription: a\ndescription: b\n---\n", "description", 4, "first on line 3"},
		{"twice, deeper, with CRLF and BOM", "\ufeff---\r\nm:\r\n  ä: 1\r\n  ä: 2\r\n---\r\n", "ä", 4, "first on line 3"},
		{"a list", "---\n- a\n---\n", "", 2, "is a list"},
		{"a text", "---\njust text\n---\n", "just text", 2, "is a string"},
		{"two documents", "---\na: b\n--- # x\nc: d\n---\n", "c", 4, "more than one"},
		{"a link as text", "../common/AGENTS.md", "../common/AGENTS.md", 1, "core.symlinks"},
		{"a link to a file beside it", "AGENTS.md", "AGENTS.md", 1, "core.symlinks"},
		{"not UTF-8", "---\na: b\n---\nB\xff\n", "B\xff", 4, "UTF-8"},
		{"infinite", "---\na: .inf\n---\n", "", 2, "not read"},
		{"deep brackets", "---\na: " + strings.Repeat("[", 50000) + "\n---\n", "", 2, "nested"},
		{"deep braces over lines", "---\na: " + strings.Repeat("{a:\n", 9000) + "\n---\n", "", 66, "nested"},
		{"deep dashes", "---\n" + strings.Repeat("- ", 30000) + "x\n---\n", "", 2, "nested"},
		{"deep indent", "---\n" + strings.Repeat(" ", 300) + "a: b\n---\n", "", 2, "nested"},
		{"large", "---\na: " + strings.Repeat("x", 70000) + "\n---\n", "---", 1, "64 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f.md", []byte(tt.in))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if e.At.Start.Line != tt.line || !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("line %d, reason %q; want line %d, %q", e.At.Start.Line, e.Reason, tt.line, tt.reason)
			}
			if got := tt.in[e.At.Start.Byte:e.At.End.Byte]; tt.at != "" && got != tt.at {
				t.Errorf("place holds %q, want %q", got, tt.at)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	in := "\ufeff---\r\nname: ünï\r\ntools: [Read, 'Bash(git:*)']\r\n---\r\n"
	doc, err := Parse("f.md", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	tools := doc.Get("tools")
	for _, tt := range []struct {
		r    interface{ String() string }
		got  string
		want string
		pos  string
	}{
		{doc.Fields[0].At, in[doc.Fields[0].At.Start.Byte:doc.Fields[0].At.End.Byte], "name", "f.md:2:1"},
		{doc.Get("name").At, in[doc.Get("name").At.Start.Byte:doc.Get("name").At.End.Byte], "ünï", "f.md:2:7"},
		{tools.List[1].At, in[tools.List[1].At.Start.Byte:tools.List[1].At.End.Byte], "'Bash(git:*)'", "f.md:3:15"},
		{Start("f.md", []byte(in)), in[Start("f.md", []byte(in)).Start.Byte:Start("f.md", []byte(in)).End.Byte], "---", "f.md:1:1"},
	} {
		if tt.got != tt.want || tt.r.String() != tt.pos {
			t.Errorf("%v holds %q, want %q at %s", tt.r, tt.got, tt.want, tt.pos)
		}
	}
}

func TestEncode(t *testing.T) {
	fields := []Field{
		{Name: "name", Value: String("doc writer")},
		{Name: "description", Value: String("Use when: \"x\"\n\tä\x01\u2028\U000e0001 # no")},
		{Name: "tools", Value: Strings([]string{"github/*", "view", "*"})},
		{Name: "none", Value: Strings(nil)},
		{Name: "yes", Value: String("No")},
		{Name: "m", Value: Value{Kind: KindMap, Fields: []Field{{Name: "a b", Value: Value{Kind: KindNumber, Number: "1.5"}}, {Name: "c", Value: Value{Kind: KindBool, Bool: true}}}}},
		{Name: "n", Value: Value{Kind: KindNull}},
	}
	want := `---
name: doc writer
description: "Use when: \"x\"\n\tä\u0001\u2028\U000e0001 # no"
tools: ["github/*", view, "*"]
none: []
"yes": "No"
m: {a b: 1.5, c: true}
"n": null
---
B
`
	if got := string(Encode(fields, "B\n")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzParse: nothing panics, an error is an *Error with a place in the file, and what was read is read back equal
// from its canonical form.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ntools: [x, 'y z']\nm: {a: 1, b: [true, null, 1.5]}\n---\nBody\n",
		"---\nd: >-\n  x\n  y\n---\n", "---\nd: Use: this\n---\n", "\ufeff---\r\na: \"\\u2028\"\r\n---\r\n",
		"---\n? a\n: b\n---\n", "---\na: &x [*x]\n---\n", "---\na: 1\n...\n---\n", "---\na: |2\n   x\n---\n", "---\n{a: b}\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Parse("f.md", data)
		var e *Error
		if errors.As(err, &e) {
			if e.At.Start.Line == 0 || e.At.Start.Byte > e.At.End.Byte || e.At.End.Byte > len(data) {
				t.Fatalf("place %+v outside of the file", e.At)
			}
			return
		}
		if err != nil {
			t.Fatalf("error %v is no *Error", err)
		}
		again, err := Parse("g.md", Encode(doc.Fields, doc.Body))
		if err != nil {
			t.Fatalf("%v in\n%s", err, Encode(doc.Fields, doc.Body))
		}
		if len(again.Repaired) > 0 {
			t.Fatalf("what was written is no YAML before a repair:\n%s", Encode(doc.Fields, doc.Body))
		}
		a, b := flatFields(doc.Fields), flatFields(again.Fields)
		for _, m := range []map[string]any{a, b} {
			forgetSpelling(m)
		}
		if !reflect.DeepEqual(a, b) || again.Body != doc.Body {
			t.Fatalf("%#v and %q, then %#v and %q", a, doc.Body, b, again.Body)
		}
	})
}

// forgetSpelling keeps of each number its canonical form.
func forgetSpelling(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = forgetSpelling(x)
		}
	case []any:
		for i, x := range v {
			v[i] = forgetSpelling(x)
		}
	case [2]string:
		return v[1]
	}
	return v
}
