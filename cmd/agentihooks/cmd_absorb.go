package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/compiler"
	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/sources"
	"github.com/agentihooks/agentihooks/internal/textdiff"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/modules"
	"github.com/agentihooks/agentihooks/targets"
	"github.com/agentihooks/agentihooks/targets/target"
)

func absorbCommand(a *app) *cobra.Command {
	var dryRun, fromAgent bool
	c := &cobra.Command{
		Use:   "absorb",
		Short: "Write keys that were changed in the home back into the manifest",
		Long: `absorb takes the keys of settings.json and the servers of mcp-config.json that you or Copilot changed since the
switch, and writes their values into the manifest, in place. Nothing else of the manifest changes. The next switch
records the result as a generation; in the home nothing is left for it to do.`,
		RunE: func(*cobra.Command, []string) error {
			if err := a.refuseAgent(fromAgent || dryRun); err != nil {
				return err
			}
			found, err := a.findAbsorbed()
			if err != nil {
				return err
			}
			if !dryRun {
				if err := found.write(); err != nil {
					return err
				}
			}
			a.printAbsorbed(found, dryRun)
			return nil
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "print the difference of the manifest, write nothing")
	fromAgentFlag(c, &fromAgent)
	return c
}

// absorbed is what absorb is going to write.
type absorbed struct {
	folder string // of the manifest, links resolved
	keys   []activate.KeyDrift
	files  []compiler.Rewrite
}

// findAbsorbed finds the drift, turns it into edits, and makes sure that they do what they should.
func (a *app) findAbsorbed() (absorbed, error) {
	home, err := a.openHome(false)
	if err != nil {
		return absorbed{}, err
	}
	if due, err := activate.RecoveryDue(home.state); err != nil || due {
		return absorbed{}, errors.Join(err, errors.New("a switch was interrupted, so what is ours is not certain: run \"agentihooks switch\" first"))
	}
	m, err := a.load()
	if err != nil {
		return absorbed{}, err
	}
	b, err := a.compileHere(m)
	if err != nil {
		return absorbed{}, err
	}
	keys, err := activate.KeyDrifts(home.state, home.store, b.tree)
	if err != nil || len(keys) == 0 {
		return absorbed{}, err
	}
	machine, list := m.Resolve(b.host, b.facts)
	if list.HasErrors() {
		return absorbed{}, inputError{list, m.Texts()}
	}
	edits, rest := targets.Absorb(machine, keyChanges(keys))
	faults := unabsorbed(m, keys, rest)
	folder, _, err := sources.Manifest(m.path)
	if err != nil {
		return absorbed{}, fmt.Errorf("opening the folder of %s: %w", m.path, err)
	}
	src := compiler.Sources{Name: m.path, Root: folder, Module: folder.Module, Builtin: modules.FS}
	files, more := compiler.Absorb(src, specs(), b.host, b.facts, edits)
	faults = append(faults, more...)
	if faults.HasErrors() {
		return absorbed{}, inputError{faults, m.Texts()}
	}
	out := absorbed{folder: folder.Path(), keys: keys, files: files}
	return out, a.checkAbsorbed(home, m, b, compiler.Rewritten(src, files))
}

func keyChanges(keys []activate.KeyDrift) []target.KeyChange {
	out := make([]target.KeyChange, 0, len(keys))
	for _, k := range keys {
		out = append(out, target.KeyChange{
			Dest: tree.Dest(k.Dest), Path: k.Path, Set: k.Set, Ours: k.Ours, Theirs: k.Theirs, Depth: k.Gone, Added: k.Added, Removed: k.Removed,
		})
	}
	return out
}

// unabsorbed says what the manifest has no words for, and which keys were changed on both sides.
func unabsorbed(m *manifest, keys []activate.KeyDrift, rest []target.Unabsorbed) diag.List {
	var out diag.List
	whole := diag.Range{File: m.path}
	for _, u := range rest {
		at := u.At
		if at.IsZero() {
			at = whole
		}
		out.Errorf(at, "not-absorbed", fmt.Sprintf("`%s` of %s cannot be written back", strings.Join(u.Key, "."), u.Dest), "%s", u.Why)
	}
	for _, k := range keys {
		if !k.Set && !bytes.Equal(k.Base, k.Ours) {
			out.Errorf(whole, "changed-twice", fmt.Sprintf("`%s` was changed in %s and in the manifest", k.Name(), k.Dest),
				"The manifest has had another value since the switch, and neither is the later one. Make the two equal, in one of the places, or undo one.")
		}
	}
	return out
}

// checkAbsorbed makes the tree of the manifest as it is going to be: what was changed must be what it declares.
func (a *app) checkAbsorbed(home home, m *manifest, b *built, src compiler.Sources) error {
	next, list := compiler.Load(src, specs())
	if list.HasErrors() {
		return inputError{list, next.Texts()}
	}
	made, err := a.compile(&manifest{Manifest: next, path: m.path}, b.host, b.facts, false)
	if err != nil {
		return err
	}
	left, err := activate.KeyDrifts(home.state, home.store, made.tree)
	if err != nil {
		return err
	}
	var faults diag.List
	for _, k := range left {
		if k.Set && len(k.Removed) == 0 { // what is left in a set is the user's own
			continue
		}
		faults.Errorf(diag.Range{File: m.path}, "not-absorbed", fmt.Sprintf("`%s` of %s cannot be written back", k.Name(), k.Dest),
			"The manifest has no spelling that gives exactly the value in the file. Change it there, or give the manifest a new value.")
	}
	if faults.HasErrors() {
		return inputError{faults, m.Texts()}
	}
	return nil
}

// write replaces the files, each only if it still is what was read.
func (f absorbed) write() error {
	for _, r := range f.files {
		now, err := os.ReadFile(f.path(r))
		if err != nil {
			return fmt.Errorf("reading %s: %w", r.Name, err)
		}
		if !bytes.Equal(now, r.Old) {
			return fmt.Errorf("%s was changed meanwhile: run it again", r.Name)
		}
	}
	for _, r := range f.files {
		if err := replaceFile(f.path(r), r.New); err != nil {
			return err
		}
	}
	return nil
}

func (f absorbed) path(r compiler.Rewrite) string {
	return filepath.Join(f.folder, filepath.FromSlash(r.Path))
}

// absorbedFile is a file of the manifest that absorb changes, in JSON.
type absorbedFile struct {
	Path  string `json:"path"`
	Patch string `json:"patch"`
}

// absorbedKey is a key that absorb writes back, in JSON.
type absorbedKey struct {
	Path string `json:"path"`
	Key  string `json:"key"`
}

func (a *app) printAbsorbed(f absorbed, dryRun bool) {
	files, keys := []absorbedFile{}, []absorbedKey{}
	for _, r := range f.files {
		name := diag.EscapeLine(r.Name)
		files = append(files, absorbedFile{r.Name, textdiff.Unified(name, name, r.Old, r.New)})
	}
	if len(files) > 0 {
		for _, k := range f.keys {
			keys = append(keys, absorbedKey{k.Dest, k.Name()})
		}
	}
	if a.json {
		a.printJSON(struct {
			Schema  int            `json:"schema"`
			Changed bool           `json:"changed"`
			Keys    []absorbedKey  `json:"keys"`
			Files   []absorbedFile `json:"files"`
		}{schema, len(files) > 0, keys, files})
		return
	}
	if len(files) == 0 {
		fmt.Fprintln(a.stdout, "nothing to do: no key of ours was changed")
		return
	}
	for _, file := range files {
		text := file.Patch
		if terminal(a.stdout) {
			text = diag.Escape(text)
		}
		fmt.Fprint(a.stdout, text)
	}
	if dryRun {
		fmt.Fprintln(a.stderr, "nothing was written (--dry-run)")
		return
	}
	fmt.Fprintln(a.stderr, "the manifest was changed; \"agentihooks switch\" records it as a generation")
}
