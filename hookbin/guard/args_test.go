package guard

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// odd is the spec of a guard with an argument of every type.
var odd = Spec{Kind: "odd", Args: []Arg{{Name: "list", Type: Strings}, {Name: "number", Type: Int}, {Name: "on", Type: Bool}, {Name: "text", Type: String}}}

func TestArgsRoundTrip(t *testing.T) {
	for _, args := range []Args{
		{},
		{"list": []string{}},
		{"list": []string{"a", strings.Repeat("b", 127), strings.Repeat("c", 128), strings.Repeat("d", maxItem), "ünï"}},
		{"number": 0, "on": true, "text": ""},
		{"number": maxInt, "on": false, "text": "x\ny"},
	} {
		data := encodeArgs(args)
		if got, err := decodeArgs(odd, data); err != nil || !reflect.DeepEqual(got, args) {
			t.Errorf("%v became %v, %v", args, got, err)
		}
	}
}

// TestCanonical: the order in which a manifest's layers give the patterns does not get into the tree.
func TestCanonical(t *testing.T) {
	one, _ := Compile("commands", Args{"deny": []string{"rm -rf /", "git push -f", "rm -rf /", "  ls "}})
	other, _ := Compile("commands", Args{"deny": []string{"ls", "git push -f", "rm -rf /"}})
	if one == nil || !bytes.Equal(one, other) {
		t.Errorf("%q and %q differ", one, other)
	}
}

func TestDamaged(t *testing.T) {
	good := policy(t, "git push --force", "rm -rf /")
	list := func(b ...byte) []byte { return append(append([]byte{argsVersion, 1, 4}, "deny"...), b...) }
	damaged := map[string][]byte{
		"empty":            {},
		"version 0":        append([]byte{0}, good[1:]...),
		"version 3":        append([]byte{3}, good[1:]...),
		"only the version": good[:1],
		"a byte more":      append(bytes.Clone(good), 0),
		"unknown argument": {argsVersion, 1, 1, 'x', 0},
		"long count":       list(0x81, 0, 2, 'l', 's'),
		"long length":      list(1, 0x82, 0, 'l', 's'),
		"huge count":       list(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
		"huge length":      list(1, 0xff, 0x7f, 'l', 's'),
		"no pattern":       list(1, 2, '-', 'x'),
		"not UTF-8":        list(1, 2, 'x', 0xff),
		"out of order":     list(2, 1, 'b', 1, 'a'),
		"twice":            list(2, 1, 'b', 1, 'b'),
		"old, a byte more": {1, 1, 2, 'l', 's', 0},
	}
	for i := 1; i < len(good); i++ {
		damaged["cut at "+string(rune('A'+i))] = good[:i]
	}
	for name, data := range damaged {
		if v, err := Judge("commands", data, &Call{Tool: "bash", Command: "ls"}); !errors.Is(err, errData) {
			t.Errorf("%s: verdict %v, error %v", name, v, err)
		}
	}
	if _, err := Judge("nonesuch", good, &Call{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("judging by an unknown guard: %v", err)
	}
}

// TestOldData: what a generation of before the modes holds is read, so that a switch can be compared with it.
func TestOldData(t *testing.T) {
	old := append([]byte{1, 2, 2}, "ls\x08rm -rf /"...)
	denied, kind, err := Denied("commands", old)
	if err != nil || kind != Deny || !reflect.DeepEqual(denied, []string{"ls", "rm -rf /"}) {
		t.Errorf("%q, %v, %v", denied, kind, err)
	}
}

func TestProblems(t *testing.T) {
	for _, test := range []struct {
		kind string
		args Args
		want []Problem
	}{
		{"commands", Args{"deny": []string{"ls"}, "mode": "ask"}, nil},
		{"commands", Args{"deny": []string{"ls"}, "mode": "off"}, []Problem{{"mode", -1, `It has to be one of "block", "ask", "warn" and "note".`}}},
		{"commands", Args{"deny": []string{"ls", "-x"}, "no": true}, []Problem{{"no", -1, "The guard has no such argument. Remove it."}, {"deny", 1, `The pattern has no command. Begin it with the name of one, as in "git push --force".`}}},
		{"commands", Args{}, []Problem{{"deny", -1, `It is missing. Give it, as in deny = ["git push --force", "git push -f", "rm -rf /"].`}}},
		{"commands", Args{"deny": "ls"}, []Problem{{"deny", -1, "It is text. Give what the documentation of the guard shows."}}},
		{"commands", Args{"deny": []string{"ls", "a\xff"}}, []Problem{{"deny", 1, "It is not UTF-8. Correct it."}}},
	} {
		if data, got := Compile(test.kind, test.args); !reflect.DeepEqual(got, test.want) || (data == nil) != (got != nil) {
			t.Errorf("%v:\n got %v\nwant %v", test.args, got, test.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for mode, want := range map[string]string{
		"":     "commands: denies git push --force, rm -rf /",
		"ask":  "commands: asks before git push --force, rm -rf /",
		"warn": "commands: warns before git push --force, rm -rf /",
		"note": "commands: notes git push --force, rm -rf /",
	} {
		args := Args{"deny": []string{"rm -rf /", "git push --force"}}
		if mode != "" {
			args["mode"] = mode
		}
		data, _ := Compile("commands", args)
		if got := Describe("commands", data); got != want {
			t.Errorf("described as %q, want %q", got, want)
		}
	}
	if got := Describe("commands", encodeArgs(Args{"deny": []string{}})); got != "commands: denies nothing" {
		t.Errorf("described as %q", got)
	}
	for kind, want := range map[string]string{"nonesuch": "nonesuch: unknown guard", "commands": "damaged"} {
		if got := Describe(kind, nil); !strings.Contains(got, want) {
			t.Errorf("described as %q", got)
		}
	}
}

// TestModes: the mode is the verdict, and the reason says what happens now.
func TestModes(t *testing.T) {
	for mode, want := range map[string]Verdict{
		"block": {Kind: Deny, Reason: `Denied by guard "commands": `},
		"ask":   {Kind: Ask, Reason: `Guard "commands" asks a person first: `},
		"warn":  {Kind: Warn, Reason: `Stopped once by guard "commands": `},
		"note":  {Kind: Note, Reason: `Note of guard "commands": `},
	} {
		data, _ := Compile("commands", Args{"deny": []string{"ls"}, "mode": mode})
		v, err := Judge("commands", data, &Call{Tool: "bash", Command: "ls"})
		if err != nil || v.Kind != want.Kind || !strings.HasPrefix(v.Reason, want.Reason) {
			t.Errorf("%s: %+v, %v", mode, v, err)
		}
	}
}
