package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/memory"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// memoryWait bounds how long an event waits for another of its session, which holds the memory for well under a
// millisecond.
const memoryWait = time.Second

// remembered opens the memory of the session; nil where there is none to open: the policy has no state folder, the folder
// is gone (after `agentihooks uninstall` the hook may still run for a moment), or the event names no session.
func remembered(p policy.Policy, e event.Event, create bool) (*memory.Memory, error) {
	if p.StateDir == "" || e.SessionID == "" {
		return nil, nil
	}
	m, err := memory.Open(p.StateDir, e.SessionID, create, memoryWait)
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Lstat(p.StateDir); !create || errors.Is(gone, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return m, err
}

// digestOf is what a call is known by from one event to the next: its tool and its arguments, in whatever order.
func digestOf(about string, c event.Call) memory.Digest {
	sum := sha256.New()
	part := func(data []byte) {
		length := len(data)
		sum.Write([]byte{byte(length >> 24), byte(length >> 16), byte(length >> 8), byte(length)})
		sum.Write(data)
	}
	part([]byte(about))
	part([]byte(c.Tool))
	part([]byte(c.Text))
	for _, name := range slices.Sorted(maps.Keys(c.Args)) {
		var value bytes.Buffer
		if json.Compact(&value, c.Args[name]) != nil {
			value.Write(c.Args[name])
		}
		part([]byte(name))
		part(value.Bytes())
	}
	var d memory.Digest
	copy(d[:], sum.Sum(nil))
	return d
}

// forgive takes out the warnings that were given before for the very same calls, each of which counts once, and remembers
// those that are given now. A denial beside them leaves them as they are: the call does not run anyway.
func forgive(m *memory.Memory, opinions []opinion) ([]opinion, error) {
	if m == nil || strongest(opinions) == guard.Deny {
		return opinions, nil
	}
	var kept []opinion
	for _, o := range opinions {
		if o.Kind == guard.Warn {
			had, err := m.Take(memory.Warned, o.digest())
			if err != nil {
				return nil, err
			}
			if had {
				continue
			}
		}
		kept = append(kept, o)
	}
	if !slices.ContainsFunc(kept, func(o opinion) bool { return o.Kind == guard.Warn }) {
		return kept, nil
	}
	for _, o := range opinions {
		if o.Kind == guard.Warn {
			if err := m.Add(memory.Warned, o.digest()); err != nil {
				return nil, err
			}
		}
	}
	return opinions, nil
}

// remember keeps the calls that are let through, for overtaken to compare with.
func remember(m *memory.Memory, e event.Event) error {
	if m == nil {
		return nil
	}
	for _, c := range e.Calls {
		if err := m.Add(memory.Judged, digestOf("", c)); err != nil {
			return err
		}
	}
	return nil
}

// failedCall is the part of a digest that stands for the call, failedHow the rest: how it failed.
const (
	failedCall = 20
	failedHow  = len(memory.Digest{}) - failedCall
)

// failures is how often a call failed in the same way, with nothing that succeeded since; 0 where nothing is known.
func failures(p policy.Policy, e event.Event, c event.Call) int {
	m, err := remembered(p, e, false)
	if err != nil || m == nil {
		return 0
	}
	defer m.Close()
	d := digestOf("failed", c)
	return m.Most(memory.Failed, d[:failedCall])
}

// learn remembers calls that failed, for the guard "retry". One that succeeds makes up for a failure of each of the others,
// and for all of its own: something has changed. Reading changes nothing.
func learn(m *memory.Memory, p policy.Policy, e event.Event) {
	if !slices.ContainsFunc(p.Guards, func(g policy.Guard) bool { return g.Kind == "retry" }) {
		return
	}
	failure := e.Failure()
	for _, c := range e.Calls {
		d := digestOf("failed", c)
		if failure == "" {
			if !slices.Contains([]string{"view", "grep", "glob", "read_bash"}, c.Tool) {
				_ = m.Thin(memory.Failed, d[:failedCall]) // what is not forgotten counts once more, and no more than that
			}
			continue
		}
		how := sha256.Sum256([]byte(failure))
		copy(d[failedCall:], how[:failedHow])
		_ = m.Add(memory.Failed, d)
	}
}

// overtaken answers a tool call that has run. A hook of a repository that the user trusts runs after ours, and can replace
// the arguments that the guards judged (`modifiedArgs`, tried on 1.0.102); no permissionRequest follows for what only
// reads. Then the result is kept from the agent. Nothing is said where nothing is known.
//
// What a background shell has written is handed over as a call of read_bash that no preToolUse comes before (1.0.92 and
// 1.0.102).
func (a *answer) overtaken(p policy.Policy, e event.Event) int {
	m, err := remembered(p, e, false)
	if err != nil || m == nil {
		return a.silent()
	}
	defer m.Close()
	learn(m, p, e)
	for _, c := range e.Calls {
		known, err := m.Take(memory.Judged, digestOf("", c))
		if err == nil && !known && a.event == event.PostToolUse && c.Tool != "read_bash" {
			return a.hide(c)
		}
	}
	return a.silent()
}

// hide keeps the result of a call from the agent.
func (a *answer) hide(c event.Call) int {
	reason := "agentihooks: another hook changed the arguments of this " + visible(c.Tool) + " call after the guards had judged it, " +
		"so that what ran is not what was allowed. Its result is withheld. Tell the user, who can look for hooks in this repository's " +
		".github/hooks, .github/copilot and .claude folders."
	a.claim()
	a.write(output{Block: "block", Because: message(reason)})
	a.record([]ledger.Entry{{Tool: c.Tool, Verdict: "deny", Reason: "another hook changed the arguments after the guards had judged them"}})
	return exitDone
}
