package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// Match is the one host that the facts fit. Without host blocks it is the hostname, made fit for a store path. None
// or several is an error that lists the candidates and the facts used.
func (m *Manifest) Match(facts model.Facts) (string, diag.List) {
	var diags diag.List
	short := shortName(facts.Hostname)
	if len(m.hosts) == 0 {
		if short == "" {
			diags.Errorf(m.file, "no-host", "The hostname is not known", "The tree needs a name. Give one with --host.")
			return "", diags
		}
		return sanitized(short), nil
	}
	ev := newEvaluator(m, facts)
	used := map[string]bool{"hostname": true}
	var matching []*host
	for _, h := range m.hosts {
		if h.when == nil {
			if short != "" && strings.EqualFold(shortName(h.label), short) {
				matching = append(matching, h)
			}
			continue
		}
		h.when.expr.deps(map[*expr]bool{}, func(f string) { used[f] = true })
		yes, known, u, found := ev.whether(*h.when, "`when` of host `"+h.label+"`")
		diags = append(diags, found...)
		switch {
		case !known && len(u.facts) > 0:
			diags.Errorf(u.at, "unknown-facts", "It is not known whether host `"+h.label+"` matches",
				"`when` needs %s. Give them with --facts, or choose with --host.", quoted(u.facts))
		case yes:
			matching = append(matching, h)
		}
	}
	if diags.HasErrors() {
		return "", diags.Sorted()
	}
	switch len(matching) {
	case 1:
		return matching[0].label, nil
	case 0:
		diags.Errorf(m.file, "no-host", "No host matches this machine",
			"Candidates: %s. Facts: %s. Add a `host \"%s\" { … }` block, or choose with --host.", quoted(m.Hosts()), said(facts, used), sanitized(short))
	default:
		var names []string
		for _, h := range matching {
			names = append(names, h.label)
		}
		diags.Errorf(rangeOf(matching[0].at), "several-hosts", "Several hosts match this machine",
			"Candidates: %s. Facts: %s. Make their conditions exclude each other, or choose with --host.", quoted(names), said(facts, used))
		for _, h := range matching[1:] {
			also(diags, "`"+h.label+"` matches too", rangeOf(h.at))
		}
	}
	return "", diags
}

// shortName is a hostname without its domain.
func shortName(name string) string {
	short, _, _ := strings.Cut(name, ".")
	return short
}

// sanitized is a hostname as a host label.
func sanitized(name string) string {
	out := strings.Map(func(r rune) rune {
		if strings.ContainsRune(letters+digits+"._-", r) {
			return r
		}
		return '-'
	}, name)
	out = strings.TrimLeft(out, "._-")
	if len(out) > 63 {
		out = out[:63]
	}
	if out == "" {
		return "host"
	}
	return out
}

// said lists facts with their values, for a message.
func said(facts model.Facts, names map[string]bool) string {
	var out []string
	for _, f := range factTable() {
		if f.hidden || !names[f.name] && !names["*"] {
			continue
		}
		value := "unknown"
		switch {
		case f.text != nil:
			if t := *f.text(&facts); t != "" {
				value = fmt.Sprintf("%q", t)
			}
		case f.table != nil:
			t := *f.table(&facts)
			var pairs []string
			for _, k := range slices.Sorted(maps.Keys(t)) {
				pairs = append(pairs, fmt.Sprintf("%s %s", k, t[k]))
			}
			if t != nil {
				value = "{" + strings.Join(pairs, ", ") + "}"
			}
		case facts.WSL != nil:
			value = fmt.Sprint(*facts.WSL)
		}
		out = append(out, f.name+" = "+value)
	}
	return strings.Join(out, ", ")
}
