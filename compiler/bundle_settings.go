package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonplace"
	"github.com/agentihooks/agentihooks/internal/mcpfile"
)

// directives is the member of a bundle's settings that Copilot never sees: attributes of the target.
const directives = "_agentihooks"

// maxSettings bounds the keys of a settings file: to find the place of one is to pass all those before it.
const maxSettings = 1000

// settings reads what a part sets in Copilot's settings.json.
func (r *bundleReader) settings(p bundlePart, rel string) {
	shown, text, ok := r.read(p, rel)
	if !ok {
		return
	}
	file, ok := jsonplace.Parse(&r.out.diags, shown, text, "None of its settings can be taken.")
	if !ok {
		return
	}
	all, at, ok := file.Get(&r.out.diags)
	object, isObject := all.(map[string]any)
	if !ok || !isObject || len(object) > maxSettings {
		r.out.diags.Errorf(at, "wrong-type", shown+" is no object of settings", "It has at most %d keys, as settings.json has them. Correct the file.", maxSettings)
		return
	}
	given := map[string]any{}
	places := map[string]diag.Range{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value, at, _ := file.Get(&r.out.diags, name)
		switch {
		case name == directives:
			r.directives(file, value, at)
		case name == "hooks" || ofPython(value):
			r.out.diags.Warnf(at, "left-out", "`"+name+"` of `"+shown+"` is left out", "%s", instead(name))
		case !strings.HasPrefix(name, "_"): // a comment
			given[name], places[name] = value, at
		}
	}
	if len(given) > 0 {
		r.target(mcpfile.Member{Name: "settings", Value: given, Origin: at, Fields: places})
	}
}

// ofPython reports whether a setting starts the Python program, which put its interpreter in the place of this word.
func ofPython(value any) bool { return strings.Contains(fmt.Sprint(value), "__PYTHON__") }

func instead(name string) string {
	if name == "hooks" {
		return "Write a `hook` block for each of them."
	}
	return "It starts the Python agentihooks. For a status line set `statusLine` of `target \"copilot\"`."
}

// directives reads our own attributes.
func (r *bundleReader) directives(file jsonplace.File, value any, at diag.Range) {
	object, ok := value.(map[string]any)
	if !ok || len(object) > maxSettings {
		r.out.diags.Errorf(at, "wrong-type", "`"+directives+"` is no object", "It holds attributes of `target \"copilot\"`, and `channels`. Correct the file.")
		return
	}
	known := []string{"allowAll", "browserCommand", "channels", "mcpAlwaysEnabled", "mcpDefaultDisabled", "suppressBrowserLaunch"}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value, at, _ := file.Get(&r.out.diags, directives, name)
		switch {
		case name == "channels":
			r.channels(value, at)
		case slices.Contains(known, name):
			r.target(mcpfile.Member{Name: name, Value: value, Origin: at})
		default:
			r.out.diags.Warnf(at, "left-out", "`"+name+"` in `"+directives+"` is left out", "Nobody knows it. %s", didYouMean(name, known))
		}
	}
}

// channels adds names of channels: a list, or one text with commas.
func (r *bundleReader) channels(value any, at diag.Range) {
	var names []any
	switch v := value.(type) {
	case string:
		for _, name := range strings.Split(v, ",") {
			names = append(names, strings.TrimSpace(name))
		}
	case []any:
		names = v
	default:
		names = []any{nil}
	}
	set := r.out.sets["channels"]
	for _, n := range names {
		name, ok := n.(string)
		if !ok || strings.TrimSpace(name) == "" {
			r.out.diags.Errorf(at, "wrong-type", "`channels` in `"+directives+"` must be names", "Write a list of strings.")
			return
		}
		set.items = append(set.items, setItem{key: name, text: model.Text{Value: name, Origin: at}})
	}
	set.items = distinct(set.items)
	r.out.sets["channels"] = set
}

// target sets an attribute of `target "copilot"` over what earlier parts say of it.
func (r *bundleReader) target(m mcpfile.Member) {
	kind := r.ev.m.table.block("target")
	spec, ok := kind.attribute("copilot", m.Name)
	if !ok {
		return // a program without that target
	}
	if r.copilot == nil {
		r.copilot = &blockValue{kind: kind, label: "copilot", at: m.Origin}
		r.out.blocks = append(r.out.blocks, r.copilot)
	}
	what := "`" + m.Name + "` of target `copilot`"
	n := r.node(bundleText{Member: m, what: what}, spec)
	if n == nil {
		r.copilot.bad = true
		return
	}
	for i, have := range r.copilot.attrs {
		if have.spec.Name == m.Name {
			layers := merger{what: what, diags: &r.out.diags}
			r.copilot.attrs[i].node = layers.merge(have.node, n, spec.Merge)
			return
		}
	}
	r.copilot.attrs = append(r.copilot.attrs, nodeAttr{spec, n})
}
