package compiler

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

func bundleBlock() blockType {
	return blockType{
		name: "bundle", label: "name", in: everywhere(),
		doc: "Reads a folder that is laid out for Claude Code as the lowest layer, beside modules: `.claude/CLAUDE.md`, else `CLAUDE.md`, as persona; " +
			"`.claude/rules`, `.claude/skills`, `.claude/agents` and `.claude/commands`; the MCP servers of `.copilot/mcp-config.overrides.json`, else " +
			"`.claude/.mcp.json`, else `.mcp.json`; settings of Copilot in `.copilot/settings.overrides.json`, with attributes of the target and `channels` below " +
			"`_agentihooks`. Each chosen folder `profiles/<name>` has the same layout and is laid over it: what has the same name " +
			"there takes the place of what came before. In `env`, `headers` and `url` of a server, `${NAME}` is the secret `NAME` if the manifest declares it; else it " +
			"is left to Copilot, with a warning. Settings of Claude Code are left out, with a warning.",
		specs: []model.BlockSpec{{Type: "bundle", Attributes: []model.AttrSpec{
			{Name: "source", Type: kind(model.TypeString), Required: true, Doc: "A folder relative to the one of this file.", Example: `"../team"`},
			{Name: "profiles", Type: listOf(model.TypeString), Merge: model.MergeSet, Doc: "The folders below `profiles` that are used, in order. Literal names. Default: none.", Example: `["dev"]`},
			{Name: "enabled", Type: kind(model.TypeBool), Doc: "`false` leaves the bundle out. Default: true.", Example: "facts.wsl"},
		}}},
		decode: (*loader).bundle,
	}
}

func (l *loader) bundle(ly *layer, b *hclsyntax.Block) {
	o := &occurrence{kind: b.Type, layer: ly, label: b.Labels[0], at: b.LabelRanges[0]}
	p := l.m.table.place(titleOf(b.Type, ""))
	for _, a := range l.attributes(p, l.content(p, b.Body), ly.scope) {
		switch a.spec.Name {
		case "source":
			a.expr.skip = true
			o.source, _ = l.constant(a.expr.syntax, "`source`")
			o.sourceAt = a.expr.syntax.Range()
			if o.source == "" {
				return
			}
		case "profiles":
			a.expr.skip = true
			o.profiles = l.literalNames(a.expr.syntax, "`profiles`")
		case "enabled":
			o.enabled = a.expr
		}
	}
	l.use(o)
}

// checkBundle reports a folder that is no bundle, and profiles that it does not have.
func (l *loader) checkBundle(inst *instance, named *occurrence) {
	src := inst.layer.scope.source
	if !slices.ContainsFunc([]string{"CLAUDE.md", ".claude", ".copilot", ".mcp.json", profilesFolder}, src.exists) {
		l.diags.Errorf(rangeOf(named.sourceAt), "no-bundle", "There is no bundle in `"+src.dir+"`",
			"A bundle holds a `CLAUDE.md`, a `.mcp.json`, or a folder `.claude`, `.copilot` or `profiles`. Correct the source.")
		return
	}
	known := src.profiles()
	for _, o := range inst.occurrences {
		for _, w := range o.profiles {
			if !slices.Contains(known, w.name) {
				l.diags.Errorf(rangeOf(w.at), "unknown-profile", "The "+o.title()+" has no profile `"+w.name+"`",
					"There is no folder `%s`. %s", src.show(path.Join(profilesFolder, w.name)), didYouMean(w.name, known))
			}
		}
	}
}

const profilesFolder = "profiles"

// profiles is the names of a bundle's profiles.
func (s *source) profiles() []string {
	entries, err := fs.ReadDir(s.fs, profilesFolder)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		link := e.Type()&fs.ModeSymlink != 0
		if (e.IsDir() || link) && e.Name()[0] != '.' && printable(e.Name()) && !hasMeta(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}

// exists reports whether there is something of that name: a link too, wherever it leads.
func (s *source) exists(rel string) bool {
	_, err := fs.Lstat(s.fs, rel)
	return !errors.Is(err, fs.ErrNotExist)
}

// folderAt reports whether there is a folder. Anything else in its place is an error.
func (s *source) folderAt(rel string, at diag.Range, diags *diag.List) bool {
	info, err := fs.Stat(s.fs, rel)
	switch {
	case err == nil && info.IsDir():
		return true
	case err == nil:
		diags.Errorf(at, "not-a-folder", "`"+s.show(rel)+"` is no folder",
			"A bundle has a folder there. If it is a link that Git checked out as a text, check out again with core.symlinks on; else remove the file.")
	case s.exists(rel):
		p := s.unreadable(rel, err)
		diags.Errorf(at, p.code, p.summary, "%s", p.detail)
	}
	return false
}
