// Package modelserver is a scripted language model: a local HTTP server that answers streaming chat completions with
// prepared turns and keeps every request that it got. With it the real Copilot CLI runs a session that costs nothing, needs
// no network, and does what the script says.
package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Turn is one answer of the model: text, tool calls, or both.
type Turn struct {
	Text  string
	Calls []Call
}

// Call is one tool call of a turn.
type Call struct {
	Tool string
	Args map[string]any
}

// Bash is a turn that runs commands with the agent's bash tool, one call each.
func Bash(commands ...string) Turn {
	var t Turn
	for _, c := range commands {
		t.Calls = append(t.Calls, Call{Tool: "bash", Args: map[string]any{"command": c, "description": "run a command"}})
	}
	return t
}

// Server is a model with a script. Which turn answers a request is told by the number of assistant messages in it, so
// a retry gets the same turn again. Past the script's end, and for a request without tools, it answers with plain text.
type Server struct {
	turns    []Turn
	listener net.Listener
	http     http.Server

	mu       sync.Mutex
	requests []Request
	faults   []string
}

// maxRequest bounds a request, in bytes: a whole conversation with all its tools was never seen to reach one megabyte.
const maxRequest = 64 << 20

// Start serves the turns on a free port of the loopback interface until Close.
func Start(turns ...Turn) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening on the loopback interface: %w", err)
	}
	s := &Server{turns: turns, listener: listener}
	s.http.Handler = s
	go s.http.Serve(listener) // until Close, which is its one error
	return s, nil
}

// Close stops the server and cuts what is under way.
func (s *Server) Close() { s.http.Close() }

// BaseURL is what a client of the API takes as its base: it ends in /v1.
func (s *Server) BaseURL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Requests returns the requests that offered tools, which are those of the conversation, in the order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.requests), func(r Request) bool { return len(r.Tools) == 0 })
}

// Faults returns what the server could not read or did not know: requests that are no chat completion.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// ServeHTTP answers one request of the chat completions API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		s.fault(w, fmt.Sprintf("reading %s: %v", r.URL.Path, err))
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		s.fault(w, fmt.Sprintf("%s %s is not part of this API", r.Method, r.URL.Path))
		return
	}
	req, err := parse(body)
	if err != nil {
		s.fault(w, fmt.Sprintf("decoding %s: %v", r.URL.Path, err))
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()

	turn := Turn{Text: "Done."}
	n := req.assistantMessages()
	if len(req.Tools) > 0 && n < len(s.turns) {
		turn = s.turns[n]
	}
	answer(w, n, turn, req.stream)
}

func (s *Server) fault(w http.ResponseWriter, what string) {
	s.mu.Lock()
	s.faults = append(s.faults, what)
	s.mu.Unlock()
	http.Error(w, what, http.StatusBadRequest)
}

// answer writes one turn; n is its number in the script, which makes the ids of its calls unique.
func answer(w http.ResponseWriter, n int, turn Turn, stream bool) {
	finish := "stop"
	var calls []toolCall
	for i, c := range turn.Calls {
		finish = "tool_calls"
		args, err := json.Marshal(c.Args)
		if err != nil {
			panic(fmt.Sprintf("modelserver: arguments of a scripted call do not encode: %v", err))
		}
		calls = append(calls, toolCall{
			Index: i, ID: CallID(n, i), Type: "function",
			Function: function{Name: c.Tool, Arguments: string(args)},
		})
	}
	use := &usage{Prompt: 1000, Completion: 10, Total: 1010}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(chunk{
			ID: "scripted", Object: "chat.completion", Model: "scripted", Usage: use,
			Choices: []choice{{Message: &delta{Role: "assistant", Content: turn.Text, Calls: calls}, Finish: &finish}},
		})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	deltas := []delta{{Role: "assistant", Content: turn.Text}}
	for _, c := range calls {
		deltas = append(deltas, delta{Calls: []toolCall{c}})
	}
	for _, d := range deltas {
		event(w, []choice{{Delta: &d}}, nil)
	}
	event(w, []choice{{Delta: &delta{}, Finish: &finish}}, nil)
	event(w, []choice{}, use)
	io.WriteString(w, "data: [DONE]\n\n")
}

func event(w io.Writer, choices []choice, use *usage) {
	b, err := json.Marshal(chunk{
		ID: "scripted", Object: "chat.completion.chunk", Model: "scripted", Choices: choices, Usage: use,
	})
	if err != nil {
		panic(fmt.Sprintf("modelserver: an event does not encode: %v", err))
	}
	fmt.Fprintf(w, "data: %s\n\n", b)
}

// CallID is the id of call i of turn n, both from zero.
func CallID(n, i int) string { return fmt.Sprintf("call_%d_%d", n, i) }

// The shapes of the chat completions API that this server writes.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index   int     `json:"index"`
	Delta   *delta  `json:"delta,omitempty"`
	Message *delta  `json:"message,omitempty"`
	Finish  *string `json:"finish_reason"`
}

type delta struct {
	Role    string     `json:"role,omitempty"`
	Content string     `json:"content,omitempty"`
	Calls   []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	Index    int      `json:"index"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}
