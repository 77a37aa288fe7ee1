package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// writer makes random objects in several styles, with a numbered comment at every place where one may stand.
type writer struct {
	*rand.Rand
	out      strings.Builder
	comments int
	nl       string
	density  int // comments stand in one of so many places
}

func (w *writer) extra(multi bool, indent int) {
	if w.density > 0 && w.IntN(w.density) == 0 {
		w.comments++
		switch c := w.comments; w.IntN(4) {
		case 0:
			fmt.Fprintf(&w.out, " // c%d \"}%s", c, w.nl)
		case 1:
			fmt.Fprintf(&w.out, " /* c%d */", c)
		case 2:
			fmt.Fprintf(&w.out, " /* c%d%s ] c%d */ ", c, w.nl, c)
		case 3:
			fmt.Fprintf(&w.out, "%s%s// c%d%s", w.nl, strings.Repeat("  ", indent), c, w.nl)
		}
	}
	if multi {
		w.out.WriteString(w.nl + strings.Repeat("  ", indent))
	} else if w.IntN(3) == 0 {
		w.out.WriteString(" ")
	}
}

func (w *writer) value(indent int) {
	switch n := w.IntN(6); {
	case n == 0 && indent < 4:
		w.list('{', '}', indent)
	case n == 1 && indent < 4:
		w.list('[', ']', indent)
	case n == 2:
		fmt.Fprintf(&w.out, `"s%d // no comment"`, w.IntN(3))
	default:
		fmt.Fprint(&w.out, w.IntN(5))
	}
}

func (w *writer) list(open, end byte, indent int) {
	multi := w.IntN(3) > 0
	w.out.WriteByte(open)
	names := w.Perm(6)[:w.IntN(5)]
	for i, n := range names {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.extra(multi && w.IntN(8) > 0, indent+1)
		if open == '{' {
			fmt.Fprintf(&w.out, `"k%d"`, n)
			w.extra(false, indent+1)
			w.out.WriteByte(':')
			w.extra(false, indent+1)
		}
		w.value(indent + 1)
		w.extra(false, indent+1)
	}
	if len(names) > 0 && w.IntN(4) == 0 {
		w.out.WriteByte(',')
	}
	w.extra(multi && len(names) > 0, indent)
	w.out.WriteByte(end)
}

func randomText(r *rand.Rand) string {
	w := &writer{Rand: r, nl: "\n", density: []int{0, 1, 2, 6}[r.IntN(4)]}
	if r.IntN(4) == 0 {
		w.nl = "\r\n"
	}
	w.extra(false, 0)
	w.list('{', '}', 0)
	w.extra(r.IntN(2) == 0, 0)
	return w.out.String()
}

var commentName = regexp.MustCompile(`\bc\d+\b`)

// commentsIn are the numbered comments that stand in a part of a text.
func commentsIn(text string) map[string]bool {
	set := map[string]bool{}
	for _, c := range commentName.FindAllString(text, -1) {
		set[c] = true
	}
	return set
}

// ownLines are the comments that may go with a key: those inside its member and on the lines on which it stands.
func ownLines(t *testing.T, src string, path []string) map[string]bool {
	t.Helper()
	root, err := hujson.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	v, name := &root, hujson.Value{}
	for _, key := range path {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		at := memberIndex(obj, key)
		if at < 0 {
			return nil
		}
		name, v = obj.Members[at].Name, &obj.Members[at].Value
	}
	from := strings.LastIndexByte(src[:name.StartOffset], '\n') + 1
	line, _ := splitFirst([]byte(src[v.EndOffset:])) // a block comment may go on in the next line
	return commentsIn(src[from:v.EndOffset] + string(line))
}

func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	plain, err := Compact(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	dec := json.NewDecoder(bytes.NewReader(plain))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in\n%s", err, plain)
	}
	return v
}

// model is what an edit must do to the decoded value; false where it must be refused.
func model(v map[string]any, path []string, value any, remove bool) bool {
	for i, key := range path {
		if i == len(path)-1 {
			if remove {
				delete(v, key)
			} else {
				v[key] = value
			}
			return true
		}
		next, ok := v[key]
		if !ok {
			if remove {
				return true
			}
			next = map[string]any{}
			v[key] = next
		}
		if v, ok = next.(map[string]any); !ok {
			return false
		}
	}
	return true
}

func TestRandomEdits(t *testing.T) {
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		src := randomText(r)
		randomEdits(t, r, src)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomEdits(t *testing.T, r *rand.Rand, src string) {
	d, err := Parse([]byte(src))
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	for range 1 + r.IntN(4) {
		before := string(d.Bytes())
		want := decode(t, []byte(before))
		path := []string{"k" + strconv.Itoa(r.IntN(8))}
		for r.IntN(3) == 0 && len(path) < 3 {
			path = append(path, "k"+strconv.Itoa(r.IntN(8)))
		}
		remove := r.IntN(2) == 0
		w := &writer{Rand: r, nl: "\n"}
		w.value(2)
		value := w.out.String()
		allowed := ownLines(t, before, path)

		fits := model(want, path, decode(t, []byte(`{"v":`+value+`}`))["v"], remove)
		if remove {
			err = d.Delete(path)
		} else {
			err = d.Set(path, []byte(value), nil)
		}
		if (err == nil) != fits {
			t.Errorf("edit of %q: %v, want success: %v\n%s", path, err, fits, before)
			return
		}
		after := string(d.Bytes())
		if err != nil && after != before {
			t.Errorf("a refused edit changed the text:\n%s\nto\n%s", before, after)
			return
		}
		if err != nil {
			continue
		}
		if got := decode(t, []byte(after)); !reflect.DeepEqual(got, want) {
			t.Errorf("%v %q %s:\n%s\nbecame\n%s", remove, path, value, before, after)
			return
		}
		left := commentsIn(after)
		for c := range commentsIn(before) {
			if !left[c] && !allowed[c] {
				t.Errorf("%v %q %s lost comment %s:\n%s\nbecame\n%s", remove, path, value, c, before, after)
			}
		}
		if again, err := Parse([]byte(after)); err != nil || !bytes.Equal(again.Bytes(), []byte(after)) {
			t.Errorf("%v in\n%s", err, after)
		}
	}
}

// Setting a new key and deleting it again gives the same bytes, but for white space in an object that was empty.
func TestSetThenDeleteIsIdentity(t *testing.T) {
	tried := 0
	for seed := range 10_000 {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		src := randomText(r)
		d, err := Parse([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		obj := d.root.Value.(*hujson.Object)
		if x := obj.AfterExtra; len(obj.Members) == 0 && len(x) > 0 && !(hasComment(x) && hasNewline(x)) {
			continue
		}
		tried++
		order := [][]string{{"k9"}, {"k8"}}
		if r.IntN(2) == 0 && len(obj.Members) > 0 { // somewhere in the middle
			order = slices.Insert(order, 1, []string{nameOf(obj.Members[r.IntN(len(obj.Members))])})
		}
		if err := d.Set([]string{"k9"}, []byte(`{"a":[1,2]}`), order); err != nil {
			t.Fatal(err)
		}
		mid := string(d.Bytes())
		if err := d.Delete([]string{"k9"}); err != nil {
			t.Fatal(err)
		}
		if got := string(d.Bytes()); got != src {
			t.Fatalf("seed %d\n%q\nbecame\n%q\nthen\n%q", seed, src, mid, got)
		}
	}
	if tried < 5_000 {
		t.Fatalf("only %d texts were tried", tried)
	}
}

func FuzzEdit(f *testing.F) {
	for seed := range 20 {
		f.Add(randomText(rand.New(rand.NewPCG(uint64(seed), 9))), "k1", `{"a":[1]}`)
	}
	f.Add("\xef\xbb\xbf{} // x", "a", "1e9")
	f.Add("{\"a\":1,\"a\":2}", "a", "\"\\ud800\"")
	f.Add("{}", "\x88", "{}")
	f.Fuzz(func(t *testing.T, src, key, value string) {
		d, err := Parse([]byte(src))
		if err != nil {
			return
		}
		if got := string(d.Bytes()); got != src {
			t.Fatalf("%q came back as %q", src, got)
		}
		if plain := d.Plain(); !json.Valid(plain) || !Equal(plain, bytes.TrimPrefix([]byte(src+"\n"), bom)) || string(d.Bytes()) != src {
			t.Fatalf("%q is plainly %q", src, plain)
		}
		if err := d.Set([]string{key}, []byte(value), nil); err != nil {
			if got := string(d.Bytes()); got != src {
				t.Fatalf("%v, yet %q became %q", err, src, got)
			}
			return
		}
		again, err := Parse(d.Bytes())
		if err != nil {
			t.Fatalf("%q after setting %q to %q: %v", d.Bytes(), key, value, err)
		}
		v, ok, err := again.Get([]string{key})
		if err != nil || !ok || !Equal(v.Text, []byte(value)) {
			t.Fatalf("%q: %q is %q, %v, %v; want %q", d.Bytes(), key, v.Text, ok, err, value)
		}
		if err := again.Delete([]string{key}); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := again.Get([]string{key}); ok || err != nil {
			t.Fatalf("still there: %v", err)
		}
		if _, err := Parse(again.Bytes()); err != nil {
			t.Fatalf("%q after deleting %q: %v", again.Bytes(), key, err)
		}
	})
}
