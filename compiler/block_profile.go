package compiler

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func profileBlock() blockType {
	return blockType{
		name: "profile", label: "name", in: []string{atTop, inModule}, body: true,
		doc: "A named layer that hosts choose. It takes all that the top level takes, but profiles and hosts.",
		specs: []model.BlockSpec{{Type: "profile", Attributes: []model.AttrSpec{
			{Name: "include", Type: listOf(model.TypeString), Doc: "Profiles that come before this one.", Example: `["oncall"]`},
		}}},
		decode: (*loader).profile,
	}
}

// profile is one profile block.
type profile struct {
	label    string
	at       hcl.Range
	layer    *layer
	written  []mention // as include names them
	includes []*profile
}

// mention is a name as written, with its place.
type mention struct {
	name string
	at   hcl.Range
}

func (l *loader) profile(ly *layer, b *hclsyntax.Block) {
	p := &profile{label: b.Labels[0], at: b.LabelRanges[0]}
	p.layer = &layer{title: "profile `" + p.label + "`", scope: ly.scope.child()}
	own := l.body(p.layer, inProfile, b.Body)
	if a, ok := own["include"]; ok {
		a.expr.skip = true
		p.written = l.literalNames(a.expr.syntax, "`include`")
	}
	if first, twice := l.m.profiles[p.label]; twice {
		l.conflict("The profile `"+p.label+"`", p.at, first.at)
		return
	}
	l.m.profiles[p.label] = p
}

// literalNames reads a list of literal strings.
func (l *loader) literalNames(e hclsyntax.Expression, what string) []mention {
	tuple, ok := e.(*hclsyntax.TupleConsExpr)
	if !ok {
		l.diags.Errorf(rangeOf(e.Range()), "wrong-type", what+" must be a list of names",
			"It has to be known before anything is evaluated. Write it as in `[\"base\"]`.")
		return nil
	}
	var out []mention
	for _, item := range tuple.Exprs {
		v, ds := item.Value(nil)
		if ds.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
			l.diags.Errorf(rangeOf(item.Range()), "wrong-type", what+" must be a list of names",
				"This element is not a literal string. Write it in quotes, without references.")
			continue
		}
		out = append(out, mention{v.AsString(), item.Range()})
	}
	return out
}

// linkProfiles resolves includes, and reports unknown profiles and circles.
func (l *loader) linkProfiles() {
	names := slices.Sorted(maps.Keys(l.m.profiles))
	for _, name := range names {
		p := l.m.profiles[name]
		for _, w := range p.written {
			if q, ok := l.m.profiles[w.name]; ok {
				p.includes = append(p.includes, q)
			} else {
				l.unknownProfile(w)
			}
		}
	}
	l.checkIncludes(names)
	for _, h := range l.m.hosts {
		if h.profiles == nil {
			continue
		}
		if tuple, ok := h.profiles.expr.syntax.(*hclsyntax.TupleConsExpr); ok {
			for _, item := range tuple.Exprs {
				v, ds := item.Value(nil)
				if !ds.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() && l.m.profiles[v.AsString()] == nil {
					l.unknownProfile(mention{v.AsString(), item.Range()})
				}
			}
		}
	}
}

func (l *loader) unknownProfile(w mention) {
	l.diags.Errorf(rangeOf(w.at), "unknown-profile", "Unknown profile `"+w.name+"`", "No `profile \"%s\"` block declares it. %s",
		w.name, didYouMean(w.name, slices.Collect(maps.Keys(l.m.profiles))))
}

// checkIncludes reports each circle of includes once, and opens it, so that what follows cannot run in it.
func (l *loader) checkIncludes(names []string) {
	done := map[*profile]bool{}
	var path []*profile
	var visit func(*profile)
	visit = func(p *profile) {
		path = append(path, p)
		for _, w := range p.written {
			next := l.m.profiles[w.name]
			if next == nil || done[next] {
				continue
			}
			if i := slices.Index(path, next); i >= 0 {
				l.diags.Errorf(rangeOf(w.at), "cycle", "The profile `"+next.label+"` includes itself",
					"A profile cannot include itself, not through others either. Remove one of the includes.")
				for _, step := range path[i:] {
					also(l.diags, "`"+step.label+"` is part of the circle", rangeOf(step.at))
				}
				p.includes = slices.DeleteFunc(p.includes, func(q *profile) bool { return q == next })
				continue
			}
			visit(next)
		}
		path = path[:len(path)-1]
		done[p] = true
	}
	for _, name := range names {
		if !done[l.m.profiles[name]] {
			visit(l.m.profiles[name])
		}
	}
}

// expand is the profiles of a host in merging order: includes before their includer, each once.
func expand(chosen []*profile) []*profile {
	var out []*profile
	seen := map[*profile]bool{}
	var visit func(*profile)
	visit = func(p *profile) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, q := range p.includes {
			visit(q)
		}
		out = append(out, p)
	}
	for _, p := range chosen {
		visit(p)
	}
	return out
}
