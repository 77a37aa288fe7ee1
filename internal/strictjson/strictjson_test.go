package strictjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type inner struct {
	Deep string `json:"deep"`
}

type sample struct {
	Version int               `json:"version"`
	Name    string            `json:"name,omitempty"`
	When    time.Time         `json:"when"`
	List    []inner           `json:"list"`
	Map     map[string]inner  `json:"map"`
	Texts   map[string]string `json:"texts"`
	Maybe   *inner            `json:"maybe"`
	Any     any               `json:"any"`
	Hidden  string            `json:"-"`
	inner
}

func TestDecode(t *testing.T) {
	const in = `{"version":1,"name":"n","when":"2026-11-30T12:00:00Z","list":[{"deep":"a"},{}],"map":{"Any":{"deep":"b"}},
		"texts":{"x":"y","X":"z"},"maybe":{"deep":"c"},"any":{"what":[{"ever":1}]}}`
	var got, want sample
	if err := Decode([]byte(in), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(in), &want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, encoding/json %+v (%v)", got, want, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", "line 1: unexpected EOF"},
		{"half", `{"version":`, "line 1: unexpected EOF"},
		{"not JSON", `version = 1`, "line 1: invalid character"},
		{"unknown", "{\n\"version\": 1,\n\"extra\": 2}", `line 3: unknown name "extra"`},
		{"unknown in a list", `{"list":[{"deep":"a"},{"depp":"b"}]}`, `unknown name "depp"`},
		{"unknown in a map", `{"map":{"k":{"depp":"b"}}}`, `unknown name "depp"`},
		{"unknown behind a pointer", `{"maybe":{"depp":"b"}}`, `unknown name "depp"`},
		{"another case", `{"Version":1}`, `unknown name "Version": it is spelled "version"`},
		{"field without a name", `{"Hidden":"x"}`, `unknown name "Hidden"`},
		{"embedded type", `{"inner":{}}`, `unknown name "inner"`},
		{"twice", `{"version":1,"version":2}`, `"version" is given twice`},
		{"twice by an escape", `{"version":1,"v\u0065rsion":2}`, `"version" is given twice`},
		{"twice in any", `{"any":{"a":1,"a":2}}`, `"a" is given twice`},
		{"a second value", `{"version":1} {}`, "follows"},
		{"text after it", `{"version":1} x`, "follows"},
		{"wrong type", `{"version":"1"}`, "cannot unmarshal"},
		{"object for a text", `{"name":{"a":1}}`, "cannot unmarshal"},
		{"bad UTF-8", "{\"name\":\"\xff\"}", "UTF-8"},
		{"BOM", "\ufeff{}", "invalid character"},
		{"deep lists", `{"any":` + strings.Repeat("[", 1_000_000), "deeper than 64"},
		{"deep objects", strings.Repeat(`{"any":`, 1_000_000), "deeper than 64"},
		{"deep objects in any", `{"any":` + strings.Repeat(`{"any":`, 1_000_000), "deeper than 64"},
		{"bad time", `{"when":"yesterday"}`, "parsing time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var v sample
			if err := Decode([]byte(tt.in), &v); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzDecode checks that whatever passes means the same to encoding/json when it is strict itself.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"list":[{"deep":"a"}],"any":{"x":[null]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want sample
		if Decode(data, &got) != nil {
			return
		}
		dec := json.NewDecoder(strings.NewReader(string(data)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, encoding/json %+v, %v", data, got, want, err)
		}
	})
}
