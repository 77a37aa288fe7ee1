package compiler

import (
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// Matches reports whether the facts fit a host, whether or not they fit others too. A condition that the facts cannot
// decide does not fit. Without host blocks every name fits every machine.
func (m *Manifest) Matches(name string, facts model.Facts) bool {
	if len(m.hosts) == 0 {
		return true
	}
	h := m.host(name)
	if h == nil {
		return false
	}
	if h.when == nil {
		return strings.EqualFold(shortName(h.label), shortName(facts.Hostname))
	}
	yes, known, _, diags := newEvaluator(m, facts).whether(*h.when, "`when` of host `"+h.label+"`")
	return yes && known && !diags.HasErrors()
}

// HasFacts reports whether a host's block describes its machine.
func (m *Manifest) HasFacts(name string) bool {
	h := m.host(name)
	return h != nil && h.facts != nil
}
