package session

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/process"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// TestVersion1IsStillRead reads a record as version 1 wrote it.
func TestVersion1IsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/session-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(data)
	want := Record{1, 7, process.ID{PID: 4242, Start: "123456", Host: "wl-0431", Boot: "6f1c1c1e-2f0b-4a55-9d3b-0f6f5a1f2b3c", Space: "pid:[4026531836]"}, noon}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := decode(bytes.Replace(data, []byte(`"version":1`), []byte(`"version":2`), 1)); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer version: %v", err)
	}
	for name, bad := range map[string]string{
		"unknown name": strings.Replace(string(data), `"pid"`, `"pod"`, 1), "cut": string(data[:20]), "empty": "",
		"something follows": string(data) + "{}", "older": strings.Replace(string(data), `"version":1`, `"version":0`, 1),
		"huge": string(data) + strings.Repeat(" ", maxRecord), "CRLF": strings.Replace(string(data), "\n", "\r\n", 1),
	} {
		if _, err := decode([]byte(bad)); err == nil || errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := os.ReadFile("testdata/session-v1.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		if err != nil {
			return
		}
		if again, err := r.encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q was read, %q is written, %v", data, again, err)
		}
	})
}

func TestLive(t *testing.T) {
	us := process.Of(os.Getpid())
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := process.Of(cmd.Process.Pid)
	with := func(change func(*process.ID)) process.ID {
		id := us
		change(&id)
		return id
	}
	elsewhere := with(func(id *process.ID) { id.Host = "elsewhere" })
	for _, tt := range []struct {
		name string
		id   process.ID
		age  time.Duration
		want bool
	}{
		{"we run", us, 1000 * time.Hour, true},
		{"our child runs", child, 0, true},
		{"nobody", process.ID{}, 0, false},
		{"another process has the number by now", with(func(id *process.ID) { id.Start = "1" }), 0, us.Start == ""},
		{"by number alone", with(func(id *process.ID) { id.Start = "" }), 0, true},
		{"by number alone, long ago", with(func(id *process.ID) { id.Start = "" }), 31 * 24 * time.Hour, false},
		{"before a reboot", with(func(id *process.ID) { id.Boot += "x" }), 0, false},
		{"in a container", with(func(id *process.ID) { id.Space += "x" }), 0, true},
		{"on another machine", elsewhere, 6 * 24 * time.Hour, true},
		{"on another machine, long ago", elsewhere, 8 * 24 * time.Hour, false},
	} {
		if got := (Session{Record: Record{Process: tt.id, Seen: noon}}).Live(noon.Add(tt.age)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // a zombie, until it is waited for
	if child.Start != "" && child.State() != process.Ended {
		t.Error("a killed process runs until it is waited for")
	}
	_ = cmd.Wait()
	if child.State() != process.Ended {
		t.Error("a process that ended runs")
	}
}

func TestWriteListRemove(t *testing.T) {
	state := t.TempDir()
	for _, id := range []string{"a", "../../etc/passwd", strings.Repeat("x", 1<<20), "\x00"} {
		if err := Write(state, id, 3, process.Of(os.Getpid()), noon); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(Folder(state, id), TempPrefix+"1"), nil, 0o600); err != nil { // of a crash
			t.Fatal(err)
		}
		list, err := List(state)
		if err != nil || len(list) != 1 || list[0].Record.Generation != 3 {
			t.Fatalf("%+v, %v", list, err)
		}
		for range 2 {
			if err := Remove(state, id); err != nil {
				t.Error(err)
			}
		}
		if items, _ := os.ReadDir(filepath.Join(state, folder)); len(items) > 0 {
			t.Errorf("%d left", len(items))
		}
	}
	// A damaged record is a session of which nothing is known; what else its folder holds stays.
	if err := Write(state, "a", 3, process.ID{}, noon); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(Folder(state, "a"), "other")
	if err := errors.Join(os.WriteFile(filepath.Join(Folder(state, "a"), recordFile), []byte("{"), 0o600), os.WriteFile(other, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	list, err := List(state)
	if err != nil || len(list) != 1 || list[0].Live(noon) {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := list[0].Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(other); err != nil {
		t.Error(err)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	state := t.TempDir()
	for i := range maxSessions {
		if err := os.MkdirAll(filepath.Join(state, folder, strconv.Itoa(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(state, "a", 1, process.ID{}, noon); err == nil {
		t.Error("one more was recorded")
	}
}

// TestStarted: what an agent starts is told by its parents.
func TestStarted(t *testing.T) {
	state := t.TempDir()
	if started, err := Started(state, os.Getpid()); err != nil || started {
		t.Errorf("without sessions: %v, %v", started, err)
	}
	if err := Write(state, "s", 1, process.Of(os.Getpid()), noon); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "sleep 60 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 32)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pid  int
		want bool
	}{{cmd.Process.Pid, true}, {grandchild, true}, {os.Getppid(), false}, {1, false}} {
		if got, err := Started(state, tt.pid); err != nil || got != tt.want {
			t.Errorf("process %d: %v, %v", tt.pid, got, err)
		}
	}
	if p, err := os.FindProcess(grandchild); err == nil {
		_ = p.Kill()
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
