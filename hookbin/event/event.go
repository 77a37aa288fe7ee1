// Package event turns what an agent sends to its hooks into one vocabulary of events, tools and arguments.
package event

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Name is the name of an event in Copilot's camelCase spelling.
type Name string

// The events that the hook does something at. All others are known by their spelling only.
const (
	SessionStart        Name = "sessionStart"
	SessionEnd          Name = "sessionEnd"
	UserPromptSubmitted Name = "userPromptSubmitted"
	SubagentStart       Name = "subagentStart"
	PreToolUse          Name = "preToolUse"
	PermissionRequest   Name = "permissionRequest"
	PostToolUse         Name = "postToolUse"
	PostToolUseFailure  Name = "postToolUseFailure"
	StatusLine          Name = "statusLine" // no event: the CLI's status line command
)

// Guarded reports whether a verdict on the event can keep a tool call from running.
func (n Name) Guarded() bool { return n == PreToolUse || n == PermissionRequest }

// OnlyTells reports whether the hook does nothing at the event but hand messages over.
func (n Name) OnlyTells() bool { return n == UserPromptSubmitted || n == SubagentStart }

// Parse is the event that a registration names, in either spelling. Pascal reports the spelling of Claude Code, which
// Copilot 1.0.80 to 1.0.102 also takes ("PreToolUse", "Stop"). An unknown name is returned as it is.
func Parse(given string) (name Name, pascal bool) {
	switch given {
	case "Stop":
		return "agentStop", true
	case "UserPromptSubmit":
		return UserPromptSubmitted, true
	case "SessionStart", "SessionEnd", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest",
		"PreMcpToolCall", "SubagentStart", "SubagentStop", "PreCompact", "Notification", "ErrorOccurred":
		return Name(strings.ToLower(given[:1]) + given[1:]), true
	}
	return Name(given), false
}

// Event is one payload. Fields that the payload does not have are empty.
type Event struct {
	Name      Name
	SessionID string // in a subagent on Copilot before 1.0.102 the id of the tool call that started it
	AgentID   string // set in a subagent, on Copilot from 1.0.102
	Cwd       string
	Calls     []Call // the tool calls that the event is about, most often one

	fields map[string]json.RawMessage // the payload, for what few ask
}

// Decode reads a payload. The name comes from the registration: most payloads do not have it. A payload is unreadable
// if it is no JSON object in UTF-8; a guarded event also if a preToolUse names no tool, or a shell call has no command
// that a guard could judge (a shell call whose arguments were no JSON arrives at postToolUseFailure without any).
func Decode(name Name, data []byte) (Event, error) {
	if len(data) == 0 {
		return Event{}, errors.New("the payload is empty")
	}
	fields, err := object(data)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Name:      name,
		SessionID: text(fields, "sessionId", "session_id"),
		AgentID:   text(fields, "agentId", "agent_id"),
		Cwd:       text(fields, "cwd", "workspaceRoot", "workspace_root"),
		fields:    fields,
	}
	if tool := text(fields, "toolName", "tool_name"); tool != "" {
		if server := text(fields, "serverName", "server_name"); server != "" {
			tool = server + "/" + tool
		}
		call, err := newCall(tool, fields, "toolArgs", "tool_input", "toolInput", "tool_args", "arguments")
		if err != nil {
			return Event{}, err
		}
		e.Calls = append(e.Calls, call)
	}
	if e.Calls, err = appendBatch(e.Calls, fields); err != nil {
		return Event{}, err
	}
	if name == PreToolUse && len(e.Calls) == 0 {
		return Event{}, errors.New("the payload names no tool")
	}
	if name.Guarded() && slices.ContainsFunc(e.Calls, func(c Call) bool { return c.hidden }) {
		return Event{}, errors.New("the payload has a shell call without a readable command")
	}
	return e, nil
}

// appendBatch appends the calls of a toolCalls list. No Copilot from 1.0.80 to 1.0.102 sends one to a hook, but it is
// what their own session log shows.
func appendBatch(calls []Call, fields map[string]json.RawMessage) ([]Call, error) {
	for _, key := range []string{"toolCalls", "tool_calls"} {
		raw, ok := fields[key]
		if !ok {
			continue
		}
		var batch []map[string]json.RawMessage
		if err := json.Unmarshal(raw, &batch); err != nil {
			return nil, errors.New("the payload's list of tool calls is malformed")
		}
		for _, item := range batch {
			tool := text(item, "name", "toolName", "tool_name")
			if tool == "" {
				return nil, errors.New("the payload has a tool call that names no tool")
			}
			call, err := newCall(tool, item, "args", "toolArgs", "tool_input", "input", "arguments")
			if err != nil {
				return nil, err
			}
			calls = append(calls, call)
		}
	}
	return calls, nil
}

// object is the members of a JSON object by their exact names. A struct would not do: encoding/json takes "TOOLNAME"
// for "toolName" there.
func object(data []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the payload is not UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return nil, errors.New("the payload is no JSON object")
	}
	return fields, nil
}

// text is the first of the named fields that holds a string with something in it.
func text(fields map[string]json.RawMessage, keys ...string) string {
	for _, key := range keys {
		if s, ok := stringOf(fields[key]); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// stringOf is the string that raw is, if it is one.
func stringOf(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
