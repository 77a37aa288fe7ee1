package activate

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkSwitch is a home of 100 skills of three files, 50 agents and 20 MCP servers: that is live already, of which
// one file changes, and as a whole.
func BenchmarkSwitch(b *testing.B) {
	lines := func(persona string) []string {
		out := []string{"link .copilot/copilot-instructions.md = " + persona}
		var keys, values []string
		for i := range 100 {
			for k := range 3 {
				out = append(out, fmt.Sprintf("linkdir .agents/skills/s%d f%d = %s", i, k, strings.Repeat("skill ", 300)))
			}
		}
		for i := range 50 {
			out = append(out, fmt.Sprintf("link .copilot/agents/a%d.md = %s", i, strings.Repeat("agent ", 300)))
		}
		for i := range 20 {
			keys = append(keys, fmt.Sprintf("mcpServers.m%d", i))
			values = append(values, fmt.Sprintf(`"m%d":{"command":"c","args":["x","y"]}`, i))
		}
		return append(out, fmt.Sprintf(`merge .copilot/mcp-config.json %s = {"mcpServers":{%s}}`, strings.Join(keys, "+"), strings.Join(values, ",")))
	}
	b.Run("unchanged", func(b *testing.B) {
		w := newWorld(b)
		tr := w.tree(lines("p")...)
		w.switchTo(tr)
		for b.Loop() {
			if w.switchTo(tr).Changed {
				b.Fatal("it changed")
			}
		}
	})
	b.Run("one file", func(b *testing.B) {
		w := newWorld(b)
		w.switchTo(w.tree(lines("p")...))
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			tr := w.tree(lines(fmt.Sprint(n))...)
			b.StartTimer()
			w.switchTo(tr)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			w := newWorld(b)
			tr := w.tree(lines("p")...)
			b.StartTimer()
			w.switchTo(tr)
		}
	})
}
