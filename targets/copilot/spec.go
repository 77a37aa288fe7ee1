package copilot

import "github.com/agentihooks/agentihooks/compiler/model"

// spec is what a target "copilot" block takes. The reference page is made from it.
func spec() model.BlockSpec {
	truth, text := model.Type{Kind: model.TypeBool}, model.Type{Kind: model.TypeString}
	list := model.Type{Kind: model.TypeList, Elem: &text}
	return model.BlockSpec{
		Type: "target", Label: "copilot",
		Doc: "The GitHub Copilot CLI: what stands in the manifest is written for it, below ~/.copilot and ~/.agents.",
		Attributes: []model.AttrSpec{
			{
				Name: "allowAll", Type: truth, Example: "true", Key: "copilot.env: COPILOT_ALLOW_ALL",
				Doc: "Lets Copilot use every tool and path without asking, and load a repository's own hooks and MCP servers. Guards still run. Default: false.",
			},
			{
				Name: "browserCommand", Type: model.Type{Kind: model.TypeOneOf, Of: []model.Type{text, list}}, Example: `"auto"`,
				Key: "copilot.env: COPILOT_DEBUG_BROWSER",
				Doc: "The command that opens a sign-in page; the address becomes its last argument. A string is split like a shell's words, a list is taken as it is, \"auto\" finds the Windows browser under WSL and does nothing elsewhere. Default: Copilot's own choice.",
			},
			{
				Name: "env", Type: model.Type{Kind: model.TypeMap, Elem: &text}, Merge: model.MergeDeep, Example: `{ HTTPS_PROXY = "http://proxy.example.net:3128" }`,
				Key: "copilot.env",
				Doc: "More variables for the shells that load the environment file. Values are taken as they stand. Default: none.",
			},
			{
				Name: "environmentD", Type: truth, Example: "true", Key: "~/.config/environment.d/50-agentihooks.conf",
				Doc: "Gives the variables to programs that no shell starts, through systemd (Linux): all but `COPILOT_ALLOW_ALL`. They are there from the next login on. Default: false.",
			},
			{
				Name: "hooks", Type: truth, Example: "false", Key: "hooks/agentihooks.json",
				Doc: "Registers the hook, which runs the guards and tells each session what is in force. Default: true.",
			},
			{
				Name: "identity", Type: truth, Example: "true", Key: "copilot-instructions.md",
				Doc: "Opens the instructions with a line that names the host's profiles. A host without profiles has none. Default: false.",
			},
			{
				Name: "mcpAlwaysEnabled", Type: list, Merge: model.MergeSet, Example: `["gateway"]`, Key: "settings.json: disabledMcpServers",
				Doc: "Names of `mcp` blocks that `mcpDefaultDisabled` leaves enabled: they are also taken out of the list that the user has, once. Default: none.",
			},
			{
				Name: "mcpDefaultDisabled", Type: truth, Example: "true", Key: "settings.json: disabledMcpServers",
				Doc: "Declared MCP servers start disabled; `/mcp enable NAME` starts one. Servers that are not declared are left alone. Default: false.",
			},
			{
				Name: "projectRules", Type: truth, Example: "true", Key: "none: the hook does it",
				Doc: "Hands each session what its repository says to Claude Code and Copilot does not read itself: `.claude/rules` (Copilot 1.0.92 and later read it), `.claude/CLAUDE.md` and `CLAUDE.local.md`. It is marked as the repository's text, and cut at 12 KB. Default: false.",
			},
			{
				Name: "scopes", Type: model.Type{Kind: model.TypeString, Enum: []string{"refuse", "widen"}}, Example: `"widen"`, Key: "agents/*.md: tools",
				Doc: "What becomes of a tool with a limit, such as `Bash(git diff*)`, in an agent: Copilot knows no such limits. `refuse` is an error, `widen` grants the whole tool. Default: `refuse`.",
			},
			{
				Name: "settings", Type: model.Type{Kind: model.TypeMap, Elem: &model.Type{Kind: model.TypeAny}}, Merge: model.MergeDeep,
				Example: `{ theme = "dim", keepAlive = "busy" }`, Key: "settings.json",
				Doc: "Keys of settings.json, spelled as there. Only the keys that are named here are written; all others stay the user's. One that this version of Copilot does not take is an error. Default: none.",
			},
			{
				Name: "statusLine", Type: truth, Example: "true", Key: "settings.json: statusLine",
				Doc: "Shows below the prompt the generation, the channels, the model, the use of the context window, how many calls were denied, and whether everything is allowed. Default: false.",
			},
			{
				Name: "suppressBrowserLaunch", Type: truth, Example: "true", Key: "copilot.env: COPILOT_DEBUG_BROWSER",
				Doc: "Opens no browser: the addresses of sign-in pages are appended to ~/.copilot/pending-oauth-urls.txt. A `browserCommand` that is found goes first. Default: false.",
			},
			{
				Name: "version", Type: text, Example: `"1.0.102"`, Key: "none: it decides what the others may be",
				Doc: "The release of Copilot that settings and tools are checked for. Default: the one that is found on this machine, else the newest that is known.",
			},
		},
	}
}
