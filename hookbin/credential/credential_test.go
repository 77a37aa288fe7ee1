package credential

import (
	"os"
	"strings"
	"testing"
	"time"
)

// A line of the table is the rule, or "no", and a text. In the text, ⏎ is the end of a line and ¦ nothing: it keeps
// other scanners from taking the table for what it describes.
func lines(tb testing.TB) [][2]string {
	tb.Helper()
	data, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var out [][2]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rule, text, ok := strings.Cut(line, "\t")
		if !ok {
			tb.Fatalf("%q has no tab", line)
		}
		out = append(out, [2]string{rule, strings.NewReplacer("⏎", "\n", "¦", "").Replace(text)})
	}
	return out
}

func first(text string) (Hit, bool) {
	for h := range In(text) {
		return h, true
	}
	return Hit{}, false
}

func TestTexts(t *testing.T) {
	found := map[string]bool{}
	for _, line := range lines(t) {
		h, ok := first(line[1])
		switch {
		case line[0] == "no" && ok:
			t.Errorf("%q: %s: %q, want nothing", line[1], h.Rule, line[1][h.Start:h.End])
		case line[0] != "no" && h.Rule != line[0]:
			t.Errorf("%q: %q, want %q", line[1], h.Rule, line[0])
		case ok && (h.End <= h.Start || h.End-h.Start > maxToken+64):
			t.Errorf("%q: the value is from %d to %d", line[1], h.Start, h.End)
		}
		found[h.Rule] = true
	}
	for _, r := range rules {
		if !found[r.name] {
			t.Errorf("no text shows %s", r.name)
		}
	}
}

// planted is one credential of each rule that is found by itself.
func planted(tb testing.TB) map[string]string {
	out := map[string]string{}
	for _, line := range lines(tb) {
		if line[0] != "no" && line[0] != Assigned && line[0] != "an AWS secret key" {
			out[line[0]] = line[1]
		}
	}
	return out
}

// FuzzIn plants a credential of every rule in any text: no text panics, and none hides it.
func FuzzIn(f *testing.F) {
	f.Add("", "")
	f.Add("password = ", "\nbearer ")
	f.Add("eyJeyJ.eyJ://a:b@-----BEGIN ", "token: \"")
	f.Add("secret\\\\\"]: str = r\"\"\"", "\x00\xff://")
	keys := planted(f)
	f.Fuzz(func(t *testing.T, before, after string) {
		for h := range In(before + after) {
			if h.Start < 0 || h.End > len(before)+len(after) || h.Start >= h.End {
				t.Fatalf("a value from %d to %d in %d bytes", h.Start, h.End, len(before)+len(after))
			}
		}
		for rule, key := range keys {
			text := before + "\n" + key + "\n" + after
			found := false
			for h := range In(text) {
				found = found || h.Start < len(before)+1+len(key) && h.End > len(before)+1
			}
			if !found {
				t.Errorf("%s is not found between %q and %q", rule, before, after)
			}
		}
	})
}

// A text that begins rules at every byte takes no longer than its length allows.
func TestHostile(t *testing.T) {
	for _, piece := range []string{"eyJ", "eyJ-", "://", "://a:", "token", "password=", "bearer ", "-----BEGIN ", "sk-", "basic a", "secret: \"", "\\", "AKIA", "--token "} {
		start := time.Now()
		n := 0
		for range In(strings.Repeat(piece, 256<<10/len(piece))) {
			n++
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%q: %v for 256 KB, %d hits", piece, took, n)
		}
	}
}

func BenchmarkIn(b *testing.B) {
	data, err := os.ReadFile("credential.go")
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)[:4<<10]
	for b.Loop() {
		for h := range In(text) {
			b.Fatal(h)
		}
	}
}
