package activate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// words are differences in one line each, paths relative to the home.
func (w *world) words(ds []Difference) []string {
	var out []string
	for _, d := range ds {
		line := fmt.Sprintf("%s %s %s", d.Change, d.Placement, strings.TrimPrefix(d.Path, w.home+"/"))
		if d.Old != nil || d.New != nil {
			line += fmt.Sprintf(" %q -> %q", d.Old, d.New)
		}
		for _, k := range d.Keys {
			line += fmt.Sprintf(" | %s: %s -> %s", k.Key, k.Old, k.New)
		}
		out = append(out, line)
	}
	return out
}

func (w *world) expectPreview(want []string, lines ...string) {
	w.Helper()
	before := w.inodes()
	out, err := Preview(w.gens, w.store, w.tree(lines...), nil)
	if err != nil {
		w.Fatal(err)
	}
	if got := w.words(out.Differences); !slices.Equal(got, want) {
		w.Errorf("preview is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	w.sameInodes(before)
}

func TestPreview(t *testing.T) {
	w := newWorld(t)
	w.write(".copilot/settings.json", `{"beep":true,"disabledMcpServers":["u"]}`)
	first := []string{
		"link a = one",
		"link empty = ",
		"linkdir s f = eff",
		"linkdir s sub/g = gee",
		`merge .copilot/settings.json beep+theme+disabledMcpServers[] = {"beep":true,"theme":"dim","disabledMcpServers":["gw"]}`,
		`merge .copilot/mcp-config.json mcpServers.gw = {"mcpServers":{"gw":{"url":"https://x"}}}`,
	}
	// a home that was never switched
	w.expectPreview([]string{
		`added merge .copilot/mcp-config.json | mcpServers.gw:  -> {"url":"https://x"}`,
		`changed merge .copilot/settings.json | theme:  -> "dim" | disabledMcpServers: ["u"] -> ["u","gw"]`,
		`added link a "" -> "one"`,
		`added link empty "" -> ""`,
		`added link s/f "" -> "eff"`,
		`added link s/sub/g "" -> "gee"`,
	}, first...)
	gen1 := w.switchTo(w.tree(first...))
	w.expectPreview(nil, first...)

	second := []string{
		"link a = two",
		"linkdir s f = eff",
		"linkdir s new = n",
		`merge .copilot/settings.json theme+disabledMcpServers[] = {"theme":"light","disabledMcpServers":[]}`,
	}
	changes := []string{
		`removed merge .copilot/mcp-config.json | mcpServers.gw: {"url":"https://x"} -> `,
		`changed merge .copilot/settings.json | theme: "dim" -> "light" | disabledMcpServers: ["u","gw"] -> ["u"]`,
		`changed link a "one" -> "two"`,
		`removed link empty "" -> ""`,
		`added link s/new "" -> "n"`,
		`removed link s/sub/g "gee" -> ""`,
	}
	w.expectPreview(changes, second...)

	// What the home lost comes back, and a key that the user changed is not touched.
	w.remove("a")
	w.rewrite(".copilot/settings.json", `{"theme":"mine","disabledMcpServers":["u","gw"]}`)
	w.expectPreview([]string{`added link a "" -> "one"`}, first...)
	w.rewrite(".copilot/settings.json", `{"theme":"dim","disabledMcpServers":["u","gw"],"beep":true}`)
	w.switchTo(w.tree(first...))

	gen2 := w.switchTo(w.tree(second...))
	ds, err := Between(w.store, gen1.StorePath, gen2.StorePath)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`removed merge .copilot/mcp-config.json | mcpServers.gw: {"url":"https://x"} -> `,
		`changed merge .copilot/settings.json | beep: true ->  | disabledMcpServers: ["gw"] -> [] | theme: "dim" -> "light"`,
		`changed link a "one" -> "two"`,
		`removed link empty "" -> ""`,
		`added link s/new "" -> "n"`,
		`removed link s/sub/g "gee" -> ""`,
	}
	if got := w.words(ds); !slices.Equal(got, want) {
		t.Errorf("between is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if ds, err := Between(w.store, gen1.StorePath, gen1.StorePath); err != nil || len(ds) > 0 {
		t.Errorf("a generation differs from itself: %v, %v", ds, err)
	}
}

func TestPreviewShowsCollisions(t *testing.T) {
	w := newWorld(t)
	w.write("a", "theirs")
	w.write(".copilot/settings.json", "{")
	out, err := Preview(w.gens, w.store, w.tree("link a = ours", `merge .copilot/settings.json x = {"x":1}`), nil)
	if err != nil || len(out.Collisions) != 1 || out.Collisions[0].Class != ClassDiffers || len(out.Unreadable) != 1 || out.Live != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}
