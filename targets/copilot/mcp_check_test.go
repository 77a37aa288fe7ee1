package copilot

import (
	"testing"
)

func TestServerChecks(t *testing.T) {
	local := func(fields ...any) []any { return append([]any{"command", text("c")}, fields...) }
	for _, tt := range []struct {
		name   string
		fields []any
		diags  []string
	}{
		{"every tool", local("tools", list("*")), nil},
		{"no tool", local("tools", list()), nil},
		{"a pattern", local("tools", list("alpha*")), []string{"mcp-tools"}},
		{"every tool and one more", local("tools", list("*", "alpha")), []string{"mcp-tools"}},
		{"excluded", local("excludeTools", list("a")), nil},
		{"a whole command line", []any{"command", text("npx -y @example/server")}, []string{"mcp-command-line"}},
		{"a program with a blank in its path", []any{"command", text("/opt/my tools/server")}, nil},
		{"arguments in one", local("args", list("-y @example/server")), []string{"mcp-command-line"}},
		{"a command and its arguments in one", []any{"command", text("uv"), "args", list("run --with extras notes serve main.py")}, []string{"mcp-command-line"}},
		{"a sentence alone", local("args", list("two words")), nil},
		{"a path with a blank", local("args", list("/opt/my tools/server.js")), nil},
		{"a sentence among arguments", local("args", list("-m", "two words")), nil},
		{"whatever is newest", local("args", list("-y", "@example/server@latest")), []string{"mcp-unpinned"}},
		{"a pinned one", local("args", list("-y", "@example/server@1.2.3")), nil},
		{"a Windows program", []any{"command", text(`C:\tools\server.exe`)}, []string{"mcp-windows-path"}},
		{"a Windows path", local("args", list("D:/data")), []string{"mcp-windows-path"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, diags := Render(input(withServer(tt.fields...)))
			wantDiags(t, diags, tt.diags...)
		})
	}
}

// TestServerRelease: what an earlier release ignores is told when that release is rendered for, and only then.
func TestServerRelease(t *testing.T) {
	for version, want := range map[string][]string{"": nil, "1.0.102": nil, "1.0.92": {"no-effect"}, "1.0.83": {"no-effect"}} {
		m := withServer("command", text("c"), "excludeTools", list("a"))
		m.Facts.Versions = map[string]string{}
		if version != "" {
			m.Facts.Versions["copilot"] = version
		}
		_, diags := Render(input(m))
		wantDiags(t, diags, want...)
	}
}

func TestServerNames(t *testing.T) {
	for _, tt := range []struct {
		names []string
		diags []string
	}{
		{[]string{"lab", "lab2", "gateway"}, nil},
		{[]string{"lab", "lab_two"}, nil},
		{[]string{"lab", "lab-two"}, []string{"mcp-name"}},
		{[]string{"lab-two", "lab", "lab-two-three"}, []string{"mcp-name", "mcp-name", "mcp-name"}},
	} {
		m := machine()
		for _, name := range tt.names {
			m.MCP = append(m.MCP, block("mcp", name, "command", text("c")))
		}
		_, diags := Render(input(m))
		wantDiags(t, diags, tt.diags...)
	}
}

// Under WSL a Windows program is a program.
func TestServerUnderWSL(t *testing.T) {
	m := withServer("command", text(`C:\tools\server.exe`))
	on := true
	m.Facts.WSL = &on
	_, diags := Render(input(m))
	wantDiags(t, diags)
}

// A value that reads like a variable is written, with a warning; a word is just a word.
func TestServerVariableLike(t *testing.T) {
	out, diags := Render(input(withServer("command", text("c"), "env", dict("A", text("MY_VAR"), "B", text("DEBUG"), "C", text("My_Var")))))
	wantDiags(t, diags, "mcp-env-name")
	if diags.HasErrors() || made(out, mcpPath) == "" {
		t.Errorf("refused: %+v", diags)
	}
}
