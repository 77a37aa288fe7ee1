package compiler

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func hostBlock() blockType {
	return blockType{
		name: "host", label: "name", in: []string{atTop}, body: true,
		doc: "One machine, the last layer. Without `when` it matches by its label: the hostname, without its domain, whatever the case.",
		specs: []model.BlockSpec{{Type: "host", Attributes: []model.AttrSpec{
			{Name: "when", Type: kind(model.TypeBool), Doc: "Decides alone whether this block is for the machine at hand.", Example: `facts.os == "darwin"`},
			{Name: "profiles", Type: listOf(model.TypeString), Doc: "Profiles of this host, later ones win.", Example: `["work"]`},
			{Name: "facts", Type: kind(model.TypeMap), Doc: "What is true of this machine, for builds on another one.", Example: `{ os = "linux", arch = "amd64", home = "/home/sam" }`},
		}}},
		decode: (*loader).host,
	}
}

// host is one host block.
type host struct {
	label    string
	at       hcl.Range
	layer    *layer
	when     *attribute
	profiles *attribute
	facts    *attribute
}

func (l *loader) host(ly *layer, b *hclsyntax.Block) {
	h := &host{label: b.Labels[0], at: b.LabelRanges[0]}
	if !validHost(h.label) {
		l.diags.Errorf(rangeOf(h.at), "invalid-label", "`"+h.label+"` is no host label",
			"A label begins with a letter or digit and goes on with at most 62 letters, digits, `.`, `_` and `-`: it names a folder. Rename the host, and use `when` to match it.")
	}
	h.layer = &layer{title: "host `" + h.label + "`", scope: ly.scope.child()}
	own := l.body(h.layer, inHost, b.Body)
	for name, a := range own {
		switch name {
		case "when":
			a.expr.only = []string{"facts", "local"}
			h.when = &a
		case "profiles":
			a.expr.only = []string{"facts", "local"}
			h.profiles = &a
		case "facts":
			a.expr.only = nil
			h.facts = &a
		}
	}
	key := strings.ToLower(h.label)
	if first, twice := l.m.byLabel[key]; twice {
		l.conflict("The host `"+h.label+"`", h.at, first.at)
		return
	}
	l.m.byLabel[key] = h
	l.m.hosts = append(l.m.hosts, h)
}

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// consistsOf reports whether all characters of s are among those given.
func consistsOf(s, chars string) bool { return strings.Trim(s, chars) == "" }

// validHost reports whether a host may be called that: its name becomes a component of store paths.
func validHost(label string) bool {
	return label != "" && len(label) <= 63 && consistsOf(label, letters+digits+"._-") && consistsOf(label[:1], letters+digits)
}
