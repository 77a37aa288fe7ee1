package copilot

import (
	"fmt"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// hooksPath is the hooks file in the tree.
const hooksPath = "copilot/hooks/agentihooks.json"

// timeoutSec is how long Copilot waits for the hook, in seconds. It lets a tool call through when that time is over
// (1.0.80 to 1.0.102), so the hook's own deadline is shorter.
const timeoutSec = 30

// events are those that the hook is registered for, in the spelling that makes Copilot 1.0.80 to 1.0.102 send its
// own field and tool names.
var events = []string{
	"sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure",
	"agentStop", "subagentStart", "subagentStop", "preCompact", "permissionRequest", "notification",
}

// hooks registers the hook. There is no matcher: a guard decides inside the hook, and Copilot skips an entry whose
// matcher it does not like without a word. `exec` starts the program without a shell.
func (r *renderer) hooks() {
	if !r.hooksOn() {
		if guards := r.in.Machine.Guards; len(guards) > 0 {
			r.diags.Warnf(r.attr("hooks").Origin, "guards-off", "the guards do not run", "Without the hook nothing asks them. Set `hooks` to true, or remove the guards.")
		}
		return
	}
	at := r.in.Block.Origin
	r.file(hooksPath, registration(r.in.Hook), false, at)
	r.link(r.home("hooks", "agentihooks.json"), hooksPath, at)
}

func (r *renderer) hooksOn() bool {
	on := r.attr("hooks")
	return on.Kind != model.KindBool || on.Bool
}

// registration is the hooks file, one line an event, so that a diff of it can be read.
func registration(hook string) []byte {
	type entry struct {
		Type       string   `json:"type"`
		Exec       string   `json:"exec"`
		Args       []string `json:"args"`
		TimeoutSec int      `json:"timeoutSec"`
	}
	lines := make([]string, 0, len(events))
	for _, event := range events {
		line := compact([]entry{{"command", hook, []string{"copilot", event}, timeoutSec}})
		lines = append(lines, fmt.Sprintf("    %q: %s", event, line))
	}
	return []byte("{\n  \"version\": 1,\n  \"hooks\": {\n" + strings.Join(lines, ",\n") + "\n  }\n}\n")
}
