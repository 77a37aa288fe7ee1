package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/nearest"
	"github.com/agentihooks/agentihooks/targets/target"
)

// denyRiskFlag adds --deny-risk.
func denyRiskFlag(c *cobra.Command, value *[]string) {
	c.Flags().StringSliceVar(value, "deny-risk", nil, "exit 1 and write nothing if there is a risk of these kinds: all, or a list of "+strings.Join(target.Kinds(), ", "))
}

// checkKinds refuses what --deny-risk does not know.
func checkKinds(c *cobra.Command, denied []string) error {
	if c.Flags().Changed("deny-risk") && len(denied) == 0 {
		return usagef("--deny-risk needs a kind of risk: all, or a list of %s", strings.Join(target.Kinds(), ", "))
	}
	known := append(target.Kinds(), "all")
	for _, kind := range denied {
		switch n := nearest.Name(kind, known); {
		case slices.Contains(known, kind):
		case n != "":
			return usagef("--deny-risk: there is no kind of risk %q: perhaps %s is meant", kind, n)
		default:
			return usagef("--deny-risk: there is no kind of risk %q: the kinds are all, %s", kind, strings.Join(target.Kinds(), ", "))
		}
	}
	return nil
}

// deny is those of the risks whose kind is denied.
func deny(risks []target.Risk, denied []string) []target.Risk {
	var out []target.Risk
	for _, r := range risks {
		if slices.Contains(denied, "all") || slices.Contains(denied, string(r.Kind)) {
			out = append(out, r)
		}
	}
	return out
}

// riskError is a switch that --deny-risk stopped before anything was written.
type riskError struct{ risks []target.Risk }

func (e riskError) Error() string {
	return "nothing was written, because --deny-risk denies what it would give"
}

func (e riskError) messages() []message {
	var out []message
	for _, r := range e.risks {
		out = append(out, message{Code: "denied-risk", Summary: r.String(), Detail: "Nothing was written: --deny-risk denies this.", File: string(r.Dest)})
	}
	return out
}

// printDenied says what --deny-risk denies.
func (a *app) printDenied(head string, risks []target.Risk) {
	fmt.Fprintf(a.stderr, "agentihooks: %s:\n", head)
	for _, r := range risks {
		line := r.String()
		if r.Dest != "" {
			line = string(r.Dest) + ": " + line
		}
		fmt.Fprintf(a.stderr, "  %s\n", diag.EscapeLine(line))
	}
}

// placed gives each path its risks, those at it and those below it, and who has no path among them at last: no risk is
// left out, and none is said twice.
func placed(risks []target.Risk, paths []string) (at [][]string, rest []string) {
	at, rest = make([][]string, len(paths)), []string{}
	for i := range at {
		at[i] = []string{}
	}
	for _, r := range risks {
		i := slices.Index(paths, string(r.Dest))
		if i < 0 {
			i = slices.IndexFunc(paths, func(p string) bool { return strings.HasPrefix(string(r.Dest), p+"/") })
		}
		if i < 0 {
			rest = append(rest, r.String())
			continue
		}
		at[i] = append(at[i], r.String())
	}
	return at, rest
}
