// Package sessionlog reads the logs that the GitHub Copilot CLI keeps of its sessions: $COPILOT_HOME/session-state/<id>/events.jsonl,
// one event a line.
package sessionlog

import (
	"errors"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// Session is what a log tells of its session. The sums are of all of it, the lists hold the newest of each.
type Session struct {
	ID      string // as the log says
	Version string // of Copilot, when the session began
	Started time.Time
	Last    time.Time // of the last event
	Ended   bool      // Copilot wrote that it ended; it may be resumed
	Resumed int       // so many times
	Cwd     string
	Branch  string
	Model   string // the last one of the main agent

	Turns     int // prompts of the user; what hooks, skills and agents say to the model is none
	Calls     int // of tools, those of subagents included
	Failed    int // of these
	Denied    int // of these: by a hook, by a permission, or by the user
	Errors    int // failed calls, and whatever else went wrong
	Subagents int
	Usage     Usage

	TurnList  []Turn
	CallList  []*Call
	FaultList []Fault

	// IDs are the session ids that hooks were given, sorted. Subagents have others than the session (seen on 1.0.80 to
	// 1.0.102).
	IDs []string

	Bad int  // lines that are no events
	Cut bool // the last line has no end: it is still being written, or was when Copilot died
}

// Usage is what the models were asked and said, in tokens. Before 1.0.102 it is only known of a session that has ended,
// but for the output on 1.0.80.
type Usage struct {
	Requests   int64
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
}

// Turn is a prompt of the user, and what came of it. Texts are cut.
type Turn struct {
	Number int
	At     time.Time
	Prompt string
	Reply  string // the last thing that the main agent said
}

// The outcomes of a call.
const (
	Open   = "open" // it runs, or Copilot died
	OK     = "ok"
	Failed = "failed"
	Denied = "denied"
)

// Call is a tool call.
type Call struct {
	Turn    int
	At      time.Time
	Took    time.Duration
	Tool    string
	Agent   string // the subagent's id, empty in the main agent
	Outcome string
	Exit    *int   // of a shell, if it is known; a command that fails is no failed call
	Message string // why it failed or was denied; cut
}

// Fault is something that went wrong. The message is cut.
type Fault struct {
	Turn    int
	At      time.Time
	Kind    string // tool, hook, subagent, session
	Message string
}

// ErrNoLog is the error for a file without any event in it.
var ErrNoLog = errors.New("no session log of the Copilot CLI")

// Bounds of what is kept of one session.
const (
	maxText = 2000 // bytes of a prompt, a reply, a message
	maxName = 200  // bytes of a name
	maxOpen = 1000 // calls at a time
	maxIDs  = 1000
)

// Read reads a log to its end and keeps so many of its newest turns, calls and faults. Lines that are no events are
// counted and passed over; with no event at all the error is ErrNoLog.
func Read(r io.Reader, keep int) (Session, error) {
	f := newFold(keep)
	for in := newLines(r); ; {
		line, whole, tooLong, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Session{}, err
		}
		e, ok := decode(line)
		switch {
		case ok && !tooLong:
			f.add(e)
		case !whole:
			f.Cut = true
		default:
			f.Bad++
		}
	}
	if f.events == 0 {
		return Session{}, ErrNoLog
	}
	return f.end(), nil
}

// Started is when the session of a log began, read from its first lines.
func Started(r io.Reader) (time.Time, error) {
	in := newLines(r)
	for range 5 {
		line, _, _, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return time.Time{}, err
		}
		if e, ok := decode(line); ok {
			f := newFold(0)
			f.add(e)
			return f.Started, nil
		}
	}
	return time.Time{}, ErrNoLog
}

// end is the session after its last event.
func (f *fold) end() Session {
	f.Usage = f.usage()
	f.TurnList, f.CallList, f.FaultList = f.turns.newest(), f.calls.newest(), f.faults.newest()
	for id := range f.ids {
		f.IDs = append(f.IDs, id)
	}
	slices.Sort(f.IDs)
	return f.Session
}

// newest keeps the newest of many.
type newest[T any] struct {
	limit int
	all   []T
}

func (n *newest[T]) add(v T) {
	n.all = append(n.all, v)
	if len(n.all) > 2*n.limit {
		n.all = append(n.all[:0:0], n.newest()...)
	}
}

func (n *newest[T]) newest() []T { return n.all[max(0, len(n.all)-n.limit):] }

// cut is text within limit bytes, with a mark where its end is missing.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
