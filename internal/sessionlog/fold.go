package sessionlog

import (
	"strings"
	"time"
)

// fold sums up events in their order.
type fold struct {
	Session
	events int
	turns  newest[Turn]
	calls  newest[*Call]
	faults newest[Fault]
	open   map[string]*Call // by the call's id
	ids    map[string]bool
	reply  bool // the assistant spoke in this turn

	// Tokens are told in several ways, each more complete than the one before; some events are written together, so
	// that only one way counts. A shutdown has the sum so far.
	before Usage
	told   [3]Usage // by assistant.message, assistant.usage, session.usage_record since the last shutdown
}

func newFold(keep int) *fold {
	return &fold{
		turns: newest[Turn]{limit: keep}, calls: newest[*Call]{limit: keep}, faults: newest[Fault]{limit: keep},
		open: map[string]*Call{}, ids: map[string]bool{},
	}
}

func (f *fold) add(e event) {
	f.events++
	at := e.Timestamp.Time
	if at.After(f.Last) {
		f.Last = at
	}
	if f.Started.IsZero() {
		f.Started = at
	}
	if e.Ephemeral && e.Type != "assistant.usage" { // what is shown while it happens, and told again after
		return
	}
	switch e.Type {
	case "session.start", "session.resume", "session.context_changed":
		f.begin(e)
	case "session.model_change":
		var d modelData
		e.into(&d)
		f.model(e, d.NewModel)
	case "session.shutdown":
		f.shutdown(e)
	case "user.message":
		f.user(e)
	case "assistant.message", "session.task_complete":
		f.assistant(e)
	case "assistant.usage", "session.usage_record":
		f.used(e)
	case "tool.execution_start":
		f.called(e)
	case "tool.execution_complete":
		f.returned(e)
	case "subagent.started":
		f.Subagents++
	case "hook.start":
		var d hookData
		e.into(&d)
		f.id(d.Input.SessionID)
	case "session.error", "subagent.failed", "hook.end":
		f.fault(e)
	}
}

func (f *fold) begin(e event) {
	var d startData
	e.into(&d)
	f.Ended = false
	if e.Type == "session.resume" {
		f.Resumed++
	}
	if e.Type == "session.start" && f.ID == "" {
		f.ID, f.Version = cut(d.SessionID, maxName), cut(d.CopilotVersion, maxName)
		f.id(d.SessionID)
		if !d.StartTime.IsZero() {
			f.Started = d.StartTime.Time
		}
	}
	if d.Context.Cwd == "" {
		d.Context = d.place
	}
	if d.Context.Cwd != "" {
		f.Cwd, f.Branch = cut(d.Context.Cwd, maxText), cut(d.Context.Branch, maxName)
	}
	f.model(e, d.SelectedModel)
}

// model notes the main agent's model.
func (f *fold) model(e event, name string) {
	if name != "" && e.AgentID == "" {
		f.Model = cut(name, maxName)
	}
}

// id notes a session id that a hook was given.
func (f *fold) id(id string) {
	if id != "" && len(f.ids) < maxIDs {
		f.ids[id] = true
	}
}

func (f *fold) user(e event) {
	var d userData
	e.into(&d)
	if d.Source != "" || d.Continuation || e.AgentID != "" {
		return
	}
	f.Turns++
	f.reply = false
	f.turns.add(Turn{Number: f.Turns, At: e.Timestamp.Time, Prompt: cut(d.Content, maxText)})
}

// assistant notes what the main agent said. The summary of session.task_complete says it again, so it counts only in a
// turn without a message.
func (f *fold) assistant(e event) {
	var d assistantData
	e.into(&d)
	text := d.Content
	if e.Type == "session.task_complete" {
		if f.reply {
			return
		}
		text = d.Summary
	} else {
		f.told[0].Output += max(0, d.OutputTokens)
		f.reply = f.reply || e.AgentID == ""
	}
	f.model(e, d.Model)
	if n := len(f.turns.all); n > 0 && e.AgentID == "" && strings.TrimSpace(text) != "" {
		f.turns.all[n-1].Reply = cut(text, maxText)
	}
}

func (f *fold) called(e event) {
	var d toolData
	e.into(&d)
	f.call(e, d)
}

// call notes a call when it begins, or when it ends and its beginning is not in the log.
func (f *fold) call(e event, d toolData) *Call {
	f.Calls++
	c := &Call{
		Turn: f.Turns, At: e.Timestamp.Time, Tool: cut(d.ToolName, maxName), Agent: cut(e.AgentID, maxName), Outcome: Open,
	}
	f.calls.add(c)
	if len(f.open) >= maxOpen { // calls that never end: no log that Copilot writes
		f.open = map[string]*Call{}
	}
	f.open[d.ToolCallID] = c
	return c
}

func (f *fold) returned(e event) {
	var d toolData
	e.into(&d)
	c := f.open[d.ToolCallID]
	if c == nil {
		c = f.call(e, d)
	}
	delete(f.open, d.ToolCallID)
	c.Took = max(0, e.Timestamp.Sub(c.At))
	c.Exit = d.exitCode()
	c.Message = cut(d.Error.Message, maxText)
	switch {
	case d.Success:
		c.Outcome = OK
	case d.Error.Code == "denied": // by a hook on 1.0.83 and 1.0.102
		c.Outcome = Denied
		f.Denied++
	default:
		c.Outcome = Failed
		f.Failed++
		f.wrong(e.Timestamp.Time, "tool", c.Tool+": "+d.Error.Message)
	}
}

func (f *fold) fault(e event) {
	var d faultData
	e.into(&d)
	switch {
	case e.Type == "session.error":
		f.wrong(e.Timestamp.Time, "session", d.ErrorType+": "+d.Message)
	case e.Type == "subagent.failed":
		f.wrong(e.Timestamp.Time, "subagent", d.AgentName+": "+string(d.Error))
	case d.Success != nil && !*d.Success:
		f.wrong(e.Timestamp.Time, "hook", d.HookType+": "+string(d.Error))
	}
}

func (f *fold) wrong(at time.Time, kind, message string) {
	f.Errors++
	f.faults.add(Fault{f.Turns, at, kind, cut(message, maxText)})
}

func (f *fold) shutdown(e event) {
	var d shutdownData
	e.into(&d)
	var sum Usage
	for _, m := range d.ModelMetrics {
		sum.add(m.Usage)
		sum.Requests += max(0, m.Requests.Count)
	}
	if sum == (Usage{}) {
		sum = f.usage()
	}
	f.before, f.told, f.Ended = sum, [3]Usage{}, true
	var fault faultData
	if e.into(&fault); fault.ErrorReason != "" {
		f.wrong(e.Timestamp.Time, "session", "shutdown: "+fault.ErrorReason)
	}
}

func (f *fold) used(e event) {
	var d usageData
	e.into(&d)
	told, tokens := &f.told[1], d.tokenData
	if e.Type == "session.usage_record" {
		told, tokens = &f.told[2], d.Usage
	}
	told.add(tokens)
	told.Requests++
}

// usage is the most complete of what was told.
func (f *fold) usage() Usage {
	sum := f.before
	for i := len(f.told) - 1; i >= 0; i-- {
		if told := f.told[i]; told != (Usage{}) {
			sum.Requests += told.Requests
			sum.add(tokenData{told.Input, told.Output, told.CacheRead, told.CacheWrite})
			break
		}
	}
	return sum
}

func (u *Usage) add(t tokenData) {
	u.Input += max(0, t.Input)
	u.Output += max(0, t.Output)
	u.CacheRead += max(0, t.CacheRead)
	u.CacheWrite += max(0, t.CacheWrite)
}
