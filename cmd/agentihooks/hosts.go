package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/facts"
)

// compileHere compiles for this machine: the host that fits it, or the one named by --host, seen from here.
func (a *app) compileHere(m *manifest) (*built, error) {
	known, err := a.readFacts(m)
	if err != nil {
		return nil, err
	}
	host := a.host
	if host == "" {
		if host, err = a.match(m, cmp.Or(known.only, &known.local)); err != nil {
			return nil, err
		}
	}
	// A host that says nothing of its machine may be this one under another name.
	return a.compileHost(m, host, known, !m.HasFacts(host))
}

// compileHost compiles for a host: with the facts that --facts gave for it, with those of this machine if the host is
// this machine or may stand for it, else with what the manifest says of it.
func (a *app) compileHost(m *manifest, host string, known knownFacts, here bool) (*built, error) {
	given, ok := known.of(host)
	if !ok && (here || m.Matches(host, known.local)) {
		return a.compile(m, host, known.local, true)
	}
	described, list := m.HostFacts(host, model.Facts{})
	if list.HasErrors() {
		return nil, inputError{list, m.Texts()}
	}
	return a.compile(m, host, overlay(described, given).Complete(), false)
}

func (a *app) match(m *manifest, known *model.Facts) (string, error) {
	host, list := m.Match(*known)
	if list.HasErrors() {
		return "", inputError{list, m.Texts()}
	}
	return host, nil
}

// knownFacts is the facts of this machine, and what --facts gave: those of one machine, or of several by host.
type knownFacts struct {
	local model.Facts
	only  *model.Facts
	all   map[string]model.Facts
}

// of is what --facts gave for a host.
func (k knownFacts) of(host string) (model.Facts, bool) {
	if k.only != nil {
		return *k.only, true
	}
	for name, f := range k.all {
		if strings.EqualFold(name, host) {
			return f, true
		}
	}
	return model.Facts{}, false
}

// readFacts reads the facts of this machine, and those of others that --facts names.
func (a *app) readFacts(m *manifest) (known knownFacts, err error) {
	if known.local, err = facts.Read(a.env, m.WhichNames()); err != nil {
		return known, fmt.Errorf("reading the facts of this machine: %w", err)
	}
	if a.facts == "" {
		return known, nil
	}
	info, err := os.Stat(a.facts)
	if err != nil {
		return known, err
	}
	if info.IsDir() {
		known.all, err = facts.ReadDir(a.facts)
		return known, err
	}
	only, err := facts.ReadFile(a.facts)
	known.only = &only
	return known, err
}

// overlay is base with every fact that over knows.
func overlay(base, over model.Facts) model.Facts {
	out := model.Facts{
		Hostname:    cmp.Or(over.Hostname, base.Hostname),
		OS:          cmp.Or(over.OS, base.OS),
		Arch:        cmp.Or(over.Arch, base.Arch),
		WSL:         cmp.Or(over.WSL, base.WSL),
		User:        cmp.Or(over.User, base.User),
		Home:        cmp.Or(over.Home, base.Home),
		StateDir:    cmp.Or(over.StateDir, base.StateDir),
		CopilotHome: cmp.Or(over.CopilotHome, base.CopilotHome),
		Versions:    maps.Clone(base.Versions),
		Which:       maps.Clone(base.Which),
	}
	if over.Versions != nil {
		out.Versions = over.Versions
	}
	if over.Which != nil {
		out.Which = over.Which
	}
	return out
}
