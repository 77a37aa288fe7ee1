package generation

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestVersion1IsStillRead reads a record as version 1 wrote it.
func TestVersion1IsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/generation-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := decodeRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Number != 7 || !rec.CreatedAt.Equal(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)) || rec.Host != "wl-0431" ||
		rec.Message != "first" || rec.Revision != "3b1f0c2" || rec.Release != "0.1.0" || string(rec.Facts) != `{"schema":1,"hostname":"wl-0431"}` {
		t.Errorf("%+v", rec)
	}
	if again, err := rec.encode(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("it is written as\n%s%v", again, err)
	}
	_, err = decodeRecord(bytes.Replace(data, []byte(`"version": 1`), []byte(`"version": 2`), 1))
	if err == nil || !strings.Contains(err.Error(), "version 2, this release reads 1") {
		t.Errorf("a newer version: %v", err)
	}
}
