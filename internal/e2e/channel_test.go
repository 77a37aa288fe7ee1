package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// messagesReachTheModel: a message that was published before a prompt is in what the model sees, once, though the start of
// the session and its first prompt are two events at once; not again with the session's next prompt; and again in another
// session. One that is sent while the agent works comes with the next tool call, if it is urgent. The agent acknowledges
// for its own session.
func messagesReachTheModel(h *home) {
	h.switchTo("channels = [\"oncall\"]\n" + unguarded)
	id := h.publish("--channel", "oncall", "message-kestrel")
	h.publish("--channel", "elsewhere", "--severity", "nuclear", "message-merganser")
	check := func(what string, r result, words map[string]int) {
		h.t.Helper()
		text := r.last(h.t).Text()
		for word, want := range words {
			if got := strings.Count(text, word); got != want {
				h.t.Errorf("%s: the model sees %s %d times, want %d", what, word, got, want)
			}
		}
	}
	ours := h.tools.agentihooks
	r := h.prompt("go", []modelserver.Turn{
		modelserver.Bash(
			ours+" channel publish --severity critical message-$(echo avocet)",
			ours+" channel publish --severity info message-$(echo curlew)",
			ours+" channel clear --all; echo \"clear gave $?\"",
			ours+" channel ack "+id,
		),
		modelserver.Bash("true", "true"),
	})
	check("the first session", r, map[string]int{"| message-kestrel": 1, "message-merganser": 0, "| message-avocet": 1, "| message-curlew": 0})
	if got := r.toolResult(h.t, 0, 2); !strings.Contains(got, "clear gave 1") {
		h.t.Errorf("the agent may take messages back: %q", got)
	}
	if got := r.toolResult(h.t, 0, 3); !strings.Contains(got, "gets "+id+" no more") {
		h.t.Errorf("the agent's acknowledgement: %q", got)
	}
	if readers, err := os.ReadDir(filepath.Join(h.dir, ".local/state/agentihooks/channels/readers")); err != nil || len(readers) != 1 {
		h.t.Errorf("what is acknowledged is not of the session that was handed the message: %v, %v", readers, err)
	}
	// Of the context of hooks a session that is continued keeps that of its prompt (1.0.80 to 1.0.92), or none (1.0.102).
	again := h.prompt("go on", nil, "--continue")
	for _, word := range []string{"| message-kestrel", "| message-avocet"} {
		if n := strings.Count(again.last(h.t).Text(), word); n > 1 {
			h.t.Errorf("its next prompt: the model sees %s %d times", word, n)
		}
	}
	check("its next prompt", again, map[string]int{"| message-curlew": 1})
	check("another session", h.prompt("go", nil), map[string]int{"| message-kestrel": 1, "| message-avocet": 1, "| message-curlew": 1})
}

// publish sends a message and returns its id.
func (h *home) publish(args ...string) string {
	h.t.Helper()
	r := h.agentihooks(append([]string{"channel", "publish"}, args...)...)
	if r.code != 0 {
		h.t.Fatal(fmt.Sprint(r.stderr))
	}
	return strings.TrimSpace(r.stdout)
}
