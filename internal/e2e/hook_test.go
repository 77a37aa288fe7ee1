package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/e2e/model"
)

// ownHookRuns: a hook of the user's own runs beside ours, is asked only about what its matcher names, gets its
// environment, and may deny; one that changes a call is judged by our guard as it left the call.
func ownHookRuns(h *home) {
	seen := filepath.Join(h.dir, "seen")
	deny := filepath.Join(h.bin, "deny")
	h.writeFile(deny, `#!/bin/sh
in=$(cat)
echo "$MODE $1" >>"`+seen+`"
case $in in
*forbidden*) echo '{"permissionDecision": "deny", "permissionDecisionReason": "mine says no"}' ;;
*swapme*) echo '{"modifiedArgs": {"command": "git `+push+`"}}' ;;
esac
`)
	if err := os.Chmod(deny, 0o755); err != nil {
		h.t.Fatal(err)
	}
	h.switchTo(guarded + fmt.Sprintf(`
hook "preToolUse" {
  exec       = %q
  args       = ["one argument"]
  matcher    = "bash"
  timeoutSec = 10
  env        = { MODE = "strict" }
}
hook "after" {
  event   = "postToolUse"
  command = "echo after >>'%s'"
}
`, deny, seen))
	r := h.prompt("go", []model.Turn{model.Bash("echo forbidden", "echo allowed", "echo swapme")})
	if got := r.toolResult(h.t, 0, 0); !strings.Contains(got, "mine says no") {
		h.t.Errorf("the user's hook did not deny: %q", got)
	}
	if got := r.toolResult(h.t, 0, 1); !strings.Contains(got, "allowed") {
		h.t.Errorf("a call that nobody minds: %q", got)
	}
	if got := r.toolResult(h.t, 0, 2); h.gitRan(push) || !strings.Contains(got, "git push --force") {
		h.t.Errorf("the command that the user's hook put in was not denied: %q", got)
	}
	text := h.read(seen)
	if strings.Count(text, "strict one argument\n") != 3 || !strings.Contains(text, "after\n") {
		h.t.Errorf("the hooks were called so:\n%s", text)
	}
}
