package copilot

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/frontmatter"
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
		for _, field := range []string{"hooks", "mcp-servers"} {
			text := flow(now.Get(field))
			if text != "" && text != flow(was.Get(field)) {
				c.add(name, "agent %q now has %s: %s", strings.TrimSuffix(base, ".md"), field, text)
			}
		}
		if more := moreTools(was.Get("tools"), now.Get("tools")); old && more != "" {
			c.add(name, "agent %q may now use %s", strings.TrimSuffix(base, ".md"), more)
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

// flow is a value on one line, "" if it is absent.
func flow(v frontmatter.Value) string {
	if v.Kind == frontmatter.KindAbsent {
		return ""
	}
	return v.String()
}
