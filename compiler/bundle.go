package compiler

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonplace"
)

// bundlePart is one folder with Claude Code's layout: the bundle's own, or that of a profile.
type bundlePart struct {
	dir string     // in the bundle
	at  diag.Range // what chose it in the manifest
}

// bundleReader makes one layer of the parts of a bundle.
type bundleReader struct {
	ev      *evaluator
	src     *source
	out     *layerValue
	servers map[string]*blockValue
	copilot *blockValue // nil: no part sets anything of the target
}

// bundle is the value of a bundle's layer. Of two things with one name the later part's is taken, in the place of the
// earlier one's.
func (ev *evaluator) bundle(inst *instance) *layerValue {
	r := bundleReader{
		ev: ev, src: inst.layer.scope.source, servers: map[string]*blockValue{},
		out: &layerValue{sets: map[string]setValue{}, single: map[string]*node{}},
	}
	for _, p := range ev.parts(inst) {
		if p.dir != "." && !r.src.folderAt(p.dir, p.at, &r.out.diags) {
			continue
		}
		if dir := path.Join(p.dir, ".claude"); !r.src.exists(dir) || r.src.folderAt(dir, p.at, &r.out.diags) {
			r.part(p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.servers)) {
		r.out.blocks = append(r.out.blocks, r.servers[name])
	}
	r.out.diags = r.out.diags.Sorted()
	return r.out
}

// parts is the bundle's own folder and those of the profiles that active blocks choose, each once.
func (ev *evaluator) parts(inst *instance) []bundlePart {
	var out []bundlePart
	for _, o := range inst.occurrences {
		if o.source != "" && len(out) == 0 {
			out = append(out, bundlePart{".", rangeOf(o.sourceAt)})
		}
	}
	for _, o := range ev.active[inst] {
		for _, w := range o.profiles {
			dir := path.Join(profilesFolder, w.name)
			if !slices.ContainsFunc(out, func(p bundlePart) bool { return p.dir == dir }) {
				out = append(out, bundlePart{dir, rangeOf(w.at)})
			}
		}
	}
	return out
}

func (r *bundleReader) part(p bundlePart) {
	r.persona(p)
	for _, kind := range []string{"rules", "skills", "agents", "commands"} {
		r.files(p, kind)
	}
	r.mcp(p)
	if rel := path.Join(p.dir, ".copilot/settings.overrides.json"); r.src.exists(rel) {
		r.settings(p, rel)
	}
	r.leftOut(p)
}

// persona adds the first CLAUDE.md that says something.
func (r *bundleReader) persona(p bundlePart) {
	for _, name := range []string{".claude/CLAUDE.md", "CLAUDE.md"} {
		rel := path.Join(p.dir, name)
		if !r.src.exists(rel) {
			continue
		}
		items := r.find(p, globKey{rel, filePath, false})
		if len(items) == 1 && len(bytes.TrimSpace(items[0].file.Data)) > 0 {
			r.add("persona", items[0])
			r.imports(rel, items[0].file.Data)
			return
		}
	}
}

// imports warns of lines that stand for another file, as in "@docs/style.md". Copilot 1.0.80 and 1.0.102 look for it beside
// their copilot-instructions.md, log that it is not there, and leave the line.
func (r *bundleReader) imports(rel string, data []byte) {
	shown, text := r.src.show(rel), unixText(data)
	at, fenced := diag.Pos{Column: 1}, false
	for line := range strings.Lines(string(text)) {
		at.Line++
		words := strings.TrimSpace(line)
		name, found := strings.CutPrefix(words, "@")
		switch {
		case strings.HasPrefix(words, "```"):
			fenced = !fenced
		case found && !fenced && !strings.ContainsAny(name, " \t") && strings.HasSuffix(name, ".md") && !path.IsAbs(name) && !strings.HasPrefix(name, "~"):
			r.ev.m.addText(shown, text)
			r.out.diags.Warnf(diag.Range{File: shown, Start: at, End: at}, "import", "`"+shown+"` imports `"+name+"`, which Copilot will not find",
				"Copilot looks for it in its own folder. Write the text there, or put the file into `.claude/rules`.")
		}
		at.Byte += len(line)
	}
}

// files adds what a folder below .claude holds. Folders among the files are not read, with a warning.
func (r *bundleReader) files(p bundlePart, kind string) {
	dir := path.Join(p.dir, ".claude", kind)
	if !r.src.folderAt(dir, p.at, &r.out.diags) {
		return
	}
	a, pattern := r.ev.m.table.bodyAttr(kind), "/*.md"
	if a.paths == folderPath {
		pattern = "/*"
	} else {
		r.nested(dir)
	}
	for _, item := range r.find(p, globKey{dir + pattern, a.paths, a.skipReadme}) {
		r.add(kind, item)
	}
}

// nested warns of folders among files.
func (r *bundleReader) nested(dir string) {
	entries, err := fs.ReadDir(r.src.fs, dir)
	if err != nil {
		return // it is reported where its files are looked for
	}
	for _, e := range entries {
		if shown := r.src.show(path.Join(dir, e.Name())); e.IsDir() && e.Name()[0] != '.' {
			r.out.diags.Warnf(diag.Range{File: shown}, "left-out", "`"+shown+"` is left out", "Only files that stand directly in `%s` are read. Move them up.", r.src.show(dir))
		}
	}
}

// find is what a pattern of a part names, possibly nothing.
func (r *bundleReader) find(p bundlePart, k globKey) []setItem {
	read := r.src.find(k)
	for _, problem := range read.problems {
		if problem.code != "no-match" {
			r.out.diags.Errorf(p.at, problem.code, problem.summary, "%s", problem.detail)
		}
	}
	var out []setItem
	for _, f := range read.found {
		out = append(out, f.item(k.kind, p.at))
	}
	return out
}

// add puts an item into a set: at the end, or in the place of one with its name. All of a bundle's personas stay.
func (r *bundleReader) add(kind string, item setItem) {
	items := r.out.sets[kind].items
	i := slices.IndexFunc(items, func(have setItem) bool { return kind != "persona" && have.name() == item.name() })
	if i >= 0 {
		items[i] = item
	} else {
		items = append(items, item)
	}
	r.out.sets[kind] = setValue{items: items}
}

func (i setItem) name() string {
	if i.folder != nil {
		return i.folder.Name
	}
	return i.file.Name
}

// notTaken is what a part may hold that no other program reads, and what to write in its place.
func notTaken() []struct{ name, instead string } {
	const settings = "Write its hooks as `hook` blocks, what its permissions deny as `guard` blocks, and Copilot's own keys as `settings` of `target \"copilot\"`."
	return []struct{ name, instead string }{
		{".claude/settings.json", settings},
		{".claude/settings.local.json", settings},
		{".claude/settings.overrides.json", settings},
		{"settings.overrides.json", settings},
		{".claude/hooks", "Write a `hook` block for each program in it that is to run."},
		{"enforcements.json", "There is no such reminder here. Write what always holds as a rule."},
		{"manifestos", "Copy the one that every session is to read beside the manifest, and name it in `manifesto`."},
		{"connectors", "Write its variables as `env` of `target \"copilot\"`."},
	}
}

// leftOut warns of what a part holds and nobody reads.
func (r *bundleReader) leftOut(p bundlePart) {
	for _, n := range notTaken() {
		rel := path.Join(p.dir, n.name)
		if !r.src.exists(rel) {
			continue
		}
		at := diag.Range{File: r.src.show(rel)}
		summary := "`" + r.src.show(rel) + "` is left out"
		if keys := r.keys(rel); len(keys) > 0 {
			summary += ": it sets " + quoted(keys[:min(len(keys), 8)])
		}
		r.out.diags.Warnf(at, "left-out", summary, "%s", n.instead)
	}
}

// keys is the names in a settings file, if it can be read.
func (r *bundleReader) keys(rel string) []string {
	if path.Ext(rel) != ".json" {
		return nil
	}
	data, p := r.src.read(rel, MaxFile)
	if p != nil {
		return nil
	}
	var unread diag.List // what is wrong with it is nobody's concern here
	file, ok := jsonplace.Parse(&unread, rel, data, "")
	if !ok {
		return nil
	}
	all, _, _ := file.Get(&unread)
	object, _ := all.(map[string]any)
	return slices.Sorted(maps.Keys(object))
}
