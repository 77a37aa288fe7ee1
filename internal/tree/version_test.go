package tree

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestVersion1IsStillRead reads an index as version 1 wrote it.
func TestVersion1IsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/index-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	x, err := DecodeIndex(data)
	if err != nil {
		t.Fatal(err)
	}
	if x.Host != "wl-0431" || x.OS != "linux" || x.Arch != "amd64" || x.Home != "/home/u" || x.Copilot != "/home/u/.copilot" || len(x.Entries) != 3 {
		t.Fatalf("%+v", x)
	}
	skill, text, settings := x.Entries[0], x.Entries[1], x.Entries[2]
	if skill.Placement != Link || skill.Path != "agents/skills/review" || text.Placement != Block || settings.Placement != Merge ||
		settings.Digest != strings.Repeat("3c", 32) || !settings.Keys[0].Set || strings.Join(settings.Keys[1].Path, "/") != "a/b<&>" {
		t.Errorf("%+v", x.Entries)
	}
	if !bytes.Equal(x.encode(), data) {
		t.Errorf("it is written as\n%s", x.encode())
	}
	_, err = DecodeIndex(bytes.Replace(data, []byte(`"version": 1`), []byte(`"version": 2`), 1))
	if err == nil || !strings.Contains(err.Error(), "index has version 2, this release reads 1") {
		t.Errorf("a newer version: %v", err)
	}
}
