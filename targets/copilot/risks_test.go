package copilot

import (
	"slices"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/target"
)

func reader(t tree.Tree) target.Reader {
	return func(path string) ([]byte, bool) {
		f, ok := t.File(path)
		return f.Data, ok
	}
}

func TestRisks(t *testing.T) {
	server := func(fields ...any) model.Machine { return withServer(fields...) }
	local := server("command", text("npx"), "args", list("a b"))
	agent := func(header string) model.Machine {
		return oneAgent("x.md", "---\ndescription: d\n"+header+"---\n")
	}
	skill := func(files ...string) model.Machine {
		m := machine("hooks", truth(false))
		m.Skills = []model.Folder{folder("s", append([]string{"SKILL.md", header("description: d")}, files...)...)}
		return m
	}
	channel := machine("hooks", truth(false))
	channel.Channels = []model.Text{{Value: "x'\nCOPILOT_ALLOW_ALL=true\n", Origin: origin()}}
	allowed := machine("hooks", truth(false), "allowAll", truth(true))
	browser := machine("hooks", truth(false), "browserCommand", text("br"))
	browser.Facts.Which["br"] = "/bin/br"
	none := machine("hooks", truth(false))
	exported := machine("hooks", truth(false))
	exported.Secrets = []model.Block{block("secret", "OUT", "file", text("/o"), "export", truth(true)), block("secret", "IN", "file", text("/i"))}
	ownHook, ownHookOnly := machine(), machine("hooks", truth(false))
	ownHook.Hooks = []model.Block{block("hook", "postToolUse", "exec", text("/bin/lint"), "args", list("--quick"))}
	ownHookOnly.Hooks = ownHook.Hooks
	const mcp, env, settings = "/home/u/.copilot/mcp-config.json", "/home/u/.agentihooks/copilot.env", "/home/u/.copilot/settings.json"
	tests := []struct {
		name          string
		before, after model.Machine
		want          []string
	}{
		{"nothing", none, none, nil},
		{"hook off", machine(), none, []string{"/home/u/.copilot/hooks/agentihooks.json: guard: the hook is no longer registered: no guard runs"}},
		{"hook on", none, machine(), nil},
		{"a hook of one's own", machine(), ownHook, []string{"/home/u/.copilot/hooks/agentihooks.json: hook: a hook at postToolUse: /bin/lint --quick runs"}},
		{"the same hook", ownHook, ownHook, nil},
		{"a hook gone", ownHook, machine(), nil},
		{"guards off, a hook stays", ownHook, ownHookOnly, []string{"/home/u/.copilot/hooks/agentihooks.json: guard: the hook is no longer registered: no guard runs"}},
		{"new local server", none, local, []string{mcp + `: mcp-server: mcp "x" now runs npx 'a b'`}},
		{"same", local, local, nil},
		{"gone", local, none, nil},
		{"with a secret now", server("command", text("c")), server("command", text("c"), "env", dict("A", template("@FILE"))), nil},
		{"another command with a secret", server("command", text("c"), "env", dict("A", template("@FILE"))), server("command", text("d"), "cwd", text("/x"), "env", dict("A", template("@FILE"))), []string{mcp + `: mcp-server: mcp "x" now runs d in /x`}},
		{"new host", server("url", text("https://a.example/1")), server("url", text("https://b.example/1")), []string{mcp + `: host: mcp "x" now talks to https://b.example`}},
		{"no TLS", server("url", text("https://a.example/1")), server("url", text("http://a.example/1")), []string{mcp + `: host: mcp "x" now talks to http://a.example`}},
		{"another path", server("url", text("https://a.example/1")), server("url", text("https://a.example/2")), nil},
		{"all tools", server("url", text("https://a"), "tools", list("t")), server("url", text("https://a")), []string{mcp + `: tools: mcp "x" now offers all its tools`}},
		{"one more tool", server("url", text("https://a"), "tools", list("t")), server("url", text("https://a"), "tools", list("t", "u")), []string{mcp + `: tools: mcp "x" now offers u`}},
		{"fewer tools", server("url", text("https://a")), server("url", text("https://a"), "tools", list("t")), nil},
		{"no longer excluded", server("command", text("c"), "excludeTools", list("t")), server("command", text("c")), []string{mcp + `: tools: mcp "x" now offers t`}},
		{"left to Copilot", server("url", text("https://a"), "tools", list("t")), server("url", text("https://a"), "complete", truth(false)), []string{mcp + `: tools: mcp "x" now offers all its tools`, mcp + `: sign-in: mcp "x" now signs in`}},
		{"no longer left to Copilot", server("url", text("https://a"), "complete", truth(false)), server("url", text("https://a")), nil},
		{"signs in", server("url", text("https://a")), server("url", text("https://a"), "auth", truth(true)), []string{mcp + `: sign-in: mcp "x" now signs in`}},
		{"allowAll", none, allowed, []string{env + ": allow-all: allowAll is on: every tool runs without a question, and a repository's own hooks are loaded"}},
		{"allowAll stays", allowed, allowed, nil},
		{"a channel that looks like allowAll", none, channel, nil},
		{"allowAll after such a channel", channel, allowed, []string{env + ": allow-all: allowAll is on: every tool runs without a question, and a repository's own hooks are loaded"}},
		{"browser", none, browser, []string{env + `: program: a page is now opened by ["br"]`}},
		{"browser gone", browser, none, nil},
		{"status line", machine("statusLine", truth(true)), machine("settings", dict("statusLine", dict("command", text("evil")))), []string{settings + ": program: the status line now runs evil"}},
		{"our status line", machine(), machine("statusLine", truth(true)), nil},
		{"executable", skill("run.sh", "x"), skill("run.sh*", "x", "old*", "y"), []string{`/home/u/.agents/skills/s/old: executable: new executable old in skill "s"`, `/home/u/.agents/skills/s/run.sh: executable: new executable run.sh in skill "s"`}},
		{"executable stays", skill("run.sh*", "x", "t", "x"), skill("run.sh*", "x", "t", "y"), nil},
		{"executable changes", skill("run.sh*", "x"), skill("run.sh*", "y"), []string{`/home/u/.agents/skills/s/run.sh: executable: changed executable run.sh in skill "s"`}},
		{"agent's server", agent(""), agent("mcp-servers: {l: {command: c}}\n"), []string{`/home/u/.copilot/agents/x.md: mcp-server: agent "x": mcp "l" now runs c`}},
		{"new agent with hooks", none, agent("hooks: {preToolUse: [{command: h}]}\n"), []string{`/home/u/.copilot/agents/x.md: hook: agent "x": it now has the hook preToolUse: {command: h}`}},
		{"one of an agent's servers goes", agent("mcp-servers: {l: {command: c}, m: {command: d}}\n"), agent("mcp-servers: {l: {command: c}}\n"), nil},
		{"one of an agent's hooks goes", agent("hooks: {preToolUse: [{command: h}, {command: i}]}\n"), agent("hooks: {preToolUse: [{command: i}]}\n"), nil},
		{"agent's host", agent("mcp-servers: {l: {url: 'https://a.example'}}\n"), agent("mcp-servers: {l: {url: 'https://b.example'}}\n"), []string{`/home/u/.copilot/agents/x.md: host: agent "x": mcp "l" now talks to https://b.example`}},
		{"TLS now", server("url", text("http://a.example/1")), server("url", text("https://a.example/1")), nil},
		{"no longer excluded, nor offered", server("url", text("https://a"), "excludeTools", list("t")), server("url", text("https://a"), "tools", list("u")), nil},
		{"a variable of the environment", server("url", text("https://a"), "headers", dict("A", text("${HOME}"))), server("url", text("https://a"), "headers", dict("A", text("${HOME} $AWS_KEY"))), []string{mcp + `: secret-export: mcp "x" is now sent the variable AWS_KEY`}},
		{"no longer disabled", server("command", text("c"), "disabled", truth(true)), server("command", text("c")), []string{mcp + `: mcp-server: mcp "x" is no longer disabled`}},
		{"none disabled by default", machineOf(local, "mcpDefaultDisabled", truth(true)), local, []string{mcp + `: mcp-server: mcp "x" is no longer disabled`}},
		{"disabled by default", local, machineOf(local, "mcpDefaultDisabled", truth(true)), nil},
		{"disabled now", server("command", text("c")), server("command", text("c"), "disabled", truth(true)), nil},
		{"agent's tools", agent("tools: [view]\n"), agent("tools: [view, bash]\n"), []string{`/home/u/.copilot/agents/x.md: tools: agent "x": it may now use bash`}},
		{"agent's tools, all", agent("tools: []\n"), agent(""), []string{`/home/u/.copilot/agents/x.md: tools: agent "x": it may now use every tool`}},
		{"exported secret", none, exported, []string{env + `: secret-export: secret "OUT" is exported: every program of a shell that loads it can read it, the agent's too`}},
		{"exported before", exported, exported, nil},
		{"agent's tools, fewer", agent(""), agent("tools: [view]\n"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range Risks(reader(builtTree(t, tt.before)), reader(builtTree(t, tt.after))) {
				got = append(got, string(r.Dest)+": "+r.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	first := Risks(nil, reader(builtTree(t, full())))
	if len(first) != 9 {
		t.Errorf("the first switch has the risks %+v", first)
	}
	if got := Risks(nil, nil); got != nil {
		t.Errorf("nothing has the risks %v", got)
	}
	broken := func(string) ([]byte, bool) { return []byte("{broken"), true }
	if got := Risks(broken, reader(builtTree(t, local))); len(got) != 2 {
		t.Errorf("after a broken tree the risks are %v", got)
	}
	Risks(broken, broken)
}

// machineOf is a machine with other attributes of its target.
func machineOf(m model.Machine, fields ...any) model.Machine {
	m.Targets = machine(append([]any{"hooks", truth(false)}, fields...)...).Targets
	return m
}

// TestLessIsNoRisk takes one thing after another out of a machine that has everything.
func TestLessIsNoRisk(t *testing.T) {
	whole := builtTree(t, full())
	less := func(name string, of func(*model.Machine)) {
		m := full()
		of(&m)
		if got := Risks(reader(whole), reader(builtTree(t, m))); len(got) > 0 {
			t.Errorf("without %s: %v", name, got)
		}
	}
	m := full()
	for i, b := range m.MCP {
		less("mcp "+b.Label, func(m *model.Machine) {
			m.MCP = slices.Delete(m.MCP, i, i+1)
			without(m, "mcpAlwaysEnabled") // it may name only what there is
		})
	}
	for i, a := range m.Agents {
		less(a.Source, func(m *model.Machine) { m.Agents = slices.Delete(m.Agents, i, i+1) })
	}
	for i, f := range m.Skills {
		less(f.Source, func(m *model.Machine) { m.Skills = slices.Delete(m.Skills, i, i+1) })
		for j, file := range f.Files {
			if file.Rel != skillFile {
				less(file.Source, func(m *model.Machine) { m.Skills[i].Files = slices.Delete(m.Skills[i].Files, j, j+1) })
			}
		}
	}
	less("channels", func(m *model.Machine) { m.Channels = nil })
	less("allowAll", func(m *model.Machine) { without(m, "allowAll") })
}

// without takes an attribute out of the target.
func without(m *model.Machine, name string) {
	m.Targets[0].Attrs.Fields = slices.DeleteFunc(m.Targets[0].Attrs.Fields, func(f model.Field) bool { return f.Name == name })
}
