package targets

import (
	"bytes"
	"fmt"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// DescribePolicy is an encoded policy in words, one fact a line, so that two can be compared by lines. No policy is no
// text; one that cannot be read is one line that says why.
func DescribePolicy(data []byte) []byte {
	if len(data) == 0 {
		return nil
	}
	var b bytes.Buffer
	p, err := policy.Decode(data)
	if err != nil {
		fmt.Fprintf(&b, "a policy that cannot be read: %v\n", err)
		return b.Bytes()
	}
	fmt.Fprintf(&b, "host %q\nstate folder %q\n", p.Host, p.StateDir)
	for _, c := range p.Channels {
		fmt.Fprintf(&b, "channel %q\n", c)
	}
	for _, g := range p.Guards {
		denied, mode, err := guard.Denied(g.Kind, g.Data)
		if err != nil {
			fmt.Fprintf(&b, "guard %q: %s\n", g.Kind, guard.Describe(g.Kind, g.Data))
			continue
		}
		fmt.Fprintf(&b, "guard %q\n", g.Kind)
		for _, d := range denied {
			fmt.Fprintf(&b, "guard %q %s %q\n", g.Kind, mode.Verb(), d)
		}
	}
	for _, r := range p.Reminders {
		fmt.Fprintf(&b, "reminder %q every %d calls: %q\n", r.Name, r.Every, r.Text)
	}
	if p.ProjectRules {
		fmt.Fprintln(&b, "a repository's own instructions are handed over")
	}
	for _, s := range p.Secrets {
		switch {
		case s.Env != "":
			fmt.Fprintf(&b, "secret %q is read from the variable %q\n", s.Name, s.Env)
		case s.File != "":
			fmt.Fprintf(&b, "secret %q is read from the file %q\n", s.Name, s.File)
		default:
			fmt.Fprintf(&b, "secret %q is read from the command %q\n", s.Name, s.Command)
		}
	}
	return b.Bytes()
}
