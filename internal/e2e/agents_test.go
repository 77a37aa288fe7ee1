package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// agentFiles are agents as people write them, each with the tools that the model is then offered: all, where there is no
// list.
var agentFiles = []struct {
	name, header string
	tools        []string // of those in watched
}{
	{"none", "description: Has no tools.\ntools: []", nil},
	{"nulled", "description: Has every tool.\ntools:", watched},
	{"star", "description: Has every tool.\ntools: [*]", watched},
	{"claude", "name: claude\ndescription: Use when: asked\ntools: Read, Grep, Glob, ZzBogus, Edit\nmodel: inherit\ncolor: red", []string{"view", "grep", "glob", "create", "edit"}},
	{"search", "description: >\n  Folded,\n  on two lines.\ntools:\n  - codebase\n  - runInTerminal", []string{"grep", "glob", "bash"}},
	{"tabbed", "description: d\ntools:\n\t- Read\n\t- Bash(git diff *)", []string{"view", "bash"}},
	{"with spaces & (parens)", "description: d\r\ntools: Write\r\nmodel: [gpt-5, sonnet]", []string{"create", "edit"}},
	{"server", "description: d\ntools: [mcp__inl__echo]\nmcp-servers:\n  inl:\n    command: MCPSERVER\n    env: {PORT: 8080}", []string{"inl-echo"}},
	{"rest", "description: d\ntools: glob\nskills: deploy\nreasoningEffort: high\nmodelPolicy: preferred\nmodel: gpt-5\n" +
		"user-invocable: \"yes\"\ndisable-model-invocation: no\ninfer: true\ninclude-custom-instructions: true", []string{"glob"}},
}

// watched are the tools that the agents are asked about.
var watched = []string{"bash", "create", "edit", "glob", "grep", "view"}

// agentsHaveTheirTools: every agent that we write is loaded, with no complaint in the log, and has the tools it lists.
func agentsHaveTheirTools(h *home) {
	h.write("skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Deploys the site.\n---\nRun it.\n")
	for _, a := range agentFiles {
		end := "\n"
		if strings.Contains(a.header, "\r\n") {
			end = "\r\n"
		}
		header := strings.ReplaceAll(a.header, "MCPSERVER", h.tools.mcpserver)
		long := strings.Repeat("All work. ", 4000) // 40,000 characters are whole too
		h.write("agents/"+a.name+".md", strings.Join([]string{"---", header, "---", long, "The word is body-" + a.name + ".", ""}, end))
	}
	h.switchTo(fmt.Sprintf(`
agents = ["agents/*.md"]
skills = ["skills/*"]
target "copilot" {
  scopes  = "widen"
  version = %q
}
`, h.cli.version))
	for _, a := range agentFiles {
		r := h.prompt("go", nil, "--agent", a.name)
		req := r.last(h.t)
		if !strings.Contains(req.Text(), "body-"+a.name) {
			h.t.Errorf("agent %q was not loaded", a.name)
		}
		var got []string
		for _, name := range req.ToolNames() {
			if slices.Contains(watched, name) || strings.HasPrefix(name, "inl-") {
				got = append(got, name)
			}
		}
		want := slices.Clone(a.tools)
		slices.Sort(got)
		slices.Sort(want)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			h.t.Errorf("agent %q is offered %q, want %q", a.name, got, want)
		}
	}
}
