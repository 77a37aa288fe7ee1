package compiler

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// writer makes a manifest in a random style, and knows the places of the values in it.
type writer struct {
	t        *rapid.T
	comments int
	paths    [][]string // of values that are written out
}

func (w *writer) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(w.t, label)
}

// comment is one to end a line with, or nothing.
func (w *writer) comment() string {
	if !rapid.Bool().Draw(w.t, "comment") {
		return ""
	}
	w.comments++
	return fmt.Sprintf(" %s note-%d {[\"", w.pick("mark", "#", "//"), w.comments)
}

func (w *writer) value() string {
	return w.pick("value", `"dim"`, `"a $${x} # no comment"`, "1", "-2.5", "true", `[]`, `["p", "q"]`, `("in")`, `["é", 7]`, "<<E\n# text\nE\n")
}

// object writes an object; line says that it stands on one line.
func (w *writer) object(path []string, depth int, indent string) string {
	line := rapid.Bool().Draw(w.t, "one line")
	names := rapid.Permutation([]string{"alpha", "b.c", "delta"}).Draw(w.t, "names")[:rapid.IntRange(0, 3).Draw(w.t, "keys")]
	sep := w.pick("sep", " = ", "=", ": ")
	var items []string
	for _, name := range names {
		p := append(slices.Clone(path), name)
		value := ""
		if depth > 0 && rapid.Bool().Draw(w.t, "deeper") {
			value = w.object(p, depth-1, indent+"\t")
		} else {
			value = w.value()
			w.paths = append(w.paths, p)
		}
		items = append(items, hclKey(name)+sep+value)
	}
	if line && !strings.Contains(strings.Join(items, ""), "\n") {
		return "{" + w.pick("pad", "", " ") + strings.Join(items, ", ") + w.pick("pad", "", " ") + "}"
	}
	var b strings.Builder
	b.WriteString("{" + w.comment() + "\n")
	for _, item := range items {
		if heredoc := strings.HasSuffix(item, "\n"); heredoc {
			b.WriteString(indent + "\t" + item)
			continue
		}
		b.WriteString(indent + "\t" + item + w.pick("comma", "", ",") + w.comment() + "\n")
		if c := w.comment(); c != "" {
			b.WriteString(indent + c + "\n")
		}
	}
	return b.String() + indent + "}"
}

func (w *writer) manifest() string {
	text := w.comment() + "\ntarget \"copilot\" {" + w.comment() + "\n\tsettings = " + w.object([]string{"settings"}, 2, "\t") + w.comment() + "\n}\n"
	if rapid.Bool().Draw(w.t, "host") {
		text += "host \"wl-0431\" {\n  target \"copilot\" {\n    settings = " + w.object([]string{"settings"}, 1, "    ") + "\n  }\n}\n"
	}
	if rapid.Bool().Draw(w.t, "CRLF") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if rapid.Bool().Draw(w.t, "BOM") {
		text = "\ufeff" + text
	}
	return text
}

func drawValue(t *rapid.T, depth int) model.Value {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return model.Value{Kind: model.KindBool, Bool: rapid.Bool().Draw(t, "bool")}
	case 1:
		return num(fmt.Sprint(float64(rapid.IntRange(-1e9, 1e9).Draw(t, "number")) / 1000))
	case 2:
		v := model.Value{Kind: model.KindList}
		for range rapid.IntRange(0, 3).Draw(t, "elements") * min(depth, 1) {
			v.List = append(v.List, drawValue(t, depth-1))
		}
		return v
	case 3:
		v := model.Value{Kind: model.KindObject}
		for _, name := range []string{"k", "odd key ${x}", "z"}[:rapid.IntRange(0, 3).Draw(t, "fields")*min(depth, 1)] {
			v.Fields = append(v.Fields, model.Field{Name: name, Value: drawValue(t, depth-1)})
		}
		return v
	}
	return text(rapid.SampledFrom([]string{"", "pink", "${HOME} %{if}", "a\nb\t\"\\", "# no comment", "é…", strings.Repeat("long ", 30)}).Draw(t, "text"))
}

var note = regexp.MustCompile(`note-\d+`)

// Whatever is written back, the manifest then says exactly that and nothing else has another value; every comment and
// every line end stays. A refusal must have a reason, and a value that is written out on its own is never refused.
func TestAbsorbIsExact(t *testing.T) {
	made, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t}
		in := w.manifest()
		before, _, diags := run(manifestOf(in), testFacts())
		if diags.HasErrors() {
			t.Fatalf("the generator is wrong: %v\n%s", diags, in)
		}
		edits := drawEdits(t, w, before)
		out, diags := Absorb(manifestOf(in), testSpecs(), "wl-0431", testFacts(), edits)
		if diags.HasErrors() {
			refused++
			for _, d := range diags {
				mayBe := strings.Contains(d.Detail, "comments") || strings.Contains(d.Detail, "does not say it") || strings.Contains(d.Detail, "something else")
				if !mayBe || d.Subject.Start.Line == 0 {
					t.Fatalf("%s: %s\n%s\n%+v", d.Summary, d.Detail, in, edits)
				}
			}
			if len(out) > 0 {
				t.Fatal("a refusal rewrites")
			}
			return
		}
		if len(out) == 0 {
			return
		}
		made++
		checkAbsorbed(t, in, string(out[0].New), before, edits)
	})
	t.Logf("%d manifests edited, %d refused", made, refused)
	if made < 20 {
		t.Errorf("only %d edits were made", made)
	}
}

// drawEdits changes some of the values that the machine has, and adds one.
func drawEdits(t *rapid.T, w *writer, m model.Machine) []model.Edit {
	var edits []model.Edit
	for _, p := range w.paths {
		v := m.Targets[0].Attrs
		for _, key := range p {
			v = v.Get(key)
		}
		twice := slices.ContainsFunc(edits, func(e model.Edit) bool { return slices.Equal(e.Path, p) })
		if v.Kind == model.KindAbsent || v.Kind == model.KindObject || twice || !rapid.Bool().Draw(t, "drifts") {
			continue
		}
		e := model.Edit{Type: "target", Label: "copilot", Path: p, Op: model.Set, Value: drawValue(t, 2)}
		if rapid.IntRange(0, 3).Draw(t, "op") == 0 {
			e.Op, e.Value = model.Unset, model.Value{}
		}
		edits = append(edits, e)
	}
	if rapid.Bool().Draw(t, "adds") {
		edits = append(edits, model.Edit{Type: "target", Label: "copilot", Path: []string{"settings", "new key"}, Value: drawValue(t, 1)})
	}
	return edits
}

func checkAbsorbed(t *rapid.T, in, out string, before model.Machine, edits []model.Edit) {
	after, _, diags := run(manifestOf(out), testFacts())
	if diags.HasErrors() {
		t.Fatalf("%v\n%s\nbecame\n%s", diags, in, out)
	}
	want := before
	for _, e := range edits {
		want = edited(want, e)
	}
	if digestMachine(after) != digestMachine(want) {
		t.Fatalf("%s\nbecame\n%s\nwhich says\n%s\nnot\n%s", in, out, digestMachine(after), digestMachine(want))
	}
	if got, had := note.FindAllString(out, -1), note.FindAllString(in, -1); !slices.Equal(got, had) {
		t.Fatalf("comments %v became %v in\n%s\nto\n%s", had, got, in, out)
	}
	if strings.HasPrefix(in, "\ufeff") != strings.HasPrefix(out, "\ufeff") {
		t.Fatal("the byte order mark changed")
	}
	crlf, lf := strings.Count(out, "\r\n"), strings.Count(out, "\n")
	if strings.Contains(in, "\r\n") && crlf != lf || !strings.Contains(in, "\r\n") && crlf != 0 {
		t.Fatalf("%d of %d lines end in CRLF:\n%q\nbecame\n%q", crlf, lf, in, out)
	}
}

// Bytes outside the replaced stretches stay, whatever the line ends.
func FuzzSplice(f *testing.F) {
	f.Add([]byte("a\r\nb\nc"), 1, 3, "x\ny")
	f.Add([]byte("\ufeff\r\n\r\r\n"), 0, 2, "")
	f.Add([]byte("a"), 5, 9, "\n")
	f.Fuzz(func(t *testing.T, raw []byte, start, end int, text string) {
		unix := unixText(raw)
		if start < 0 || end < start || end > len(unix) {
			return
		}
		head, tail := rawOffset(raw, start), rawOffset(raw, end)
		if got, want := bytes.ReplaceAll(raw[:head], []byte("\r\n"), []byte("\n")), unix[:start]; !bytes.Equal(got, want) && start < len(unix) {
			t.Errorf("offset %d of %q is %d", start, raw, head)
		}
		out := splice(raw, []replacement{{start, end, text}})
		windows := strings.ReplaceAll(text, "\n", "\r\n")
		if unixLines := slices.Concat(raw[:head], []byte(text), raw[tail:]); !bytes.Equal(out, unixLines) &&
			!bytes.Equal(out, slices.Concat(raw[:head], []byte(windows), raw[tail:])) {
			t.Errorf("%q with %d:%d %q is %q", raw, start, end, text, out)
		}
	})
}

// Any text with any edit: no panic, and a result that is taken says what was asked for.
func FuzzAbsorb(f *testing.F) {
	f.Add("target \"copilot\" {\n settings = { theme = \"dim\" }\n}\n", "theme", "pink", uint8(0))
	f.Add("target \"copilot\" { settings = { theme = \"dim\", } }", "theme", "${", uint8(1))
	f.Add("target \"copilot\" {}\r\n", "a b", "\x00", uint8(0))
	f.Add("target copilot /* { */ { settings = {/**/} }\n", "for", "\xff", uint8(2))
	f.Fuzz(func(t *testing.T, in, key, value string, op uint8) {
		before, _, diags := run(manifestOf(in), testFacts())
		if diags.HasErrors() || len(before.Targets) == 0 {
			return
		}
		e := model.Edit{Type: "target", Label: "copilot", Path: []string{"settings", key}, Op: model.EditOp(op % 4), Value: text(value)}
		out, diags := Absorb(manifestOf(in), testSpecs(), "wl-0431", testFacts(), []model.Edit{e})
		if len(out) == 0 {
			return
		}
		after, _, more := run(manifestOf(string(out[0].New)), testFacts())
		if slices.ContainsFunc(slices.Concat(diags, more), func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
			t.Fatalf("%q became %q: %v", in, out[0].New, more)
		}
		if digestMachine(after) != digestMachine(edited(before, e)) {
			t.Fatalf("%q became %q", in, out[0].New)
		}
	})
}
