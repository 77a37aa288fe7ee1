package copilot

import (
	"reflect"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func withServer(fields ...any) model.Machine {
	m := machine("hooks", truth(false))
	m.Secrets = []model.Block{
		block("secret", "TOKEN", "env", text("TOKEN_VAR")),
		block("secret", "FILE", "file", text("/f")),
		block("secret", "CMD", "command", list("pass", "show")),
	}
	m.MCP = []model.Block{block("mcp", "x", fields...)}
	return m
}

func TestServers(t *testing.T) {
	hook := input(machine()).Hook
	type m = map[string]any
	type l = []any
	tests := []struct {
		name   string
		fields []any
		want   m
	}{
		{"least local", []any{"command", text("c")}, m{"type": "local", "command": "c", "args": l{}, "tools": l{"*"}}},
		{"least remote", []any{"url", text("https://e")}, m{"type": "http", "url": "https://e", "tools": l{"*"}, "auth": false, "oidc": false}},
		{"stdio", []any{"type", text("stdio"), "command", text("c"), "args", list("a", "${HOME}"), "env", dict("R", text("${V}"), "D", text("a ${V:-d} $W")), "cwd", text("/d"), "tools", list()}, m{"type": "local", "command": "c", "args": l{"a", "${HOME}"}, "env": m{"R": "${V}", "D": "a ${V:-d} $W"}, "cwd": "/d", "tools": l{}}},
		{"sse", []any{"type", text("sse"), "url", text("https://e"), "headers", dict("A", text("b"), "C", text("Bearer $V")), "auth", truth(true), "oidc", dict("redirectPort", number("99"))}, m{"type": "sse", "url": "https://e", "headers": m{"A": "b", "C": "Bearer $V"}, "tools": l{"*"}, "auth": true, "oidc": m{"redirectPort": 99.0}}},
		{"disabled", []any{"command", text("c"), "disabled", truth(true)}, m{"type": "local", "command": "c", "args": l{}, "tools": l{"*"}, "disabled": true}},
		{"not disabled", []any{"command", text("c"), "disabled", truth(false)}, m{"type": "local", "command": "c", "args": l{}, "tools": l{"*"}}},
		{"the rest as given", []any{"command", text("c"), "timeout", number("5"), "deferTools", text("never"), "excludeTools", list("y"), "displayName", text("D")}, m{"type": "local", "command": "c", "args": l{}, "tools": l{"*"}, "timeout": 5.0, "deferTools": "never", "excludeTools": l{"y"}, "displayName": "D"}},
		{"nothing added, local", []any{"complete", truth(false), "command", text("c")}, m{"command": "c"}},
		{"nothing added, remote", []any{"complete", truth(false), "url", text("https://e")}, m{"url": "https://e"}},
		{"exactly so, local", []any{"complete", truth(false), "command", text("c"), "args", list(), "env", dict(), "type", text("stdio"), "tools", list(), "disabled", truth(false)}, m{"command": "c", "args": l{}, "env": m{}, "type": "stdio", "tools": l{}, "disabled": false}},
		{"exactly so, remote", []any{"complete", truth(false), "url", text("https://e"), "headers", dict(), "type", text("sse"), "oidc", truth(false)}, m{"url": "https://e", "headers": m{}, "type": "sse", "oidc": false}},
		{"secret in headers and url", []any{"url", template("https://e/", "@TOKEN"), "headers", dict("A", template("Bearer ", "@TOKEN", " x"))}, m{"type": "http", "url": "https://e/${TOKEN_VAR}", "headers": m{"A": "Bearer ${TOKEN_VAR} x"}, "tools": l{"*"}, "auth": false, "oidc": false}},
		{"exported secret in a header", []any{"url", text("https://e"), "headers", dict("A", template("@OUT"))}, m{"type": "http", "url": "https://e", "headers": m{"A": "${OUT}"}, "tools": l{"*"}, "auth": false, "oidc": false}},
		{
			"secrets of a local server",
			[]any{"command", text("c"), "args", list("a", "--"), "env", dict("TOKEN", template("@TOKEN"), "T", template("@TOKEN"), "U", template("{a}=", "@FILE", "@CMD", "$"), "V", text("v"), "E", text(""))},
			m{"type": "local", "command": hook, "args": l{"secret-exec", "T={TOKEN}", "TOKEN", "U={{a}}={FILE}{CMD}$", "--", "c", "a", "--"}, "env": m{"V": "v", "E": ""}, "tools": l{"*"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			machine := withServer(tt.fields...)
			machine.Secrets = append(machine.Secrets, block("secret", "OUT", "file", text("/o"), "export", truth(true)))
			out := rendered(t, machine)
			var got struct{ McpServers m }
			decode(t, made(out, mcpPath), &got)
			if !reflect.DeepEqual(got.McpServers, m{"x": tt.want}) {
				t.Errorf("got %v, want %v", got.McpServers["x"], tt.want)
			}
			if e := out.Entries[0]; e.Dest != "/home/u/.copilot/mcp-config.json" || e.Placement != "merge" || !reflect.DeepEqual(e.Keys[0].Path, []string{"mcpServers", "x"}) {
				t.Errorf("entry %+v", e)
			}
		})
	}
	if out := rendered(t, machine("hooks", truth(false))); len(out.Files) != 0 {
		t.Errorf("files %v without servers", out.Files)
	}
}

func TestServerErrors(t *testing.T) {
	tests := []struct {
		name   string
		fields []any
		diags  []string
	}{
		{"neither", []any{"args", list("a")}, []string{"mcp-transport"}},
		{"both", []any{"command", text("c"), "url", text("u")}, []string{"mcp-transport"}},
		{"file secret in a header", []any{"url", text("u"), "headers", dict("A", template("@FILE"))}, []string{"secret-needs-env"}},
		{"command secret in the url", []any{"url", template("@CMD")}, []string{"secret-needs-env"}},
		{"secret in args", []any{"command", text("c"), "args", model.Value{Kind: model.KindList, List: []model.Value{template("@TOKEN")}}}, []string{"secret-not-allowed"}},
		{"everyday names", []any{"command", text("c"), "env", dict("A", text("HOME"), "B", text("PATH"), "C", text("${HOME}"), "D", text("home"))}, []string{"mcp-env-name", "mcp-env-name"}},
		{"a secret's name", []any{"command", text("c"), "env", dict("A", text("FILE"))}, []string{"mcp-env-name"}},
		{"a secret's variable", []any{"command", text("c"), "env", dict("A", text("TOKEN_VAR"))}, []string{"mcp-env-name"}},
		{"secret beside a variable", []any{"command", text("c"), "env", dict("A", template("$HOME/", "@TOKEN"), "B", template("${X}", "@TOKEN"), "C", template("$", "@TOKEN"), "D", template("$1 $ ", "@TOKEN"))}, []string{"mcp-env-mixed", "mcp-env-mixed", "mcp-env-mixed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, diags := Render(input(withServer(tt.fields...)))
			wantDiags(t, diags, tt.diags...)
			if made(out, mcpPath) != "" {
				t.Error("the server was written")
			}
		})
	}
}

func TestSettings(t *testing.T) {
	type m = map[string]any
	servers := func(fields ...any) model.Machine {
		mm := machine(append([]any{"hooks", truth(false)}, fields...)...)
		mm.MCP = []model.Block{block("mcp", "a", "command", text("c")), block("mcp", "b", "command", text("c")), block("mcp", "c", "command", text("c"), "disabled", truth(true))}
		return mm
	}
	quoted := servers("statusLine", truth(true))
	quoted.Facts.StateDir = "/home/u/it's here"
	tests := []struct {
		name string
		m    model.Machine
		want m
		keys [][]string
		set  string
	}{
		{"nothing", servers(), nil, nil, ""},
		{"off", servers("mcpDefaultDisabled", truth(false), "statusLine", truth(false), "mcpAlwaysEnabled", list("a"), "settings", dict()), nil, nil, ""},
		{"leaves", servers("settings", dict("tabs", dict("hide", list("1"), "sort", list("p", "q")), "enabledPlugins", dict(), "commandHistoryMaxSize", number("1.50"))), m{"tabs": m{"sort": []any{"p", "q"}, "hide": []any{"1"}}, "enabledPlugins": m{}, "commandHistoryMaxSize": 1.5}, [][]string{{"commandHistoryMaxSize"}, {"enabledPlugins"}, {"tabs", "hide"}, {"tabs", "sort"}}, ""},
		{"all disabled", servers("mcpDefaultDisabled", truth(true)), m{"disabledMcpServers": []any{"a", "b", "c"}}, [][]string{{"disabledMcpServers"}}, "disabledMcpServers"},
		{"but one", servers("mcpDefaultDisabled", truth(true), "mcpAlwaysEnabled", list("b")), m{"disabledMcpServers": []any{"a", "c"}}, [][]string{{"disabledMcpServers"}}, "disabledMcpServers"},
		{"none left", servers("mcpDefaultDisabled", truth(true), "mcpAlwaysEnabled", list("c", "b", "a")), m{"disabledMcpServers": []any{}}, [][]string{{"disabledMcpServers"}}, "disabledMcpServers"},
		{"own list", servers("settings", dict("disabledMcpServers", list("z", "y", "z"))), m{"disabledMcpServers": []any{"y", "z"}}, [][]string{{"disabledMcpServers"}}, "disabledMcpServers"},
		{"status line", servers("statusLine", truth(true), "settings", dict("theme", text("dim"))), m{"theme": "dim", "statusLine": m{"type": "command", "command": "/home/u/.local/state/agentihooks/current/tree/bin/agentihooks-hook copilot statusLine"}}, [][]string{{"statusLine", "command"}, {"statusLine", "type"}, {"theme"}}, ""},
		{"a status line of one's own", servers("settings", dict("statusLine", dict("command", text("~/bin/line 'a b'"), "type", text("command"), "padding", number("1")))), m{"statusLine": m{"command": "~/bin/line 'a b'", "type": "command", "padding": 1.0}}, [][]string{{"statusLine", "command"}, {"statusLine", "padding"}, {"statusLine", "type"}}, ""},
		{"status line, quoted", quoted, m{"statusLine": m{"type": "command", "command": `'/home/u/it'\''s here/current/tree/bin/agentihooks-hook' copilot statusLine`}}, [][]string{{"statusLine", "command"}, {"statusLine", "type"}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := rendered(t, tt.m)
			var got m
			if data := made(out, SettingsPath); data != "" {
				decode(t, data, &got)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			var keys [][]string
			for _, e := range out.Entries {
				if e.Path != SettingsPath {
					continue
				}
				for _, k := range e.Keys {
					keys = append(keys, k.Path)
					if k.Set != (k.Path[0] == tt.set) {
						t.Errorf("key %v is a set: %v", k.Path, k.Set)
					}
				}
			}
			if !reflect.DeepEqual(keys, tt.keys) {
				t.Errorf("keys %v, want %v", keys, tt.keys)
			}
		})
	}
}

func TestSettingsErrors(t *testing.T) {
	tests := []struct {
		name   string
		fields []any
		diags  []string
	}{
		{"refused keys", []any{"settings", dict("hooks", dict(), "trustedFolders", list("/"), "permissions", dict("allow", list("x")))}, []string{"refused-setting", "refused-setting", "refused-setting"}},
		{"two status lines", []any{"statusLine", truth(true), "settings", dict("statusLine", dict("command", text("x")))}, []string{"conflict"}},
		{"two lists", []any{"mcpDefaultDisabled", truth(true), "settings", dict("disabledMcpServers", list("x"))}, []string{"conflict"}},
		{"no list", []any{"settings", dict("disabledMcpServers", text("x"))}, []string{"wrong-type"}},
		{"a list of numbers", []any{"settings", dict("disabledMcpServers", model.Value{Kind: model.KindList, List: []model.Value{number("1")}, Origin: origin()})}, []string{"wrong-type"}},
		{"a secret", []any{"settings", dict("footer", dict("showQuota", template("@X")))}, []string{"secret-not-allowed"}},
		{"a type deep inside", []any{"settings", dict("footer", dict("showQuota", text("yes")))}, []string{"wrong-type"}},
		{"an unknown key", []any{"settings", dict("theem", text("dim"))}, []string{"unknown-setting"}},
		{"a release without a catalogue", []any{"version", text("1.0.92"), "settings", dict("theme", text("dim"))}, []string{"settings-catalogue"}},
		{"a newer release than is known", []any{"version", text("1.1.0"), "settings", dict("beep", truth(true))}, []string{"settings-catalogue"}},
		{"one older than all", []any{"version", text("1.0.1"), "settings", dict("beep", truth(true))}, []string{"settings-catalogue"}},
		{"nothing to check", []any{"version", text("1.0.1")}, nil},
		{"a key that only an older release has", []any{"version", text("1.0.83"), "settings", dict("factories", dict("logPhaseNames", truth(true)))}, nil},
		{"no version", []any{"version", text("newest"), "settings", dict("zz", truth(true))}, []string{"invalid-value"}},
		{"a key of a later release", []any{"version", text("1.0.83"), "settings", dict("terminalNotifications", truth(true))}, []string{"unknown-setting"}},
		{"hooks are on anyway", []any{"settings", dict("disableAllHooks", truth(false))}, []string{"no-effect"}},
		{"hooks run all the same", []any{"settings", dict("disableAllHooks", truth(true))}, []string{"no-effect"}},
		{"no hooks anyway", []any{"hooks", truth(false), "settings", dict("disableAllHooks", truth(true))}, nil},
		{"unknown server", []any{"mcpDefaultDisabled", truth(true), "mcpAlwaysEnabled", list("gatway")}, []string{"unknown-server"}},
		{"a status line of one's own", []any{"settings", dict("statusLine", dict("command", text("x"), "type", text("command")))}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, diags := Render(input(machine(tt.fields...)))
			wantDiags(t, diags, tt.diags...)
		})
	}
}
