package activate

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

const instructions = ".copilot/copilot-instructions.md"

func persona(text string) string { return "link " + instructions + " = " + text }

// userTexts are texts around which a careless edit loses bytes.
var userTexts = []string{
	"", "# Mine\n", "no newline at the end", "# Mine\r\nand more\r\n", "\xef\xbb\xbf# Mine\r\n", "\xef\xbb\xbf", "\n\n", "\r\n",
	"<!-- a comment of mine -->\n", "---\na: b\n---\n", "mixed\r\nends\n", "-->\n<!--",
}

func TestBlockLeavesTheUsersBytes(t *testing.T) {
	for _, text := range userTexts {
		w := newWorld(t)
		w.write(instructions, text)
		before := w.snapshot()
		tr := w.tree(persona("persona\n"))
		if got := w.refused(tr); !slices.Equal(got, []string{"differs " + instructions}) {
			t.Errorf("collisions %q", got)
		}
		w.adopt(tr)
		w.healthy()
		w.expectStatus("")
		got := w.read(instructions)
		if !strings.Contains(strings.ReplaceAll(got, "\r\n", "\n"), "\npersona\n<!--") || !strings.HasSuffix(got, strings.TrimPrefix(text, "\xef\xbb\xbf")) {
			t.Errorf("%q became %q", text, got)
		}
		if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' && strings.Contains(strings.SplitAfter(got, "end ")[1], " -->\n") {
			t.Errorf("other line ends in %q", got)
		}
		inodes := w.inodes()
		if res := w.switchTo(tr); res.Changed {
			t.Errorf("a second switch: %+v", res)
		}
		w.sameInodes(inodes)

		// Only the block changes, and what the user writes around it stays.
		w.write(instructions, got+"\nadded")
		w.switchTo(w.tree(persona("another")))
		now := w.read(instructions)
		if strings.Contains(now, "persona") || !strings.Contains(now, "another") || !strings.HasSuffix(now, "\nadded") {
			t.Errorf("it became %q", now)
		}
		w.write(instructions, strings.TrimSuffix(now, "\nadded"))
		w.rollback(0)
		if w.read(instructions) != got {
			t.Errorf("after rollback it is %q, was %q", w.read(instructions), got)
		}
		w.uninstall()
		w.healthy()
		w.sameHome(before, "after uninstall")
	}
}

func TestBlockThatWasChanged(t *testing.T) {
	for name, tt := range map[string]struct {
		edit    func(text string) string
		status  string
		refused bool
	}{
		"outside":           {func(s string) string { return "above\n" + s + "below\n" }, "", false},
		"inside":            {func(s string) string { return strings.Replace(s, "persona", "mine", 1) }, "modified " + instructions, true},
		"CRLF by an editor": {func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, "", false},
		"removed":           {func(s string) string { return s[strings.LastIndex(s, "-->\n")+4:] }, "modified " + instructions, false},
		"no end":            {func(s string) string { return strings.Replace(s, endMark, "<!-- ", 1) }, "modified " + instructions, true},
		"no begin":          {func(s string) string { return strings.Replace(s, beginMark, "<!-- ", 1) }, "modified " + instructions, true},
		"twice":             {func(s string) string { return s + s }, "modified " + instructions, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(instructions, "# Mine\n")
			tr := w.tree(persona("persona"))
			w.adopt(tr)
			edited := tt.edit(w.read(instructions))
			w.rewrite(instructions, edited)
			w.expectStatus(tt.status)
			if tt.refused {
				if got := w.refused(tr); !slices.Equal(got, []string{"differs " + instructions}) {
					t.Errorf("collisions %q", got)
				}
				res := w.uninstall()
				if w.read(instructions) != edited || len(res.Warnings) == 0 {
					t.Errorf("uninstall made %q of it, %q", w.read(instructions), res.Warnings)
				}
				return
			}
			w.switchTo(tr)
			w.expectStatus("")
			w.uninstall()
			if got := w.read(instructions); holdsMarks([]byte(got)) || !strings.Contains(got, "# Mine") {
				t.Errorf("after uninstall it is %q", got)
			}
		})
	}
}

func TestBlockIsRefusedWhereItsMarksAre(t *testing.T) {
	for _, text := range []string{"a " + beginMark + "\n", endMark + strings.Repeat("0", markLen) + endRest, "\xff\xfe# \x00"} {
		w := newWorld(t)
		w.write(instructions, text)
		req := w.request(w.tree(persona("persona")))
		req.Adopt = true
		var collision *CollisionError
		if _, err := Switch(context.Background(), req); !errors.As(err, &collision) || w.read(instructions) != text {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// The user removes the file: there is nothing to share any more, and it becomes a link.
func TestBlockWhoseFileIsGone(t *testing.T) {
	w := newWorld(t)
	w.write(instructions, "# Mine\n")
	tr := w.tree(persona("persona"))
	w.adopt(tr)
	w.remove(instructions)
	w.expectStatus("missing " + instructions)
	w.switchTo(tr)
	if _, err := os.Readlink(w.path(instructions)); err != nil {
		t.Error(err)
	}
	w.expectStatus("")
	w.uninstall()
	w.healthy()
}

// The file is rewritten between the plan and its step, or while nobody recovers.
func TestBlockMeetsARewrittenFile(t *testing.T) {
	w := newWorld(t)
	w.write(instructions, "# Mine\n")
	w.adopt(w.tree(persona("one")))
	steps, flip := w.beginWith(adoption{}, w.tree(persona("two"))).steps()
	for _, step := range steps[:flip+1] {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	w.rewrite(instructions, w.read(instructions)+"written meanwhile\n")
	w.recover()
	got := w.read(instructions)
	if strings.Contains(got, "one") || !strings.Contains(got, "\ntwo\n") || !strings.HasSuffix(got, "# Mine\nwritten meanwhile\n") {
		t.Errorf("after recovery it is %q", got)
	}
	w.expectStatus("")
	w.uninstall()
	if got := w.read(instructions); got != "# Mine\nwritten meanwhile\n" {
		t.Errorf("after uninstall it is %q", got)
	}
}

// Our own text may hold anything, marks of other blocks included.
func FuzzBlock(f *testing.F) {
	for _, text := range userTexts {
		f.Add([]byte(text), []byte("persona\n"))
	}
	f.Add([]byte("x"), []byte(beginMark+"\n"+endMark+strings.Repeat("0", markLen)+endRest+"\n"))
	f.Add([]byte("x\r\n"), []byte("\xef\xbb\xbfa\r\nb"))
	f.Fuzz(func(t *testing.T, user, ours []byte) {
		own := ownText(ours)
		text, state := renewBlock(user, "", own)
		if holdsMarks(user) != (state == blockDamaged) {
			t.Fatalf("state %d of %q", state, user)
		}
		if state == blockDamaged {
			return
		}
		state, start, end := findBlock(text, digestOf(own))
		if state != blockWhole {
			t.Fatalf("state %d of %q", state, text)
		}
		if got := withoutBlock(text, start, end); !bytes.Equal(got, user) {
			t.Fatalf("%q came back as %q", user, got)
		}
		if again, _ := renewBlock(text, digestOf(own), own); !bytes.Equal(again, text) {
			t.Fatalf("%q became %q", text, again)
		}
		other := ownText([]byte("other"))
		if next, state := renewBlock(text, digestOf(own), other); state != blockWhole || !bytes.Contains(next, []byte("other")) {
			t.Fatalf("%q became %q", text, next)
		}
	})
}
