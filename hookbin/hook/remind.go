package hook

import (
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/session"
)

// withReminders is text and what the session is to be told again at this tool call. A policy without reminders counts
// nothing; a call that cannot be counted is no reason to hold up an agent.
func withReminders(text string, p policy.Policy, e event.Event) string {
	if len(p.Reminders) == 0 || p.StateDir == "" || e.SessionID == "" {
		return text
	}
	calls, err := session.Count(p.StateDir, e.SessionID)
	if err != nil {
		return text
	}
	for _, r := range p.Reminders {
		if calls%r.Every == 0 {
			text += "\nagentihooks: reminder " + visible(r.Name) + ", set by the user: " + strings.TrimSpace(r.Text)
		}
	}
	return strings.TrimPrefix(text, "\n")
}
