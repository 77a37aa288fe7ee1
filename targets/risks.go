package targets

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/targets/target"
)

// Risks is the power that a change from one tree to another gives: what every target says, and what the guards no
// longer deny. Either reader may be nil.
func Risks(before, after target.Reader) []target.Risk {
	var out []target.Risk
	for _, t := range All() {
		out = append(out, t.Risks(before, after)...)
	}
	was, now := guards(before), guards(after)
	for _, g := range was {
		i := slices.IndexFunc(now, func(o policy.Guard) bool { return o.Kind == g.Kind })
		if i < 0 {
			out = append(out, target.Risk{Text: fmt.Sprintf("guard %q is gone: %s", g.Kind, guard.Describe(g.Kind, g.Data))})
			continue
		}
		for _, text := range weaker(g, now[i]) {
			out = append(out, target.Risk{Text: text})
		}
	}
	return out
}

// guards is the guards of a tree's policy. A policy that cannot be read has none.
func guards(read target.Reader) []policy.Guard {
	if read == nil {
		return nil
	}
	data, _ := read(PolicyPath)
	p, err := policy.Decode(data)
	if err != nil {
		return nil
	}
	return p.Guards
}

// weaker says what a guard denied and no longer denies. A guard that cannot be taken apart counts as weaker if it
// changed at all.
func weaker(was, now policy.Guard) []string {
	if bytes.Equal(was.Data, now.Data) {
		return nil
	}
	before, errBefore := guard.Denied(was.Kind, was.Data)
	after, errAfter := guard.Denied(now.Kind, now.Data)
	if errBefore != nil || errAfter != nil {
		return []string{fmt.Sprintf("guard %q changed: it was %s", was.Kind, guard.Describe(was.Kind, was.Data))}
	}
	var out []string
	for _, d := range before {
		if !slices.Contains(after, d) {
			out = append(out, fmt.Sprintf("guard %q no longer denies %s", was.Kind, d))
		}
	}
	return out
}
