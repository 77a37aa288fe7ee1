package channel

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// publish publishes a message that says how it differs from the usual one.
func publish(t *testing.T, state string, at time.Time, change func(*Message)) Message {
	t.Helper()
	m := Message{Severity: "alert", Text: "text", Created: at}
	change(&m)
	life, persistent, _ := m.Severity.Defaults()
	m.Expires, m.Persistent = at.Add(life), persistent
	m, err := Publish(state, m, at)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// handed is what an event of a session gets, as the texts of the messages.
func handed(t *testing.T, state string, r Reader, at time.Time) string {
	t.Helper()
	d, err := Next(state, r, at)
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		return ""
	}
	defer d.Close()
	var out []string
	for _, m := range d.Messages {
		out = append(out, m.Text)
	}
	if err := d.Done(len(d.Messages)); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestWhoGetsWhat(t *testing.T) {
	state := t.TempDir()
	for i, m := range []Message{
		{Severity: "info", Text: "all"},
		{Severity: "info", Text: "brain", Channel: "brain"},
		{Severity: "warning", Text: "oncall", Channel: "oncall"},
		{Severity: "resolved", Text: "direct", Session: "s1"},
		{Severity: "critical", Text: "critical", Channel: "brain"},
		{Severity: "nuclear", Text: "nuclear", From: Sender{Agent: true}},
		{Severity: "nuclear", Text: "older", From: Sender{}},
	} {
		publish(t, state, noon.Add(-time.Duration(i)*time.Second), func(to *Message) { *to = m; to.Created = noon.Add(-time.Duration(i) * time.Second) })
	}
	for _, tt := range []struct {
		reader Reader
		want   string
	}{
		{Reader{Session: "s1"}, "older nuclear all direct"},
		{Reader{Session: "s2", Channels: []string{"brain"}}, "older nuclear critical all brain"},
		{Reader{Session: "s3", Channels: []string{"*"}}, "older nuclear critical oncall all brain"},
		{Reader{Session: "s4", Channels: []string{"Brain"}}, "older nuclear all"},
		{Reader{Session: "", Channels: []string{"*"}}, ""},
	} {
		urgent := map[string]string{"s1": "older nuclear direct", "s2": "older nuclear critical", "s3": "older nuclear critical", "s4": "older nuclear", "": ""}
		atTool := tt.reader
		atTool.Urgent = true
		if got := handed(t, t.TempDir(), atTool, noon); got != "" {
			t.Errorf("another state has %q", got)
		}
		if got, err := Next(state, atTool, noon); err != nil || got == nil && urgent[tt.reader.Session] != "" {
			t.Errorf("%+v: %v, %v", atTool, got, err)
		} else if got != nil {
			var texts []string
			for _, m := range got.Messages {
				texts = append(texts, m.Text)
			}
			if all := strings.Join(texts, " "); all != urgent[tt.reader.Session] {
				t.Errorf("%+v at a tool call: %q", tt.reader, all)
			}
			got.Close() // handed over to nobody, so that it comes with the next event
		}
		if got := handed(t, state, tt.reader, noon); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.reader, got, tt.want)
		}
		if got := handed(t, state, tt.reader, noon); got != "" {
			t.Errorf("%+v again at once: %q", tt.reader, got)
		}
	}
}

func TestAgainUntilAcknowledged(t *testing.T) {
	state := t.TempDir()
	alert := publish(t, state, noon, func(*Message) {})
	publish(t, state, noon, func(m *Message) { m.Severity, m.Text = "info", "info" })
	r := Reader{Session: "s"}
	for _, tt := range []struct {
		after time.Duration
		want  string
	}{
		{0, "text info"},
		{Window - time.Second, ""},
		{Window, "text"},
		{Window + time.Minute, ""},
		{-Window, "text"}, // the clock was set back
		{59 * time.Minute, "text"},
		{time.Hour, ""}, // it ended
	} {
		if got := handed(t, state, r, noon.Add(tt.after)); got != tt.want {
			t.Errorf("after %v: %q, want %q", tt.after, got, tt.want)
		}
	}
	if _, err := os.Stat(file(state, alert.ID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what ended is still there: %v", err)
	}
	alert = publish(t, state, noon, func(*Message) {})
	if err := Acknowledge(state, "s", alert.ID, noon); err != nil {
		t.Fatal(err)
	}
	if got := handed(t, state, r, noon.Add(Window)); got != "" {
		t.Errorf("acknowledged, and handed over: %q", got)
	}
	if got := handed(t, state, Reader{Session: "other"}, noon); got != "text info" {
		t.Errorf("another session gets %q", got)
	}
	if err := Acknowledge(state, "s", alert.ID, noon.Add(time.Hour)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("acknowledging what ended: %v", err)
	}
}

func TestEightAtOnce(t *testing.T) {
	state := t.TempDir()
	for i := range 10 {
		publish(t, state, noon, func(m *Message) { m.Text = fmt.Sprint(i) })
	}
	r := Reader{Session: "s"}
	first, second := handed(t, state, r, noon), handed(t, state, r, noon)
	all := strings.Fields(first + " " + second)
	slices.Sort(all)
	if len(strings.Fields(first)) != perEvent || strings.Join(all, "") != "0123456789" {
		t.Errorf("%q, then %q", first, second)
	}
}

// TestRoom: the folder is bounded, an agent cannot push out what a person said, nor a light message a grave one.
func TestRoom(t *testing.T) {
	state := t.TempDir()
	person := publish(t, state, noon, func(m *Message) { m.Severity = "info" })
	for i := range 2 * maxMessages {
		publish(t, state, noon.Add(time.Duration(i)*time.Second), func(m *Message) { m.Severity, m.From.Agent = "nuclear", true })
	}
	now := noon.Add(3 * time.Minute)
	live, err := Live(state, now)
	if err != nil || len(live) != maxMessages || !slices.ContainsFunc(live, func(m Message) bool { return m.ID == person.ID }) {
		t.Fatalf("%d live, %v", len(live), err)
	}
	light := Message{Severity: "critical", Text: "x", From: Sender{Agent: true}, Created: now, Expires: now.Add(time.Minute)}
	if _, err := Publish(state, light, now); !errors.Is(err, ErrFull) {
		t.Errorf("a lighter one of an agent: %v", err)
	}
	for range maxMessages {
		publish(t, state, now, func(m *Message) { m.Severity = "nuclear" })
	}
	live, err = Live(state, now)
	if err != nil || len(live) != maxMessages || slices.ContainsFunc(live, func(m Message) bool { return m.From.Agent || m.Severity != "nuclear" }) {
		t.Fatalf("%d live, %v", len(live), err)
	}
	light.From.Agent, light.Severity = true, "nuclear"
	if _, err := Publish(state, light, now); !errors.Is(err, ErrFull) {
		t.Errorf("an agent's against persons': %v", err)
	}
	light.From.Agent, light.Severity = false, "info"
	if _, err := Publish(state, light, now); !errors.Is(err, ErrFull) {
		t.Errorf("a person's light one: %v", err)
	}
}

func TestCheck(t *testing.T) {
	good := Message{Severity: "info", Text: "x", Created: noon, Expires: noon.Add(time.Minute)}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Message){
		"empty":            func(m *Message) { m.Text = "" },
		"blank":            func(m *Message) { m.Text = " \n\t" },
		"too long":         func(m *Message) { m.Text = strings.Repeat("x", MaxText+1) },
		"not UTF-8":        func(m *Message) { m.Text = "\xff" },
		"unknown severity": func(m *Message) { m.Severity = "grave" },
		"no severity":      func(m *Message) { m.Severity = "" },
		"channel *":        func(m *Message) { m.Channel = "*" },
		"two channels":     func(m *Message) { m.Channel = "a,b" },
		"long channel":     func(m *Message) { m.Channel = strings.Repeat("x", MaxName+1) },
		"both":             func(m *Message) { m.Channel, m.Session = "a", "s" },
		"no life":          func(m *Message) { m.Expires = noon },
		"negative life":    func(m *Message) { m.Expires = noon.Add(-time.Hour) },
		"long life":        func(m *Message) { m.Expires = noon.Add(MaxLife + time.Second) },
	} {
		bad := good
		change(&bad)
		state := t.TempDir()
		if _, err := Publish(state, bad, noon); err == nil {
			t.Errorf("%s: published", name)
		}
		if Any(state) {
			t.Errorf("%s: something was written", name)
		}
	}
}

// TestForeignFiles: nothing that stands in the folder keeps a session from its messages, or waiting.
func TestForeignFiles(t *testing.T) {
	state := t.TempDir()
	good := publish(t, state, noon, func(*Message) {})
	data, err := os.ReadFile(file(state, good.ID))
	if err != nil {
		t.Fatal(err)
	}
	other := func(n int) string { return fmt.Sprintf("%s%06x", good.ID[:idTime+1], n) }
	for i, bad := range [][]byte{
		nil, data[:len(data)/2], bytes.Replace(data, []byte(`"version":1`), []byte(`"version":2`), 1), bytes.TrimSpace(data),
		data, // under another id than its own
		bytes.Repeat([]byte(" "), maxFile+1), []byte("null\n"), []byte("[]\n"),
	} {
		if err := os.WriteFile(file(state, other(i)), bad, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(state, folder)
	for _, err := range []error{
		syscall.Mkfifo(file(state, other(100)), 0o600),
		os.Symlink("/dev/zero", file(state, other(101))),
		os.Symlink(file(state, good.ID), file(state, other(102))),
		os.Mkdir(file(state, other(103)), 0o700),
		os.WriteFile(filepath.Join(dir, tempName), []byte("half a mess"), 0o600),
		os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := handed(t, state, Reader{Session: "s"}, noon); got != "text" {
		t.Errorf("got %q", got)
	}
	seen := filepath.Join(readerFolder(state, "s"), seenFile)
	for _, bad := range []string{"", "{}", `{"version":1,"messages":[`, strings.Repeat("x", maxFile+1)} {
		if err := os.WriteFile(seen, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := handed(t, state, Reader{Session: "s"}, noon); got != "text" {
			t.Errorf("after %.20q is known of the session it gets %q", bad, got)
		}
	}
	if err := os.WriteFile(seen, []byte(`{"version":2}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Next(state, Reader{Session: "s"}, noon); !errors.Is(err, ErrNewer) {
		t.Errorf("of a newer release: %v", err)
	}
}

// TestModes: what is written is the user's alone, and nothing is left beside it.
func TestModes(t *testing.T) {
	state := t.TempDir()
	m := publish(t, state, noon, func(*Message) {})
	handed(t, state, Reader{Session: "../../s"}, noon)
	for path, want := range map[string]fs.FileMode{
		filepath.Join(state, folder):                            0o700,
		file(state, m.ID):                                       0o600,
		readerFolder(state, "../../s"):                          0o700,
		filepath.Join(readerFolder(state, "../../s"), seenFile): 0o600,
	} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(state, folder, ".*")); left != nil {
		t.Errorf("left: %q", left)
	}
	// The memory of a session goes when no message of its time can be live.
	old := noon.Add(-3 * MaxLife)
	if err := os.Chtimes(readerFolder(state, "../../s"), old, old); err != nil {
		t.Fatal(err)
	}
	publish(t, state, noon, func(*Message) {})
	if _, err := os.Lstat(readerFolder(state, "../../s")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is known of a session of long ago: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	m := Message{Version: Version, ID: "692d8740-0a1b2c", Severity: "info", Channel: "c", Text: "<x>\n", Created: noon, Expires: noon.Add(time.Hour)}
	data, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if err != nil {
			return
		}
		if again, err := m.encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q was read, %q is written, %v", data, again, err)
		}
	})
}

// TestVersion1IsStillRead reads what version 1 wrote.
func TestVersion1IsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/message-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	want := Message{
		1, "6a56cf40-0a1b2c", "critical", "oncall", "", "stop <now>\n",
		Sender{true, "7bac15a8"},
		true,
		noon, noon.Add(30 * time.Minute),
	}
	if got, err := decode(data); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	data, err = os.ReadFile("testdata/seen-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decodeSeen(data); err != nil || len(got.Messages) != 1 || got.Messages[0] != (sight{"6a56cf40-0a1b2c", noon, true}) {
		t.Errorf("%+v, %v", got, err)
	}
}
