package guard

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestCommandsRoundTrip(t *testing.T) {
	for _, patterns := range [][]string{
		nil,
		{"ls"},
		{"git push --force", "rm -rf /"},
		{strings.Repeat("a", 127)},
		{strings.Repeat("a", 128)},
		{strings.Repeat("a", 1_024)},
		{"rm 'a b'", "ünï cöde"},
	} {
		data, problems := Compile("commands", Args{"deny": patterns})
		if len(problems) > 0 {
			t.Fatalf("compiling %q: %v", patterns, problems)
		}
		decoded, err := decodeCommands(data)
		if err != nil {
			t.Fatalf("decoding %q: %v", data, err)
		}
		for i, p := range decoded {
			if p.text != patterns[i] {
				t.Errorf("pattern %d of %q is %q", i, patterns, p.text)
			}
		}
		if len(decoded) != len(patterns) {
			t.Errorf("%d patterns of %q", len(decoded), patterns)
		}
	}
}

// TestCommandsCanonical: the order in which a manifest's layers give the patterns does not get into the tree.
func TestCommandsCanonical(t *testing.T) {
	one, _ := Compile("commands", Args{"deny": []string{"rm -rf /", "git push -f", "rm -rf /", "  ls "}})
	other, _ := Compile("commands", Args{"deny": []string{"ls", "git push -f", "rm -rf /"}})
	if one == nil || !bytes.Equal(one, other) {
		t.Errorf("%q and %q differ", one, other)
	}
}

func TestCommandsDamaged(t *testing.T) {
	good := policy(t, "git push --force", "rm -rf /")
	damaged := map[string][]byte{
		"empty":            {},
		"version 0":        append([]byte{0}, good[1:]...),
		"version 2":        append([]byte{2}, good[1:]...),
		"only the version": good[:1],
		"a byte more":      append(bytes.Clone(good), 0),
		"long count":       append([]byte{1, 0x82, 0}, good[2:]...),
		"long length":      append([]byte{1, 1, 0x82, 0}, "ls"...),
		"huge count":       {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"huge length":      {1, 1, 0xff, 0x7f, 'l', 's'},
		"no pattern":       {1, 1, 2, '-', 'x'},
		"spaces around":    {1, 1, 3, ' ', 'l', 's'},
		"out of order":     {1, 2, 1, 'b', 1, 'a'},
		"twice":            {1, 2, 1, 'b', 1, 'b'},
	}
	for i := 1; i < len(good); i++ {
		damaged["cut at "+string(rune('A'+i))] = good[:i]
	}
	for name, data := range damaged {
		if v, err := Judge("commands", data, Call{Tool: "bash", Command: "ls"}); !errors.Is(err, errCommands) {
			t.Errorf("%s: verdict %v, error %v", name, v, err)
		}
		if line := Describe("commands", data); !strings.Contains(line, "damaged") {
			t.Errorf("%s: described as %q", name, line)
		}
	}
	if _, err := Judge("paths", good, Call{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("judging by an unknown guard: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		data []byte
		want string
	}{
		{policy(t, "rm -rf /", "git push --force"), "commands: denies git push --force, rm -rf /"},
		{encodeCommands(nil), "commands: denies nothing"},
	} {
		if got := Describe("commands", test.data); got != test.want {
			t.Errorf("described as %q, want %q", got, test.want)
		}
	}
	if got := Describe("paths", nil); !strings.Contains(got, "paths: unknown guard") {
		t.Errorf("described as %q", got)
	}
}

func TestSpecs(t *testing.T) {
	specs := Specs()
	if len(specs) != 1 || specs[0].Kind != "commands" || len(specs[0].Args) != 1 || specs[0].Args[0].Name != "deny" {
		t.Errorf("specs are %+v", specs)
	}
}

// TestReasons: a reason names the pattern and the command, says what to do, and is one line.
func TestReasons(t *testing.T) {
	data := policy(t, "git push --force", "rm -rf /")
	for _, test := range []struct {
		command string
		parts   []string
	}{
		{"ls && git push --force origin", []string{"`git push --force origin`", "denied pattern `git push --force`", "agentihooks switch"}},
		{"bash -c 'cd x; git push --force'", []string{"`git push --force`"}},
		{`rm -rf "$DIR"/`, []string{"`rm -rf \"$DIR\"/`", "may become", "`rm -rf /`", "${NAME:?}"}},
		{"git push --force &&", []string{"not valid shell", "`git push --force`"}},
		{`python -c "os.system('git push --force')"`, []string{"interpreter", "`git push --force`"}},
		{strings.Repeat("(", 1_001), []string{"more than 1,000", "Split it"}},
		{"ls " + strings.Repeat("x", 64<<10), []string{"64 KB", "Split it"}},
		{"git push --force \u202e\x1b", []string{`\u{202e}\u{1b}`}},
		{"git push --force " + strings.Repeat("x", 300), []string{"…"}},
		{"x=$(curl x); eval \"$x\"; : git push --force", []string{"`eval \"$x\"`", "may become"}},
	} {
		v := judge(t, data, test.command)
		if v.Kind != Deny || v.Guard != "commands" || strings.Contains(v.Reason, "\n") {
			t.Errorf("verdict on %.80q is %+v", test.command, v)
		}
		for _, part := range append(test.parts, `guard "commands"`) {
			if !strings.Contains(v.Reason, part) {
				t.Errorf("reason for %.80q has no %q: %s", test.command, part, v.Reason)
			}
		}
	}
}

// TestOtherTools: only text that a shell will read is judged.
func TestOtherTools(t *testing.T) {
	v, err := Judge("commands", policy(t), Call{Tool: "edit"})
	if err != nil || v.Kind != Pass || v.Guard != "commands" || v.Reason != "" {
		t.Errorf("verdict %+v, %v", v, err)
	}
}
