package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 123_000_000, time.UTC)

func entry(reason string) Entry {
	return Entry{Time: noon, Event: "preToolUse", Tool: "bash", Guard: "commands", Verdict: "deny", Reason: reason}
}

// written is the entry as it is read again.
func written(session, reason string) Entry {
	e := entry(reason)
	e.Version, e.Session = Version, session
	return e
}

func next(t *testing.T, l *Ledger) []Entry {
	t.Helper()
	got, odd, err := l.Next()
	if err != nil || odd != 0 {
		t.Fatalf("%d odd lines, %v", odd, err)
	}
	return got
}

func TestAppendAndRead(t *testing.T) {
	state := t.TempDir()
	if err := Append(state, "one", entry("a"), entry("b")); err != nil {
		t.Fatal(err)
	}
	if err := Append(state, "../two\n", entry("c")); err != nil {
		t.Fatal(err)
	}
	one := Of(state, "one")
	if got, want := next(t, one), []Entry{written("one", "a"), written("one", "b")}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := next(t, one); got != nil {
		t.Errorf("entries come twice: %+v", got)
	}
	if err := Append(state, "one", entry("d")); err != nil {
		t.Fatal(err)
	}
	if got, want := next(t, one), []Entry{written("one", "d")}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	list, err := List(state)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d ledgers, %v", len(list), err)
	}
	for path, mode := range map[string]os.FileMode{filepath.Dir(one.path): 0o700, one.path: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	for _, l := range list {
		if err := l.Remove(); err != nil {
			t.Error(err)
		}
	}
	if got := next(t, Of(state, "one")); got != nil {
		t.Errorf("a removed ledger has %+v", got)
	}
}

// TestDenials: no text of a payload counts as a denial.
func TestDenials(t *testing.T) {
	state := t.TempDir()
	if n := Denials(state, "s"); n != 0 {
		t.Errorf("%d denials in no ledger", n)
	}
	const fake = `x","verdict":"deny","reason":"`
	note := Entry{Time: noon, Event: fake, Tool: fake, Guard: fake, Verdict: "note", Reason: fake}
	if err := Append(state, "s", entry("a"), note, entry(fake), note); err != nil {
		t.Fatal(err)
	}
	if n := Denials(state, "s"); n != 2 {
		t.Errorf("%d denials, want 2", n)
	}
}

// TestFollower: entries of all sessions come once, in their order, also of a session that begins later.
func TestFollower(t *testing.T) {
	state := t.TempDir()
	f := Follow(state)
	all := func(Entry) bool { return true }
	put := func(session string, seconds int) {
		t.Helper()
		e := entry(strconv.Itoa(seconds))
		e.Time = noon.Add(time.Duration(seconds) * time.Second)
		if err := Append(state, session, e); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string, limit int, wanted func(Entry) bool) {
		t.Helper()
		entries, odd, err := f.Next(limit, wanted)
		var got []string
		for _, e := range entries {
			got = append(got, e.Session+e.Reason)
		}
		if strings.Join(got, " ") != want || odd != 0 || err != nil {
			t.Errorf("got %v, %d odd lines, %v, want %s", got, odd, err, want)
		}
	}
	expect("", 9, all)
	put("a", 1)
	put("b", 2)
	put("a", 3)
	put("b", 4)
	expect("b2 a3 b4", 3, all)
	expect("", 9, all)
	put("c", 6)
	put("a", 5)
	expect("a5 c6", 9, all)
	put("a", 7)
	put("c", 8)
	expect("c8", 9, func(e Entry) bool { return e.Session == "c" })
	if err := Of(state, "a").Remove(); err != nil {
		t.Fatal(err)
	}
	expect("", 9, all)
}

// TestVersion1IsStillRead reads a line as version 1 wrote it, between lines that it did not write.
func TestVersion1IsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/ledger-v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(data), `"version":1`, `"version":2`, 1)
	l := Of(t.TempDir(), "s")
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "{\"ver\n\xff\n{}\n[]\n" + newer + string(data) + "{\"version\":1"
	if err := os.WriteFile(l.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, odd, err := l.Next()
	if want := []Entry{written("s", "git push --force")}; err != nil || odd != 5 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %d odd lines, %v", got, odd, err)
	}
	if line := entry("git push --force").line("s"); !bytes.Equal(line, data) {
		t.Errorf("written is %s", line)
	}
}

// TestLongTexts: whatever a payload holds, a line is short, and is read again.
func TestLongTexts(t *testing.T) {
	state := t.TempDir()
	for _, text := range []string{strings.Repeat("\x00", 1<<16), strings.Repeat("<", 1<<16), strings.Repeat("\xff", 1<<16), strings.Repeat("😀", 1<<14)} {
		e := Entry{Time: noon, Event: text, Tool: text, Guard: text, Verdict: "deny", Reason: text}
		if line := e.line(text); len(line) > 4<<10 || bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("a line of %d bytes", len(line))
		}
		if err := Append(state, text, e); err != nil {
			t.Fatal(err)
		}
		if got := next(t, Of(state, text)); len(got) != 1 || !strings.HasSuffix(got[0].Reason, "…") {
			t.Errorf("%d entries", len(got))
		}
	}
}

func TestFull(t *testing.T) {
	state := t.TempDir()
	l := Of(state, "s")
	n := 0
	for ; n < 1<<20; n++ {
		if err := Append(state, "s", entry(strings.Repeat("x", maxReason))); err != nil {
			break
		}
	}
	info, err := os.Stat(l.path)
	if err != nil || info.Size() > maxSize || info.Size() < maxSize-4<<10 {
		t.Fatalf("%v, %v", info, err)
	}
	if got := next(t, l); len(got) != n || !l.Full {
		t.Errorf("%d entries of %d, full: %v", len(got), n, l.Full)
	}
}

func TestTooManyLedgers(t *testing.T) {
	state := t.TempDir()
	if err := Append(state, "first", entry("a")); err != nil {
		t.Fatal(err)
	}
	for i := range maxFiles {
		if err := os.Symlink("nothing", filepath.Join(state, folder, strconv.Itoa(i))); err != nil { // faster made than a file
			t.Fatal(err)
		}
	}
	if err := Append(state, "another", entry("a")); err == nil || !strings.Contains(err.Error(), "agentihooks gc") {
		t.Errorf("got %v", err)
	}
	if err := Append(state, "first", entry("b")); err != nil {
		t.Error(err)
	}
}

// TestNothingElseIsWritten: not through a link, not into a pipe, not where there is no state folder.
func TestNothingElseIsWritten(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]func(path string) error{
		"a link":           func(path string) error { return os.Symlink(outside, path) },
		"a dangling link":  func(path string) error { return os.Symlink(outside+"2", path) },
		"a pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":         func(path string) error { return os.Mkdir(path, 0o700) },
		"a linked folder":  func(path string) error { return relink(filepath.Dir(path), filepath.Dir(outside)) },
		"a file as folder": func(path string) error { return relink(filepath.Dir(path), outside) },
		"no state folder":  func(path string) error { return os.RemoveAll(filepath.Dir(filepath.Dir(path))) },
	} {
		state := filepath.Join(t.TempDir(), "state")
		l := Of(state, "s")
		if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := prepare(l.path); err != nil {
			t.Fatal(err)
		}
		if err := Append(state, "s", entry("a")); err == nil {
			t.Errorf("%s: no error", name)
		}
		if name == "no state folder" {
			if _, err := os.Lstat(state); err == nil {
				t.Error("the state folder was made again")
			}
		}
	}
	info, err := os.Stat(outside)
	if names, _ := os.ReadDir(filepath.Dir(outside)); err != nil || info.Size() > 0 || len(names) != 1 {
		t.Errorf("%v, %v, %v", info, names, err)
	}
}

func relink(path, target string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink(target, path)
}

// TestWritersAtOnce: no line is torn or lost.
func TestWritersAtOnce(t *testing.T) {
	state := t.TempDir()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			for range 20 {
				if err := Append(state, "s", entry(strings.Repeat("r", maxReason))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got := next(t, Of(state, "s")); len(got) != 400 {
		t.Errorf("%d entries", len(got))
	}
}

// FuzzLine: any text in an entry is read as it was written.
func FuzzLine(f *testing.F) {
	f.Add("s", "git push --force", int64(1_796_126_400_123))
	f.Add("\x00\"\\\u2028", "\xff<&>", int64(0))
	f.Fuzz(func(t *testing.T, session, text string, at int64) {
		e := entry(text)
		e.Time = time.UnixMilli(at).UTC()
		if year := e.Time.Year(); year < 1 || year > 9999 {
			return
		}
		got, ok := decode(bytes.TrimSuffix(e.line(session), []byte("\n")))
		e.Version, e.Session, e.Reason = Version, plain(session, maxName), plain(text, maxReason)
		if !ok && !e.Time.IsZero() || ok && got != e {
			t.Errorf("%+v was written, %+v is read, %v", e, got, ok)
		}
	})
}

// plain is text as JSON can hold it.
func plain(text string, limit int) string { return string([]rune(cut(text, limit))) }

func FuzzDecode(f *testing.F) {
	f.Add(bytes.TrimSpace(entry("git push --force").line("s")))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, ok := decode(data)
		if !ok {
			return
		}
		if again := e.line(e.Session); len(again) > 4<<10 {
			t.Errorf("%q was read, %q is written", data, again)
		}
	})
}
