package hook

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/session"
)

// statusLine prints the user's status line: generation, channels, model, how full the context is, what was denied, and
// whether Copilot asks before it runs a tool. What is not known is left out; a policy that cannot be read is said, because
// the user looks here.
func (a *answer) statusLine(p policy.Policy, policyErr error) int {
	s := readStatus(a.world.Stdin)
	parts := []string{generationInForce(p, s.SessionID)}
	if policyErr != nil {
		parts[0] = "agentihooks: " + policyFault(policyErr) + ", run agentihooks verify"
	}
	if len(p.Channels) > 0 {
		parts = append(parts, visible(strings.Join(p.Channels, ",")))
	}
	if s.Model != "" {
		parts = append(parts, cut(visible(s.Model), maxModel))
	}
	if s.Context >= 0 {
		parts = append(parts, "ctx "+strconv.Itoa(s.Context)+"%")
	}
	if p.StateDir != "" && s.SessionID != "" {
		if n := ledger.Denials(p.StateDir, s.SessionID); n > 0 {
			parts = append(parts, strconv.Itoa(n)+" denied")
		}
	}
	if s.AllowAll {
		parts = append(parts, "allow-all")
	}
	a.claim()
	if _, err := io.WriteString(a.world.Stdout, strings.Join(parts, " · ")+"\n"); err != nil {
		return exitFailed
	}
	return exitDone
}

// maxModel bounds the model's name, in bytes.
const maxModel = 40

// generationInForce is the live generation, and the one that the session began with if it is another: its persona and
// its hooks are still those.
func generationInForce(p policy.Policy, id string) string {
	number, ok := generation(p)
	if !ok {
		return "gen ?"
	}
	text := "gen " + strconv.Itoa(number)
	if began := session.Began(p.StateDir, id); began > 0 && began != number {
		text += " (session: " + strconv.Itoa(began) + ")"
	}
	return text
}

// status is what a status line command is told.
type status struct {
	SessionID string
	Model     string
	Context   int // how much of the context window is taken, in percent; -1 if that is not known
	AllowAll  bool
}

// readStatus reads what Copilot 1.0.83 and 1.0.102 were seen to write to a status line command. Of the context it gives
// two numbers: current_… is what the next request will hold, used_percentage the sum of the session, and null until the
// first answer. A field of another type is not known.
func readStatus(stdin io.Reader) status {
	s := status{Context: -1}
	data, err := readAll(stdin, maxPayload)
	if err != nil {
		return s
	}
	var given struct {
		SessionID any `json:"session_id"`
		Model     struct {
			Name any `json:"display_name"`
			ID   any `json:"id"`
		}
		AllowAll any `json:"allow_all_enabled"`
		Window   struct {
			Current any `json:"current_context_used_percentage"`
			Used    any `json:"used_percentage"`
		} `json:"context_window"`
	}
	var other *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &given); err != nil && !errors.As(err, &other) {
		return s
	}
	s.SessionID, _ = given.SessionID.(string)
	s.AllowAll, _ = given.AllowAll.(bool)
	if s.Model, _ = given.Model.Name.(string); s.Model == "" {
		s.Model, _ = given.Model.ID.(string)
	}
	for _, field := range []any{given.Window.Current, given.Window.Used} {
		if value, ok := field.(float64); ok && value >= 0 && value < 1000 {
			s.Context = int(value + 0.5)
			break
		}
	}
	return s
}

// policyFault says in a few words why there is no policy.
func policyFault(err error) string {
	if errors.Is(err, policy.ErrNewer) {
		return "policy of a newer agentihooks"
	}
	return "policy unreadable"
}
