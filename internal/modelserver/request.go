package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Request is one request of the conversation, read.
type Request struct {
	Messages []Message
	Tools    []Tool // as offered, in the request's order
	stream   bool
}

// Message is one message, its content flattened to text.
type Message struct {
	Role   string // system, user, assistant, tool
	Text   string
	CallID string // of a tool's message: the call that it answers
}

// Tool is one tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  string // JSON schema, as sent
}

// Text is every message's text, and every tool's name and description: all that the model can read.
func (r Request) Text() string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text + "\n")
	}
	for _, t := range r.Tools {
		b.WriteString(t.Name + ": " + t.Description + "\n" + t.Parameters + "\n")
	}
	return b.String()
}

// ToolNames are the names of the tools offered, in the request's order.
func (r Request) ToolNames() []string {
	names := make([]string, 0, len(r.Tools))
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// Result is the text of the tool result for call i of turn n, both from zero; ok is false if the request has none.
func (r Request) Result(n, i int) (text string, ok bool) {
	for _, m := range r.Messages {
		if m.Role == "tool" && m.CallID == CallID(n, i) {
			return m.Text, true
		}
	}
	return "", false
}

func (r Request) assistantMessages() int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

func parse(body []byte) (Request, error) {
	var raw struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			CallID  string          `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, err
	}
	if len(raw.Messages) == 0 {
		return Request{}, fmt.Errorf("no messages in %.200q", body)
	}
	req := Request{stream: raw.Stream}
	for _, m := range raw.Messages {
		text, err := flatten(m.Content)
		if err != nil {
			return Request{}, fmt.Errorf("content of a %s message: %w", m.Role, err)
		}
		req.Messages = append(req.Messages, Message{Role: m.Role, Text: text, CallID: m.CallID})
	}
	for _, t := range raw.Tools {
		f := t.Function
		req.Tools = append(req.Tools, Tool{Name: f.Name, Description: f.Description, Parameters: string(f.Parameters)})
	}
	return req, nil
}

// flatten turns a message's content (absent, null, a string, or a list of parts) into its text.
func flatten(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	var text *string
	if err := json.Unmarshal(raw, &text); err == nil {
		if text == nil {
			return "", nil
		}
		return *text, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), nil
}
