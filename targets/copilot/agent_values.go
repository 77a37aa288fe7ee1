package copilot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

// shaped is a field's value in the shape that Copilot takes, or an error and the zero Value.
func (a *agent) shaped(known agentField, f frontmatter.Field) frontmatter.Value {
	v, want := f.Value, "a string"
	switch known.shape {
	case aString:
		if s, ok := scalar(v); ok {
			return s
		}
	case aBool:
		want = "true or false"
		if b, ok := boolean(v); ok {
			return b
		}
	case aList:
		want = "a list of strings"
		if l, ok := stringList(v); ok {
			return l
		}
	case aModel:
		want = "a string or a list of strings"
		if v.Kind == frontmatter.KindList {
			if l, ok := stringList(v); ok {
				return l
			}
		} else if s, ok := scalar(v); ok {
			return s
		}
	case anyMap:
		want = "a map"
		if v.Kind == frontmatter.KindMap {
			return v
		}
	case servers:
		want = "a map of servers, each with strings for command, url, args, env and headers"
		if m, ok := serverMap(v); ok {
			return m
		}
	case aPolicy:
		want = `"preferred" or "required"`
		if v.Text == "preferred" || v.Text == "required" {
			return v
		}
	}
	if v.Kind == frontmatter.KindNull {
		return frontmatter.Value{Kind: frontmatter.KindString, At: v.At}
	}
	a.fail(v.At, "field-type", fmt.Sprintf("agent %q: %s is %v", a.stem, f.Name, v.Kind),
		"Copilot does not load an agent with that. Write %s.", want)
	return frontmatter.Value{}
}

// scalar is a string, or a number as it is written: `name: 1.10` means the text. Blanks around it are cut.
func scalar(v frontmatter.Value) (frontmatter.Value, bool) {
	if v.Kind != frontmatter.KindString && v.Kind != frontmatter.KindNumber {
		return v, false
	}
	return frontmatter.Value{Kind: frontmatter.KindString, Text: strings.TrimSpace(v.Text), At: v.At}, true
}

// boolean is a boolean, or a text that stands for one: YAML 1.1 readers took yes and no for booleans.
func boolean(v frontmatter.Value) (frontmatter.Value, bool) {
	switch {
	case v.Kind == frontmatter.KindBool:
		return v, true
	case v.Kind != frontmatter.KindString:
		return v, false
	}
	word := strings.ToLower(strings.TrimSpace(v.Text))
	yes := word == "true" || word == "yes" || word == "on"
	no := word == "false" || word == "no" || word == "off"
	return frontmatter.Value{Kind: frontmatter.KindBool, Bool: yes, At: v.At}, yes || no
}

// stringList is a list of strings; one string is split at its commas.
func stringList(v frontmatter.Value) (frontmatter.Value, bool) {
	out := frontmatter.Value{Kind: frontmatter.KindList, At: v.At}
	switch v.Kind {
	case frontmatter.KindString:
		for _, s := range splitList(v.Text) {
			out.List = append(out.List, frontmatter.Value{Kind: frontmatter.KindString, Text: s, At: v.At})
		}
	case frontmatter.KindList:
		for _, e := range v.List {
			s, ok := scalar(e)
			if !ok {
				return v, false
			}
			out.List = append(out.List, s)
		}
	default:
		return v, false
	}
	return out, true
}

// serverMap is an agent's own MCP servers. Copilot 1.0.83 and 1.0.102 do not load an agent whose server has a number
// among its arguments, or without args, tools or a url's type: what has to be a string becomes one, as it is written,
// and what lacks is added. Without tools it offers all.
func serverMap(v frontmatter.Value) (frontmatter.Value, bool) {
	return eachField(v, func(_ string, server frontmatter.Value) (frontmatter.Value, bool) {
		out, ok := eachField(server, serverField)
		has := func(name string) bool {
			return slices.ContainsFunc(out.Fields, func(f frontmatter.Field) bool { return f.Name == name })
		}
		for _, lack := range []struct {
			with, name string
			value      frontmatter.Value
		}{
			{"command", "args", frontmatter.Strings(nil)},
			{"url", "type", frontmatter.String("http")},
			{"", "tools", frontmatter.Strings([]string{"*"})},
		} {
			if !has(lack.name) && (lack.with == "" || has(lack.with)) {
				out.Fields = append(out.Fields, frontmatter.Field{Name: lack.name, Value: lack.value})
			}
		}
		return out, ok
	})
}

func serverField(name string, v frontmatter.Value) (frontmatter.Value, bool) {
	switch name {
	case "type", "command", "cwd", "url":
		return scalar(v)
	case "args", "tools":
		list, ok := stringList(v)
		return list, ok && v.Kind == frontmatter.KindList
	case "env", "headers":
		return eachField(v, func(_ string, x frontmatter.Value) (frontmatter.Value, bool) { return scalar(x) })
	}
	return v, true
}

// eachField is a map with every value changed. It is not ok if v is no map, or if one of the changes is not.
func eachField(v frontmatter.Value, change func(string, frontmatter.Value) (frontmatter.Value, bool)) (frontmatter.Value, bool) {
	out := frontmatter.Value{Kind: frontmatter.KindMap, At: v.At}
	ok := v.Kind == frontmatter.KindMap
	for _, f := range v.Fields {
		changed, fine := change(f.Name, f.Value)
		ok = ok && fine
		f.Value = changed
		out.Fields = append(out.Fields, f)
	}
	return out, ok
}

// splitList splits at the commas outside of parentheses, cuts blanks and drops what is empty.
func splitList(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if item := strings.TrimSpace(s[from:i]); item != "" {
				out = append(out, item)
			}
			from = i + 1
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth = max(0, depth-1)
		}
	}
	return out
}

// toolNames gives Copilot's own names for those of other programs. Most of the left side works as it is too, but not
// on every version: TodoWrite, todo, search and codebase grant nothing on 1.0.83. Each pair was seen in the tools that
// a request offered, except web_fetch, web_search and ask_user, which Copilot does not offer without a login.
var toolNames = map[string][]string{
	"Read": {"view"}, "read": {"view"},
	"Write": {"create", "edit"}, "write": {"create", "edit"},
	"Edit": {"create", "edit"}, "MultiEdit": {"create", "edit"}, "NotebookEdit": {"create", "edit"},
	"editFiles": {"edit"},
	"Bash":      {"bash"}, "shell": {"bash"}, "execute": {"bash"}, "runInTerminal": {"bash"},
	"Grep": {"grep"}, "Glob": {"glob"}, "search": {"grep", "glob"}, "codebase": {"grep", "glob"},
	"Task": {"task"}, "Agent": {"task"}, "agent": {"task"}, "custom-agent": {"task"},
	"TodoWrite": {"update_todo"}, "todo": {"update_todo"},
	"WebFetch": {"web_fetch"}, "WebSearch": {"web_search"}, "AskUserQuestion": {"ask_user"},
}

// emptyTools are names of other programs, and of Copilot's own past, that grant nothing on 1.0.83 and 1.0.102: seen in
// the tools that a request offered.
var emptyTools = []string{"apply_patch", "powershell", "report_intent", "rg", "str_replace_editor"}

// tools is the tools of an agent under Copilot's names, each once. An empty list means no tools; it is not the same as
// no list, which means all.
func (a *agent) tools(f frontmatter.Field, v frontmatter.Value) frontmatter.Value {
	var names []string
	empty := 0
	for _, e := range v.List {
		text := e.Text
		if tool, _, scoped := strings.Cut(text, "("); scoped {
			text = strings.TrimSpace(tool)
			if a.attr("scopes").Text != "widen" {
				a.fail(e.At, "scoped-tool", fmt.Sprintf("agent %q: %q would grant nothing", a.stem, e.Text),
					"Copilot knows no limits inside a tool and leaves the tool out. Write %s for the whole tool, or scopes = \"widen\" in the target to have that everywhere; a guard can deny single commands.", text)
				continue
			}
			a.loss(e.At, fmt.Sprintf("Copilot knows no limits inside a tool: agent %q gets the whole of %s, not only %s", a.stem, text, e.Text))
		}
		if slices.Contains(emptyTools, text) {
			empty++
			a.loss(e.At, fmt.Sprintf("Copilot has no tool %q to grant agent %q", text, a.stem))
		}
		for _, name := range copilotTools(text) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	listed := len(v.List) > 0 || strings.TrimSpace(f.Value.Text) != ""
	if listed && empty == len(v.List) && !a.bad {
		a.fail(v.At, "no-tools", fmt.Sprintf("agent %q: its tools grant nothing", a.stem),
			"Copilot has none of them. Write [] if it is to have no tool, or leave the line out for all tools.")
	}
	out := frontmatter.Strings(names)
	out.At = v.At
	return out
}

// copilotTools is one tool under Copilot's names. What nobody knows stays: it may be an MCP server's. Claude's
// mcp__server__tool grants nothing on 1.0.83 and 1.0.102, server/tool and server/* do.
func copilotTools(name string) []string {
	if known, ok := toolNames[name]; ok {
		return known
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok && rest != "" {
		server, tool, _ := strings.Cut(rest, "__")
		if tool == "" {
			tool = "*"
		}
		return []string{server + "/" + tool}
	}
	return []string{name}
}
