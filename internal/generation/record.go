package generation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/agentihooks/agentihooks/internal/strictjson"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Number is the number of a generation, from 1. Numbers rise and are never used twice.
type Number int

// String is the number in decimal, as it stands in paths.
func (n Number) String() string { return strconv.Itoa(int(n)) }

// parseNumber reads exactly what String writes.
func parseNumber(s string) (Number, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || strconv.Itoa(n) != s {
		return 0, false
	}
	return Number(n), true
}

// Record is what a generation remembers of the switch that made it: all that must not get into the tree.
type Record struct {
	Version   int             `json:"version"` // RecordVersion; any other is refused
	Number    Number          `json:"number"`
	CreatedAt time.Time       `json:"createdAt"` // UTC, whole seconds
	Store     tree.Name       `json:"store"`     // the tree, by its name in the store
	Host      string          `json:"host"`
	Message   string          `json:"message"`  // the user's, may be empty
	Manifest  string          `json:"manifest"` // absolute path of the manifest
	Revision  string          `json:"revision"` // version control revision of the manifest's folder, may be empty
	Release   string          `json:"release"`  // of agentihooks
	Facts     json.RawMessage `json:"facts"`    // one JSON object: what the tree was built from, in the file form of facts
}

// RecordVersion is the version of generation.json that this package writes and reads.
const RecordVersion = 1

// maxRecord bounds generation.json in bytes, read and written.
const maxRecord = 1 << 20

func (r Record) encode() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if len(r.Facts) == 0 {
		r.Facts = json.RawMessage("{}")
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	if buf.Len() > maxRecord {
		return nil, fmt.Errorf("record is larger than %d bytes", maxRecord)
	}
	return buf.Bytes(), nil
}

func decodeRecord(data []byte) (Record, error) {
	if len(data) > maxRecord {
		return Record{}, fmt.Errorf("larger than %d bytes", maxRecord)
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Record{}, err
	}
	if head.Version != RecordVersion {
		return Record{}, fmt.Errorf("version %d, this release reads %d", head.Version, RecordVersion)
	}
	var r Record
	if err := strictjson.Decode(data, &r); err != nil {
		return Record{}, err
	}
	// The file is indented as a whole; a record holds its facts in one form, whatever way it came.
	var facts bytes.Buffer
	if err := json.Compact(&facts, r.Facts); err != nil {
		return Record{}, fmt.Errorf("facts: %w", err)
	}
	if r.Facts = facts.Bytes(); !bytes.HasPrefix(r.Facts, []byte("{")) {
		return Record{}, errors.New("facts are no object")
	}
	return r, r.check()
}

func (r Record) check() error {
	if r.Number <= 0 {
		return fmt.Errorf("number %d is not above zero", r.Number)
	}
	name, err := tree.ParseName(string(r.Store))
	if err != nil {
		return err
	}
	if name.Host() != r.Host {
		return fmt.Errorf("store path %s is not of host %q", r.Store, r.Host)
	}
	if r.CreatedAt.IsZero() || r.CreatedAt.Location() != time.UTC || r.CreatedAt.Nanosecond() != 0 {
		return errors.New("createdAt is not a time in UTC, in whole seconds")
	}
	return nil
}
