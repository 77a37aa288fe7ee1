package copilot

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
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

// hooks registers the hook, and the user's own before it: a guard then sees the call as they leave it. Ours has no
// matcher: a guard decides inside the hook, and Copilot skips an entry whose matcher it does not like without a word.
// `exec` starts the program without a shell.
func (r *renderer) hooks() {
	entries, from := r.ownHooks(), []diag.Range{}
	if r.hooksOn() {
		for _, event := range events {
			entries[event] = append(entries[event], entry{Type: "command", Exec: r.in.Hook, Args: []string{"copilot", event}, TimeoutSec: timeoutSec})
		}
		from = append(from, r.in.Block.Origin)
	} else {
		if len(r.in.Machine.Guards) > 0 {
			r.diags.Warnf(r.attr("hooks").Origin, "guards-off", "the guards do not run", "Without the hook nothing asks them. Set `hooks` to true, or remove the guards.")
		}
		if len(r.in.Machine.Reminders) > 0 || r.on("projectRules") {
			r.diags.Warnf(r.attr("hooks").Origin, "reminders-off", "no session is told anything", "Without the hook nobody hands over reminders and project rules. Set `hooks` to true, or remove them.")
		}
	}
	for _, b := range r.in.Machine.Hooks {
		from = append(from, b.Origin)
	}
	if len(entries) == 0 {
		return
	}
	r.file(hooksPath, registration(entries), false, from...)
	r.link(r.home("hooks", "agentihooks.json"), hooksPath, from...)
}

func (r *renderer) hooksOn() bool {
	on := r.attr("hooks")
	return on.Kind != model.KindBool || on.Bool
}

// registration is the hooks file, one line an event, so that a diff of it can be read.
func registration(entries map[string][]entry) []byte {
	order := slices.Clone(events)
	for _, event := range slices.Sorted(maps.Keys(entries)) {
		if !slices.Contains(order, event) {
			order = append(order, event)
		}
	}
	var lines []string
	for _, event := range order {
		if list := entries[event]; len(list) > 0 {
			lines = append(lines, fmt.Sprintf("    %q: %s", event, compact(list)))
		}
	}
	return []byte("{\n  \"version\": 1,\n  \"hooks\": {\n" + strings.Join(lines, ",\n") + "\n  }\n}\n")
}
