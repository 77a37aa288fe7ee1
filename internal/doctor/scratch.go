package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// scratchHome makes a home for the CLI that is probed: it sees the installed hooks folder and whatever else decides about
// hooks, and what it writes goes away with the folder, so that no session of a probe is among the user's. The hooks folder
// is a link to the live one, which Copilot 1.0.80 to 1.0.102 follow. Of settings.json and config.json it takes what is about
// hooks, and no logins.
func (d *doctor) scratchHome() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "agentihooks-probe-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // what a last process of the CLI still writes stays in the folder for such things
	defer func() {
		if err != nil {
			remove()
			err = fmt.Errorf("preparing a home for Copilot in %s: %w", dir, err)
		}
	}()
	if err := os.Symlink(filepath.Join(d.CopilotHome, "hooks"), filepath.Join(dir, "hooks")); err != nil {
		return "", nil, err
	}
	for _, part := range []struct {
		file  string
		names []string
	}{
		{"settings.json", []string{"disableAllHooks", "disabledHooks", "hooks"}},
		{"config.json", []string{"trustedFolders", "trusted_folders"}},
	} {
		if err := d.copyMembers(dir, part.file, part.names); err != nil {
			return "", nil, err
		}
	}
	return dir, remove, nil
}

// copyMembers writes a file with some of the members that Copilot's own has.
func (d *doctor) copyMembers(dir, file string, names []string) error {
	members := map[string]json.RawMessage{}
	for _, name := range names {
		var value json.RawMessage
		if d.member(file, name, &value); value != nil {
			members[name] = value
		}
	}
	data, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, file), data, 0o600)
}

// probeEnv is the user's environment for a CLI in a scratch home that asks nobody but a model on this machine, and to which
// none of the user's variables gives leave, another home or another provider. Others may decide which hooks run, and stay. With COPILOT_OFFLINE Copilot 1.0.80 to 1.0.102
// want to know of a provider even where they are to ask it nothing.
func probeEnv(environ []string, allowAll, scratch, model string) []string {
	environ = slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == allowAll || strings.HasPrefix(name, "COPILOT_PROVIDER_") || strings.HasSuffix(strings.ToLower(name), "_proxy")
	})
	return append(environ, "COPILOT_AUTO_UPDATE=false", "COPILOT_OFFLINE=true", "COPILOT_HOME="+scratch, "COPILOT_PROVIDER_BASE_URL="+model,
		// Copilot puts asterisks wherever the key stands in a log or in a tool's result: it must be no word of a text.
		"COPILOT_PROVIDER_API_KEY=key-of-the-scripted-model", "COPILOT_MODEL=any")
}
