package compiler

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// CheckAll evaluates the manifest for each of its hosts with the facts that their blocks give and nothing else, and
// profiles that no host uses. What cannot be decided so is a warning.
func (m *Manifest) CheckAll() diag.List {
	var diags diag.List
	undecided := map[string]*undecidedUse{}
	visited := map[*layer]bool{}
	note := func(r *resolver, host string) {
		for _, u := range r.unknown {
			key := u.at.String() + u.what
			if undecided[key] == nil {
				undecided[key] = &undecidedUse{unknown: u}
			}
			undecided[key].add(u, host)
		}
	}
	hosts := m.hosts
	if len(hosts) == 0 {
		hosts = []*host{nil}
	}
	for _, h := range hosts {
		name := ""
		if h != nil {
			name = h.label
			visited[h.layer] = true
		}
		facts, found := m.HostFacts(name, model.Facts{})
		diags = append(diags, found...)
		facts = facts.Complete()
		r := m.resolver(h, facts)
		if h != nil && h.when != nil {
			_, _, _, found := r.ev.whether(*h.when, "`when` of host `"+name+"`")
			diags = append(diags, found...)
		}
		for _, p := range expand(r.chosen()) {
			visited[p.layer] = true
		}
		r = m.resolver(h, facts)
		r.run()
		diags = append(diags, r.diags...)
		note(r, name)
	}
	diags = append(diags, m.checkUnused(visited)...)
	for _, u := range undecided {
		diags = append(diags, u.warning())
	}
	return diags.Sorted()
}

// checkUnused evaluates the profiles that no host uses.
func (m *Manifest) checkUnused(visited map[*layer]bool) (diags diag.List) {
	ev := newEvaluator(m, model.Facts{})
	var all func([]*instance)
	all = func(list []*instance) {
		for _, i := range list {
			ev.active[i] = i.occurrences
			all(i.modules)
		}
	}
	all(m.modules)
	for _, ly := range m.layers() {
		if !visited[ly] && ly != m.top && (ly.scope.module == nil || ly.scope.module.layer != ly) {
			diags = append(diags, ev.layer(ly).diags...)
		}
	}
	return diags
}

// undecidedUse is one place that cannot be decided, with the hosts for which that is so.
type undecidedUse struct {
	unknown
	hosts []string
	names []string
}

func (u *undecidedUse) add(more unknown, host string) {
	if n := len(u.hosts); host != "" && (n == 0 || u.hosts[n-1] != host) {
		u.hosts = append(u.hosts, host)
	}
	for _, f := range more.facts {
		if !slices.Contains(u.names, f) {
			u.names = append(u.names, f)
		}
	}
}

func (u *undecidedUse) warning() diag.Diagnostic {
	var l diag.List
	where := ""
	switch n := len(u.hosts); {
	case n > 5:
		where = " for " + count(n, "host") + " (" + strings.Join(u.hosts[:5], ", ") + ", …)"
	case n > 0:
		where = " for " + count(n, "host") + " (" + strings.Join(u.hosts, ", ") + ")"
	}
	slices.Sort(u.names)
	l.Warnf(u.at, "undecided", u.what+" could not be decided"+where,
		"It depends on facts that are not known: %s. Give them in `facts = { … }` of the host block to check it.", quoted(u.names))
	return l[0]
}
