package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/sessionlog"
)

func sessionsShow(a *app) *cobra.Command {
	var number int
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show what happened in one session; the beginning of its id is enough",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] == "" {
				return usagef("name a session")
			}
			if number < 1 {
				return usagef("-n is how many of the newest turns, calls and errors to show, not %d", number)
			}
			copilotHome, err := a.copilotHome()
			if err != nil {
				return err
			}
			log, err := sessionlog.Find(copilotHome, args[0])
			if err != nil {
				return err
			}
			s, err := log.Read(number)
			if err != nil {
				return err
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			verdicts, full, err := verdictsOfSession(home, log.ID, s)
			if err != nil {
				return fmt.Errorf("reading the verdicts: %w", err)
			}
			if a.json {
				a.printJSON(shownOf(log.ID, s, verdicts, full))
				return nil
			}
			a.printSession(rowOf(log.ID, s), s, verdicts, full)
			return nil
		},
	}
	c.Flags().IntVarP(&number, "number", "n", 200, "how many of the newest turns, calls and errors")
	return c
}

// verdictsOfSession is what the hook said in a session and in its subagents, which have ids of their own, in the order
// of time. Full says that later verdicts are not recorded.
func verdictsOfSession(home home, id string, s sessionlog.Session) (all []ledger.Entry, full bool, err error) {
	ids := append([]string{id}, s.IDs...)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		l := ledger.Of(home.state.Dir(), id)
		entries, _, err := l.Next()
		if err != nil {
			return nil, false, err
		}
		all, full = append(all, entries...), full || l.Full
	}
	slices.SortStableFunc(all, func(a, b ledger.Entry) int { return a.Time.Compare(b.Time) })
	return all, full, nil
}

// shownSession is a whole session as the interface shows it. The lists hold the newest; the numbers count all.
type shownSession struct {
	Schema       int          `json:"schema"`
	Session      sessionRow   `json:"session"`
	Turns        []shownTurn  `json:"turns"`
	Calls        []shownCall  `json:"calls"`
	Errors       []shownError `json:"errors"`
	Verdicts     []verdict    `json:"verdicts"`
	VerdictsFull bool         `json:"verdictsFull"` // later ones are not recorded
	BadLines     int          `json:"badLines"`
	Cut          bool         `json:"cut"` // the last line of the log has no end
}

type shownTurn struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	Prompt string    `json:"prompt"`
	Reply  string    `json:"reply"`
}

type shownCall struct {
	Turn     int       `json:"turn"`
	At       time.Time `json:"at"`
	Took     int64     `json:"ms"`
	Tool     string    `json:"tool"`
	Agent    string    `json:"agent"`
	Outcome  string    `json:"outcome"` // open, ok, failed, denied
	ExitCode *int      `json:"exitCode"`
	Message  string    `json:"message"`
}

type shownError struct {
	Turn    int       `json:"turn"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // tool, hook, subagent, session
	Message string    `json:"message"`
}

func shownOf(id string, s sessionlog.Session, verdicts []ledger.Entry, full bool) shownSession {
	out := shownSession{
		Schema: schema, Session: rowOf(id, s), Turns: []shownTurn{}, Calls: []shownCall{}, Errors: []shownError{},
		Verdicts: verdictsOf(verdicts), VerdictsFull: full, BadLines: s.Bad, Cut: s.Cut,
	}
	for _, t := range s.TurnList {
		out.Turns = append(out.Turns, shownTurn(t))
	}
	for _, c := range s.CallList {
		out.Calls = append(out.Calls, shownCall{c.Turn, c.At, c.Took.Milliseconds(), c.Tool, c.Agent, c.Outcome, c.Exit, c.Message})
	}
	for _, f := range s.FaultList {
		out.Errors = append(out.Errors, shownError(f))
	}
	return out
}

// maxShown bounds a text in the printed form, in characters; --json has more of it.
const maxShown = 200

func (a *app) printSession(r sessionRow, s sessionlog.Session, verdicts []ledger.Entry, full bool) {
	line := func(name, text string) { fmt.Fprintf(a.stdout, "%-9s %s\n", name, diag.EscapeLine(text)) }
	line("session", r.ID)
	line("started", r.StartedAt.Format(timeFormat))
	last := r.LastAt.Format(timeFormat)
	if r.Ended {
		last += ", ended"
	}
	if r.Resumed > 0 {
		last += fmt.Sprintf(", resumed %d times", r.Resumed)
	}
	line("last", last)
	line("copilot", cmp.Or(r.Version, "-"))
	line("model", cmp.Or(r.Model, "-"))
	line("folder", strings.TrimSpace(cmp.Or(r.Cwd, "-")+" "+r.Branch))
	line("counts", fmt.Sprintf("%d turns, %d calls (%d failed, %d denied), %d errors, %d subagents", r.Turns, r.Calls, r.Failed, r.Denied, r.Errors, r.Subagents))
	line("tokens", fmt.Sprintf("%d in, %d out, %d read from the cache, %d written to it, in %d requests",
		r.Tokens.Input, r.Tokens.Output, r.Tokens.CacheRead, r.Tokens.CacheWrite, r.Tokens.Requests))
	a.printTurns(s)
	if len(verdicts) > 0 {
		fmt.Fprintln(a.stdout, "\nverdicts of the hook")
	}
	for _, e := range verdicts {
		fmt.Fprintf(a.stdout, "  %s  %s\n", e.Time.Format(time.TimeOnly), verdictText(e))
	}
	if full {
		fmt.Fprintln(a.stderr, "the hook's record of this session is full: later verdicts are not in it")
	}
	if s.Bad > 0 {
		fmt.Fprintf(a.stderr, "%d lines of the log could not be read, and are left out\n", s.Bad)
	}
}

// printTurns prints calls and errors below the turn that they belong to. What came before the first turn that is kept
// comes first.
func (a *app) printTurns(s sessionlog.Session) {
	calls, faults := s.CallList, s.FaultList
	below := func(turn int) {
		for len(calls) > 0 && calls[0].Turn <= turn {
			a.printCall(calls[0])
			calls = calls[1:]
		}
		for len(faults) > 0 && faults[0].Turn <= turn {
			if faults[0].Kind != "tool" { // the call says it
				fmt.Fprintf(a.stdout, "  %s  error: %s: %s\n", faults[0].At.Format(time.TimeOnly), faults[0].Kind, oneLine(faults[0].Message))
			}
			faults = faults[1:]
		}
	}
	first := s.Turns + 1
	if len(s.TurnList) > 0 {
		first = s.TurnList[0].Number
	}
	below(first - 1)
	for _, t := range s.TurnList {
		fmt.Fprintf(a.stdout, "\nturn %d  %s  %s\n", t.Number, t.At.Format(timeFormat), oneLine(t.Prompt))
		below(t.Number)
		if t.Reply != "" {
			fmt.Fprintf(a.stdout, "  reply: %s\n", oneLine(t.Reply))
		}
	}
}

func (a *app) printCall(c *sessionlog.Call) {
	text := c.Tool + ": " + c.Outcome
	if c.Exit != nil && *c.Exit != 0 {
		text += fmt.Sprintf(", exit code %d", *c.Exit)
	}
	if c.Agent != "" {
		text += ", in a subagent"
	}
	if c.Message != "" {
		text += ": " + c.Message
	}
	fmt.Fprintf(a.stdout, "  %s  %s\n", c.At.Format(time.TimeOnly), oneLine(text))
}

// oneLine is text in one line, cut, with nothing in it that could fool a terminal.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + "…"
	}
	return diag.EscapeLine(text)
}
