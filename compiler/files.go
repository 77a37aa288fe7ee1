package compiler

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// found is what a path or glob of the manifest names, without its place there.
type found struct {
	key    string // unique among all sources
	file   model.File
	folder model.Folder
}

// items resolves the strings of a path attribute.
func (s *source) items(n *node, a bodyAttr, diags *diag.List) (out []setItem) {
	for _, e := range n.list {
		r := s.find(globKey{e.leaf.Text, a.paths, a.skipReadme})
		for _, p := range r.problems {
			diags.Errorf(e.origin, p.code, p.summary, "%s", p.detail)
		}
		for _, f := range r.found {
			out = append(out, f.item(a.paths, e.origin))
		}
	}
	return out
}

// item is what was found, named at a place.
func (f found) item(kind pathKind, at diag.Range) setItem {
	if kind == folderPath {
		f.folder.Origin = at
		return setItem{key: f.key, folder: &f.folder}
	}
	f.file.Origin = at
	return setItem{key: f.key, file: &f.file}
}

// find resolves one path or glob, once.
func (s *source) find(k globKey) globRead { return once(&s.mu, s.globs, k, s.findOnce) }

func (s *source) findOnce(k globKey) (out globRead) {
	pattern, p := s.validPath(k.pattern)
	if p != nil {
		return globRead{problems: []*problem{p}}
	}
	base, paths := "", []string{pattern}
	if hasMeta(pattern) {
		base, _ = doublestar.SplitPattern(pattern)
		if paths, p = s.glob(pattern, base, k); p != nil {
			return globRead{problems: []*problem{p}}
		}
	} else {
		base = path.Dir(pattern)
	}
	for _, name := range paths {
		f, ps := s.take(name, base, k)
		out.problems = append(out.problems, ps...)
		if len(ps) == 0 {
			out.found = append(out.found, f)
		}
	}
	return out
}

// take reads one file or folder.
func (s *source) take(name, base string, k globKey) (found, []*problem) {
	if _, p := s.validPath(name); p != nil {
		return found{}, []*problem{p}
	}
	f := found{key: fmt.Sprintf("%d %s", s.id, name)}
	if k.kind == folderPath {
		files, ps := s.folder(name)
		f.folder = model.Folder{Name: path.Base(name), Source: s.label(name), Files: files}
		return f, ps
	}
	r := s.readFile(name)
	if r.p != nil {
		return found{}, []*problem{r.p}
	}
	rel := strings.TrimPrefix(name, base+"/")
	f.file = model.File{Name: path.Base(name), Rel: rel, Source: s.label(name), Data: r.data, Exec: r.exec}
	return f, nil
}

// glob lists what a pattern matches. It walks, and never through links: a library's glob either follows them or stops
// at the first that leads outside.
func (s *source) glob(pattern, base string, k globKey) ([]string, *problem) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, &problem{"invalid-path", "`" + pattern + "` is no pattern", "A bracket or brace is not closed. Correct it."}
	}
	none := &problem{
		"no-match", "Nothing matches `" + pattern + "`",
		"No " + k.noun() + " in `" + s.show(base) + "` matches the pattern. Correct it, or remove it.",
	}
	if info, err := fs.Stat(s.fs, base); err != nil {
		if p := s.unreadable(base, err); p.code != "missing-file" {
			return nil, p
		}
		return nil, none
	} else if !info.IsDir() {
		return nil, none
	}
	rest := strings.TrimPrefix(pattern, base+"/")
	hidden := strings.Contains("/"+rest, "/.")
	depth := strings.Count(rest, "/")
	if strings.Contains(rest, "**") || strings.Contains(rest, "{") {
		depth = maxNesting
	}
	var out []string
	walked := 0
	err := fs.WalkDir(s.fs, base, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == base {
			return nil
		}
		if walked++; walked > maxWalked {
			return fmt.Errorf("there are more than %d files", maxWalked)
		}
		below := strings.TrimPrefix(name, base+"/")
		if d.Name() == ".git" || !hidden && strings.HasPrefix(d.Name(), ".") {
			return skip(d)
		}
		if matched, err := doublestar.Match(pattern, name); err == nil && matched && s.meant(name, d, k) {
			out = append(out, name)
		}
		if d.IsDir() && strings.Count(below, "/") >= depth {
			return fs.SkipDir
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, &problem{"unreadable", "`" + s.show(base) + "` cannot be searched", "The system says: " + err.Error() + ". Check its permissions, or name a smaller folder."}
	case len(out) == 0:
		return nil, none
	}
	slices.Sort(out)
	return out, nil
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// meant reports whether a match is of the sort that the attribute takes. A link counts as what it leads to; one that
// leads nowhere counts, so that it is reported.
func (s *source) meant(name string, d fs.DirEntry, k globKey) bool {
	if k.readme && strings.EqualFold(d.Name(), "README.md") {
		return false
	}
	dir := d.IsDir()
	if d.Type()&fs.ModeSymlink != 0 {
		info, err := fs.Stat(s.fs, name)
		if err != nil {
			return true
		}
		dir = info.IsDir()
	}
	return dir == (k.kind == folderPath)
}

func (k globKey) noun() string {
	if k.kind == folderPath {
		return "folder"
	}
	return "file"
}

// folder reads all files of a folder. Links inside are followed as far as they stay in the source.
func (s *source) folder(name string) ([]model.File, []*problem) {
	info, err := fs.Stat(s.fs, name)
	if err != nil {
		return nil, []*problem{s.unreadable(name, err)}
	}
	if !info.IsDir() {
		return nil, []*problem{{"not-a-folder", "`" + s.show(name) + "` is no folder", "A skill is a folder with a SKILL.md. Name the folder."}}
	}
	w := folderWalk{source: s, root: name}
	w.walk(name, "", 0)
	slices.SortFunc(w.files, func(a, b model.File) int { return cmp.Compare(a.Rel, b.Rel) })
	return w.files, w.problems
}

// folderWalk gathers the files of one folder.
type folderWalk struct {
	source   *source
	root     string
	files    []model.File
	bytes    int
	problems []*problem
}

func (w *folderWalk) fail(p *problem) { w.problems = append(w.problems, p) }

func (w *folderWalk) walk(dir, rel string, links int) {
	entries, err := fs.ReadDir(w.source.fs, dir)
	if err != nil {
		w.fail(w.source.unreadable(dir, err))
		return
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		name, below := path.Join(dir, e.Name()), path.Join(rel, e.Name())
		if _, p := w.source.validPath(name); p != nil {
			w.fail(p)
			continue
		}
		isDir, hops := e.IsDir(), links
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(w.source.fs, name)
			if err != nil {
				w.fail(w.source.unreadable(name, err))
				continue
			}
			isDir = info.IsDir()
			hops++
		}
		switch {
		case isDir && (hops > maxLinks || strings.Count(below, "/") > maxNesting):
			w.fail(&problem{"too-deep", "`" + w.source.show(w.root) + "` is nested too deeply", "A link inside leads back to a folder above it, or folders nest over " + fmt.Sprint(maxNesting) + " levels. Remove it."})
		case isDir:
			w.walk(name, below, hops)
		default:
			w.file(name, below, e)
		}
		if len(w.problems) > 0 && len(w.files) > maxFolderFiles || len(w.problems) > maxDiagnostics {
			return
		}
	}
}

func (w *folderWalk) file(name, below string, d fs.DirEntry) {
	r := w.source.readEntry(name, d)
	if r.p != nil {
		w.fail(r.p)
		return
	}
	w.files = append(w.files, model.File{
		Name: path.Base(name), Rel: below, Source: w.source.label(name), Data: r.data, Exec: r.exec,
	})
	w.bytes += len(r.data)
	if len(w.files) > maxFolderFiles || w.bytes > maxFolderBytes {
		w.fail(&problem{
			"too-large", "`" + w.source.show(w.root) + "` is too large",
			fmt.Sprintf("A folder has at most %d files and %d MB. Remove what does not belong there.", maxFolderFiles, maxFolderBytes>>20),
		})
	}
}
