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
	local, given, err := a.readFacts(m)
	if err != nil {
		return nil, err
	}
	host := a.host
	if host == "" {
		host, err = a.match(m, cmp.Or(given.only, &local))
		if err != nil {
			return nil, err
		}
	}
	if file, ok := given.of(host); ok || m.Matches(host, local) || !m.HasFacts(host) {
		if ok {
			return a.compileFor(m, host, &file)
		}
		return a.compile(m, host, local, true)
	}
	return a.compileFor(m, host, nil)
}

// compileFor compiles for a host of another machine: what is known of it is what the manifest and --facts say.
func (a *app) compileFor(m *manifest, host string, given *model.Facts) (*built, error) {
	known, list := m.HostFacts(host, model.Facts{})
	if list.HasErrors() {
		return nil, inputError{list, m.Texts()}
	}
	if given != nil {
		known = overlay(known, *given)
	}
	return a.compile(m, host, facts.Complete(known), false)
}

// compileAny compiles for a host wherever it is: with the facts of this machine only if the host is this machine.
func (a *app) compileAny(m *manifest, host string) (*built, error) {
	local, given, err := a.readFacts(m)
	if err != nil {
		return nil, err
	}
	if file, ok := given.of(host); ok {
		return a.compileFor(m, host, &file)
	}
	if m.Matches(host, local) {
		return a.compile(m, host, local, true)
	}
	return a.compileFor(m, host, nil)
}

func (a *app) match(m *manifest, known *model.Facts) (string, error) {
	host, list := m.Match(*known)
	if list.HasErrors() {
		return "", inputError{list, m.Texts()}
	}
	return host, nil
}

// givenFacts is what --facts gave: the facts of one machine, or of several by host.
type givenFacts struct {
	only *model.Facts
	all  map[string]model.Facts
}

func (g givenFacts) of(host string) (model.Facts, bool) {
	if g.only != nil {
		return *g.only, true
	}
	for name, f := range g.all {
		if strings.EqualFold(name, host) {
			return f, true
		}
	}
	return model.Facts{}, false
}

// readFacts reads the facts of this machine, and those of others that --facts names.
func (a *app) readFacts(m *manifest) (local model.Facts, given givenFacts, err error) {
	if local, err = facts.Read(a.env, m.WhichNames()); err != nil {
		return local, given, fmt.Errorf("reading the facts of this machine: %w", err)
	}
	if a.facts == "" {
		return local, given, nil
	}
	info, err := os.Stat(a.facts)
	if err != nil {
		return local, given, err
	}
	if info.IsDir() {
		given.all, err = facts.ReadDir(a.facts)
		return local, given, err
	}
	only, err := facts.ReadFile(a.facts)
	given.only = &only
	return local, given, err
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
