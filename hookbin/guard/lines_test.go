package guard

import (
	"os"
	"strings"
	"testing"
)

var verdicts = map[string]VerdictKind{"pass": Pass, "note": Note, "deny": Deny}

// judged judges every line of testdata/guards/NAME.txt: a verdict, a tab, a command. What follows a _ in the name parts
// the files of one guard.
func judged(t *testing.T, name string, args Args, call func(command string) *Call) {
	t.Helper()
	source, err := os.ReadFile("testdata/guards/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	guard, _, _ := strings.Cut(name, "_")
	data, problems := Compile(guard, args)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	passed, all := 0, 0
	for line := range strings.Lines(string(source)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, command, _ := strings.Cut(line, "\t")
		want, ok := verdicts[word]
		if !ok {
			t.Fatalf("%q begins with no verdict", line)
		}
		command = strings.NewReplacer("⏎", "\n", "¦", "").Replace(command)
		v, err := Judge(guard, data, call(command))
		if err != nil || v.Kind != want || (v.Kind == Pass) != (v.Reason == "") {
			t.Errorf("%q: verdict %v, %v, want %v: %s", command, v.Kind, err, want, v.Reason)
		}
		if all++; want == Pass {
			passed++
		}
	}
	if passed*5 < all*2 {
		t.Errorf("%d of %d lines pass: a guard is as good as what it lets through", passed, all)
	}
}

// verdictOn is the verdict of a guard with these arguments on one call.
func verdictOn(t *testing.T, name string, args Args, call Call) Verdict {
	t.Helper()
	data, problems := Compile(name, args)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	v, err := Judge(name, data, &call)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
