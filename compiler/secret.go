package compiler

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// secretMark is on every value that a secret went into. The value itself is a reference, never the secret.
type secretMark struct{ name string }

// factMark is on every unknown value, and names the fact that it waits for.
type factMark struct{ name string }

// onlyMark is on the result of only([…]).
type onlyMark struct{}

// changedMark is on the result of a function that changes texts, if a secret was among its arguments: trimspace gives
// a reference back as it is, but would have had to trim the secret.
type changedMark struct{}

// reference is the text that stands for a secret inside the compiler. No one writes it by accident, and functions
// that change case break it.
func reference(name string) string { return "${sEcret." + name + "}" }

// secretsOf is the names of the secrets among marks, sorted.
func secretsOf(marks cty.ValueMarks) []string {
	var out []string
	for m := range marks {
		if s, ok := m.(secretMark); ok {
			out = append(out, s.name)
		}
	}
	slices.Sort(out)
	return out
}

// factsOf is the names of the unknown facts among marks, sorted.
func factsOf(marks cty.ValueMarks) []string {
	var out []string
	for m := range marks {
		if f, ok := m.(factMark); ok {
			out = append(out, f.name)
		}
	}
	slices.Sort(out)
	return out
}

// split cuts a text at the references to the named secrets. found is the names that it holds.
func split(text string, names []string) (parts []model.Part, found []string) {
	for text != "" {
		at, which := -1, ""
		for _, n := range names {
			if i := strings.Index(text, reference(n)); i >= 0 && (at < 0 || i < at) {
				at, which = i, n
			}
		}
		if at < 0 {
			parts = append(parts, model.Part{Literal: text})
			break
		}
		if at > 0 {
			parts = append(parts, model.Part{Literal: text[:at]})
		}
		parts = append(parts, model.Part{Secret: which})
		if !slices.Contains(found, which) {
			found = append(found, which)
		}
		text = text[at+len(reference(which)):]
	}
	return parts, found
}

// findSecret is where an expression names a secret, or names the local or variable that does; second is then where
// the secret itself is named.
func (ev *evaluator) findSecret(e *expr, name string) (first, second diag.Range) {
	seen := map[*expr]bool{}
	var search func(*expr) diag.Range
	search = func(e *expr) diag.Range {
		if e == nil || seen[e] {
			return diag.Range{}
		}
		seen[e] = true
		for _, t := range e.syntax.Variables() {
			n, _ := step(t)
			if t.RootName() == "secret" && n == name {
				return rangeOf(t.SourceRange())
			}
		}
		for _, t := range e.syntax.Variables() {
			if r := search(ev.behind(e.scope, t)); !r.IsZero() {
				second = r
				return rangeOf(t.SourceRange())
			}
		}
		return diag.Range{}
	}
	if first = search(e); first.IsZero() {
		first = rangeOf(e.syntax.Range())
	}
	return first, second
}

// misplaced reports a secret where none may be.
func (c *converter) misplaced(name string, o origin, what string) {
	c.secretFault(name, o, "secret-not-allowed", "The secret `"+name+"` cannot be used in "+what,
		"It would be written into a file that the agent can read. Secrets may stand in `env`, `headers` and `url` of an `mcp` block and in `env` and `headers` of a `hook` only. Remove it here.")
}

// broken reports a secret that something was computed from.
func (c *converter) broken(name string, o origin, what string) {
	c.secretFault(name, o, "secret-changed", "The secret `"+name+"` is computed with in "+what,
		"Its value is not known when the manifest is compiled, so it can only be put into a text as it is, as in \"Bearer ${secret."+name+"}\". Do not cut, change or compare it.")
}

func (c *converter) secretFault(name string, o origin, code, summary, detail string) {
	at, through := c.ev.findSecret(o.written, name)
	if c.reported[at] {
		return
	}
	c.reported[at] = true
	c.diags.Errorf(at, code, summary, "%s", detail)
	if !through.IsZero() {
		also(*c.diags, "the secret comes from here", through)
	}
}
