package tree

import (
	"reflect"
	"strings"
	"testing"
)

func TestIndexRoundTrip(t *testing.T) {
	files, entries := sample()
	tr := mustNew(t, files, entries)
	f, _ := tr.File(IndexPath)
	got, err := DecodeIndex(f.Data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, tr.Index) {
		t.Errorf("decoded %+v\nencoded %+v", got, tr.Index)
	}
	const want = `{
  "version": 1,
  "host": "wl-0431",
  "os": "linux",
  "arch": "amd64",
  "home": "/home/u",
  "copilotHome": "/home/u/.copilot",
  "entries": []
}
`
	empty, _ := mustNew(t, nil, nil).File(IndexPath)
	if string(empty.Data) != want {
		t.Errorf("the empty index is\n%swant\n%s", empty.Data, want)
	}
}

func TestDecodeIndexRefuses(t *testing.T) {
	files, entries := sample()
	tr := mustNew(t, files, entries)
	f, _ := tr.File(IndexPath)
	good := string(f.Data)
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the index holds no %q:\n%s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, tt := range []struct{ name, data, want string }{
		{"nothing", "", "unexpected end"},
		{"null", "null\n", "version 0"},
		{"newer version", swap(`"version": 1`, `"version": 2`), "version 2, this release reads 1"},
		{"unknown field", swap(`"host"`, `"extra": 1, "host"`), `unknown name "extra"`},
		{"unknown field of an entry", swap(`"placement"`, `"mode": 1, "placement"`), `unknown name "mode"`},
		{"another case", swap(`"host"`, `"Host"`), `spelled "host"`},
		{"a name twice", swap(`"host"`, `"host": "b", "host"`), "given twice"},
		{"something after it", good + "{}", "after top-level value"},
		{"blanks", swap(`": 1`, `":  1`), "canonical"},
		{"no newline", strings.TrimSuffix(good, "\n"), "canonical"},
		{"CRLF", strings.ReplaceAll(good, "\n", "\r\n"), "canonical"},
		{"BOM", "\ufeff" + good, "invalid character"},
		{"order", swap("/home/u/.agents/skills/x", "/home/u/z"), "out of order"},
		{"digest", swap(`"digest": "`, `"digest": "x`), "no sha256 digest"},
		{"destination", swap("/home/u/.agents/skills/x", "/etc/x"), "neither beneath"},
		{"placement", swap(`"link"`, `"copy"`), "unknown placement"},
		{"source", swap(`"path": "agents/skills/x"`, `"path": "../x"`), "no source"},
		{"too large", good + strings.Repeat(" ", maxIndex), "larger than"},
		{"deep", strings.Repeat("[", 1_000_000), "depth"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeIndex([]byte(tt.data))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzDecodeIndex(f *testing.F) {
	files, entries := sample()
	tr, _ := New(head, files, entries)
	index, _ := tr.File(IndexPath)
	f.Add(index.Data)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := DecodeIndex(data)
		if err != nil {
			return
		}
		if got := string(x.encode()); got != string(data) {
			t.Errorf("decoded from\n%s\nencoded to\n%s", data, got)
		}
	})
}
