package activate

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func sampleApplied() Applied {
	prior := "[ 2.0 /* spelled so */ ]"
	return Applied{
		Version: AppliedVersion, Home: "/home/u",
		Files: []File{{
			Dest: "/home/u/m", Created: true, Made: [][]string{{"a"}},
			Keys: []Key{
				{Path: []string{"a", "b"}, Value: `{"x":"<&>"}`, Prior: &prior},
				{Path: []string{"s"}, Set: true, Elements: []Element{{Value: `"e"`, Prior: true}}},
			},
		}},
		Blocks: []Block{{"/home/u/b.md", strings.Repeat("0c", 32)}},
		Paths:  []Path{{Path: "/home/u/d", Folder: true}, {Path: "/home/u/d/l", Prior: &PriorFile{Digest: strings.Repeat("0a", 32), Mode: 0o640}}},
	}
}

func sampleJournal() journal {
	digest := strings.Repeat("0b", 32)
	return journal{
		Version: journalVersion, Roots: []string{"/home/u"}, Live: "/home/u/s/current/tree", Previous: 1, Next: 2, Created: true,
		Folders: []string{"/home/u/d"}, Early: []linkStep{{Path: "/home/u/d/l", Text: "/home/u/s/current/tree/l"}},
		Late:    []linkStep{{Path: "/home/u/x", Text: "/home/u/s/current/tree/x", Prior: &PriorFile{Digest: digest, Mode: 0o600, Backup: "2-" + digest[:16]}}},
		Removes: []removeStep{{Path: "/home/u/y", Prior: &PriorFile{Link: "../x"}}}, Rmdirs: []string{"/home/u/z"},
		Merges:  []mergeStep{{Dest: "/home/u/m", Stage: ".m.agentihooks-1-0", Before: digest, After: digest, Mode: 0o600, Interim: true}},
		Applied: sampleApplied(),
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	a := sampleApplied()
	if got, err := decodeApplied(a.encode()); err != nil || !reflect.DeepEqual(got, a) {
		t.Errorf("%+v, %v", got, err)
	}
	j := sampleJournal()
	if got, err := decodeJournal(encodeState(j)); err != nil || !reflect.DeepEqual(got, j) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordsAreStrict(t *testing.T) {
	good := string(sampleApplied().encode())
	for name, bad := range map[string]string{
		"empty":           "",
		"cut short":       good[:len(good)/2],
		"newer version":   strings.Replace(good, `"version": 1`, `"version": 2`, 1),
		"unknown field":   strings.Replace(good, `"home"`, `"house"`, 1),
		"other case":      strings.Replace(good, `"home"`, `"Home"`, 1),
		"something after": good + "{}",
		"not canonical":   strings.Replace(good, "  ", " ", 1),
		"relative path":   strings.Replace(good, `"/home/u/d"`, `"d"`, 1),
		"path up":         strings.Replace(good, `"/home/u/d"`, `"/home/u/../d"`, 1),
		"out of order":    strings.Replace(good, `"/home/u/d"`, `"/home/u/e"`, 1),
		"bad value":       strings.Replace(good, `"[ 2.0 /* spelled so */ ]"`, `"["`, 1),
		"bad digest":      strings.Replace(good, "0a0a", "0A0a", 1),
		"no path of a key": strings.Replace(good, `"path": [
            "s"
          ]`, `"path": []`, 1),
	} {
		if bad == good {
			t.Errorf("%s: the text was not changed", name)
		}
		if _, err := decodeApplied([]byte(bad)); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
	goodJ := string(encodeState(sampleJournal()))
	for name, bad := range map[string]string{
		"newer version":         strings.Replace(goodJ, `"version": 1`, `"version": 9`, 1),
		"no next":               strings.Replace(goodJ, `"next": 2`, `"next": 0`, 1),
		"stage elsewhere":       strings.Replace(goodJ, `".m.agentihooks`, `"../m.agentihooks`, 1),
		"stage is the root":     strings.Replace(goodJ, `".m.agentihooks-1-0"`, `"/"`, 1),
		"bad digest":            strings.Replace(goodJ, "0b0b", "xyz", 1),
		"relative":              strings.Replace(goodJ, `"/home/u/z"`, `"z"`, 1),
		"bad record of what is": strings.Replace(goodJ, `"home": "/home/u"`, `"home": ""`, 1),
	} {
		if bad == goodJ {
			t.Errorf("%s: the text was not changed", name)
		}
		if _, err := decodeJournal([]byte(bad)); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
}

func FuzzDecodeApplied(f *testing.F) {
	f.Add(sampleApplied().encode())
	f.Add([]byte(`{"version": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := decodeApplied(data)
		if err == nil && !bytes.Equal(a.encode(), data) {
			t.Errorf("%q came back as %q", data, a.encode())
		}
	})
}

func FuzzDecodeJournal(f *testing.F) {
	f.Add(encodeState(sampleJournal()))
	f.Add([]byte(`{"version": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := decodeJournal(data)
		if err == nil && !bytes.Equal(encodeState(j), data) {
			t.Errorf("%q came back as %q", data, encodeState(j))
		}
	})
}
