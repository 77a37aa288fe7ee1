package hook

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/memory"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// opinion is what a guard has against a call.
type opinion struct {
	guard.Verdict
	call event.Call
}

// digest is what the opinion is known by when the call comes again.
func (o opinion) digest() memory.Digest { return digestOf(o.Guard+"\x00"+o.Rule, o.call) }

// judge answers with the strongest verdict of all guards on all calls, and the reasons of all.
//
// Guards run at permissionRequest too: there Copilot 1.0.102 shows the arguments that will run, after a repository's
// own hook may have replaced those that preToolUse saw. Nobody can be asked or warned there; that was done at
// preToolUse, and the permission dialog is asking.
func (a *answer) judge(p policy.Policy, e event.Event) int {
	opinions, kind, err := a.opinions(p, e)
	if err != nil {
		return a.fail("its guard "+kind+" cannot be used", err.Error())
	}
	if a.event != event.PreToolUse {
		if strongest(opinions) == guard.Deny {
			return a.deny(reasons(opinions), entries(opinions)...)
		}
		return a.silent()
	}
	if opinions, err = a.remembering(p, e, opinions); err != nil {
		return a.refuse("its memory of the session cannot be used", err.Error(), renew)
	}
	switch strongest(opinions) {
	case guard.Deny, guard.Warn:
		return a.deny(reasons(opinions), entries(opinions)...)
	case guard.Ask:
		if slices.ContainsFunc(opinions, func(o opinion) bool { return o.Kind == guard.Warn }) {
			return a.deny(reasons(opinions), entries(opinions)...)
		}
		return a.ask(reasons(opinions), entries(opinions)...)
	}
	return a.tell(p, e, withReminders(reasons(opinions), p, e), entries(opinions)...)
}

// opinions asks every guard about every call. With an error it names the guard.
func (a *answer) opinions(p policy.Policy, e event.Event) (out []opinion, kind string, err error) {
	for _, c := range e.Calls {
		call := guardCall(a.world, p, e, c)
		for _, g := range p.Guards {
			v, err := a.world.Judge(g.Kind, g.Data, call)
			if err != nil {
				return nil, g.Kind, err
			}
			if v.Kind == guard.Pass {
				continue
			}
			v.Guard = g.Kind
			v.Kind = min(v.Kind, guard.Deny) // a verdict of no release that we know is a denial
			if v.Reason == "" {              // the model would read "No reason provided"
				v.Reason = "agentihooks: refused by the guard " + g.Kind
			}
			out = append(out, opinion{v, c})
		}
	}
	return out, "", nil
}

// remembering is the opinions that are left once warnings that were given before are taken out, and remembers the calls
// if they will run.
func (a *answer) remembering(p policy.Policy, e event.Event, opinions []opinion) ([]opinion, error) {
	m, err := remembered(p, e, true)
	if err != nil || m == nil {
		return opinions, err
	}
	defer m.Close()
	if opinions, err = forgive(m, opinions); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(opinions, func(o opinion) bool { return o.Kind == guard.Deny || o.Kind == guard.Warn }) {
		err = remember(m, e)
	}
	return opinions, err
}

func strongest(opinions []opinion) guard.VerdictKind {
	kind := guard.Pass
	for _, o := range opinions {
		kind = max(kind, o.Kind)
	}
	return kind
}

func entries(opinions []opinion) []ledger.Entry {
	var out []ledger.Entry
	for _, o := range opinions {
		out = append(out, entryOf(o))
	}
	return out
}

// reasons is what all opinions say, the strongest first, each once.
func reasons(opinions []opinion) string {
	var out []string
	for kind := guard.Deny; kind > guard.Pass; kind-- {
		for _, o := range opinions {
			if o.Kind == kind && !slices.Contains(out, o.Reason) {
				out = append(out, o.Reason)
			}
		}
	}
	return strings.Join(out, "\n")
}
