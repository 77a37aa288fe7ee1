package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/compiler"
	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/sources"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/modules"
	"github.com/agentihooks/agentihooks/targets"
	"github.com/agentihooks/agentihooks/targets/target"
)

// specs is what the manifest may say of targets and guards.
func specs() compiler.Specs {
	return compiler.Specs{Targets: targets.Specs(), Guards: guard.Specs()}
}

// manifest is a loaded manifest with where it came from.
type manifest struct {
	*compiler.Manifest
	path     string    // as shown to the user
	warnings diag.List // of loading
}

// load reads the manifest.
func (a *app) load() (*manifest, error) {
	path, err := a.manifestPath()
	if err != nil {
		return nil, err
	}
	folder, base, err := sources.Manifest(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no manifest at %s: write one with \"agentihooks init\", or name yours with --file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the folder of %s: %w", path, err)
	}
	if base != filepath.Base(path) {
		path = filepath.Join(folder.Path(), base)
	}
	m, list := compiler.Load(compiler.Sources{Name: path, Root: folder, Module: folder.Module, Builtin: modules.FS}, specs())
	if list.HasErrors() {
		return nil, inputError{list, m.Texts()}
	}
	return &manifest{m, path, list}, nil
}

// built is one host's tree and how it came about.
type built struct {
	manifest *manifest
	host     string
	facts    model.Facts
	versions map[string]string // of the programs rendered for, by target
	tree     tree.Tree
	keep     int // generations; 0: the default
	losses   []target.Loss
	warnings diag.List
}

// compile resolves the manifest for a host and renders it.
// local says that the facts are this machine's, so that more of them can be read.
func (a *app) compile(m *manifest, host string, known model.Facts, local bool) (*built, error) {
	machine, list := m.Resolve(host, known)
	if list.HasErrors() {
		return nil, inputError{list, m.Texts()}
	}
	if local {
		machine.Facts.Which = maps.Clone(known.Which)
		maps.Copy(machine.Facts.Which, facts.Which(a.env, targets.Probes(machine)))
	}
	hook, err := a.hookBinary(machine.Facts.OS, machine.Facts.Arch)
	if err != nil && len(machine.Targets) > 0 {
		return nil, err
	}
	out, losses, rendered := targets.Render(machine, hook)
	list = append(list, rendered...)
	list = append(list, lost(losses, a.strict)...)
	if list.HasErrors() {
		return nil, inputError{list, m.Texts()}
	}
	list = append(m.warnings, list...)
	if a.verbose {
		fmt.Fprintf(a.stderr, "manifest %s\nhost %s\ntree %s, %d files\n", diag.EscapeLine(m.path), host, out.Name(), len(out.Files))
	}
	return &built{manifest: m, host: host, facts: machine.Facts, versions: targets.Versions(machine), tree: out, keep: machine.KeepGenerations, losses: losses, warnings: list}, nil
}

// lost says what a target could not take: as warnings, with --strict as errors.
func lost(losses []target.Loss, strict bool) diag.List {
	var list diag.List
	for _, l := range losses {
		at := diag.Pos{Line: l.Line, Column: 1}
		place := diag.Range{File: l.File, Start: at, End: at}
		if strict {
			list.Errorf(place, "loss", l.What, "Take it out, or go on without --strict.")
		} else {
			list.Warnf(place, "loss", l.What, "Everything else of the file is used. Take it out, unless another program needs it there.")
		}
	}
	return list
}

// strictFlag is the flag of commands that render a manifest.
func (a *app) strictFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.strict, "strict", false, "refuse a manifest with something that a target cannot take")
}

// hookBinary is the hook for a system, found once and shared by the trees of all its hosts.
func (a *app) hookBinary(goos, goarch string) ([]byte, error) {
	system := goos + "/" + goarch
	if hook, ok := a.hooks[system]; ok {
		return hook, nil
	}
	hook, err := a.findHook(goos, goarch)
	if err == nil {
		a.hooks[system] = hook
	}
	return hook, err
}

// findHook is the embedded hook, or in a build without it the file beside our own executable.
func (a *app) findHook(goos, goarch string) ([]byte, error) {
	if hook, ok := hookbin.Binary(goos, goarch); ok {
		return hook, nil
	}
	if goos == runtime.GOOS && goarch == runtime.GOARCH {
		self, err := a.executable()
		if err != nil {
			return nil, fmt.Errorf("finding our own executable: %w", err)
		}
		if hook, err := os.ReadFile(filepath.Join(filepath.Dir(self), "agentihooks-hook")); err == nil {
			return hook, nil
		}
	}
	return nil, fmt.Errorf("this agentihooks was built without the hook for %s/%s: build it with `make build`", goos, goarch)
}

// printWarnings prints what is no error, as text; with --json they are in the object.
func (a *app) printWarnings(list diag.List, texts map[string][]byte) {
	if !a.json {
		a.printer(texts).Print(list)
	}
}

// originsOf is where the files of a tree come from, by absolute names; those of built-in modules have none.
func originsOf(t tree.Tree) generation.Origins {
	return generation.OriginsOf(t, func(file string) string {
		if full, err := filepath.Abs(file); err == nil && !strings.HasPrefix(file, compiler.BuiltinPrefix) {
			return full
		}
		return file
	})
}
