package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/strictjson"
)

// maxIndex bounds an index in bytes, read and written: room for some ten thousand entries.
const maxIndex = 16 << 20

// encode is the canonical form: indented by two blanks, fields in the order of the type, a newline at the end.
func (x Index) encode() []byte {
	if x.Entries == nil {
		x.Entries = []Entry{}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(x); err != nil {
		panic("encoding an index: " + err.Error()) // strings, numbers and bools only
	}
	return buf.Bytes()
}

// DecodeIndex reads index.json. It takes nothing but the canonical form of a valid index: an unknown version or
// field, entries out of order, a destination outside the homes are errors.
func DecodeIndex(data []byte) (Index, error) {
	if len(data) > maxIndex {
		return Index{}, fmt.Errorf("index is larger than %d bytes", maxIndex)
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Index{}, fmt.Errorf("decoding index: %w", err)
	}
	if head.Version != IndexVersion {
		return Index{}, fmt.Errorf("index has version %d, this release reads %d", head.Version, IndexVersion)
	}
	var x Index
	if err := strictjson.Decode(data, &x); err != nil {
		return Index{}, fmt.Errorf("decoding index: %w", err)
	}
	// Everything that has two spellings (blanks, escapes, omitted fields) is refused in one comparison.
	if !bytes.Equal(x.encode(), data) {
		return Index{}, errors.New("index is not in canonical form")
	}
	if !slices.IsSortedFunc(x.Entries, compareEntries) {
		return Index{}, errors.New("index has entries out of order")
	}
	for _, e := range x.Entries {
		if !isDigest(e.Digest) {
			return Index{}, fmt.Errorf("index has no sha256 digest for %q", e.Dest)
		}
	}
	if faults := x.problems(); len(faults) > 0 {
		return Index{}, fmt.Errorf("index is not valid: %s", faults[0].summary)
	}
	return x, nil
}

func compareEntries(a, b Entry) int { return strings.Compare(string(a.Dest), string(b.Dest)) }

func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
