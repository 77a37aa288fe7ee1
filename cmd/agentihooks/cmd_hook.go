package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/internal/diag"
)

func hookCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "hook",
		Short: "Show what the hook said",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return usagef("name what to do: tail") },
	}
	tail := hookTail(a)
	tail.Args = usageArgs(tail.Args)
	c.AddCommand(tail)
	return c
}

// tailPause is how long a follower waits before it looks again.
const tailPause = 200 * time.Millisecond

func hookTail(a *app) *cobra.Command {
	var session string
	var number int
	var follow bool
	c := &cobra.Command{
		Use:   "tail",
		Short: "Print the newest verdicts of the hook, of all sessions",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if number < 0 {
				return usagef("-n is how many verdicts to print, not %d", number)
			}
			if follow && a.json {
				return usagef("--json prints one object, and --follow has no end: leave one of them out")
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			f := ledger.Follow(home.state.Dir())
			ofSession := func(e ledger.Entry) bool { return strings.HasPrefix(e.Session, session) }
			entries, odd, err := f.Next(number, ofSession)
			if err != nil {
				return fmt.Errorf("reading the verdicts: %w", err)
			}
			if a.json {
				a.printJSON(struct {
					Schema   int       `json:"schema"`
					Verdicts []verdict `json:"verdicts"`
					OddLines int       `json:"oddLines"`
				}{schema, verdictsOf(entries), odd})
				return nil
			}
			a.printVerdicts(entries)
			a.printOdd(odd)
			if !follow {
				if len(entries) == 0 {
					fmt.Fprintln(a.stdout, "there are no verdicts: the hook denied nothing, asked nothing and noted nothing")
				}
				return nil
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return a.followVerdicts(ctx, f, ofSession)
		},
	}
	c.Flags().StringVar(&session, "session", "", "only of the sessions whose id begins so")
	c.Flags().IntVarP(&number, "number", "n", 20, "how many")
	c.Flags().BoolVar(&follow, "follow", false, "go on as verdicts come, until interrupted")
	return c
}

// followVerdicts prints what comes until it is interrupted or nobody reads any more.
func (a *app) followVerdicts(ctx context.Context, f *ledger.Follower, want func(ledger.Entry) bool) error {
	for a.stdout.fault == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tailPause):
		}
		entries, odd, err := f.Next(math.MaxInt, want)
		if err != nil {
			return fmt.Errorf("reading the verdicts: %w", err)
		}
		a.printVerdicts(entries)
		a.printOdd(odd)
	}
	return nil
}

// verdict is a verdict of the hook as the interface shows it.
type verdict struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Event   string    `json:"event"`
	Tool    string    `json:"tool"`
	Guard   string    `json:"guard"`
	Verdict string    `json:"verdict"`
	Reason  string    `json:"reason"`
}

func verdictsOf(entries []ledger.Entry) []verdict {
	out := []verdict{}
	for _, e := range entries {
		out = append(out, verdict{e.Time, e.Session, e.Event, e.Tool, e.Guard, e.Verdict, e.Reason})
	}
	return out
}

func (a *app) printVerdicts(entries []ledger.Entry) {
	for _, e := range entries {
		fmt.Fprintf(a.stdout, "%s  %s  %s\n", e.Time.Format(timeFormat), diag.EscapeLine(cmp.Or(e.Session, "-")), verdictText(e))
	}
}

// verdictText is one line: "deny bash: commands: git push --force (preToolUse)".
func verdictText(e ledger.Entry) string {
	text := e.Verdict + " " + cmp.Or(e.Tool, "a call") + ": " + cmp.Or(e.Guard, "the hook itself")
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return diag.EscapeLine(text + " (" + e.Event + ")")
}

func (a *app) printOdd(n int) {
	if n > 0 {
		fmt.Fprintf(a.stderr, "%d lines are not of a hook of this release, and are left out\n", n)
	}
}
