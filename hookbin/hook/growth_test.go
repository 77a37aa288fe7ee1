package hook

import (
	"encoding/json"
	"testing"
)

func TestGrowth(t *testing.T) {
	for args, want := range map[string]int{
		`{"path":"a","file_text":"x\ny\n"}`:                                                             2,
		`{"path":"a","file_text":"x\ny"}`:                                                               2,
		`{"path":"a","file_text":""}`:                                                                   0,
		`{"path":"a","old_str":"x","new_str":"y"}`:                                                      0,
		`{"path":"a\nb","old_str":"x\n","new_str":"x\ny\nz\n"}`:                                         2,
		`{"path":"a","old_str":"x\ny\n","new_str":""}`:                                                  -2,
		`{"path":"a","insert_line":3,"insert_text":"x"}`:                                                1,
		`{"edits":[{"old_string":"x\n","new_string":"x\ny\n"},{"old_string":"z","new_string":"\n\n"}]}`: 3,
		`{"path":"a","why":"x\ny\n"}`:                                                                   0,
	} {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal([]byte(args), &raw); err != nil {
			t.Fatal(err)
		}
		if got := growth(raw); got != want {
			t.Errorf("%s: %d, want %d", args, got, want)
		}
	}
}
