package hook

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// statusLine prints the user's status line: generation, channels, and how full the context is. What is not known is
// left out; a policy that cannot be read is said, because the user looks here.
func (a *answer) statusLine(p policy.Policy, policyErr error) int {
	line := "gen ?"
	if number, ok := generation(p); ok {
		line = "gen " + strconv.Itoa(number)
	}
	if policyErr != nil {
		line = "agentihooks: " + policyFault(policyErr) + ", run agentihooks verify"
	}
	if len(p.Channels) > 0 {
		line += " · " + visible(strings.Join(p.Channels, ","))
	}
	if percent, ok := contextUse(a.world.Stdin); ok {
		line += " · ctx " + strconv.Itoa(percent) + "%"
	}
	a.claim()
	if _, err := io.WriteString(a.world.Stdout, line+"\n"); err != nil {
		return exitFailed
	}
	return exitDone
}

// contextUse is how much of the context window is taken, in percent. Copilot 1.0.83 and 1.0.102 give both numbers
// (seen on stdin of a status line command): current_… is what the next request will hold, used_percentage the sum of
// the session, and null until the first answer.
func contextUse(stdin io.Reader) (percent int, ok bool) {
	data, err := readAll(stdin, maxPayload)
	if err != nil {
		return 0, false
	}
	var status struct {
		Window struct {
			Current any `json:"current_context_used_percentage"`
			Used    any `json:"used_percentage"`
		} `json:"context_window"`
	}
	if json.Unmarshal(data, &status) != nil {
		return 0, false
	}
	for _, field := range []any{status.Window.Current, status.Window.Used} {
		if value, ok := field.(float64); ok && value >= 0 && value < 1000 {
			return int(value + 0.5), true
		}
	}
	return 0, false
}

// policyFault says in a few words why there is no policy.
func policyFault(err error) string {
	if errors.Is(err, policy.ErrNewer) {
		return "policy of a newer agentihooks"
	}
	return "policy unreadable"
}
