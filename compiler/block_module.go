package compiler

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

const (
	maxModuleDepth = 16
	maxInstances   = 1000
)

// BuiltinPrefix begins the sources of the embedded modules, and the names of their files.
const BuiltinPrefix = "builtin/"

func moduleBlock() blockType {
	return blockType{
		name: "module", label: "name", in: everywhere(),
		doc: "Uses a folder of `*.hcl` files as the lowest layer. Its other attributes are the module's variables.",
		specs: []model.BlockSpec{{Type: "module", Attributes: []model.AttrSpec{
			{Name: "source", Type: kind(model.TypeString), Required: true, Doc: "`builtin/<name>`, or a folder relative to the one of this file.", Example: `"builtin/base"`},
			{Name: "enabled", Type: kind(model.TypeBool), Doc: "`false` leaves the module out. Default: true.", Example: "facts.wsl"},
		}}},
		decode: (*loader).module,
	}
}

// occurrence is one module or bundle block. Those with one label in the manifest, its profiles and hosts speak of one
// instance: later arguments win.
type occurrence struct {
	kind     string // the block's type
	layer    *layer
	label    string
	at       hcl.Range
	source   string
	sourceAt hcl.Range
	args     map[string]*argument
	profiles []mention // of a bundle
	enabled  *expr
}

func (o *occurrence) title() string { return o.kind + " `" + o.label + "`" }

func (o *occurrence) bundle() bool { return o.kind == "bundle" }

// argument is one value for a module's variable.
type argument struct {
	at   hcl.Range
	expr *expr
}

// instance is one use of a module or bundle. A module's variables are filled by its occurrences.
type instance struct {
	label       string
	parent      *instance // the module that uses it; nil: the manifest
	layer       *layer
	variables   map[string]*variable
	occurrences []*occurrence
	modules     []*instance
}

func (l *loader) module(ly *layer, b *hclsyntax.Block) {
	o := &occurrence{kind: b.Type, layer: ly, label: b.Labels[0], at: b.LabelRanges[0], args: map[string]*argument{}}
	for _, inner := range b.Body.Blocks {
		l.diags.Errorf(rangeOf(inner.TypeRange), "unknown-block", "Unknown block `"+inner.Type+"`",
			"A `module` block holds no blocks. Move it to the level around it.")
	}
	for _, a := range sortedAttributes(b.Body.Attributes) {
		switch a.Name {
		case "source":
			o.source, _ = l.constant(a.Expr, "`source`")
			o.sourceAt = a.Expr.Range()
			if o.source == "" {
				return
			}
		case "enabled":
			o.enabled = l.expr(a.Expr, ly.scope)
		default:
			o.args[a.Name] = &argument{at: a.NameRange, expr: l.expr(a.Expr, ly.scope)}
		}
	}
	l.use(o)
}

// use notes a block whose folder is to be loaded.
func (l *loader) use(o *occurrence) {
	for _, other := range o.layer.modules {
		if other.title() == o.title() {
			l.conflict("The "+o.title(), o.at, other.at)
			return
		}
	}
	o.layer.modules = append(o.layer.modules, o)
	l.pending(o.layer.scope.module).add(o)
}

// groups is the module and bundle blocks of one set of files, waiting to be loaded, by title.
type groups struct {
	order []string
	by    map[string][]*occurrence
}

func (g *groups) add(o *occurrence) {
	if g.by == nil {
		g.by = map[string][]*occurrence{}
	}
	if g.by[o.title()] == nil {
		g.order = append(g.order, o.title())
	}
	g.by[o.title()] = append(g.by[o.title()], o)
}

// pending is the blocks of a module's files (nil: the manifest's) that are to be loaded.
func (l *loader) pending(in *instance) *groups {
	if l.groups[in] == nil {
		l.groups[in] = &groups{}
	}
	return l.groups[in]
}

// modules loads what the files of an instance (nil: the manifest) use.
func (l *loader) modules(parent *instance) {
	waiting := l.pending(parent)
	for _, title := range waiting.order {
		inst := l.instance(parent, waiting.by[title])
		if inst == nil {
			continue
		}
		if parent == nil {
			l.m.modules = append(l.m.modules, inst)
		} else {
			parent.modules = append(parent.modules, inst)
		}
		l.modules(inst)
	}
}

// instance opens the folder that blocks with one label name, and decodes a module's files. A bundle is read when its
// layer is evaluated.
func (l *loader) instance(parent *instance, all []*occurrence) *instance {
	var named *occurrence
	for _, o := range all {
		switch {
		case o.source == "":
		case named == nil:
			named = o
		case named.source != o.source:
			l.diags.Errorf(rangeOf(o.sourceAt), "conflict", "The "+o.title()+" has two sources",
				"Blocks with one label speak of one folder. Give one of them another label.")
			also(l.diags, "first source here", rangeOf(named.sourceAt))
			return nil
		}
	}
	if named == nil {
		l.diags.Errorf(rangeOf(all[0].at), "missing-attribute", "The "+all[0].title()+" has no source", "%s Add `source = …`.", all[0].sources())
		return nil
	}
	src := l.open(parent, named)
	if src == nil {
		return nil
	}
	inst := &instance{label: named.label, parent: parent, variables: map[string]*variable{}, occurrences: all}
	inst.layer = &layer{
		title: named.title(),
		scope: &scope{source: src, module: inst, locals: map[string]*local{}},
	}
	if named.bundle() {
		l.checkBundle(inst, named)
		return inst
	}
	for _, body := range l.bodies(src, named) {
		l.body(inst.layer, inModule, body)
	}
	for _, o := range all {
		l.checkArguments(inst, o)
	}
	return inst
}

// open finds the folder of a module or bundle, and refuses circles.
func (l *loader) open(parent *instance, o *occurrence) *source {
	at := rangeOf(o.sourceAt)
	dir, p := l.folderOf(parent, o)
	if p != nil {
		l.diags.Errorf(at, p.code, p.summary, "%s", p.detail)
		return nil
	}
	depth := 0
	for up := parent; up != nil; up = up.parent {
		if up.layer.scope.source.dir == dir && !o.bundle() {
			l.diags.Errorf(at, "cycle", "The module `"+o.label+"` uses itself",
				"`%s` is already being loaded, by `%s`. Break the circle.", dir, up.label)
			for x := parent; x != up.parent; x = x.parent {
				also(l.diags, "`"+x.label+"` is part of the circle", rangeOf(x.occurrences[0].at))
			}
			return nil
		}
		depth++
	}
	l.instances++
	if depth >= maxModuleDepth || l.instances > maxInstances {
		l.diags.Errorf(at, "too-deep", "Too many modules",
			"At most %d modules nest, and %d are used in all. Use fewer.", maxModuleDepth, maxInstances)
		return nil
	}
	if src, ok := l.sources[dir]; ok {
		return src
	}
	fsys, show, p := l.openDir(o.kind, dir)
	if p != nil {
		l.diags.Errorf(at, p.code, p.summary, "%s", p.detail)
		return nil
	}
	l.sources[dir] = newSource(l.m, fsys, dir, show, len(l.sources))
	return l.sources[dir]
}

// sources is what a block's source may be, as a sentence.
func (o *occurrence) sources() string {
	if o.bundle() {
		return "A source is a folder relative to the one of this file."
	}
	return "A source is `builtin/<name>` or a folder relative to the one of this file."
}

// folderOf is the folder that a source names: relative to the manifest's folder, or "builtin/<name>".
func (l *loader) folderOf(parent *instance, o *occurrence) (string, *problem) {
	bad := &problem{"invalid-source", "`" + o.source + "` is no " + o.kind + " source", o.sources() + " Write one."}
	if !printable(o.source) || path.IsAbs(o.source) || strings.HasPrefix(o.source, "~") || strings.ContainsAny(o.source, "\\:") {
		return "", bad
	}
	base := "."
	if parent != nil {
		base = parent.layer.scope.source.dir
	}
	dir, embedded := path.Join(base, o.source), strings.HasPrefix(base+"/", BuiltinPrefix)
	if strings.HasPrefix(o.source, BuiltinPrefix) {
		dir, embedded = path.Clean(o.source), true
	}
	if inside := strings.HasPrefix(dir, BuiltinPrefix); embedded && !inside || inside && o.bundle() {
		return "", bad
	}
	return dir, nil
}

// openDir opens the folder of a module or bundle, and says under which name its files are shown.
func (l *loader) openDir(kind, dir string) (fs.FS, string, *problem) {
	name, builtin := strings.CutPrefix(dir, BuiltinPrefix)
	if builtin {
		known := l.builtins()
		if !slices.Contains(known, name) {
			return nil, "", &problem{
				"unknown-module", "There is no built-in module `" + name + "`",
				didYouMean(name, known),
			}
		}
		sub, err := fs.Sub(l.from.Builtin, name)
		if err != nil {
			return nil, "", &problem{"unknown-module", "The built-in module `" + name + "` cannot be opened", err.Error()}
		}
		return sub, dir, nil
	}
	missing := &problem{
		"missing-" + kind, "The " + kind + " folder `" + dir + "` cannot be opened",
		"It is named relative to the folder of the file that uses it. Correct the source.",
	}
	if l.from.Module == nil {
		return nil, "", missing
	}
	fsys, err := l.from.Module(dir)
	if err != nil {
		missing.detail = "The system says: " + err.Error() + ". " + missing.detail
		return nil, "", missing
	}
	return fsys, path.Join(path.Dir(l.from.Name), dir), nil
}

func (l *loader) builtins() []string {
	if l.from.Builtin == nil {
		return nil
	}
	entries, err := fs.ReadDir(l.from.Builtin, ".")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// bodies parses the HCL files of a module once, however often it is used.
func (l *loader) bodies(src *source, o *occurrence) []*hclsyntax.Body {
	if out, ok := l.parsed[src.dir]; ok {
		return out
	}
	names, err := fs.Glob(src.fs, "*.hcl")
	var out []*hclsyntax.Body
	for _, name := range slices.Sorted(slices.Values(names)) {
		if body := l.parse(src, name); body != nil {
			out = append(out, body)
		}
	}
	if err != nil || len(names) == 0 {
		l.diags.Errorf(rangeOf(o.sourceAt), "missing-module", "The module `"+o.label+"` has no files",
			"There is no `*.hcl` file in `%s`. Correct the source.", src.dir)
	}
	l.parsed[src.dir] = out
	return out
}

// checkArguments reports arguments that the module does not declare.
func (l *loader) checkArguments(inst *instance, o *occurrence) {
	known := slices.Collect(maps.Keys(inst.variables))
	for _, name := range slices.Sorted(maps.Keys(o.args)) {
		if _, ok := inst.variables[name]; !ok {
			l.diags.Errorf(rangeOf(o.args[name].at), "unknown-attribute", "Unknown attribute `"+name+"`",
				"The module `%s` declares no variable `%s`. %s", o.label, name, didYouMean(name, append(known, "source", "enabled")))
		}
	}
}

// variableRef checks var.name.
func (l *loader) variableRef(e *expr, at diag.Range, name string) {
	inst := e.scope.module
	if inst == nil {
		l.diags.Errorf(at, "unknown-name", "`var` exists in modules only",
			"The manifest itself has no variables. Use a local: `locals { %s = … }` and `local.%s`.", name, name)
		return
	}
	if _, ok := inst.variables[name]; !ok {
		l.diags.Errorf(at, "unknown-name", "Unknown variable `"+name+"`", "No `variable \"%s\"` block declares it. %s",
			name, didYouMean(name, slices.Collect(maps.Keys(inst.variables))))
		return
	}
	e.refs.vars = append(e.refs.vars, name)
}
