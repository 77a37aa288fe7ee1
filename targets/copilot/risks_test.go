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
		{"hook off", machine(), none, []string{"/home/u/.copilot/hooks/agentihooks.json: the hook is no longer registered: no guard runs"}},
		{"hook on", none, machine(), nil},
		{"a hook of one's own", machine(), ownHook, []string{"/home/u/.copilot/hooks/agentihooks.json: a hook at postToolUse: /bin/lint --quick runs"}},
		{"the same hook", ownHook, ownHook, nil},
		{"a hook gone", ownHook, machine(), nil},
		{"guards off, a hook stays", ownHook, ownHookOnly, []string{"/home/u/.copilot/hooks/agentihooks.json: the hook is no longer registered: no guard runs"}},
		{"new local server", none, local, []string{mcp + `: mcp "x" now runs npx 'a b'`}},
		{"same", local, local, nil},
		{"gone", local, none, nil},
		{"with a secret now", server("command", text("c")), server("command", text("c"), "env", dict("A", template("@FILE"))), nil},
		{"another command with a secret", server("command", text("c"), "env", dict("A", template("@FILE"))), server("command", text("d"), "cwd", text("/x"), "env", dict("A", template("@FILE"))), []string{mcp + `: mcp "x" now runs d in /x`}},
		{"new host", server("url", text("https://a.example/1")), server("url", text("https://b.example/1")), []string{mcp + `: mcp "x" now talks to https://b.example`}},
		{"no TLS", server("url", text("https://a.example/1")), server("url", text("http://a.example/1")), []string{mcp + `: mcp "x" now talks to http://a.example`}},
		{"another path", server("url", text("https://a.example/1")), server("url", text("https://a.example/2")), nil},
		{"all tools", server("url", text("https://a"), "tools", list("t")), server("url", text("https://a")), []string{mcp + `: mcp "x" now offers all its tools`}},
		{"one more tool", server("url", text("https://a"), "tools", list("t")), server("url", text("https://a"), "tools", list("t", "u")), []string{mcp + `: mcp "x" now offers u`}},
		{"fewer tools", server("url", text("https://a")), server("url", text("https://a"), "tools", list("t")), nil},
		{"no longer excluded", server("command", text("c"), "excludeTools", list("t")), server("command", text("c")), []string{mcp + `: mcp "x" now offers t`}},
		{"signs in", server("url", text("https://a")), server("url", text("https://a"), "auth", truth(true)), []string{mcp + `: mcp "x" now signs in`}},
		{"allowAll", none, allowed, []string{env + ": allowAll is on: every tool runs without a question, and a repository's own hooks are loaded"}},
		{"allowAll stays", allowed, allowed, nil},
		{"a channel that looks like allowAll", none, channel, nil},
		{"allowAll after such a channel", channel, allowed, []string{env + ": allowAll is on: every tool runs without a question, and a repository's own hooks are loaded"}},
		{"browser", none, browser, []string{env + `: a page is now opened by ["br"]`}},
		{"browser gone", browser, none, nil},
		{"status line", machine("statusLine", truth(true)), machine("settings", dict("statusLine", dict("command", text("evil")))), []string{settings + ": the status line now runs evil"}},
		{"our status line", machine(), machine("statusLine", truth(true)), nil},
		{"hooks off", machine("hooks", truth(false)), machine("hooks", truth(false), "settings", dict("disableAllHooks", truth(true))), []string{settings + ": disableAllHooks is on: no hook and no guard runs"}},
		{"hooks off before", machine("hooks", truth(false), "settings", dict("disableAllHooks", truth(true))), machine("hooks", truth(false), "settings", dict("disableAllHooks", truth(true), "beep", truth(true))), nil},
		{"executable", skill("run.sh", "x"), skill("run.sh*", "x", "old*", "y"), []string{`/home/u/.agents/skills/s: new executable old in skill "s"`, `/home/u/.agents/skills/s: new executable run.sh in skill "s"`}},
		{"executable stays", skill("run.sh*", "x"), skill("run.sh*", "y"), nil},
		{"agent's server", agent(""), agent("mcp-servers: {l: {command: c}}\n"), []string{`/home/u/.copilot/agents/x.md: agent "x" now has mcp-servers: {l: {command: c, args: [], tools: ["*"]}}`}},
		{"new agent with hooks", none, agent("hooks: {preToolUse: []}\n"), []string{`/home/u/.copilot/agents/x.md: agent "x" now has hooks: {preToolUse: []}`}},
		{"agent's tools", agent("tools: [view]\n"), agent("tools: [view, bash]\n"), []string{`/home/u/.copilot/agents/x.md: agent "x" may now use bash`}},
		{"agent's tools, all", agent("tools: []\n"), agent(""), []string{`/home/u/.copilot/agents/x.md: agent "x" may now use every tool`}},
		{"agent's tools, fewer", agent(""), agent("tools: [view]\n"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range Risks(reader(builtTree(t, tt.before)), reader(builtTree(t, tt.after))) {
				got = append(got, string(r.Dest)+": "+r.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	first := Risks(nil, reader(builtTree(t, full())))
	if len(first) != 8 {
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
