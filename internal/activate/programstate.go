package activate

import (
	"path/filepath"
	"slices"
	"strings"
)

// programState are the names in Copilot's home that Copilot CLI 1.0.83 and 1.0.102 were seen to write for themselves:
// logins, trust, sessions, logs, plugins, locks. They are never destinations and never count as foreign.
var programState = []string{
	"config.json", "permissions-config.json", "command-history-state.json", "open-sessions-state.json",
	"sidebar-sessions-state", "session-state", "session-store.db", "session-store.db-wal", "session-store.db-shm",
	"logs", "restart", "servers", "ide", "installed-plugins", "plugin-data", "mcp-oauth-config",
	"mcp-installations.json", "mcp-activations.json", ".mcp-writer.binding",
}

// isProgramState reports whether path is, or lies in, what the program keeps for itself in its home.
func isProgramState(path, copilot string) bool {
	if !beneath(path, copilot) {
		return false
	}
	name, _, _ := strings.Cut(path[len(strings.TrimSuffix(copilot, "/"))+1:], string(filepath.Separator))
	return slices.Contains(programState, name) || strings.HasSuffix(name, ".lock")
}
