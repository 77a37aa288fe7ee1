package e2e

import (
	"os"
	"path/filepath"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// shellLoadsTheEnvironment: started from a bash with the lines of shell-init in it, Copilot may use its tools and the
// agent has the channels; started without them it may not.
func shellLoadsTheEnvironment(h *home) {
	h.switchTo(`
channels = ["brain", "two words", "it's $HOME"]

target "copilot" {
  allowAll = true
}
`)
	turns := []modelserver.Turn{modelserver.Bash(`printf '%s' "$AGENTIHOOKS_BASE_CHANNELS" >channels.txt`)}
	ran := filepath.Join(h.work, "channels.txt")

	r := h.session("go", turns)
	if got := r.toolResult(h.t, 0, 0); exists(ran) {
		h.t.Fatalf("the tool ran without leave, so this test shows nothing: %q", got)
	}

	init := h.agentihooks("shell-init", "bash")
	if init.code != 0 || init.stdout == "" {
		h.t.Fatalf("shell-init bash: exit %d, %q %s", init.code, init.stdout, init.stderr)
	}
	h.via = []string{"bash", "--norc", "--noprofile", "-c", init.stdout + "\nexec \"$@\"", "bash"}
	r = h.session("go", turns)
	if got := r.toolResult(h.t, 0, 0); !exists(ran) {
		h.t.Fatalf("the tool did not run: %q", got)
	}
	if got, want := h.read(ran), "brain,two words,it's $HOME"; got != want {
		h.t.Errorf("the agent's channels are %q, want %q", got, want)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
