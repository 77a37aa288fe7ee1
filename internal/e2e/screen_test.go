package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// statusLineIsOnTheScreen: a session in a real terminal shows the generation and the channels.
func statusLineIsOnTheScreen(h *home) {
	h.switchTo(`
channels = ["brain", "amygdala"]

target "copilot" {
  statusLine = true
}
`)
	const want = "gen 1 · brain,amygdala"
	if screen := h.screen(want); !strings.Contains(screen, want) {
		h.t.Errorf("the screen does not show %q:\n%s", want, screen)
	}
}

// screen starts Copilot in a terminal of its own and returns what stands there once the text does, or after a while.
func (h *home) screen(text string) string {
	h.t.Helper()
	path, err := exec.LookPath("tmux")
	if err != nil {
		missing(h.t, "tmux not found: install it to see Copilot's screen")
	}
	server := h.model()
	defer server.Close()
	h.cli.slots <- struct{}{}
	defer func() { <-h.cli.slots }()

	socket := filepath.Join(h.root, "tmux")
	env := append(h.baseEnv(), "TERM=xterm-256color")
	tmux := func(args ...string) result {
		return execute(h.t, h.work, env, path, append([]string{"-u", "-S", socket, "-f", os.DevNull}, args...)...)
	}
	command := append([]string{"new-session", "-d", "-x", "160", "-y", "40", "env"}, h.agentEnv(server.BaseURL())...)
	if r := tmux(append(command, "TERM=xterm-256color", h.cli.path)...); r.code != 0 {
		h.t.Fatalf("tmux: %s", r.stderr)
	}
	defer endScreen(h.t, tmux)
	var shown string
	for range 150 {
		shown = tmux("capture-pane", "-p").stdout
		if strings.Contains(shown, text) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return shown
}

// endScreen ends the terminal's processes and waits until they are gone: Copilot would go on writing into the home. The
// terminal closes, and the server with it, when the last of them has let go of it.
func endScreen(t *testing.T, tmux func(...string) result) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(tmux("display-message", "-p", "#{pane_pid}").stdout))
	if err != nil {
		t.Fatalf("tmux does not say its process: %v", err)
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		t.Errorf("ending Copilot: %v", err)
	}
	for range 100 {
		if tmux("has-session").code != 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	tmux("kill-server")
	t.Error("Copilot did not end")
}
