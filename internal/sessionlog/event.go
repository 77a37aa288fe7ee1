package sessionlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// event is one line of a log, as far as it matters here. What a line does not have is zero.
type event struct {
	Type      string
	Timestamp moment
	AgentID   string `json:"agentId"` // in a subagent
	Ephemeral bool
	Data      json.RawMessage
}

// decode reads a line. It is an event if it is a JSON object with a type that has a dot in it: all types of Copilot
// 1.0.80 to 1.0.102 that tell of a session have one, and no other program's log has.
func decode(line []byte) (event, bool) {
	var e event
	err := json.Unmarshal(bytes.TrimPrefix(line, []byte("\ufeff")), &e)
	return e, usable(err) && strings.Contains(e.Type, ".")
}

// into reads the data of an event. A field of another type than expected stays zero.
func (e event) into(v any) { _ = json.Unmarshal(e.Data, v) }

// usable reports whether everything was read but fields of another type than expected.
func usable(err error) bool {
	var other *json.UnmarshalTypeError
	return err == nil || errors.As(err, &other)
}

// moment is a time that is zero where it cannot be read.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			m.Time = t.UTC()
		}
	}
	return nil
}

// The data of the events that are looked at, as Copilot 1.0.80 to 1.0.102 writes them (seen in their logs), but for
// session.error, subagent.failed, session.task_complete and assistant.usage: these are in the schema of 1.0.102 only.

type place struct {
	Cwd    string
	Branch string
}

type startData struct { // session.start, session.resume, session.context_changed (where the place stands at the top)
	SessionID      string `json:"sessionId"`
	CopilotVersion string `json:"copilotVersion"`
	StartTime      moment `json:"startTime"`
	SelectedModel  string `json:"selectedModel"`
	Context        place
	place
}

type userData struct { // user.message
	Content      string
	Source       string // empty for what the user wrote: else system, skill-…, agent-…
	Continuation bool   `json:"isAutopilotContinuation"`
}

type assistantData struct { // assistant.message; session.task_complete has a summary
	Model        string
	Content      string
	Summary      string
	OutputTokens int64 `json:"outputTokens"` // 1.0.80
}

type toolData struct { // tool.execution_start, tool.execution_complete
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Success    bool
	Error      struct {
		Message string
		Code    string
	}
	Result struct{ Content string }
	Shell  struct {
		ExitCode *int `json:"exitCode"`
	} `json:"shellExecution"` // from 1.0.92
}

// exitMark ends the result of a shell call.
var exitMark = regexp.MustCompile(`<shellId: [^<>\s]+ completed with exit code (\d{1,3})>\s*$`)

// exitCode is how a shell ended, if that is known.
func (d toolData) exitCode() *int {
	if d.Shell.ExitCode != nil {
		return d.Shell.ExitCode
	}
	tail := d.Result.Content
	if len(tail) > 200 {
		tail = tail[len(tail)-200:]
	}
	if m := exitMark.FindStringSubmatch(tail); m != nil {
		code, _ := strconv.Atoi(m[1])
		return &code
	}
	return nil
}

type faultData struct { // session.error, subagent.failed, hook.end, session.shutdown
	Message     string
	ErrorType   string `json:"errorType"`
	AgentName   string `json:"agentName"`
	HookType    string `json:"hookType"`
	Success     *bool
	Error       faultText
	ErrorReason string `json:"errorReason"`
}

// faultText is a text, or an object with one (hook.end).
type faultText string

func (f *faultText) UnmarshalJSON(data []byte) error {
	var object struct{ Message string }
	var text string
	if json.Unmarshal(data, &text) != nil && json.Unmarshal(data, &object) == nil {
		text = object.Message
	}
	*f = faultText(text)
	return nil
}

type hookData struct { // hook.start
	Input struct {
		SessionID string `json:"sessionId"`
	}
}

type modelData struct { // session.model_change
	NewModel string `json:"newModel"`
}

type usageData struct { // assistant.usage, and session.usage_record from 1.0.102
	tokenData
	Usage tokenData
}

type tokenData struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cacheReadTokens"`
	CacheWrite int64 `json:"cacheWriteTokens"`
}

type shutdownData struct { // session.shutdown: sums over the whole session, earlier runs of it included
	ModelMetrics map[string]struct {
		Requests struct{ Count int64 }
		Usage    tokenData
	} `json:"modelMetrics"`
}
