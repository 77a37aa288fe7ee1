package compiler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// resolver makes the machine of one host.
type resolver struct {
	m       *Manifest
	ev      *evaluator
	host    *host // nil: the manifest has no host blocks
	sets    map[string]setValue
	single  map[string]*node
	blocks  map[string]*mergedBlock
	diags   diag.List
	unknown []unknown

	profiles []string // that the host names
}

// mergedBlock is a labelled block with the layers so far.
type mergedBlock struct {
	kind  *blockType
	label string
	at    diag.Range
	attrs map[string]*node
	specs map[string]model.AttrSpec
	bad   bool
}

// Resolve evaluates and merges the layers of one host. Every fact that it needs must be known. host is a label of
// Hosts, or any valid label if there are none. With errors the machine is not to be used.
func (m *Manifest) Resolve(name string, facts model.Facts) (model.Machine, diag.List) {
	var diags diag.List
	h := m.host(name)
	switch {
	case h == nil && len(m.hosts) > 0:
		diags.Errorf(m.file, "unknown-host", "Unknown host `"+name+"`", "There is no `host \"%s\"` block. %s", name, didYouMean(name, m.Hosts()))
		return model.Machine{}, diags
	case h == nil && !validHost(name):
		diags.Errorf(m.file, "invalid-label", "`"+name+"` is no host name",
			"A name begins with a letter or digit and goes on with at most 62 letters, digits, `.`, `_` and `-`. Choose another with --host.")
		return model.Machine{}, diags
	}
	if h != nil {
		name = h.label
	}
	r := m.resolver(h, facts)
	machine := r.run()
	machine.Host = name
	r.requireFacts(name)
	return machine, r.diags.Sorted()
}

func (m *Manifest) resolver(h *host, facts model.Facts) *resolver {
	return &resolver{
		m: m, ev: newEvaluator(m, facts), host: h,
		sets: map[string]setValue{}, single: map[string]*node{}, blocks: map[string]*mergedBlock{},
	}
}

// host is the host of that label, whatever its case.
func (m *Manifest) host(name string) *host { return m.byLabel[strings.ToLower(name)] }

// run merges all layers.
func (r *resolver) run() model.Machine { return r.merged(r.layers()) }

func (r *resolver) merged(layers []*layer) model.Machine {
	for _, ly := range layers {
		r.add(r.ev.layer(ly))
	}
	return r.machine()
}

// layers is what the host is made of, in the order of merging: modules, top level, profiles, host.
func (r *resolver) layers() []*layer {
	active := []*layer{r.m.top}
	chosen := r.chosen()
	for _, p := range chosen {
		if !slices.Contains(r.profiles, p.label) {
			r.profiles = append(r.profiles, p.label)
		}
	}
	profiles := expand(chosen)
	for _, p := range profiles {
		active = append(active, p.layer)
	}
	if r.host != nil {
		active = append(active, r.host.layer)
	}
	modules := r.activate(nil, active)
	for _, p := range profiles {
		if inst := p.layer.scope.module; inst != nil && !slices.Contains(modules, inst.layer) {
			r.diags.Errorf(rangeOf(p.at), "inactive-module", "The profile `"+p.label+"` comes from a module that is not in use",
				"The module `%s` is switched off for this host. Enable it, or remove the profile from the host.", inst.label)
		}
	}
	return slices.Concat(modules, active)
}

// chosen is the profiles that the host names.
func (r *resolver) chosen() []*profile {
	if r.host == nil || r.host.profiles == nil {
		return nil
	}
	var found layerValue
	n, ok := r.ev.attribute(*r.host.profiles, "`profiles` of host `"+r.host.label+"`", false, &found)
	r.diags = append(r.diags, found.diags...)
	r.unknown = append(r.unknown, found.unknown...)
	if !ok {
		return nil
	}
	var out []*profile
	for _, e := range n.list {
		p := r.m.profiles[e.leaf.Text]
		if p == nil {
			r.diags.Errorf(e.origin, "unknown-profile", "Unknown profile `"+e.leaf.Text+"`", "No `profile \"%s\"` block declares it. %s",
				e.leaf.Text, didYouMean(e.leaf.Text, slices.Collect(maps.Keys(r.m.profiles))))
			continue
		}
		out = append(out, p)
	}
	return out
}

// activate finds the modules that the active layers of a module (nil: the manifest) use, and gives their layers:
// what a module uses lies below it.
func (r *resolver) activate(parent *instance, active []*layer) []*layer {
	instances := r.m.modules
	if parent != nil {
		instances = parent.modules
	}
	var order []*instance
	for _, ly := range active {
		if ly.scope.module != parent {
			continue
		}
		for _, o := range ly.modules {
			i := slices.IndexFunc(instances, func(i *instance) bool { return i.layer.title == o.title() })
			if i < 0 {
				continue // it was reported
			}
			inst := instances[i]
			if !slices.Contains(order, inst) {
				order = append(order, inst)
			}
			r.ev.active[inst] = append(r.ev.active[inst], o)
		}
	}
	var out []*layer
	for _, inst := range order {
		if r.enabled(inst) {
			out = append(out, r.activate(inst, append([]*layer{inst.layer}, active...))...)
			out = append(out, inst.layer)
		}
	}
	return out
}

// enabled is what the last active block of a module says.
func (r *resolver) enabled(inst *instance) bool {
	for _, o := range slices.Backward(r.ev.active[inst]) {
		if o.enabled == nil {
			continue
		}
		a := attribute{expr: o.enabled, at: o.at, spec: enabledAttr()}
		var found layerValue
		n, ok := r.ev.attribute(a, "`enabled` of "+inst.layer.title, false, &found)
		r.diags = append(r.diags, found.diags...)
		r.unknown = append(r.unknown, found.unknown...)
		if ok && n.kind == leaf {
			return n.leaf.Bool
		}
	}
	return true
}

// add lays a layer over those before it.
func (r *resolver) add(v *layerValue) {
	r.diags = append(r.diags, v.diags...)
	r.unknown = append(r.unknown, v.unknown...)
	for name, set := range v.sets {
		r.sets[name] = r.sets[name].add(set, false)
	}
	for name, n := range v.single {
		r.single[name] = n // a later layer wins, null too
	}
	for _, b := range v.blocks {
		key := b.kind.name + "\x00" + b.label
		have := r.blocks[key]
		if have == nil || b.whole {
			have = &mergedBlock{kind: b.kind, label: b.label, attrs: map[string]*node{}, specs: map[string]model.AttrSpec{}}
			r.blocks[key] = have
		}
		have.add(b, &r.diags)
	}
}

func (have *mergedBlock) add(b *blockValue, diags *diag.List) {
	have.at = b.at
	have.bad = have.bad || b.bad
	for _, a := range b.attrs {
		if a.node.kind == null || !slices.Contains(b.kind.exclusive, a.spec.Name) {
			continue
		}
		for _, other := range b.kind.exclusive {
			if !slices.ContainsFunc(b.attrs, func(x nodeAttr) bool { return x.spec.Name == other }) {
				delete(have.attrs, other)
			}
		}
	}
	for _, a := range b.attrs {
		m := merger{what: "`" + a.spec.Name + "` of " + b.kind.name + " `" + b.label + "`", diags: diags}
		have.attrs[a.spec.Name] = m.merge(have.attrs[a.spec.Name], a.node, a.spec.Merge)
		have.specs[a.spec.Name] = a.spec
	}
}

// machine gathers the merged layers.
func (r *resolver) machine() model.Machine {
	out := model.Machine{
		Facts:        r.ev.facts,
		Profiles:     r.profiles,
		Persona:      r.files("persona"),
		Rules:        r.files("rules"),
		Manifesto:    r.files("manifesto"),
		Instructions: r.files("instructions"),
		Agents:       r.files("agents"),
		Commands:     r.files("commands"),
	}
	for _, i := range r.sets["channels"].items {
		out.Channels = append(out.Channels, i.text)
	}
	for _, i := range r.sets["skills"].items {
		out.Skills = append(out.Skills, *i.folder)
	}
	out.KeepGenerations = r.keepGenerations()
	kept := r.kept()
	for _, b := range kept {
		done := model.Block{Type: b.kind.name, Label: b.label, Attrs: b.value(), Origin: b.at}
		if !b.bad {
			r.check(b, done, kept)
		}
		switch b.kind.name {
		case "target":
			out.Targets = append(out.Targets, done)
		case "mcp":
			out.MCP = append(out.MCP, done)
		case "secret":
			out.Secrets = append(out.Secrets, done)
		case "guard":
			out.Guards = append(out.Guards, done)
		case "hook":
			out.Hooks = append(out.Hooks, done)
		case "reminder":
			out.Reminders = append(out.Reminders, done)
		}
	}
	if len(out.Targets) == 0 && !r.diags.HasErrors() {
		r.diags.Warnf(r.m.file, "no-target", "The manifest has no target",
			"Nothing will be written. Add a `target` block, as in `target \"copilot\" {}`.")
	}
	return out
}

// keepGenerations is how many generations a switch leaves, 0 if nobody says.
func (r *resolver) keepGenerations() int {
	n := r.single["keepGenerations"]
	if n == nil || n.kind != leaf {
		return 0
	}
	keep, err := strconv.Atoi(n.leaf.Number)
	if err != nil || keep < 1 {
		r.diags.Errorf(n.origin, "invalid-value", "`keepGenerations` is no whole number from 1", "The live generation always stays. Write how many of the newest are kept.")
	}
	return keep
}

// kept is the blocks that are enabled, sorted by type and label.
func (r *resolver) kept() []*mergedBlock {
	var out []*mergedBlock
	for _, key := range slices.Sorted(maps.Keys(r.blocks)) {
		b := r.blocks[key]
		if e := b.attrs["enabled"]; e == nil || e.kind != leaf || e.leaf.Bool {
			out = append(out, b)
		}
	}
	slices.SortStableFunc(out, func(a, b *mergedBlock) int {
		return cmp.Or(strings.Compare(a.kind.name, b.kind.name), strings.Compare(a.label, b.label))
	})
	return out
}

func (r *resolver) files(name string) []model.File {
	var out []model.File
	for _, i := range r.sets[name].items {
		out = append(out, *i.file)
	}
	return out
}

// value is the attributes that are set, without `enabled`.
func (have *mergedBlock) value() model.Value {
	out := model.Value{Kind: model.KindObject, Origin: have.at}
	for _, name := range slices.Sorted(maps.Keys(have.attrs)) {
		if n := have.attrs[name]; n.kind != null && name != "enabled" {
			out.Fields = append(out.Fields, model.Field{Name: name, Value: n.value()})
		}
	}
	return out
}

// check looks at what only the merged block shows.
func (r *resolver) check(b *mergedBlock, done model.Block, kept []*mergedBlock) {
	i := slices.IndexFunc(b.kind.specs, func(s model.BlockSpec) bool { return s.Label == "" || s.Label == b.label })
	for _, a := range b.kind.specs[i].Attributes {
		if a.Required && done.Attrs.Get(a.Name).Kind == model.KindAbsent {
			r.diags.Errorf(b.at, "missing-attribute", fmt.Sprintf("The %s `%s` needs `%s`", b.kind.name, b.label, a.Name),
				"%s Add it, as in `%s = %s`.", a.Doc, a.Name, a.Example)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.attrs)) {
		b.attrs[name].secrets(func(secret string, at diag.Range) {
			declared := slices.ContainsFunc(kept, func(k *mergedBlock) bool { return k.kind.name == "secret" && k.label == secret })
			if !declared {
				r.diags.Errorf(at, "unknown-secret", "The secret `"+secret+"` is not declared for this host",
					"It is declared in a profile, host or module that this host does not use, or switched off. Declare it at the top level.")
				also(r.diags, "declared here", r.m.secrets[secret])
			}
		})
	}
	if b.kind.check != nil {
		b.kind.check(&r.diags, done)
	}
}

// requireFacts reports all facts that are needed and not known, in one diagnostic.
func (r *resolver) requireFacts(host string) {
	uses := map[string][]unknown{}
	for _, u := range r.unknown {
		for _, f := range u.facts {
			uses[f] = append(uses[f], u)
		}
	}
	needed := missingFacts(r.ev.facts)
	for _, f := range slices.Sorted(maps.Keys(uses)) {
		if !slices.Contains(needed, f) {
			needed = append(needed, f)
		}
	}
	if len(needed) == 0 && len(r.unknown) == 0 {
		return
	}
	var lines []string
	at := r.m.file
	if r.host != nil {
		at = rangeOf(r.host.at)
	}
	d := diag.Diagnostic{Code: "unknown-facts", Summary: "Facts of host `" + host + "` are not known", Subject: at}
	for _, f := range needed {
		line := "`" + f + "` (every tree needs it)"
		if len(uses[f]) > 0 {
			u := uses[f][0]
			line = fmt.Sprintf("`%s` (for %s at %s)", f, u.what, u.at)
			d.Related = append(d.Related, diag.Related{Label: "`" + f + "` is used here", Range: u.at})
		}
		lines = append(lines, line)
	}
	d.Detail = "Not known: " + strings.Join(lines, ", ") + ". Give them in `facts = { … }` of the host block, or with --facts."
	r.diags = append(r.diags, d)
}

// whether evaluates a condition over facts. known is false if it cannot be told.
func (ev *evaluator) whether(a attribute, what string) (yes, known bool, u unknown, diags diag.List) {
	var found layerValue
	n, ok := ev.attribute(a, what, false, &found)
	if len(found.unknown) > 0 {
		return false, false, found.unknown[0], found.diags
	}
	if !ok {
		return false, false, unknown{}, found.diags
	}
	if n.kind == null {
		found.diags.Errorf(n.origin, "wrong-type", what+" must be true or false", "This is null. Write a condition.")
	}
	return n.leaf.Bool, true, unknown{}, found.diags
}
