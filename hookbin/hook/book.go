package hook

import (
	"time"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// recordTime bounds how long the process stays for its ledger, on a disk that hangs.
const recordTime = 100 * time.Millisecond

// book is where verdicts are recorded, and what they are about.
type book struct {
	state, session string
	tool           string // where it is only one
}

func newBook(p policy.Policy, e event.Event) *book {
	b := &book{state: p.StateDir, session: e.SessionID}
	if len(e.Calls) == 1 {
		b.tool = e.Calls[0].Tool
	}
	return b
}

// entryOf is what the ledger says of a verdict. Its reason is not the guard's own text, which shows the command.
func entryOf(o opinion) ledger.Entry {
	e := ledger.Entry{Tool: o.call.Tool, Guard: o.Guard, Verdict: "deny", Reason: o.Rule}
	switch o.Kind {
	case guard.Note:
		e.Verdict = "note"
	case guard.Warn:
		e.Verdict = "warn"
	case guard.Ask:
		e.Verdict = "ask"
	}
	return e
}

// record writes verdicts into the ledger. They are given by then, and nothing that happens here may change them: no
// full or hanging disk, and no panic. A policy without a state folder has no ledger.
func (a *answer) record(verdicts []ledger.Entry) {
	b := a.book.Load()
	if b == nil || b.state == "" || len(verdicts) == 0 {
		return
	}
	for i := range verdicts {
		v := &verdicts[i]
		v.Time, v.Event = a.world.Now(), string(a.event)
		if v.Tool == "" {
			v.Tool = b.tool
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		_ = a.world.Record(b.state, b.session, verdicts...) // there is nobody to tell
	}()
	select {
	case <-done:
	case <-time.After(recordTime):
	}
}
