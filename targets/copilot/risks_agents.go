package copilot

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/frontmatter"
	"github.com/agentihooks/agentihooks/targets/target"
)

// agents looks for agents that bring programs with them, or more tools than before.
func (c *comparison) agents() {
	for _, name := range slices.Sorted(maps.Keys(c.after.dests)) {
		base, ok := strings.CutPrefix(name, "copilot/agents/")
		if !ok {
			continue
		}
		was, old := c.before.agent(name)
		now, _ := c.after.agent(name)
		of := fmt.Sprintf("agent %q: ", strings.TrimSuffix(base, ".md"))
		for _, hook := range entries(now.Get("hooks")) {
			if !slices.Contains(entries(was.Get("hooks")), hook) {
				c.add(target.RiskHook, name, "%sit now has the hook %s", of, hook)
			}
		}
		c.compareServers(name, of, agentServers(was), agentServers(now))
		if more := moreTools(was.Get("tools"), now.Get("tools")); old && more != "" {
			c.add(target.RiskTools, name, "%sit may now use %s", of, more)
		}
	}
}

func (s side) agent(name string) (frontmatter.Doc, bool) {
	data, ok := s.read(name)
	if !ok {
		return frontmatter.Doc{}, false
	}
	doc, err := frontmatter.Parse(name, data)
	return doc, err == nil
}

// moreTools says which tools an agent gains, or nothing. No list means every tool.
func moreTools(was, now frontmatter.Value) string {
	all := func(v frontmatter.Value) bool {
		return v.Kind == frontmatter.KindAbsent || slices.ContainsFunc(v.List, func(e frontmatter.Value) bool { return e.Text == "*" })
	}
	switch {
	case all(was):
		return ""
	case all(now):
		return "every tool"
	}
	var more []string
	for _, e := range now.List {
		if !slices.ContainsFunc(was.List, func(o frontmatter.Value) bool { return o.Text == e.Text }) {
			more = append(more, e.Text)
		}
	}
	return strings.Join(more, ", ")
}

// entries is an agent's hooks, one text each: the event and what is done then.
func entries(hooks frontmatter.Value) []string {
	var out []string
	for _, event := range hooks.Fields {
		list := event.Value.List
		if event.Value.Kind != frontmatter.KindList {
			list = []frontmatter.Value{event.Value}
		}
		for _, e := range list {
			out = append(out, event.Name+": "+e.String())
		}
	}
	return out
}

// agentServers is the servers that an agent brings.
func agentServers(agent frontmatter.Doc) map[string]server {
	var out map[string]server
	data, err := json.Marshal(generic(agent.Get("mcp-servers")))
	if err == nil {
		_ = json.Unmarshal(data, &out) // what is no server has no power
	}
	return out
}

// generic is a value as encoding/json takes it.
func generic(v frontmatter.Value) any {
	switch v.Kind {
	case frontmatter.KindBool:
		return v.Bool
	case frontmatter.KindNumber:
		return json.Number(v.Number)
	case frontmatter.KindString:
		return v.Text
	case frontmatter.KindList:
		list := []any{}
		for _, e := range v.List {
			list = append(list, generic(e))
		}
		return list
	case frontmatter.KindMap:
		object := map[string]any{}
		for _, f := range v.Fields {
			object[f.Name] = generic(f.Value)
		}
		return object
	}
	return nil
}
