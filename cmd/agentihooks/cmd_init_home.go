package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/agentihooks/agentihooks/compiler"
	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/homeimport"
	"github.com/agentihooks/agentihooks/internal/pythonhome"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/modules"
)

// importing is a home on its way into a manifest.
type importing struct {
	*app
	home  home
	path  string // of the manifest
	parts []homeimport.Part
	left  []homeimport.Left
	block []activate.Collision // what a switch will not get past, whatever is imported
}

// initFromHome writes a manifest that declares what the home has. What the compiler refuses or would write differently is
// left out: the manifest is compiled before it is written, until a switch would change nothing of what it declares.
func (a *app) initFromHome(home home, path, claude string) error {
	im := importing{app: a, home: home, path: path}
	if err := im.read(claude); err != nil {
		return err
	}
	text, err := im.settle()
	if err != nil {
		return err
	}
	var files []homeimport.File
	for _, p := range im.parts {
		files = append(files, p.Files...)
	}
	if err := writeManifest(path, text, files); err != nil {
		return err
	}
	return im.report(len(files))
}

// read finds what there is, and refuses a home that is managed already.
func (im *importing) read(claude string) error {
	local, err := facts.Read(im.env, nil)
	if err != nil {
		return fmt.Errorf("reading the facts of this machine: %w", err)
	}
	switch installed, err := activate.Installed(im.home.state); {
	case err != nil:
		return err
	case installed:
		return errors.New("this home is switched already, and has a manifest: agentihooks generations --json names it. Edit that one, or run `agentihooks uninstall` first")
	}
	if found, list := pythonhome.Read(local.Home, local.CopilotHome); found.Found() || list.HasErrors() {
		return fmt.Errorf("%s is installed here, and what it wrote is not yours to import: write a manifest with `agentihooks init`, then run `agentihooks adopt --from-python`", pythonhome.Name)
	}
	agents := filepath.Join(local.Home, ".agents")
	if im.parts, im.left, err = homeimport.Read(local.CopilotHome, agents); err != nil || claude == "" {
		return err
	}
	dir, err := filepath.Abs(claude)
	if err != nil {
		return err
	}
	parts, left, err := homeimport.ReadClaude(dir, local.CopilotHome, agents)
	if err == nil && len(parts)+len(left) == 0 {
		err = fmt.Errorf("%s has nothing that is laid out for Claude Code: no CLAUDE.md, and no agents, commands, rules or skills", dir)
	}
	im.parts, im.left = append(im.parts, parts...), append(im.left, left...)
	return err
}

// settle leaves parts until a switch would change none of those that stay, and gives the manifest. Files are found by patterns, if it can be: an
// error that only names a pattern does not say which file it is about.
func (im *importing) settle() ([]byte, error) {
	listed := false
	for {
		text, spots := im.draft(listed).Text()
		b, faults, err := im.compileDraft(text, spots)
		switch {
		case err == nil:
			faults, err = im.compare(b)
		case len(faults) > 0:
			err = nil
		case !listed:
			listed = true
			continue
		}
		if err != nil || len(faults) == 0 {
			return text, err
		}
		var stay []homeimport.Part
		for i, p := range im.parts {
			if faults[i] == otherwise && p.Kind == homeimport.Server && !p.IsIncomplete() {
				stay = append(stay, p.Incomplete())
			} else if reason := faults[i]; reason != "" {
				im.left = append(im.left, homeimport.Left{Path: p.Path, Key: p.Key, Line: p.Line, Reason: reason})
			} else {
				stay = append(stay, p)
			}
		}
		im.parts = stay
	}
}

// compileDraft compiles a draft with its files. After errors of parts, faults says of which and why.
func (im *importing) compileDraft(text []byte, spots []compiler.Spot) (b *built, faults map[int]string, err error) {
	name := filepath.Base(im.path)
	fsys := fstest.MapFS{name: {Data: text}} // it is all in memory: nothing is written before it is known to be right
	for _, p := range im.parts {
		for _, f := range p.Files {
			fsys[f.Path] = &fstest.MapFile{Data: f.Data, Mode: f.Mode}
		}
	}
	sources := compiler.Sources{Name: im.path, Root: fsys, Builtin: modules.FS, Module: func(dir string) (fs.FS, error) { return fs.Sub(fsys, dir) }}
	m, list := compiler.Load(sources, specs())
	if !list.HasErrors() {
		b, err = im.compileHere(&manifest{m, im.path, list})
		var bad inputError
		if !errors.As(err, &bad) {
			return b, nil, err
		}
		list = bad.list
	}
	faults = map[int]string{}
	for _, d := range list {
		if i := im.culprit(d.Subject, spots); d.Severity == diag.Error && i >= 0 {
			faults[i] = d.Summary + ". " + d.Detail
		}
	}
	return nil, faults, inputError{list, nil} // without the texts: they may hold secrets
}

// culprit is the part that a place is about, or -1.
func (im *importing) culprit(at diag.Range, spots []compiler.Spot) int {
	if at.File == im.path && at.Start.Line > 0 && at.Start.Line <= len(spots) {
		s := spots[at.Start.Line-1]
		return slices.IndexFunc(im.parts, func(p homeimport.Part) bool {
			switch p.Kind {
			case homeimport.Setting:
				return s.Type == "target" && s.Key == p.Key
			case homeimport.Server:
				return s.Type == "mcp" && s.Label == p.Key
			}
			return s.Attr != "" && s.Key == p.Source
		})
	}
	return slices.IndexFunc(im.parts, func(p homeimport.Part) bool {
		return slices.ContainsFunc(p.Files, func(f homeimport.File) bool { return at.File == f.Path || strings.HasSuffix(at.File, "/"+f.Path) })
	})
}

// otherwise is why a part is left that the manifest would change.
const otherwise = "A manifest would write it differently, so it stays as it is."

// compare says of each part that a switch would not find as it is.
func (im *importing) compare(b *built) (map[int]string, error) {
	outlook, err := activate.Preview(im.home.state, im.home.store, b.tree, nil)
	if err != nil {
		return nil, err
	}
	faults := map[int]string{}
	im.block = nil
	for _, c := range outlook.Collisions {
		if i := slices.IndexFunc(im.parts, func(p homeimport.Part) bool { return p.Path == c.Path && keyOf(p, c.Key) }); i >= 0 {
			faults[i] = otherwise
		} else {
			im.block = append(im.block, c)
		}
	}
	for i, p := range im.parts {
		if !declared(p, b.tree.Index) {
			faults[i] = "A manifest would not write it there, so it stays as it is."
		}
	}
	return faults, nil
}

// keyOf reports whether a collision's key is that of a part, or one below it.
func keyOf(p homeimport.Part, key string) bool {
	path := []string{p.Key}
	if p.Kind == homeimport.Server {
		path = []string{"mcpServers", p.Key}
	}
	name := activate.KeyName(path)
	return p.Key == "" || key == name || strings.HasPrefix(key, name+".")
}

// declared reports whether a tree has a destination or a key that a part is.
func declared(p homeimport.Part, index tree.Index) bool {
	if p.Kind == homeimport.Claude {
		return true // Copilot does not have it yet
	}
	return slices.ContainsFunc(index.Entries, func(e tree.Entry) bool {
		return string(e.Dest) == p.Path && (p.Key == "" || slices.ContainsFunc(e.Keys, func(k tree.Key) bool {
			return p.Kind == homeimport.Setting && k.Path[0] == p.Key || p.Kind == homeimport.Server && k.Path[1] == p.Key
		}))
	})
}

// draft is the manifest. With listed files are named one by one; without, patterns find them, and later ones beside them.
func (im *importing) draft(listed bool) compiler.Draft {
	d := compiler.Draft{Head: "What was in Copilot's folder and in ~/.agents, imported by `agentihooks init --from-home`. Paths are relative to this file.\n" +
		"Preview a change with `agentihooks diff`, make it live with `agentihooks switch`, go back with `agentihooks rollback`."}
	for _, l := range []struct {
		name, pattern string
		kind          homeimport.Kind
	}{
		{"persona", "persona/*.md", homeimport.Instructions},
		{"instructions", "instructions/**/*.instructions.md", homeimport.ScopedInstructions},
		{"skills", "skills/*", homeimport.Skill},
		{"agents", "agents/*.md", homeimport.Agent},
	} {
		list := compiler.DraftList{Name: l.name}
		for _, p := range im.parts {
			if p.Kind == l.kind {
				list.Values = append(list.Values, p.Source)
			}
		}
		if len(list.Values) > 0 && (!listed || l.kind == homeimport.ScopedInstructions) { // their folders are those below the pattern's
			list.Values = []string{l.pattern}
		}
		if len(list.Values) > 0 {
			d.Lists = append(d.Lists, list)
		}
	}
	if slices.ContainsFunc(im.parts, func(p homeimport.Part) bool { return p.Kind == homeimport.Claude }) {
		d.Blocks = append(d.Blocks, declare("bundle", "claude", attribute("source", model.Value{Kind: model.KindString, Text: homeimport.ClaudeSource})))
	}
	d.Blocks = append(d.Blocks, im.target())
	return im.withServers(d)
}

func (im *importing) target() model.Block {
	settings := model.Value{Kind: model.KindObject}
	for _, p := range im.parts {
		if p.Kind == homeimport.Setting {
			settings.Fields = append(settings.Fields, attribute(p.Key, p.Value))
		}
	}
	if len(settings.Fields) == 0 {
		return declare("target", "copilot")
	}
	return declare("target", "copilot", attribute("settings", settings))
}

// withServers adds the servers, and the secrets that they need first.
func (im *importing) withServers(d compiler.Draft) compiler.Draft {
	var needs []string
	var servers []model.Block
	for _, p := range im.parts {
		if p.Kind == homeimport.Server {
			needs = append(needs, p.Needs...)
			servers = append(servers, model.Block{Type: "mcp", Label: p.Key, Attrs: p.Value})
		}
	}
	slices.Sort(needs)
	for _, name := range slices.Compact(needs) {
		d.Blocks = append(d.Blocks, declare("secret", name, attribute("env", model.Value{Kind: model.KindString, Text: name})))
	}
	d.Blocks = append(d.Blocks, servers...)
	return d
}

func attribute(name string, v model.Value) model.Field { return model.Field{Name: name, Value: v} }

func declare(kind, label string, fields ...model.Field) model.Block {
	return model.Block{Type: kind, Label: label, Attrs: model.Value{Kind: model.KindObject, Fields: fields}}
}

// report says what was imported, and what stays the user's own.
func (im *importing) report(files int) error {
	slices.SortFunc(im.left, func(a, b homeimport.Left) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Key, b.Key))
	})
	if im.json {
		type item struct {
			Kind   homeimport.Kind `json:"kind"`
			Path   string          `json:"path"`
			Key    string          `json:"key"`
			Source string          `json:"source"`
		}
		imported := []item{}
		for _, p := range im.parts {
			imported = append(imported, item{p.Kind, p.Path, p.Key, p.Source})
		}
		im.printJSON(struct {
			Schema     int                  `json:"schema"`
			File       string               `json:"file"`
			Imported   []item               `json:"imported"`
			Left       []homeimport.Left    `json:"left"`
			Collisions []activate.Collision `json:"collisions"`
		}{schema, im.path, imported, append([]homeimport.Left{}, im.left...), append([]activate.Collision{}, im.block...)})
		return nil
	}
	fmt.Fprintf(im.stdout, "wrote %s, and %d files beside it\n", diag.EscapeLine(im.path), files)
	for _, p := range im.parts {
		fmt.Fprintf(im.stdout, "  %s %s\n", p.Kind, diag.EscapeLine(cmp.Or(p.Key, path.Base(p.Path))))
	}
	if len(im.left) > 0 {
		fmt.Fprintln(im.stdout, "These stay yours, as they are:")
	}
	for _, l := range im.left {
		place := l.Path
		if l.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, l.Line)
		}
		if l.Key != "" {
			place += " (" + l.Key + ")"
		}
		fmt.Fprintf(im.stdout, "  %s: %s\n", diag.EscapeLine(place), diag.EscapeLine(l.Reason))
	}
	if len(im.block) > 0 {
		fmt.Fprintln(im.stdout, "These stand in the way of a switch:")
	}
	for _, c := range im.block {
		fmt.Fprintf(im.stdout, "  %s\n", diag.EscapeLine(c.String()))
	}
	fmt.Fprintln(im.stdout, "Look at it, then: agentihooks diff, agentihooks switch")
	return nil
}
