package modelserver

import (
	"bufio"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func start(t *testing.T, turns ...Turn) *Server {
	t.Helper()
	s, err := Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// post sends one streaming request and returns the decoded events of the answer.
func post(t *testing.T, s *Server, body string) []map[string]any {
	t.Helper()
	resp, err := http.Post(s.BaseURL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	var events []map[string]any
	done := false
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !ok:
		case data == "[DONE]":
			done = true
		default:
			var e map[string]any
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("%v in %q", err, data)
			}
			events = append(events, e)
		}
	}
	if !done {
		t.Fatal("the stream has no end mark")
	}
	return events
}

// said joins the text and the calls of a stream, and its reason to finish.
func said(t *testing.T, events []map[string]any) (text string, calls []string, finish string) {
	t.Helper()
	for _, e := range events {
		for _, c := range e["choices"].([]any) {
			choice := c.(map[string]any)
			delta := choice["delta"].(map[string]any)
			if s, ok := delta["content"].(string); ok {
				text += s
			}
			if list, ok := delta["tool_calls"].([]any); ok {
				for _, c := range list {
					call := c.(map[string]any)
					f := call["function"].(map[string]any)
					calls = append(calls, call["id"].(string)+" "+f["name"].(string)+" "+f["arguments"].(string))
				}
			}
			if s, ok := choice["finish_reason"].(string); ok {
				finish = s
			}
		}
	}
	return text, calls, finish
}

func TestTurnsFollowTheConversation(t *testing.T) {
	s := start(t, Bash("true", "false"), Turn{Text: "second"})
	const tools = `"tools":[{"type":"function","function":{"name":"bash","description":"runs","parameters":{"type":"object"}}}],"stream":true`
	const first = `{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"g"},{"type":"text","text":"o"}]}`
	const results = `,{"role":"assistant","content":null},{"role":"tool","tool_call_id":"call_0_0","content":"fine"},{"role":"tool","tool_call_id":"call_0_1","content":"bad"}`
	for _, tt := range []struct {
		name, body   string
		text, finish string
		calls        []string
	}{
		{
			name: "first", body: `{"messages":[` + first + `],` + tools + `}`, finish: "tool_calls",
			calls: []string{
				`call_0_0 bash {"command":"true","description":"run a command"}`,
				`call_0_1 bash {"command":"false","description":"run a command"}`,
			},
		},
		{name: "second", body: `{"messages":[` + first + results + `],` + tools + `}`, text: "second", finish: "stop"},
		{
			name: "past the end", body: `{"messages":[` + first + results + `,{"role":"assistant","content":"second"},{"role":"user","content":"more"}],` + tools + `}`,
			text: "Done.", finish: "stop",
		},
		{name: "no tools", body: `{"messages":[` + first + `],"stream":true}`, text: "Done.", finish: "stop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // a retry gets the same answer
				text, calls, finish := said(t, post(t, s, tt.body))
				if text != tt.text || finish != tt.finish || !reflect.DeepEqual(calls, tt.calls) {
					t.Errorf("text %q, calls %q, finish %q", text, calls, finish)
				}
			}
		})
	}
	requests := s.Requests()
	if len(requests) != 6 {
		t.Fatalf("%d requests with tools, want 6", len(requests))
	}
	second := requests[2]
	for i, want := range []string{"fine", "bad"} {
		if got, ok := second.Result(0, i); !ok || got != want {
			t.Errorf("result %d: %q, %v, want %q", i, got, ok, want)
		}
	}
	if _, ok := second.Result(1, 0); ok {
		t.Error("a result for a call that was never made")
	}
	if names := second.ToolNames(); !reflect.DeepEqual(names, []string{"bash"}) {
		t.Errorf("tools %q", names)
	}
	for _, want := range []string{"be brief\n", "go\n", "bash: runs\n"} {
		if !strings.Contains(second.Text(), want) {
			t.Errorf("the text does not have %q: %q", want, second.Text())
		}
	}
	if faults := s.Faults(); len(faults) != 0 {
		t.Errorf("faults: %q", faults)
	}
}

func TestUnknownRequestsAreFaults(t *testing.T) {
	for _, tt := range []struct{ path, body string }{
		{"/responses", `{}`},
		{"/chat/completions", `{"messages":`},
		{"/chat/completions", `{"messages":[]}`},
		{"/chat/completions", `{"messages":[{"role":"user","content":7}]}`},
	} {
		t.Run(tt.path+" "+tt.body, func(t *testing.T) {
			s := start(t)
			resp, err := http.Post(s.BaseURL()+tt.path, "application/json", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest || len(s.Faults()) != 1 || len(s.Requests()) != 0 {
				t.Errorf("%s, faults %q, %d requests", resp.Status, s.Faults(), len(s.Requests()))
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"text":"a"}]}],"tools":[{"function":{"name":"x"}}]}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":null}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if req, err := parse(body); err == nil && len(req.Messages) == 0 {
			t.Error("a request without messages was accepted")
		}
	})
}
