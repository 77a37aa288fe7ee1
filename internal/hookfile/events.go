package hookfile

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/nearest"
)

// Events are the events that the Copilot CLI loads hooks for, 1.0.80 to 1.0.102: it drops others with a line in its
// debug log. Those with true ask the hook's matcher first.
var Events = map[string]bool{
	"agentStop": false, "errorOccurred": false, "notification": true, "permissionRequest": true, "postToolUse": true,
	"postToolUseFailure": true, "preCompact": false, "preMcpToolCall": true, "preToolUse": true, "sessionEnd": false,
	"sessionStart": false, "subagentStart": true, "subagentStop": false, "userPromptSubmitted": false, "userPromptTransformed": false,
}

// EventNames are the names of Events, sorted.
func EventNames() []string { return slices.Sorted(maps.Keys(Events)) }

// claudeNames are events of Claude Code that have another name here, in lower case.
var claudeNames = map[string]string{"stop": "agentStop", "userpromptsubmit": "userPromptSubmitted"}

// NearestEvent is the event that was probably meant, or nothing.
func NearestEvent(name string) string {
	for _, known := range EventNames() {
		if strings.EqualFold(known, strings.ReplaceAll(name, "_", "")) {
			return known
		}
	}
	if known := claudeNames[strings.ToLower(strings.ReplaceAll(name, "_", ""))]; known != "" {
		return known
	}
	return nearest.Name(name, EventNames())
}
