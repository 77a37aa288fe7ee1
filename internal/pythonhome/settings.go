package pythonhome

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonedit"
)

// settings takes the keys of settings.json that hold what the program wrote last. Without a record only what names the program itself is its own.
func (r *reader) settings(root string) {
	record := filepath.Join(r.copilot, managedName)
	var managed document
	var names []string
	if data, ok := r.read(record); ok {
		managed, names, _ = decodeManaged(&r.list, record, data)
		r.pending = append(r.pending, record)
	}
	path := filepath.Join(r.copilot, "settings.json")
	data, ok := r.read(path)
	if !ok {
		return
	}
	doc, ok := r.parseShared(path, data)
	if !ok {
		return
	}
	f := activate.File{Dest: path, Created: true}
	if legacy, ok := doc.text("agentihooks"); ok { // early releases kept the record there
		f.Keys = append(f.Keys, activate.Key{Path: []string{"agentihooks"}, Value: legacy})
		if len(names) == 0 {
			managed, names = early(legacy)
		}
	}
	for _, name := range names {
		wrote, _ := managed.text(name)
		switch now, ok := doc.text(name); {
		case !ok:
		case jsonedit.Equal([]byte(now), []byte(wrote)):
			f.Keys = append(f.Keys, activate.Key{Path: []string{name}, Value: now})
		default:
			r.keepf(path, "%s: it has another value than %s wrote last, and is yours", name, Name)
		}
	}
	if len(names) == 0 {
		r.unrecorded(doc, &f)
	}
	r.trusted(doc, root, &f)
	if len(f.Keys) > 0 {
		r.out.Legacy.Keys = append(r.out.Legacy.Keys, f)
		if len(doc.elements("disabledMcpServers")) > 0 {
			r.keepf(path, "disabledMcpServers: %s keeps no record of what it put there; take out what should start again", Name)
		}
	}
}

// early is the record inside settings.json, if there is one.
func early(text string) (document, []string) {
	var outer struct {
		Managed json.RawMessage `json:"managed"`
	}
	if err := json.Unmarshal([]byte(text), &outer); err != nil || len(outer.Managed) == 0 {
		return document{}, nil
	}
	doc, names, ok := decodeManaged(new(diag.List), "managed", outer.Managed)
	if !ok {
		return document{}, nil
	}
	return doc, names
}

// unrecorded takes the status line of the program where no record says what it wrote.
func (r *reader) unrecorded(doc document, f *activate.File) {
	if text, ok := doc.text("statusLine"); ok {
		var line struct {
			Command string `json:"command"`
		}
		if err := json.Unmarshal([]byte(text), &line); err == nil && strings.Contains(line.Command, "hooks.statusline") {
			f.Keys = append(f.Keys, activate.Key{Path: []string{"statusLine"}, Value: text})
		}
	}
	if _, ok := doc.text("disableAllHooks"); ok && len(f.Keys) > 0 {
		r.keepf(f.Dest, "disableAllHooks: there is no record that %s set it; look whether you want it", Name)
	}
}

// trusted takes the program's own folder out of trustedFolders, where early releases put it.
func (r *reader) trusted(doc document, root string, f *activate.File) {
	for _, text := range doc.elements("trustedFolders") {
		var folder string
		if err := json.Unmarshal([]byte(text), &folder); err == nil && folder == root && root != "" {
			f.Keys = append(f.Keys, activate.Key{Path: []string{"trustedFolders"}, Set: true, Elements: []activate.Element{{Value: text}}})
			f.Made = append(f.Made, []string{"trustedFolders"})
			return
		}
	}
}

// servers takes the MCP servers that the program has on record. It records names alone, and an entry of the user's under one
// of them it had replaced itself.
func (r *reader) servers(st ledger) {
	path := filepath.Join(r.copilot, "mcp-config.json")
	data, ok := r.read(path)
	if !ok {
		return
	}
	doc, ok := r.parseShared(path, data)
	if !ok {
		return
	}
	f := activate.File{Dest: path, Created: true, Made: [][]string{{"mcpServers"}}}
	take := func(name, text string) {
		f.Keys = append(f.Keys, activate.Key{Path: []string{"mcpServers", name}, Value: text})
	}
	for _, name := range st.servers {
		if text, ok := doc.text("mcpServers", name); ok {
			take(name, text)
		}
	}
	for _, name := range []string{"agentihooks", "hooks-utils"} { // its own, by its names now and before
		text, ok := doc.text("mcpServers", name)
		switch {
		case !ok || st.recorded && len(st.servers) > 0:
		case strings.Contains(text, "hooks.mcp"):
			take(name, text)
		default:
			r.keepf(path, "mcpServers.%s: it has a name of %s, but there is no record of it and it does not run it; look whether you want it", name, Name)
		}
	}
	if st.copilot && !st.recorded {
		r.keepf(path, "%s has no record of the MCP servers that it wrote there; look which of them you want", Name)
	}
	if len(f.Keys) > 0 {
		r.out.Legacy.Keys = append(r.out.Legacy.Keys, f)
	}
}
