package copilot

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/copilot/catalogue"
)

const (
	SettingsPath    = "copilot/settings.json"
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
		set(root, path, plain(v))
		keys = append(keys, tree.Key{Path: path})
		origins = append(origins, v.Origin)
	})
	if r.on("statusLine") {
		command := shellQuote(r.in.Hook) + hookStatusLine
		for _, leaf := range [][2]string{{"command", command}, {"type", "command"}} {
			path := []string{"statusLine", leaf[0]}
			set(root, path, leaf[1])
			keys = append(keys, tree.Key{Path: path})
		}
		origins = append(origins, r.attr("statusLine").Origin)
	}
	if names, without, from := r.disabled(given); len(names)+len(without) > 0 {
		set(root, []string{disabledServers}, names)
		keys = append(keys, tree.Key{Path: []string{disabledServers}, Set: true, Without: without})
		origins = append(origins, from...)
	}
	if len(keys) == 0 {
		return
	}
	slices.SortFunc(keys, func(a, b tree.Key) int { return slices.Compare(a.Path, b.Path) })
	r.merge(r.home("settings.json"), SettingsPath, canonical(root), keys, origins...)
}

// hooksSwitch reports whether a setting is disableAllHooks with a value that does nothing: a repository or an organisation
// can still set it to true (seen on 1.0.102).
func (r *renderer) hooksSwitch(path []string, v model.Value) bool {
	if len(path) != 1 || path[0] != "disableAllHooks" {
		return false
	}
	if v.Bool {
		if r.hooksOn() {
			r.diags.Warnf(v.Origin, "no-effect", "settings: disableAllHooks does not stop the hooks of the hooks folder",
				"Copilot 1.0.80 to 1.0.102 run them all the same, and the guards. Set hooks = false if that is what you want.")
		}
		return false
	}
	r.diags.Warnf(v.Origin, "no-effect", "settings: disableAllHooks = false is not written", "It protects nothing: a repository's own settings can still switch hooks off. Remove it.")
	return true
}

func (r *renderer) checkSettings(given model.Value) {
	if v := r.attr("version"); v.Kind == model.KindString && !catalogue.Valid(v.Text) {
		r.diags.Errorf(v.Origin, "invalid-value", fmt.Sprintf("%q is no version of Copilot", v.Text),
			"A version is three numbers, as in %q. Correct it, or remove it: the one that is installed is found.", catalogue.For("").Version)
		return
	}
	if t := secretIn(given); t.Kind != model.KindAbsent {
		r.diags.Errorf(t.Origin, "secret-not-allowed", "settings: a secret cannot stand here",
			"Copilot would not read it, and settings.json is no place for it. Remove the reference.")
		return
	}
	if len(given.Fields) > 0 {
		known := catalogue.For(r.version())
		r.sayCatalogue(given.Origin, known)
		for _, f := range known.Check(plain(given).(map[string]any)) {
			r.diags.Errorf(within(given, f.Path).Origin, f.Code, fmt.Sprintf("settings: %q %s", f.Key(), f.What), "%s", f.Advice)
		}
	}
	if own := given.Get("statusLine"); own.Kind != model.KindAbsent && r.on("statusLine") {
		r.diags.Errorf(own.Origin, "conflict", "settings: \"statusLine\" is set twice",
			"The attribute statusLine of the target sets it too. Remove one of the two.")
		r.diags[len(r.diags)-1].Related = []diag.Related{{Label: "also set here", Range: r.attr("statusLine").Origin}}
	}
	if list := given.Get(disabledServers); list.Kind != model.KindAbsent && r.on("mcpDefaultDisabled") {
		r.diags.Errorf(list.Origin, "conflict", fmt.Sprintf("settings: %q is set twice", disabledServers),
			"mcpDefaultDisabled makes this list. Remove the key; mcpAlwaysEnabled names what stays enabled.")
		r.diags[len(r.diags)-1].Related = []diag.Related{{Label: "also set here", Range: r.attr("mcpDefaultDisabled").Origin}}
	}
}

// sayCatalogue says what settings are checked against, where that is not the very version that will read them.
func (r *renderer) sayCatalogue(at diag.Range, known catalogue.Catalogue) {
	version, order := r.version(), catalogue.Compare(known.Version, r.version())
	var why string
	switch {
	case version == "":
		why = "No Copilot was found here. Install it, or set `version` in the target's block to the one that will be used."
	case order < 0:
		why = fmt.Sprintf("This is Copilot %s, and of no version between the two is known what it takes. A key that it has since learned is refused, one that it has dropped is not.", version)
	case order > 0:
		why = fmt.Sprintf("This is Copilot %s, and of none so old is known what it takes. A key that it does not know has no effect there. Update Copilot.", version)
	default:
		return
	}
	r.diags.Warnf(at, "settings-catalogue", "settings are checked for Copilot "+known.Version, "%s", why)
}

// check looks for values in the home's settings.json that cost Copilot the whole file, ours and the user's. What it does
// not know it only leaves alone.
func check(path string, text []byte, version string) []string {
	v, err := decoded(text)
	root, ok := v.(map[string]any)
	if path != SettingsPath || err != nil || !ok {
		return nil
	}
	var out []string
	for _, f := range catalogue.For(version).Check(root) {
		if f.Voids() {
			out = append(out, fmt.Sprintf("%s %s. %s", f.Key(), f.What, f.Advice))
		}
	}
	return out
}

// within is the value at a path of names and positions, or the last that there is on the way.
func within(v model.Value, path []string) model.Value {
	for _, step := range path {
		next := v.Get(step)
		if i, err := strconv.Atoi(step); err == nil && v.Kind == model.KindList && i < len(v.List) {
			next = v.List[i]
		}
		if next.Kind == model.KindAbsent {
			break
		}
		v = next
	}
	return v
}

// version is the release of Copilot that is rendered for: the one that the manifest names, or that was found here.
func (r *renderer) version() string {
	return cmp.Or(r.attr("version").Text, r.in.Machine.Facts.Versions["copilot"])
}

// disabled is the declared servers that start disabled, or the names that settings give, those that are exempt, and where
// that is said.
func (r *renderer) disabled(given model.Value) (names, without []string, origins []diag.Range) {
	if !r.on("mcpDefaultDisabled") {
		list := given.Get(disabledServers)
		names = texts(list)
		slices.Sort(names)
		return slices.Compact(names), nil, []diag.Range{list.Origin}
	}
	names = []string{} // an empty list, not null
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
		if slices.Contains(texts(exempt), b.Label) {
			without = append(without, b.Label)
			continue
		}
		names = append(names, b.Label)
		origins = append(origins, b.Origin)
	}
	slices.Sort(names)
	slices.Sort(without)
	return names, without, origins
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
type object = map[string]any

// set puts a value at a path of names.
func set(o object, path []string, v any) {
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
