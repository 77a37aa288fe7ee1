package e2e

import (
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// sessionIsTold: at its start a session learns its channels, the program's version, that the repository switches hooks off,
// and what the repository says that Copilot does not read itself, which never comes twice; a reminder comes after every so
// many tool calls.
func sessionIsTold(h *home) {
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "CLAUDE.md": "The word is claude-kestrel.\n", ".claude/rules/a.md": "The word is rule-merganser.\n",
		".claude/CLAUDE.md": "The word is memory-avocet.\n", "CLAUDE.local.md": "The word is local-curlew.\n",
		".claude/settings.json": `{"disableAllHooks": true}`,
	} {
		h.writeFile(filepath.Join(h.work, filepath.FromSlash(name)), text)
	}
	h.switchTo(`
channels = ["oncall", "brain"]
target "copilot" { projectRules = true }
reminder "steps" {
  every = 2
  text  = "the word is reminder-dunlin"
}
`)
	text := h.prompt("go", []modelserver.Turn{modelserver.Bash("echo one", "echo two", "echo three")}).last(h.t).Text()
	for word, want := range map[string]int{
		"claude-kestrel": 1, "rule-merganser": 1, "memory-avocet": 1, "local-curlew": 1, "reminder-dunlin": 1,
		"Channels of this session: oncall, brain.": 1, "GitHub Copilot CLI " + h.cli.version + ".": 1,
		"disableAllHooks is true in this repository's .claude/settings.json": 1,
	} {
		if got := strings.Count(text, word); got != want {
			h.t.Errorf("the model sees %q %d times, want %d", word, got, want)
		}
	}
}
