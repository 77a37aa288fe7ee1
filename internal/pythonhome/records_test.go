package pythonhome

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/diag"
)

func TestReadRefuses(t *testing.T) {
	tests := []struct{ path, text, want string }{
		{".agentihooks/state.json", "{", "state.json:1:2"},
		{".agentihooks/state.json", "[]", "state.json:1:1"},
		{".agentihooks/state.json", "{\n\"targets\": 1}", "state.json:2:12"},
		{".agentihooks/state.json", "{\"targets\": {\"global\": {\n\"copilot\": []}}}", "state.json:2:12"},
		{".agentihooks/state.json", "{\"managed_links\": {}}", "state.json:1:19"},
		{".agentihooks/state.json", "{\"managed_links\": [\n{\"link\": \"relative\", \"target\": \"/\"}]}", "state.json:2:1"},
		{".agentihooks/state.json", "{\"version\": \"3.1\"}", "state.json:1:13"},
		{".agentihooks/state.json", "{\"version\": 1, \"version\": 2}", "state.json:1:"},
		{".copilot/.agentihooks-managed.json", "[]", "managed.json:1:1"},
		{".copilot/agents/.agentihooks-manifest.json", "{}", "manifest.json:1:1"},
		{".copilot/agents/.agentihooks-manifest.json", "[\"a\",\n\"..\"]", "manifest.json:2:1"},
		{".copilot/agents/.agentihooks-manifest.json", "[\"a/b\"]", "manifest.json:1:2"},
		{".copilot/agents/.agentihooks-manifest.json", "[\"/\"]", "manifest.json:1:2"},
		{".copilot/agents/.agentihooks-manifest.json", "[\".\"]", "manifest.json:1:2"},
		{".agents/skills/.agentihooks-copilot-commands.json", "[1]", "commands.json:1:2"},
		{".copilot/hooks/agentihooks.json", "{\"version\": 2}", "agentihooks.json:1:13"},
		{".copilot/hooks/agentihooks.json", "{\"hooks\": {\"preToolUse\": {}}}", "agentihooks.json:1:26"},
		{".copilot/settings.json", "{\"theme\"", "settings.json:1:9"},
		{".copilot/mcp-config.json", "", "mcp-config.json:1:1"},
	}
	installed := layOut(t)
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.want, func(t *testing.T) {
			home := clone(t, installed)
			write(t, filepath.Join(home, tt.path), tt.text)
			found, list := Read(home, filepath.Join(home, ".copilot"))
			if !list.HasErrors() || found.Found() {
				t.Fatalf("it was read: %+v", found)
			}
			if at := list[0].Subject.String(); !strings.HasPrefix(at, home) || !strings.Contains(at, tt.want) {
				t.Errorf("at %s, want %s", at, tt.want)
			}
		})
	}
}

// FuzzRecords: whatever a record says, it claims nothing outside the folder that it is about.
func FuzzRecords(f *testing.F) {
	for _, text := range []string{
		`{"targets": {"global": {"copilot": {"path": "/h", "managed_mcp": ["a", "b"]}, "codex": {}, "path": "/c"}}, "version": "2.17.0"}`,
		`{"managed_links": [{"link": "/h/.agents/skills/a", "target": "/b/a", "kind": "skills"}]}`,
		`["a.md", "b.md"]`, `["../a"]`, `["/"]`, `["."]`, `{"theme": "dim", "statusLine": {"type": "command"}}`, `[1, {}, null]`, `{"a": {`, "", "[\"\\u0000\"]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list diag.List
		if st, ok := decodeLedger(&list, "state.json", data); ok {
			for _, l := range st.links {
				if !filepath.IsAbs(l.path) || filepath.Clean(l.path) != l.path || !strings.Contains(l.text, "target") {
					t.Errorf("%+v", l)
				}
			}
		} else if !list.HasErrors() {
			t.Error("refused without a reason")
		}
		list = nil
		if names, ok := decodeNames(&list, "names.json", data); ok {
			for _, name := range names {
				if filepath.Dir(filepath.Join("/folder", name)) != "/folder" {
					t.Errorf("%q leads out", name)
				}
			}
		} else if !list.HasErrors() {
			t.Error("refused without a reason")
		}
		list = nil
		if _, keys, ok := decodeManaged(&list, "managed.json", data); ok && !slices.IsSorted(keys) {
			t.Errorf("%q", keys)
		}
	})
}

func FuzzUnquote(f *testing.F) {
	f.Add("/opt/agentihooks")
	f.Add("/opt/it's here")
	f.Add("")
	f.Fuzz(func(t *testing.T, path string) {
		quoted := "'" + strings.ReplaceAll(path, "'", `'"'"'`) + "'"
		if got := unquote(quoted); got != path {
			t.Errorf("%q became %q", path, got)
		}
	})
}
