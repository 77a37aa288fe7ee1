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

// occurrence is one module block. Those with one label in the manifest, its profiles and hosts speak of one
// instance: later arguments win.
type occurrence struct {
	layer    *layer
	label    string
	at       hcl.Range
	source   string
	sourceAt hcl.Range
	args     map[string]*argument
	enabled  *expr
}

// argument is one value for a module's variable.
type argument struct {
	at   hcl.Range
	expr *expr
}

// instance is one use of a module: its variables are filled by its occurrences.
type instance struct {
	label       string
	parent      *instance // the module that uses it; nil: the manifest
	layer       *layer
	variables   map[string]*variable
	occurrences []*occurrence
	modules     []*instance
}

func (l *loader) module(ly *layer, b *hclsyntax.Block) {
	o := &occurrence{layer: ly, label: b.Labels[0], at: b.LabelRanges[0], args: map[string]*argument{}}
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
	for _, other := range ly.modules {
		if other.label == o.label {
			l.conflict("The module `"+o.label+"`", o.at, other.at)
			return
		}
	}
	ly.modules = append(ly.modules, o)
	l.pending(ly.scope.module).add(o)
}

// group is the occurrences of one label.
type group struct{ occurrences []*occurrence }

// groups is the module blocks of one set of files, waiting to be loaded.
type groups struct {
	order []string
	by    map[string]*group
}

func (g *groups) add(o *occurrence) {
	if g.by == nil {
		g.by = map[string]*group{}
	}
	if g.by[o.label] == nil {
		g.by[o.label] = &group{}
		g.order = append(g.order, o.label)
	}
	g.by[o.label].occurrences = append(g.by[o.label].occurrences, o)
}

// pending is the module blocks of a module's files (nil: the manifest's) that are to be loaded.
func (l *loader) pending(in *instance) *groups {
	if l.groups[in] == nil {
		l.groups[in] = &groups{}
	}
	return l.groups[in]
}

// modules loads what the files of an instance (nil: the manifest) use.
func (l *loader) modules(parent *instance) {
	waiting := l.pending(parent)
	for _, label := range waiting.order {
		inst := l.instance(parent, waiting.by[label].occurrences)
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

// instance opens the folder that a group of module blocks names, and decodes it.
func (l *loader) instance(parent *instance, all []*occurrence) *instance {
	var named *occurrence
	for _, o := range all {
		switch {
		case o.source == "":
		case named == nil:
			named = o
		case named.source != o.source:
			l.diags.Errorf(rangeOf(o.sourceAt), "conflict", "The module `"+o.label+"` has two sources",
				"Blocks with one label speak of one module. Give one of them another label.")
			also(l.diags, "first source here", rangeOf(named.sourceAt))
			return nil
		}
	}
	if named == nil {
		l.diags.Errorf(rangeOf(all[0].at), "missing-attribute", "The module `"+all[0].label+"` has no source",
			"Add `source = \"builtin/<name>\"` or a relative folder.")
		return nil
	}
	src := l.open(parent, named)
	if src == nil {
		return nil
	}
	inst := &instance{label: named.label, parent: parent, variables: map[string]*variable{}, occurrences: all}
	inst.layer = &layer{
		title: "module `" + named.label + "`",
		scope: &scope{source: src, module: inst, locals: map[string]*local{}},
	}
	for _, body := range l.bodies(src, named) {
		l.body(inst.layer, inModule, body)
	}
	for _, o := range all {
		l.checkArguments(inst, o)
	}
	return inst
}

// open finds the folder of a module, and refuses circles.
func (l *loader) open(parent *instance, o *occurrence) *source {
	at := rangeOf(o.sourceAt)
	dir, p := l.moduleDir(parent, o.source)
	if p != nil {
		l.diags.Errorf(at, p.code, p.summary, "%s", p.detail)
		return nil
	}
	depth := 0
	for up := parent; up != nil; up = up.parent {
		if up.layer.scope.source.dir == dir {
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
	fsys, show, p := l.openDir(dir)
	if p != nil {
		l.diags.Errorf(at, p.code, p.summary, "%s", p.detail)
		return nil
	}
	l.sources[dir] = newSource(l.m, fsys, dir, show, len(l.sources))
	return l.sources[dir]
}

// moduleDir is the folder that a source names: relative to the manifest's folder, or "builtin/<name>".
func (l *loader) moduleDir(parent *instance, source string) (string, *problem) {
	bad := &problem{
		"invalid-source", "`" + source + "` is no module source",
		"A source is `builtin/<name>` or a folder relative to the one of this file. Write one of the two.",
	}
	if !printable(source) || path.IsAbs(source) || strings.HasPrefix(source, "~") || strings.ContainsAny(source, "\\:") {
		return "", bad
	}
	base := "."
	if parent != nil {
		base = parent.layer.scope.source.dir
	}
	if strings.HasPrefix(source, BuiltinPrefix) {
		return path.Clean(source), nil
	}
	dir := path.Join(base, source)
	if strings.HasPrefix(base+"/", BuiltinPrefix) && !strings.HasPrefix(dir, BuiltinPrefix) {
		return "", bad
	}
	return dir, nil
}

// openDir opens a module's folder, and says under which name its files are shown.
func (l *loader) openDir(dir string) (fs.FS, string, *problem) {
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
		"missing-module", "The module folder `" + dir + "` cannot be opened",
		"A module is a folder with `*.hcl` files, named relative to the file that uses it. Correct the source.",
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
