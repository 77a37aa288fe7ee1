package hook

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/channel"
	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
)

// maxPayload bounds what is read from stdin, in bytes.
const maxPayload = 32 << 20

// repair ends every refusal that no guard asked for.
const repair = "To be safe, the call is refused. If that goes on, ask the user to run `agentihooks verify` " +
	"and then `agentihooks switch` in their own terminal."

// renew ends a refusal where it is only this session that lacks something.
const renew = "To be safe, the call is refused. If that goes on, ask the user to look for a full disk, and to start a new session."

// answer is the one verdict of the process on one event. The main goroutine and the deadline may both come to a
// verdict; only the first gives it.
type answer struct {
	world World
	event event.Name
	// pascal is the spelling of the registration. With it Copilot also reads hookSpecificOutput, and there first.
	pascal bool
	taken  atomic.Bool
	book   atomic.Pointer[book] // nil until the policy is read; the deadline may come before
}

// answerEvent answers the event that the registration names. The deadline starts first: from here on nothing, not
// even a disk that hangs, can let a call through by taking too long.
func answerEvent(w World, given string) (code int) {
	a := &answer{world: w}
	a.event, a.pascal = event.Parse(given)
	switch a.event {
	case event.PreToolUse, event.PermissionRequest, event.SessionStart, event.SessionEnd, event.StatusLine,
		event.UserPromptSubmitted, event.SubagentStart, event.PostToolUse, event.PostToolUseFailure:
	default:
		return exitDone
	}
	timer := time.AfterFunc(w.Deadline, a.expire)
	defer timer.Stop()
	defer func() {
		if fault := recover(); fault != nil {
			code = a.fail("its check broke down", faultText(fault))
		}
	}()
	p, err := loadPolicy(w)
	if a.event == event.StatusLine {
		return a.statusLine(p, err)
	}
	if err != nil {
		return a.fail("its policy cannot be read", err.Error())
	}
	a.book.Store(&book{state: p.StateDir})
	if a.event.OnlyTells() && !channel.Any(p.StateDir) {
		return a.silent()
	}
	data, err := readAll(w.Stdin, maxPayload)
	if err != nil {
		return a.fail("what the agent sent cannot be read", err.Error())
	}
	e, err := event.Decode(a.event, data)
	if err != nil {
		return a.fail("what the agent sent cannot be read", err.Error())
	}
	a.book.Store(newBook(p, e))
	switch a.event {
	case event.SessionStart:
		return a.sessionStart(p, e)
	case event.SessionEnd:
		return a.sessionEnd(p, e)
	case event.UserPromptSubmitted, event.SubagentStart:
		return a.tell(p, e, "")
	case event.PostToolUse, event.PostToolUseFailure:
		return a.overtaken(p, e)
	}
	return a.judge(p, e)
}

// claim makes the caller the one who answers. Who comes second stays here until the process ends: were it to go on,
// two objects could reach stdout, and Copilot reads two as none.
func (a *answer) claim() {
	if a.taken.Swap(true) {
		select {}
	}
}

// expire is the deadline's verdict. It runs in the timer's own goroutine.
func (a *answer) expire() {
	code := a.failureCode()
	defer func() {
		if recover() != nil {
			a.world.Exit(code)
		}
	}()
	time.AfterFunc(a.world.Grace, func() { a.world.Exit(code) }) // if the verdict is given already, or its write blocks
	a.world.Exit(a.fail("its check took too long", ""))
}

// failureCode is the exit code where no verdict could be reached: a denial of what a verdict could have denied.
func (a *answer) failureCode() int {
	if a.event.Guarded() {
		return exitDenied
	}
	return exitDone
}

// fail answers where no verdict could be reached: a guarded event is denied, any other is left alone. The detail may
// hold anything, so it is told to the agent alone.
func (a *answer) fail(why, detail string) int { return a.refuse(why, detail, repair) }

// refuse is fail with another remedy than repair.
func (a *answer) refuse(why, detail, remedy string) int {
	if !a.event.Guarded() {
		return a.silent()
	}
	text := "agentihooks cannot judge this call: " + why
	if detail != "" {
		text += ": " + detail
	}
	return a.deny(text+". "+remedy, ledger.Entry{Verdict: "deny", Reason: why})
}

// silent is "no objection". Copilot's own permissions decide then; `allow` would switch them off and is never said.
func (a *answer) silent() int {
	a.claim()
	return exitDone
}

// output is what Copilot reads from stdout. Which fields count depends on the event.
type output struct {
	Decision string  `json:"permissionDecision,omitempty"`
	Reason   string  `json:"permissionDecisionReason,omitempty"`
	Nested   *nested `json:"hookSpecificOutput,omitempty"`
	Behavior string  `json:"behavior,omitempty"` // permissionRequest
	Message  string  `json:"message,omitempty"`  // permissionRequest
	Context  string  `json:"additionalContext,omitempty"`
	Block    string  `json:"decision,omitempty"` // postToolUse
	Because  string  `json:"reason,omitempty"`   // postToolUse
}

type nested struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

// deny refuses twice over: the object gives the reason, and the exit code denies even where the object is lost (a
// full disk, a closed pipe), so a failed write needs no care.
func (a *answer) deny(reason string, verdicts ...ledger.Entry) int {
	reason = message(reason)
	out := output{Behavior: "deny", Message: reason}
	if a.event == event.PreToolUse {
		out = a.decision("deny", reason)
	}
	a.claim()
	a.write(out)
	a.record(verdicts)
	return exitDenied
}

// ask lets the user decide. If the question cannot be delivered, the answer is no.
func (a *answer) ask(reason string, verdicts ...ledger.Entry) int {
	out := a.decision("ask", message(reason))
	a.claim()
	err := a.write(out)
	a.record(verdicts)
	if err != nil {
		return exitDenied
	}
	return exitDone
}

// context hands text to the model, and reports whether it was written.
func (a *answer) context(text string) bool {
	a.claim()
	return a.write(output{Context: text}) == nil
}

func (a *answer) decision(decision, reason string) output {
	out := output{Decision: decision, Reason: reason}
	if a.pascal {
		out.Nested = &nested{Event: "PreToolUse", Decision: decision, Reason: reason}
	}
	return out
}

func (a *answer) write(out output) error {
	data, err := json.Marshal(out)
	if err != nil {
		return err
	}
	_, err = a.world.Stdout.Write(data)
	return err
}

// faultText says what a panic was about.
func faultText(fault any) string {
	switch fault := fault.(type) {
	case error:
		return fault.Error()
	case string:
		return fault
	}
	return "no reason given"
}
