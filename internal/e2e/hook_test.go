package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentihooks/agentihooks/internal/modelserver"
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
	r := h.prompt("go", []modelserver.Turn{modelserver.Bash("echo forbidden", "echo allowed", "echo swapme")})
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

// ownHooksOfEveryKind: Copilot loads each kind of hook without a complaint, runs those that there is an occasion for, and a
// secret reaches only the hook that it is for.
func ownHooksOfEveryKind(h *home) {
	var mutex sync.Mutex
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mutex.Lock()
		sent = append(sent, r.Header.Get("X-Team")+" "+r.Header.Get("X-Key")+" "+string(body))
		mutex.Unlock()
		io.WriteString(w, "{}")
	}))
	defer server.Close()
	h.env = append(h.env, "COPILOT_HOOK_ALLOW_LOCALHOST=1", "OUTER_KEY=nightjar-sandpiper")
	seen := filepath.Join(h.dir, "seen")
	h.switchTo(fmt.Sprintf(`
target "copilot" {}
secret "TOKEN" { file = %q }
secret "KEY" { env = "OUTER_KEY" }
hook "preToolUse" {
  exec    = "sh"
  args    = ["-c", "printf %%s \"$TOKEN $PLAIN\" | sha256sum >>'%s'"]
  matcher = "bash"
  env     = { TOKEN = secret.TOKEN, PLAIN = "$HOME" }
}
hook "line" {
  event   = "postToolUse"
  command = "printf %%s \"$TOKEN\" | sha256sum >>'%[2]s'"
  env     = { TOKEN = secret.TOKEN }
}
hook "sent" {
  event      = "postToolUse"
  url        = %[3]q
  headers    = { "X-Team" = "blue", "X-Key" = "key ${secret.KEY}" }
  timeoutSec = 5.5
}
hook "greeting" {
  event  = "sessionStart"
  prompt = "Read NOTES.md."
}
hook "errorOccurred" { exec = "true" }
`, h.secretFile(), seen, server.URL))
	r := h.prompt("go", []modelserver.Turn{modelserver.Bash("echo [$TOKEN]")})
	if got := r.toolResult(h.t, 0, 0); !strings.Contains(got, "[]") {
		h.t.Errorf("the agent's shell: %q", got)
	}
	text := h.read(seen)
	for _, want := range []string{secretValue + " $HOME", secretValue} {
		if sum := sha256.Sum256([]byte(want)); !strings.Contains(text, hex.EncodeToString(sum[:])) {
			h.t.Errorf("no hook saw what has the digest of %q:\n%s", want, text)
		}
	}
	mutex.Lock()
	defer mutex.Unlock()
	if len(sent) != 1 || !strings.HasPrefix(sent[0], "blue key nightjar-sandpiper {") || !strings.Contains(sent[0], "echo [$TOKEN]") {
		h.t.Errorf("sent was %q", sent)
	}
	for _, path := range h.filesWith(secretValue) {
		if path != filepath.Join(h.root, "secret") {
			h.t.Errorf("the secret stands in %s", path)
		}
	}
	h.linkCopilot()
	want := "loads all our 17 hooks"
	if h.cli.version == "1.0.80" {
		want = "cannot list its hooks"
	}
	h.wantCheck(h.doctor(), "probe", true, want)
}
