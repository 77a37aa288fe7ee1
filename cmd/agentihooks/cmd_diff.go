package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/targets"
	"github.com/agentihooks/agentihooks/targets/target"
)

func diffCommand(a *app) *cobra.Command {
	var exitCode bool
	var denied []string
	c := &cobra.Command{
		Use:   "diff [A] [B]",
		Short: "Show what a switch would change, or what differs between two generations (B: the live one)",
		Args:  cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkKinds(c, denied); err != nil {
				return err
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			var d comparison
			if len(args) == 0 {
				d, err = a.compareWithManifest(home)
			} else {
				d, err = compareGenerations(home, args)
			}
			if err != nil {
				return err
			}
			d.denied = deny(d.risks, denied)
			a.printComparison(d)
			if len(d.denied) > 0 {
				return errFound
			}
			if exitCode && d.differs() {
				return errDifferences
			}
			return nil
		},
	}
	a.strictFlag(c)
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit 4 if there are differences")
	denyRiskFlag(c, &denied)
	return c
}

// comparison is what differs between two trees, and what it means.
type comparison struct {
	files      []activate.Difference
	inner      []activate.Difference // files of the tree itself that become live without a destination
	risks      []target.Risk
	denied     []target.Risk // of the risks
	collisions []activate.Collision
	warnings   []string
	notes      diag.List
	texts      map[string][]byte
}

func (d comparison) differs() bool { return len(d.files)+len(d.inner) > 0 }

// compareWithManifest compares what is live with what the manifest makes.
func (a *app) compareWithManifest(home home) (comparison, error) {
	m, err := a.load()
	if err != nil {
		return comparison{}, err
	}
	b, err := a.compileHere(m)
	if err != nil {
		return comparison{}, err
	}
	out, err := activate.Preview(home.state, home.store, b.tree, targets.Check(b.versions))
	if err != nil {
		return comparison{}, err
	}
	if len(out.Unreadable) > 0 {
		return comparison{}, &activate.UnreadableError{Files: out.Unreadable}
	}
	before, after := home.liveReader(), treeReader(b.tree)
	return comparison{
		files: out.Differences, inner: innerDifferences(home, before, after), risks: targets.Risks(before, after),
		collisions: out.Collisions, warnings: out.Warnings, notes: b.warnings, texts: m.Texts(),
	}, nil
}

// compareGenerations compares two generations, or one with the live one.
func compareGenerations(home home, args []string) (comparison, error) {
	var paths []store.Path
	for _, arg := range args {
		n, err := generationArg(arg)
		if err != nil {
			return comparison{}, err
		}
		path, err := home.storePath(n)
		if err != nil {
			return comparison{}, err
		}
		paths = append(paths, path)
	}
	if len(paths) == 1 {
		live := home.livePath()
		if live == "" {
			return comparison{}, errors.New("no generation is live: name two")
		}
		paths = append(paths, live)
	}
	files, err := activate.Between(home.store, paths[0], paths[1])
	if err != nil {
		return comparison{}, err
	}
	before, after := storeReader(home.store, paths[0]), storeReader(home.store, paths[1])
	return comparison{files: files, inner: innerDifferences(home, before, after), risks: targets.Risks(before, after)}, nil
}

// storePath is where the tree of a generation lies.
func (h home) storePath(n generation.Number) (store.Path, error) {
	rec, err := h.state.Read(n)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no generation %s: \"agentihooks generations\" lists them", n)
	}
	return h.store.PathOf(rec.Store), err
}

// innerDifferences compares what the hook is and does: its binary, and its policy in words.
func innerDifferences(home home, before, after target.Reader) []activate.Difference {
	var out []activate.Difference
	for _, path := range []string{targets.HookPath, targets.PolicyPath} {
		old, existed := readOf(before, path)
		now, exists := readOf(after, path)
		if bytes.Equal(old, now) && existed == exists {
			continue
		}
		d := activate.Difference{Path: home.state.LiveTree() + "/" + path, Change: activate.Changed, Old: old, New: now}
		switch {
		case !existed:
			d.Change = activate.Added
		case !exists:
			d.Change = activate.Removed
		}
		if path == targets.PolicyPath {
			d.Old, d.New = targets.DescribePolicy(old), targets.DescribePolicy(now)
		}
		out = append(out, d)
	}
	return out
}

func readOf(read target.Reader, path string) ([]byte, bool) {
	if read == nil {
		return nil, false
	}
	return read(path)
}

// diffEntry is one difference in JSON.
type diffEntry struct {
	Path      string          `json:"path"`
	Change    activate.Change `json:"change"`
	Placement string          `json:"placement"`
	Risk      []string        `json:"risk"`
	Keys      []diffKey       `json:"keys"`
	Patch     string          `json:"patch"`
}

type diffKey struct {
	Key string          `json:"key"`
	Old json.RawMessage `json:"old"`
	New json.RawMessage `json:"new"`
}

func (a *app) printComparison(d comparison) {
	files := append(d.files, d.inner...)
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	risks, rest := placed(d.risks, paths)
	if !a.json {
		a.printDifferences(d, files, risks, rest)
		return
	}
	entries := []diffEntry{}
	warnings := append([]string{}, d.warnings...)
	for i, f := range files {
		e := diffEntry{Path: f.Path, Change: f.Change, Placement: string(f.Placement), Risk: risks[i], Keys: []diffKey{}, Patch: patch(f)}
		if f.Placement == "" {
			e.Placement = "tree"
			if strings.HasSuffix(f.Path, "/"+targets.PolicyPath) {
				e.Risk, rest = append(e.Risk, rest...), nil
			}
		}
		for _, k := range f.Keys {
			e.Keys = append(e.Keys, diffKey{k.Key, k.Old, k.New})
		}
		entries = append(entries, e)
	}
	for _, r := range rest {
		warnings = append(warnings, "risk: "+r)
	}
	for _, n := range d.notes.Sorted() {
		warnings = append(warnings, n.Summary+": "+n.Detail)
	}
	denied := []string{}
	for _, r := range d.denied {
		denied = append(denied, r.String())
	}
	a.printJSON(struct {
		Schema      int                  `json:"schema"`
		Differences bool                 `json:"differences"`
		Entries     []diffEntry          `json:"entries"`
		Collisions  []activate.Collision `json:"collisions"`
		Denied      []string             `json:"denied"`
		Warnings    []string             `json:"warnings"`
	}{schema, d.differs(), entries, append([]activate.Collision{}, d.collisions...), denied, warnings})
}
