package hook

import (
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// judge lets every guard see every call, and answers with the strongest verdict and the reasons of all.
//
// Guards run at permissionRequest too: there Copilot 1.0.102 shows the arguments that will run, after a repository's
// own hook may have replaced those that preToolUse saw. Nobody can be asked there; the user was, at preToolUse, and
// the permission dialog is asking.
func (a *answer) judge(p policy.Policy, e event.Event) int {
	var verdicts []guard.Verdict
	var entries []ledger.Entry
	strongest := guard.Pass
	for _, c := range e.Calls {
		call := guardCall(a.world, p, e, c)
		for _, g := range p.Guards {
			v, err := a.world.Judge(g.Kind, g.Data, call)
			if err != nil {
				return a.fail("its guard "+g.Kind+" cannot be used", err.Error())
			}
			if v.Kind == guard.Pass {
				continue
			}
			v.Kind = min(v.Kind, guard.Deny) // a verdict of no release that we know is a denial
			if v.Reason == "" {              // the model would read "No reason provided"
				v.Reason = "agentihooks: refused by the guard " + g.Kind
			}
			strongest = max(strongest, v.Kind)
			verdicts, entries = append(verdicts, v), append(entries, entryOf(c, g, v))
		}
	}
	switch {
	case strongest == guard.Deny, strongest == guard.Warn && a.event == event.PreToolUse:
		return a.deny(reasons(verdicts), entries...)
	case a.event != event.PreToolUse:
		return a.silent()
	case strongest == guard.Ask:
		return a.ask(reasons(verdicts), entries...)
	}
	return a.tell(p, e, withReminders(reasons(verdicts), p, e), entries...)
}

// reasons is what all verdicts say, the strongest first, each once.
func reasons(verdicts []guard.Verdict) string {
	var out []string
	said := map[string]bool{}
	for kind := guard.Deny; kind > guard.Pass; kind-- {
		for _, v := range verdicts {
			if v.Kind == kind && !said[v.Reason] {
				said[v.Reason] = true
				out = append(out, v.Reason)
			}
		}
	}
	return strings.Join(out, "\n")
}
