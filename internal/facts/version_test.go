package facts

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestSchema1IsStillRead reads facts as schema 1 wrote them.
func TestSchema1IsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/facts-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if f.Hostname != "wl-0431" || f.OS != "linux" || f.Arch != "amd64" || f.WSL == nil || *f.WSL || f.User != "u" || f.Home != "/home/u" ||
		f.StateDir != "/home/u/.local/state/agentihooks" || f.CopilotHome != "/home/u/.copilot" || f.Versions["copilot"] != "1.0.102" ||
		f.Which["git"] != "/usr/bin/git" {
		t.Errorf("%+v", f)
	}
	if again := Encode(f); !bytes.Equal(again, data) {
		t.Errorf("they are written as\n%s", again)
	}
	_, err = Decode(bytes.Replace(data, []byte(`"schema": 1`), []byte(`"schema": 2`), 1))
	if err == nil || !strings.Contains(err.Error(), "schema 2, this release reads 1") {
		t.Errorf("a newer schema: %v", err)
	}
}
