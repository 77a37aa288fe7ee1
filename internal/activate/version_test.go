package activate

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestVersion1IsStillRead reads the records as version 1 wrote them: every value of theirs, or a later uninstall gives
// back something else than it took.
func TestVersion1IsStillRead(t *testing.T) {
	data := fixture(t, "testdata/applied-v1.json")
	a, err := decodeApplied(data)
	if err != nil {
		t.Fatal(err)
	}
	if a.Home != "/home/u" || len(a.Files) != 2 || len(a.Paths) != 4 || len(a.Blocks) != 1 {
		t.Errorf("%+v", a)
	}
	settings := a.file("/home/u/.copilot/settings.json")
	theme, ok := settings.key([]string{"theme"}, false)
	if !ok || theme.Value != `"dim"` || theme.Prior == nil || *theme.Prior != `"light" /* mine */` {
		t.Errorf("%+v", theme)
	}
	set, ok := settings.key([]string{"disabledMcpServers"}, true)
	if old, has := set.element([]byte(`"old"`)); !ok || !has || !old.Prior {
		t.Errorf("%+v", set)
	}
	if link, _ := a.path("/home/u/.copilot/agents/a.md"); link.Prior == nil || link.Prior.Link != "../../dotfiles/a.md" {
		t.Errorf("%+v", link)
	}
	if skill, _ := a.path("/home/u/.agents/skills/review"); skill.Prior == nil || !skill.Prior.Folder || skill.Prior.Backup == "" {
		t.Errorf("%+v", skill)
	}
	if !bytes.Equal(a.encode(), data) {
		t.Errorf("it is written as\n%s", a.encode())
	}

	data = fixture(t, "testdata/journal-v1.json")
	j, err := decodeJournal(data)
	if err != nil {
		t.Fatal(err)
	}
	if j.Previous != 1 || j.Next != 2 || !j.Created || len(j.Early) != 1 || len(j.Late) != 1 || len(j.Removes) != 1 || len(j.Merges) != 3 ||
		!j.Merges[0].Interim || !j.Merges[1].Block || !j.Merges[1].Late || j.Merges[2].After != "" {
		t.Errorf("%+v", j)
	}
	if !bytes.Equal(encodeState(j), data) {
		t.Errorf("it is written as\n%s", encodeState(j))
	}
}

// TestANewerVersionIsRefused and says so: to read it half would be to give back half.
func TestANewerVersionIsRefused(t *testing.T) {
	for file, decode := range map[string]func([]byte) error{
		"testdata/applied-v1.json": func(data []byte) error { _, err := decodeApplied(data); return err },
		"testdata/journal-v1.json": func(data []byte) error { _, err := decodeJournal(data); return err },
	} {
		newer := bytes.Replace(fixture(t, file), []byte(`"version": 1`), []byte(`"version": 2`), 1)
		if err := decode(newer); err == nil || !strings.Contains(err.Error(), "version 2, this release reads 1; use the release that wrote it") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func fixture(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
