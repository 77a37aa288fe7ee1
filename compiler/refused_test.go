package compiler

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// TestRefused runs the archives in testdata/refused. Each holds files below bad/, which must give exactly the errors
// that `# ERROR: text` comments announce on their lines, and files below good/, the repaired twin, which must give none.
// Files below both/ belong to the two. An error about a file as a whole is announced on its first line.
func TestRefused(t *testing.T) {
	archives, err := filepath.Glob("testdata/refused/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			bad, good := map[string]string{}, map[string]string{}
			for _, f := range a.Files {
				where, rest, _ := strings.Cut(f.Name, "/")
				if where == "bad" || where == "both" {
					bad[rest] = string(f.Data)
				}
				if where == "good" || where == "both" {
					good[rest] = string(f.Data)
				}
			}
			refused(t, bad)
			_, _, diags := run(memory(good), testFacts())
			for _, d := range diags {
				t.Errorf("the repaired twin is refused: %s: %s: %s", d.Subject, d.Summary, d.Detail)
			}
		})
	}
}

// refused compares the errors with what the files announce.
func refused(t *testing.T, files map[string]string) {
	t.Helper()
	type key struct {
		file string
		line int
	}
	want := map[key][]string{}
	for name, text := range files {
		for i, line := range strings.Split(text, "\n") {
			for _, w := range strings.Split(line, "# ERROR: ")[1:] {
				k := key{name, i + 1}
				want[k] = append(want[k], strings.TrimSpace(w))
			}
		}
	}
	if len(want) == 0 {
		t.Fatal("the bad files announce no error")
	}
	_, _, diags := run(memory(files), testFacts())
	for _, d := range diags {
		if d.Severity == diag.Warning {
			continue
		}
		k := key{d.Subject.File, max(1, d.Subject.Start.Line)}
		text := d.Summary + ": " + d.Detail
		i := slices.IndexFunc(want[k], func(w string) bool { return strings.Contains(text, w) })
		if i < 0 {
			t.Errorf("not announced: %s: %s: %s", d.Subject, d.Code, text)
			continue
		}
		want[k] = slices.Delete(want[k], i, i+1)
		if len(d.Code) == 0 || strings.ToLower(d.Code) != d.Code || strings.ContainsAny(d.Code, " _") {
			t.Errorf("%q is no code", d.Code)
		}
		if !strings.HasSuffix(d.Detail, ".") && !strings.HasSuffix(d.Detail, "?") {
			t.Errorf("the detail is no sentence: %q", d.Detail)
		}
	}
	for k, rest := range want {
		for _, w := range rest {
			t.Errorf("%s:%d: no error says %q", k.file, k.line, w)
		}
	}
}
