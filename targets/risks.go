package targets

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/targets/target"
)

// Risks is the power that a change from one tree to another gives: what every target says, the commands that secrets are
// read from, and what the guards no longer deny. Either reader may be nil.
func Risks(before, after target.Reader) []target.Risk {
	var out []target.Risk
	for _, t := range All() {
		out = append(out, t.Risks(before, after)...)
	}
	was, now := compiled(before), compiled(after)
	for _, s := range now.Secrets {
		old := slices.IndexFunc(was.Secrets, func(o policy.Secret) bool { return o.Name == s.Name && slices.Equal(o.Command, s.Command) })
		if len(s.Command) > 0 && old < 0 {
			out = append(out, target.Risk{Kind: target.RiskSecretCommand, Text: fmt.Sprintf("secret %q is now read from the command %q", s.Name, s.Command)})
		}
	}
	for _, g := range was.Guards {
		i := slices.IndexFunc(now.Guards, func(o policy.Guard) bool { return o.Kind == g.Kind })
		if i < 0 {
			out = append(out, target.Risk{Kind: target.RiskGuard, Text: fmt.Sprintf("guard %q is gone: %s", g.Kind, guard.Describe(g.Kind, g.Data))})
			continue
		}
		for _, text := range weaker(g, now.Guards[i]) {
			out = append(out, target.Risk{Kind: target.RiskGuard, Text: text})
		}
	}
	return out
}

// compiled is a tree's policy. One that cannot be read has nothing.
func compiled(read target.Reader) policy.Policy {
	if read == nil {
		return policy.Policy{}
	}
	data, _ := read(PolicyPath)
	p, err := policy.Decode(data)
	if err != nil {
		return policy.Policy{}
	}
	return p
}

// weaker says what a guard denied and no longer denies. A guard that cannot be taken apart counts as weaker if it
// changed at all.
func weaker(was, now policy.Guard) []string {
	if bytes.Equal(was.Data, now.Data) {
		return nil
	}
	before, strength, errBefore := guard.Denied(was.Kind, was.Data)
	after, weakened, errAfter := guard.Denied(now.Kind, now.Data)
	if errBefore != nil || errAfter != nil {
		return []string{fmt.Sprintf("guard %q changed: it was %s", was.Kind, guard.Describe(was.Kind, was.Data))}
	}
	var out []string
	if weakened < strength {
		out = append(out, fmt.Sprintf("guard %q no longer denies: %s", now.Kind, guard.Describe(now.Kind, now.Data)))
	}
	for _, d := range before {
		if !slices.Contains(after, d) {
			out = append(out, fmt.Sprintf("guard %q no longer denies %s", was.Kind, d))
		}
	}
	return out
}
