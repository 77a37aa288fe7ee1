package hook

import (
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// judge lets every guard see every call. The first denial ends it.
//
// Guards run at permissionRequest too: there Copilot 1.0.102 shows the arguments that will run, after a repository's
// own hook may have replaced those that preToolUse saw. Nobody can be asked there; the user was, at preToolUse, and
// the permission dialog is asking.
func (a *answer) judge(p policy.Policy, e event.Event) int {
	var question string
	var notes []string
	var verdicts []ledger.Entry
	for _, call := range e.Calls {
		for _, g := range p.Guards {
			v, err := a.world.Judge(g.Kind, g.Data, guard.Call{Tool: call.Tool, Command: call.Command})
			if err != nil {
				return a.fail("its guard "+g.Kind+" cannot be used", err.Error())
			}
			if v.Kind != guard.Pass {
				verdicts = append(verdicts, entryOf(call, g, v))
			}
			switch v.Kind {
			case guard.Pass:
			case guard.Note:
				notes = append(notes, v.Reason)
			case guard.Ask:
				if question == "" {
					question = reasonText(v, g)
				}
			default:
				return a.deny(reasonText(v, g), verdicts...)
			}
		}
	}
	switch {
	case a.event != event.PreToolUse:
		return a.silent()
	case question != "":
		return a.ask(question, verdicts...)
	}
	return a.tell(p, e, strings.Join(notes, "\n"), verdicts...)
}

// reasonText is the guard's reason. A denial without one reads "No reason provided" at the model.
func reasonText(v guard.Verdict, g policy.Guard) string {
	if v.Reason == "" {
		return "agentihooks: refused by the guard " + g.Kind
	}
	return v.Reason
}
