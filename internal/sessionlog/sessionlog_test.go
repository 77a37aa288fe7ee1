package sessionlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

var update = flag.Bool("update", false, "write what is read from the logs into the golden files")

// TestLogs reads logs as Copilot wrote them: one session of each release that uses tools, a server, a subagent; and two
// that our hook denied a call in, and that were resumed.
func TestLogs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) != 6 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := read(t, file)
			got := summary(t, data)
			golden := strings.TrimSuffix(file, "jsonl") + "golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := read(t, golden); !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			// What makes a file hard to read changes nothing but what it should.
			if got := summary(t, bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))); !bytes.Equal(got, read(t, golden)) {
				t.Errorf("with CRLF:\n%s", got)
			}
			if got := summary(t, append([]byte("\ufeff"), data...)); !bytes.Equal(got, read(t, golden)) {
				t.Errorf("with a BOM:\n%s", got)
			}
			var whole Session
			if whole, err = Read(iotest.OneByteReader(bytes.NewReader(data)), 0); err != nil || whole.Calls == 0 || len(whole.CallList) > 0 {
				t.Errorf("in small pieces: %+v, %v", whole, err)
			}
		})
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func summary(t *testing.T, log []byte) []byte {
	t.Helper()
	s, err := Read(bytes.NewReader(log), 1000)
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

// TestCounts are numbers that were counted in the files with jq.
func TestCounts(t *testing.T) {
	for file, want := range map[string]Session{
		"1.0.80.jsonl":          {Turns: 1, Calls: 18, Failed: 5, Errors: 5, Subagents: 1, Usage: Usage{Requests: 15, Input: 15000, Output: 150}},
		"1.0.83.jsonl":          {Turns: 1, Calls: 18, Failed: 5, Errors: 5, Subagents: 1, Usage: Usage{Requests: 15, Input: 15000, Output: 150}},
		"1.0.92.jsonl":          {Turns: 1, Calls: 18, Failed: 4, Errors: 4, Subagents: 1, Usage: Usage{Requests: 14, Input: 14000, Output: 140}},
		"1.0.102.jsonl":         {Turns: 1, Calls: 18, Failed: 4, Errors: 4, Subagents: 1, Usage: Usage{Requests: 14, Input: 14000, Output: 140}},
		"1.0.83-resumed.jsonl":  {Turns: 2, Calls: 3, Denied: 1, Usage: Usage{Requests: 3, Input: 3000, Output: 30}},
		"1.0.102-resumed.jsonl": {Turns: 2, Calls: 3, Denied: 1, Usage: Usage{Requests: 3, Input: 3000, Output: 30}},
	} {
		data := read(t, "testdata/"+file)
		got, err := Read(bytes.NewReader(data), 0)
		counts := Session{Turns: got.Turns, Calls: got.Calls, Failed: got.Failed, Denied: got.Denied, Errors: got.Errors, Subagents: got.Subagents, Usage: got.Usage}
		if err != nil || !equal(counts, want) {
			t.Errorf("%s: %+v, %v, want %+v", file, counts, err, want)
		}
		// While the session ran: from 1.0.102 on the tokens are known all the same.
		var running []byte
		for line := range bytes.Lines(data) {
			if !bytes.Contains(line[:min(len(line), 40)], []byte("session.shutdown")) {
				running = append(running, line...)
			}
		}
		got, err = Read(bytes.NewReader(running), 0)
		if err != nil || got.Ended || strings.HasPrefix(file, "1.0.80") && got.Usage.Output != want.Usage.Output || strings.HasPrefix(file, "1.0.102") && got.Usage != want.Usage {
			t.Errorf("%s, running: %+v, %v", file, got.Usage, err)
		}
	}
}

func equal(a, b Session) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// TestOddLogs: what cannot be read is passed over, and said.
func TestOddLogs(t *testing.T) {
	const start = `{"type":"session.start","data":{"sessionId":"s","startTime":"2026-12-01T10:00:00Z"},"timestamp":"2026-12-01T10:00:01Z"}` + "\n"
	const user = `{"type":"user.message","data":{"content":"hi"}}` + "\n"
	for name, tt := range map[string]struct {
		log        string
		turns, bad int
		cut        bool
	}{
		"good":               {start + user, 1, 0, false},
		"no end of line":     {start + strings.TrimSpace(user), 1, 0, false},
		"cut":                {start + user + user[:20], 1, 0, true},
		"rubbish":            {start + "rubbish\n\n\x00\x00\n[1]\nnull\n7\n{\"type\":\"undotted\"}\n" + user, 1, 7, false},
		"bad UTF-8":          {start + "{\"type\":\"user.message\",\"data\":{\"content\":\"\xff\xfe\"}}\n", 1, 0, false},
		"unknown type":       {start + `{"type":"session.of_the_future","data":{"x":[1]}}` + "\n" + user, 1, 0, false},
		"other field types":  {start + `{"type":"user.message","timestamp":7,"agentId":null,"data":{"content":7,"source":null}}` + "\n", 1, 0, false},
		"data is no object":  {start + `{"type":"user.message","data":"x"}` + "\n" + `{"type":"tool.execution_start"}` + "\n", 1, 0, false},
		"deep":               {start + `{"type":"user.message","data":` + strings.Repeat("[", 1<<20) + "\n" + user, 1, 1, false},
		"long line":          {start + `{"type":"user.message","data":{"content":"` + strings.Repeat("x", 2*maxLine) + "\"}}\n" + user, 1, 1, false},
		"long last line":     {start + user + strings.Repeat("x", 2*maxLine), 1, 0, true},
		"fits":               {start + `{"type":"user.message","data":{"content":"` + strings.Repeat("x", maxLine/2) + "\"}}\n" + user, 2, 0, false},
		"from another agent": {start + user + `{"type":"user.message","agentId":"a","data":{}}` + "\n" + `{"type":"user.message","data":{"source":"system"}}` + "\n", 1, 0, false},
		"ephemeral":          {start + user + `{"type":"user.message","ephemeral":true,"data":{}}` + "\n", 1, 0, false},
	} {
		s, err := Read(strings.NewReader(tt.log), 10)
		if err != nil || s.ID != "s" || s.Turns != tt.turns || s.Bad != tt.bad || s.Cut != tt.cut {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if s.Started.Hour() != 10 || s.Started.Second() != 0 {
			t.Errorf("%s: began at %v", name, s.Started)
		}
	}
	for _, none := range []string{"", "\n", "x", "{}", `[{"type":"user"}]`} {
		if _, err := Read(strings.NewReader(none), 10); !errors.Is(err, ErrNoLog) {
			t.Errorf("%q: %v", none, err)
		}
		if _, err := Started(strings.NewReader(none)); !errors.Is(err, ErrNoLog) {
			t.Errorf("%q: %v", none, err)
		}
	}
	if _, err := Read(iotest.ErrReader(os.ErrPermission), 10); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if at, err := Started(strings.NewReader("rubbish\n" + start)); err != nil || !at.Equal(time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("%v, %v", at, err)
	}
}

// TestTold: what went wrong, and tokens however they are told.
func TestTold(t *testing.T) {
	log := strings.Join([]string{
		`{"type":"user.message","data":{"content":"hi"}}`,
		`{"type":"assistant.message","data":{"outputTokens":5,"content":"ho"}}`,
		`{"type":"session.task_complete","data":{"summary":"told again"}}`,
		`{"type":"assistant.usage","ephemeral":true,"data":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":3}}`,
		`{"type":"session.error","data":{"errorType":"quota","message":"no more"}}`,
		`{"type":"hook.end","data":{"hookType":"preToolUse","success":false,"error":{"message":"timed out"}}}`,
		`{"type":"subagent.failed","data":{"agentName":"helper","error":"gone"}}`,
		`{"type":"session.shutdown","data":{"shutdownType":"error","errorReason":"crash","modelMetrics":{}}}`,
		`{"type":"session.resume","data":{"context":{"cwd":"/w"}}}`,
		`{"type":"user.message","data":{"content":"again"}}`,
		`{"type":"session.task_complete","data":{"summary":"done"}}`,
		`{"type":"assistant.message","data":{"outputTokens":-7,"content":" "}}`,
		`{"type":"session.usage_record","data":{"usage":{"inputTokens":1,"outputTokens":-1}}}`,
		`{"type":"tool.execution_complete","data":{"toolCallId":"x","success":false,"error":{"message":"no"}}}`,
		`{"type":"tool.execution_start","data":{"toolCallId":"y","toolName":"view"}}`,
	}, "\n")
	s, err := Read(strings.NewReader(log), 10)
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, f := range s.FaultList {
		faults = append(faults, f.Kind+" "+f.Message)
	}
	want := "session quota: no more|hook preToolUse: timed out|subagent helper: gone|session shutdown: crash|tool : no"
	if got := strings.Join(faults, "|"); got != want || s.Errors != 5 {
		t.Errorf("%d faults: %s", s.Errors, got)
	}
	if want := (Usage{Requests: 2, Input: 11, Output: 5, CacheRead: 3}); s.Usage != want {
		t.Errorf("%+v, want %+v", s.Usage, want)
	}
	if s.Calls != 2 || s.Failed != 1 || s.CallList[1].Outcome != Open || s.Ended || s.Resumed != 1 || s.Cwd != "/w" {
		t.Errorf("%+v", s)
	}
	if s.TurnList[0].Reply != "ho" || s.TurnList[1].Reply != "done" {
		t.Errorf("%+v", s.TurnList)
	}
}

// TestMemory: a log of any length takes little memory, and what is kept is the newest.
func TestMemory(t *testing.T) {
	const n = 20_000
	line := []byte(`{"type":"user.message","data":{"content":"` + strings.Repeat("x", 1000) + `"}}` + "\n" +
		`{"type":"tool.execution_start","data":{"toolCallId":"` + strings.Repeat("i", 100) + `","toolName":"t"}}` + "\n")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s, err := Read(&repeated{text: line, left: n}, 100)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil || s.Turns != n || s.Calls != n || len(s.TurnList) != 100 || len(s.CallList) != 100 || s.TurnList[99].Number != n {
		t.Errorf("%d turns, %d calls, %d and %d kept, %v", s.Turns, s.Calls, len(s.TurnList), len(s.CallList), err)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes are held", grown)
	}
	runtime.KeepAlive(s)
}

// repeated is a text so many times.
type repeated struct {
	text, rest []byte
	left       int
}

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.left--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// FuzzRead: no bytes break the reader, and what it says adds up.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*-resumed.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(bytes.NewReader(data), 5)
		if err != nil {
			if !errors.Is(err, ErrNoLog) {
				t.Error(err)
			}
			return
		}
		u := s.Usage
		if s.Failed+s.Denied > s.Calls || s.Failed > s.Errors || len(s.CallList) > 5 || len(s.TurnList) > 5 || len(s.FaultList) > 5 ||
			u.Input < 0 && u.Output < 0 || s.Bad > bytes.Count(data, []byte("\n")) {
			t.Errorf("%+v", s)
		}
	})
}
