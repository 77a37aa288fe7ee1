package compiler

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/mcpfile"
)

func mcpBlock() blockType {
	number, boolean, text := kind(model.TypeNumber), kind(model.TypeBool), kind(model.TypeString)
	key := "mcp-config.json: "
	signIn := model.Type{Kind: model.TypeOneOf, Of: []model.Type{boolean, mapOf(model.TypeAny)}}
	return blockType{
		name: "mcp", label: "name", in: everywhere(),
		doc:    "An MCP server: a local one with `command`, or a remote one with `url`.",
		labels: serverName, check: checkServer,
		specs: []model.BlockSpec{{Type: "mcp", Attributes: []model.AttrSpec{
			{Name: "command", Type: text, Key: key + "command", Doc: "The program of a local server.", Example: `"npx"`},
			{Name: "args", Type: listOf(model.TypeString), Key: key + "args", Doc: "Its arguments. Default: none.", Example: `["-y", "@example/server"]`},
			{Name: "env", Type: mapOf(model.TypeString), Merge: model.MergeDeep, Secret: true, Key: key + "env", Doc: "Its environment. Secrets are read when the server starts.", Example: `{ TOKEN = secret.TOKEN }`},
			{Name: "cwd", Type: text, Key: key + "cwd", Doc: "The folder that it starts in.", Example: `"/srv/data"`},
			{Name: "type", Type: enum("local", "stdio", "http", "sse"), Key: key + "type", Doc: "How it is spoken to. Default: `local` with `command`, `http` with `url`.", Example: `"sse"`},
			{Name: "url", Type: text, Secret: true, Key: key + "url", Doc: "The address of a remote server.", Example: `"https://mcp.example.net/gateway"`},
			{Name: "headers", Type: mapOf(model.TypeString), Merge: model.MergeDeep, Secret: true, Key: key + "headers", Doc: "Headers that are sent to it.", Example: `{ Authorization = "Bearer ${secret.TOKEN}" }`},
			{Name: "headersRefreshTtlMs", Type: number, Key: key + "headersRefreshTtlMs", Doc: "After how many milliseconds headers are expanded again.", Example: "60000"},
			{Name: "oauthClientId", Type: text, Key: key + "oauthClientId", Doc: "The client that signs in.", Example: `"my-client"`},
			{Name: "oauthScopes", Type: listOf(model.TypeString), Merge: model.MergeSet, Key: key + "oauthScopes", Doc: "The scopes that it asks for.", Example: `["read"]`},
			{Name: "oauthPublicClient", Type: boolean, Key: key + "oauthPublicClient", Doc: "The client has no secret.", Example: "true"},
			{Name: "oauthGrantType", Type: enum("authorization_code", "client_credentials"), Key: key + "oauthGrantType", Doc: "How it signs in.", Example: `"client_credentials"`},
			{Name: "tools", Type: listOf(model.TypeString), Merge: model.MergeSet, Key: key + "tools", Doc: "The tools that are offered. Default: all.", Example: `["search", "fetch"]`},
			{Name: "excludeTools", Type: listOf(model.TypeString), Merge: model.MergeSet, Key: key + "excludeTools", Doc: "Tools that are not offered.", Example: `["delete"]`},
			{Name: "timeout", Type: number, Key: key + "timeout", Doc: "How long a call may take, in milliseconds.", Example: "30000"},
			{Name: "slowConnectionThresholdMs", Type: number, Key: key + "slowConnectionThresholdMs", Doc: "After how many milliseconds a connection counts as slow.", Example: "5000"},
			{Name: "auth", Type: signIn, Merge: model.MergeDeep, Key: key + "auth", Doc: "Whether Copilot signs in to the server, or how. Default: false.", Example: "true"},
			{Name: "oidc", Type: signIn, Merge: model.MergeDeep, Key: key + "oidc", Doc: "Whether Copilot signs in with OpenID Connect, or how. Default: false.", Example: "{ redirectPort = 8080 }"},
			{Name: "deferTools", Type: enum("auto", "never"), Key: key + "deferTools", Doc: "Whether tools may be left out of the first list.", Example: `"never"`},
			{Name: "disableToolCache", Type: boolean, Key: key + "disableToolCache", Doc: "Asks the server for its tools each time.", Example: "true"},
			{Name: "disableSecretMasking", Type: boolean, Key: key + "disableSecretMasking", Doc: "Shows what looks like a secret in the server's results.", Example: "true"},
			{Name: "filterMapping", Type: model.Type{Kind: model.TypeOneOf, Of: []model.Type{text, mapOf(model.TypeString)}}, Merge: model.MergeDeep, Key: key + "filterMapping", Doc: "How results are cleaned, for all tools or by tool: `none`, `markdown` or `hidden_characters`.", Example: `"markdown"`},
			{Name: "safeForTelemetry", Type: model.Type{Kind: model.TypeOneOf, Of: []model.Type{boolean, mapOf(model.TypeBool)}}, Merge: model.MergeDeep, Key: key + "safeForTelemetry", Doc: "Whether the names of tools, and of their arguments, may be reported.", Example: "{ name = true, inputsNames = false }"},
			{Name: "events", Type: listOf(model.TypeString), Merge: model.MergeSet, Key: key + "events", Doc: "Events that the server is told of.", Example: `["session"]`},
			{Name: "notifications", Type: listOf(model.TypeString), Merge: model.MergeSet, Key: key + "notifications", Doc: "Notifications of the server that are shown.", Example: `["progress"]`},
			{Name: "displayName", Type: text, Key: key + "displayName", Doc: "The name that is shown.", Example: `"Gateway"`},
			{Name: "disabled", Type: boolean, Key: "mcp-config.json: disabled", Doc: "Declared, but off until it is enabled by hand. Default: false.", Example: "true"},
			{Name: "complete", Type: boolean, Doc: "Whether `type`, `args`, `tools`, `auth` and `oidc` are written where the block does not say them, as Copilot itself writes the first three. With false exactly what the block says is written. Default: true.", Example: "false"},
			enabledAttr(),
		}}},
	}
}

func serverName(label string) string {
	if label != "" && len(label) <= mcpfile.MaxName && consistsOf(label, letters+digits+"_-") {
		return ""
	}
	return "A server's name has 1 to 128 letters, digits, `_` and `-`: tool names are made of it. Rename the server, perhaps to `" + mcpfile.Slug(label) + "`."
}

// Attributes that only one of the two sorts of servers has.
var (
	localOnly  = []string{"args", "env", "cwd"}
	remoteOnly = []string{"headers", "headersRefreshTtlMs", "oauthClientId", "oauthScopes", "oauthPublicClient", "oauthGrantType"}
)

// checkServer checks what only the merged server shows.
func checkServer(l *diag.List, b model.Block) {
	command, url := b.Attrs.Get("command"), b.Attrs.Get("url")
	title := "The server `" + b.Label + "`"
	switch {
	case command.Kind == model.KindAbsent && url.Kind == model.KindAbsent:
		l.Errorf(b.Origin, "missing-attribute", title+" has neither `command` nor `url`",
			"A local server needs `command`, a remote one `url`. Add one of them.")
		return
	case command.Kind != model.KindAbsent && url.Kind != model.KindAbsent:
		l.Errorf(url.Origin, "conflict", title+" has both `command` and `url`",
			"A server is local or remote. Remove one of them, or set it to null to drop what an earlier layer says.")
		also(*l, "the other is set here", command.Origin)
		return
	}
	sort, foreign, types := "local", remoteOnly, []string{"local", "stdio"}
	if url.Kind != model.KindAbsent {
		sort, foreign, types = "remote", localOnly, []string{"http", "sse"}
		checkURL(l, title, url)
	} else if command.Text == "" {
		l.Errorf(command.Origin, "invalid-value", title+" has an empty command", "Name a program.")
	}
	if t := b.Attrs.Get("type"); t.Kind == model.KindString && !slices.Contains(types, t.Text) {
		l.Errorf(t.Origin, "invalid-value", title+" is "+sort+", but its type is `"+t.Text+"`",
			"A %s server has the type `%s` or `%s`. Correct it, or leave it out.", sort, types[0], types[1])
	}
	for _, f := range b.Attrs.Fields {
		if slices.Contains(foreign, f.Name) {
			l.Errorf(f.Value.Origin, "invalid-value", title+" is "+sort+" and takes no `"+f.Name+"`",
				"Only servers of the other sort have it. Remove it.")
		}
	}
	for _, name := range []string{"timeout", "headersRefreshTtlMs", "slowConnectionThresholdMs"} {
		if v := b.Attrs.Get(name); v.Kind == model.KindNumber && !wholePositive(v.Number) {
			l.Errorf(v.Origin, "invalid-value", "`"+name+"` must be a whole number above 0",
				"It counts milliseconds. Correct it.")
		}
	}
	checkCredentials(l, title, b)
	checkSignIn(l, title, b.Attrs.Get("auth"))
	checkSignIn(l, title, b.Attrs.Get("oidc"))
	checkFilter(l, title, b.Attrs.Get("filterMapping"))
	for _, f := range b.Attrs.Get("env").Fields {
		if f.Name == "" || strings.ContainsAny(f.Name, "=\n") {
			l.Errorf(f.Value.Origin, "invalid-value", title+" sets a variable that cannot exist",
				"The name of an environment variable is not empty and holds no `=`. Correct it.")
		}
	}
}

// checkSignIn checks what the schema of Copilot 1.0.102 allows in auth and oidc.
func checkSignIn(l *diag.List, title string, v model.Value) {
	for _, f := range v.Fields {
		if f.Name != "redirectPort" || f.Value.Kind != model.KindNumber || !wholePositive(f.Value.Number) || len(f.Value.Number) > 5 || len(f.Value.Number) == 5 && f.Value.Number > "65535" {
			l.Errorf(f.Value.Origin, "invalid-value", title+" has no such way to sign in",
				"Write true, false, or { redirectPort = N } with a port from 1 to 65535.")
		}
	}
}

// checkFilter checks the modes that the schema of Copilot 1.0.102 has.
func checkFilter(l *diag.List, title string, v model.Value) {
	modes := []model.Value{v}
	for _, f := range v.Fields {
		modes = append(modes, f.Value)
	}
	for _, m := range modes {
		if m.Kind == model.KindString && !slices.Contains([]string{"none", "markdown", "hidden_characters"}, m.Text) {
			l.Errorf(m.Origin, "invalid-value", title+" cleans results in an unknown way", "Write `none`, `markdown` or `hidden_characters`.")
		}
	}
}

func checkURL(l *diag.List, title string, url model.Value) {
	text := url.Text
	if url.Kind == model.KindTemplate {
		if text = url.Parts[0].Literal; text == "" {
			return // a secret holds the beginning
		}
	}
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		l.Errorf(url.Origin, "invalid-value", title+" has no web address",
			"`url` begins with https:// or http://. Correct it.")
	}
}

func wholePositive(number string) bool {
	return number != "0" && consistsOf(number, digits)
}
