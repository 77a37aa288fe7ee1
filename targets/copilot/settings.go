package copilot

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/copilot/catalogue"
)

const (
	settingsPath    = "copilot/settings.json"
	disabledServers = "disabledMcpServers"
	hookStatusLine  = " copilot statusLine" // the hook's arguments
)

// settings renders the keys of settings.json that are ours: every leaf of the nested objects, lists being leaves, and
// the elements of disabledMcpServers, which `copilot mcp disable` and `enable` change too.
func (r *renderer) settings() {
	given := r.attr("settings")
	r.checkSettings(given)
	root := object{}
	var keys []tree.Key
	var origins []diag.Range
	leaves(nil, given, func(path []string, v model.Value) {
		if len(path) == 1 && path[0] == disabledServers || secretIn(v).Kind != model.KindAbsent || r.hooksSwitch(path, v) {
			return
		}
		root.set(path, plain(v))
		keys = append(keys, tree.Key{Path: path})
		origins = append(origins, v.Origin)
	})
	if r.on("statusLine") {
		command := shellQuote(r.in.Hook) + hookStatusLine
		for _, leaf := range [][2]string{{"command", command}, {"type", "command"}} {
			path := []string{"statusLine", leaf[0]}
			root.set(path, leaf[1])
			keys = append(keys, tree.Key{Path: path})
		}
		origins = append(origins, r.attr("statusLine").Origin)
	}
	if names, from := r.disabled(given); len(names) > 0 {
		root.set([]string{disabledServers}, names)
		keys = append(keys, tree.Key{Path: []string{disabledServers}, Set: true})
		origins = append(origins, from...)
	}
	if len(keys) == 0 {
		return
	}
	slices.SortFunc(keys, func(a, b tree.Key) int { return slices.Compare(a.Path, b.Path) })
	r.merge(r.home("settings.json"), settingsPath, canonical(root), keys, origins...)
}

// hooksSwitch reports whether a setting is disableAllHooks with a value that does nothing: a repository or an organisation
// can still set it to true (seen on 1.0.102).
func (r *renderer) hooksSwitch(path []string, v model.Value) bool {
	if len(path) != 1 || path[0] != "disableAllHooks" {
		return false
	}
	if v.Bool {
		if r.hooksOn() {
			r.diags.Warnf(v.Origin, "hooks-off", "settings: disableAllHooks switches all hooks off", "No guard of this manifest runs then. Remove it, or set hooks = false to say so.")
		}
		return false
	}
	r.diags.Warnf(v.Origin, "no-effect", "settings: disableAllHooks = false is not written", "It protects nothing: a repository's own settings can still switch hooks off. Remove it.")
	return true
}

func (r *renderer) checkSettings(given model.Value) {
	known := catalogue.For(r.version())
	r.diags = append(r.diags, known.Check(given)...)
	if found := r.version(); found != "" && found != known.Version && len(given.Fields) > 0 {
		r.diags.Warnf(given.Origin, "other-catalogue", fmt.Sprintf("Copilot %s is checked as %s", found, known.Version),
			"There is no catalogue of the settings of that release. Set version = %q to say so, or take a newer agentihooks.", known.Version)
	}
	if t := secretIn(given); t.Kind != model.KindAbsent {
		r.diags.Errorf(t.Origin, "secret-not-allowed", "settings: a secret cannot stand here",
			"Copilot would not read it, and settings.json is no place for it. Remove the reference.")
	}
	if own := given.Get("statusLine"); own.Kind != model.KindAbsent && r.on("statusLine") {
		r.diags.Errorf(own.Origin, "conflict", "settings: \"statusLine\" is set twice",
			"The attribute statusLine of the target sets it too. Remove one of the two.")
		r.diags[len(r.diags)-1].Related = []diag.Related{{Label: "also set here", Range: r.attr("statusLine").Origin}}
	}
	list := given.Get(disabledServers)
	switch {
	case list.Kind == model.KindAbsent:
	case r.on("mcpDefaultDisabled"):
		r.diags.Errorf(list.Origin, "conflict", fmt.Sprintf("settings: %q is set twice", disabledServers),
			"mcpDefaultDisabled makes this list. Remove the key; mcpAlwaysEnabled names what stays enabled.")
		r.diags[len(r.diags)-1].Related = []diag.Related{{Label: "also set here", Range: r.attr("mcpDefaultDisabled").Origin}}
	}
}

// version is the release of Copilot that is rendered for: the one that the manifest names, or that was found here.
func (r *renderer) version() string {
	return cmp.Or(r.attr("version").Text, r.in.Machine.Facts.Versions["copilot"])
}

// disabled is the declared servers that start disabled, or the names that settings give, and where that is said.
func (r *renderer) disabled(given model.Value) (names []string, origins []diag.Range) {
	if !r.on("mcpDefaultDisabled") {
		list := given.Get(disabledServers)
		names = texts(list)
		slices.Sort(names)
		return slices.Compact(names), []diag.Range{list.Origin}
	}
	exempt := r.attr("mcpAlwaysEnabled")
	declared := func(name string) bool {
		return slices.ContainsFunc(r.in.Machine.MCP, func(b model.Block) bool { return b.Label == name })
	}
	for _, e := range exempt.List {
		if !declared(e.Text) {
			r.diags.Warnf(e.Origin, "unknown-server", fmt.Sprintf("mcpAlwaysEnabled names %q, which is no declared server", e.Text),
				"It exempts servers of this manifest only. Declare mcp %q, or remove the name.", e.Text)
		}
	}
	origins = append(origins, r.attr("mcpDefaultDisabled").Origin)
	for _, b := range r.in.Machine.MCP {
		if !slices.Contains(texts(exempt), b.Label) {
			names = append(names, b.Label)
			origins = append(origins, b.Origin)
		}
	}
	slices.Sort(names)
	return names, origins
}

// leaves calls yield with every value below v that is no object, or an empty one, and the names that lead to it.
func leaves(path []string, v model.Value, yield func([]string, model.Value)) {
	if v.Kind == model.KindAbsent {
		return
	}
	if v.Kind != model.KindObject || len(v.Fields) == 0 && len(path) > 0 {
		yield(path, v)
		return
	}
	for _, f := range v.Fields {
		leaves(append(slices.Clip(path), f.Name), f.Value, yield)
	}
}

// object is a JSON object under construction.
type object map[string]any

// set puts a value at a path of names.
func (o object) set(path []string, v any) {
	for _, name := range path[:len(path)-1] {
		next, ok := o[name].(object)
		if !ok {
			next = object{}
			o[name] = next
		}
		o = next
	}
	o[path[len(path)-1]] = v
}
