package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/sessionlog"
)

// timeFormat is how a time is printed; times are in UTC.
const timeFormat = "2006-01-02 15:04:05Z"

func sessionsCommand(a *app) *cobra.Command {
	var number int
	c := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions of the Copilot CLI, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if number < 0 {
				return usagef("-n is how many sessions to list, not %d", number)
			}
			copilotHome, err := a.copilotHome()
			if err != nil {
				return err
			}
			logs, faults := sessionlog.List(copilotHome)
			if number > 0 && len(logs) > number {
				logs = logs[:number]
			}
			rows := []sessionRow{}
			for _, l := range logs {
				s, err := l.Read(0)
				if err != nil {
					faults = append(faults, err)
					continue
				}
				rows = append(rows, rowOf(l.ID, s))
			}
			a.printSessions(rows, faults)
			return nil
		},
	}
	c.Flags().IntVarP(&number, "number", "n", 20, "how many; 0: all")
	c.AddCommand(sessionsShow(a))
	return c
}

// copilotHome is where the Copilot CLI of this user keeps its files.
func (a *app) copilotHome() (string, error) {
	local, err := facts.Read(a.env, nil)
	if err != nil {
		return "", fmt.Errorf("reading the facts of this machine: %w", err)
	}
	return local.CopilotHome, nil
}

// sessionRow is a session as the interface shows it.
type sessionRow struct {
	ID        string    `json:"id"`
	StartedAt time.Time `json:"startedAt"`
	LastAt    time.Time `json:"lastAt"` // of the last event
	Ended     bool      `json:"ended"`
	Resumed   int       `json:"resumed"`
	Version   string    `json:"version"`
	Cwd       string    `json:"cwd"`
	Branch    string    `json:"branch"`
	Model     string    `json:"model"`
	Turns     int       `json:"turns"`
	Calls     int       `json:"calls"`
	Failed    int       `json:"failed"`
	Denied    int       `json:"denied"`
	Errors    int       `json:"errors"`
	Subagents int       `json:"subagents"`
	Tokens    tokens    `json:"tokens"`
}

type tokens struct {
	Requests   int64 `json:"requests"`
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
}

func rowOf(id string, s sessionlog.Session) sessionRow {
	return sessionRow{
		id, s.Started, s.Last, s.Ended, s.Resumed, s.Version, s.Cwd, s.Branch, s.Model,
		s.Turns, s.Calls, s.Failed, s.Denied, s.Errors, s.Subagents, tokens(s.Usage),
	}
}

func (a *app) printSessions(rows []sessionRow, faults []error) {
	if a.json {
		warnings := []string{}
		for _, err := range faults {
			warnings = append(warnings, err.Error())
		}
		a.printJSON(struct {
			Schema   int          `json:"schema"`
			Sessions []sessionRow `json:"sessions"`
			Warnings []string     `json:"warnings"`
		}{schema, rows, warnings})
		return
	}
	for _, err := range faults {
		fmt.Fprintf(a.stderr, "left out: %s\n", diag.EscapeLine(err.Error()))
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stdout, "there are no sessions")
		return
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STARTED\tID\tTURNS\tCALLS\tDENIED\tERRORS\tMODEL\tFOLDER")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", r.StartedAt.Format(timeFormat), diag.EscapeLine(shortID(r.ID, rows)),
			r.Turns, r.Calls, r.Denied, r.Errors, diag.EscapeLine(cmp.Or(r.Model, "-")), diag.EscapeLine(cmp.Or(r.Cwd, "-")))
	}
	_ = w.Flush() // stdout keeps its error
}

// shortID is as much of an id as tells it from the others of the list.
func shortID(id string, rows []sessionRow) string {
	const short = 8
	if len(id) <= short {
		return id
	}
	for _, r := range rows {
		if r.ID != id && strings.HasPrefix(r.ID, id[:short]) {
			return id
		}
	}
	return id[:short]
}
