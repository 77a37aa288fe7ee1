package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// The exit codes.
const (
	exitDone        = 0
	exitError       = 1
	exitUsage       = 2
	exitCollision   = 3
	exitDifferences = 4
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// inputError is a manifest with faults.
type inputError struct {
	list  diag.List
	texts map[string][]byte
}

func (e inputError) Error() string { return "the manifest has errors" }

// errDifferences ends a command with exit code 4. It has printed all that there is to say.
var errDifferences = errors.New("there are differences")

// schema is the version of all JSON shapes.
const schema = 1

// failure is what a failed command prints with --json.
type failure struct {
	Schema     int                  `json:"schema"`
	Changed    *bool                `json:"changed,omitempty"`
	Collisions []activate.Collision `json:"collisions,omitempty"`
	Errors     []message            `json:"errors"`
}

// message is a diagnostic in JSON.
type message struct {
	Code    string `json:"code"`
	Summary string `json:"summary"`
	Detail  string `json:"detail"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

func messages(l diag.List, severity diag.Severity) []message {
	out := []message{}
	for _, d := range l.Sorted() {
		if d.Severity == severity {
			out = append(out, message{d.Code, d.Summary, d.Detail, d.Subject.File, d.Subject.Start.Line, d.Subject.Start.Column})
		}
	}
	return out
}

// report prints an error as its kind asks for and returns the exit code.
func (a *app) report(err error) int {
	if errors.Is(err, errDifferences) {
		return exitDifferences
	}
	if errors.Is(err, errFound) {
		return exitError
	}
	code, out := exitError, failure{Schema: schema, Errors: []message{}}
	var (
		usage     usageError
		input     inputError
		collision *activate.CollisionError
		risk      riskError
	)
	switch {
	case errors.As(err, &usage):
		code = exitUsage
		out.Errors = append(out.Errors, message{Code: "usage", Summary: err.Error(), Detail: `Run "agentihooks --help" for the commands and flags.`})
	case errors.As(err, &input):
		out.Errors = messages(input.list, diag.Error)
	case errors.As(err, &collision):
		code = exitCollision
		changed := false
		out.Changed, out.Collisions = &changed, collision.Collisions
		out.Errors = append(out.Errors, message{Code: "collision", Summary: "something is in the way that is not ours", Detail: err.Error()})
	case errors.As(err, &risk):
		changed := false
		out.Changed, out.Errors = &changed, risk.messages()
	default:
		out.Errors = append(out.Errors, message{Code: "failed", Summary: err.Error()})
	}
	switch {
	case a.json && a.stdout.fault == nil:
		a.printJSON(out)
	case errors.As(err, &input):
		a.printer(input.texts).Print(input.list)
	case risk.risks != nil:
		a.printDenied(risk.Error(), risk.risks)
	case collision != nil:
		a.printCollisions("nothing was written, because something is in the way that is not ours:", collision.Collisions)
	default:
		fmt.Fprintf(a.stderr, "agentihooks: %s\n", diag.Escape(err.Error()))
		if code == exitUsage {
			fmt.Fprintln(a.stderr, out.Errors[0].Detail)
		}
	}
	return code
}

// printJSON writes the one object of a command. A write error has nowhere to go but the exit code of the shell's pipe.
func (a *app) printJSON(v any) {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

func (a *app) printer(texts map[string][]byte) diag.Printer {
	return diag.Printer{W: a.stderr, Texts: texts, Color: a.colored(a.stderr)}
}

// printCollisions says what stands in the way, all of it, and what to do about it.
func (a *app) printCollisions(head string, all []activate.Collision) {
	fmt.Fprintf(a.stderr, "agentihooks: %s\n", head)
	for _, c := range all {
		fmt.Fprintf(a.stderr, "  %s\n", diag.EscapeLine(c.String()))
	}
}
