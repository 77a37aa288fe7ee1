package diag

import (
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"plain größe 日本", "plain größe 日本"},
		{"\x1b[31mred", `\x1b[31mred`},
		{"a\u202eb", `a\u{202e}b`},
		{"a\u2066b\u200bc", `a\u{2066}b\u{200b}c`},
		{"bad\xff", `bad\xff`},
		{"c1\u0085", `c1\u{85}`},
		{"tab\tnew\nline", "tab\tnew\nline"},
	} {
		if got := Escape(tc.in); got != tc.want {
			t.Errorf("Escape(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
	if got := EscapeLine("a\nb\tc\r"); got != `a\x0ab\x09c\x0d` {
		t.Errorf("EscapeLine = %q", got)
	}
}

func TestPrint(t *testing.T) {
	text := "a = 1\n\tchanels = [\"x\"]\r\n"
	at := Range{"m.hcl", Pos{2, 2, 7}, Pos{2, 9, 14}}
	var l List
	l.Warnf(Range{}, "no-target", "no target", "Nothing will be written. Add a target block.")
	l.Errorf(at, "unknown-attribute", `unknown attribute "chanels"`, "Did you mean %q?", "channels")
	l.Errorf(at, "unknown-attribute", `unknown attribute "chanels"`, "Did you mean %q?", "channels")
	var b strings.Builder
	Printer{W: &b, Texts: map[string][]byte{"m.hcl": []byte(text)}}.Print(l)
	want := `warning: no target
  Nothing will be written. Add a target block.

error: unknown attribute "chanels"
  --> m.hcl:2:2
   2 |     chanels = ["x"]
     |     ^^^^^^^
  Did you mean "channels"?

`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if !l.HasErrors() || List(nil).HasErrors() {
		t.Error("HasErrors")
	}
}

// A range may come from a file that is not at hand, or lie outside the text that is.
func TestPrintOutside(t *testing.T) {
	var l List
	l.Errorf(Range{"gone.hcl", Pos{9, 9, 900}, Pos{9, 10, 901}}, "x", "x", "x")
	for _, texts := range []map[string][]byte{nil, {"gone.hcl": []byte("short")}} {
		var b strings.Builder
		Printer{W: &b, Texts: texts, Color: true}.Print(l)
		if !strings.Contains(b.String(), "gone.hcl:9:9") {
			t.Errorf("no place in %q", b.String())
		}
	}
}
