package tree

import (
	"fmt"
	"slices"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// New makes the tree of one host. Of the index the caller gives Host, OS, Arch, Home and Copilot; of each entry
// Dest, Placement, Path, Keys and Origins. New checks every path and destination, computes the digests, adds
// index.json to the files and hashes the whole. On any error the tree is empty and the list has all of them; where
// two sources want one place, the later is the subject and the earlier is related.
func New(idx Index, files []File, entries []Entry) (Tree, diag.List) {
	b := builder{
		idx:   Index{Version: IndexVersion, Host: idx.Host, OS: idx.OS, Arch: idx.Arch, Home: idx.Home, Copilot: idx.Copilot},
		files: slices.Clone(files),
		told:  map[pair]bool{},
	}
	b.idx.Entries = append([]Entry{}, entries...)
	// Stable, so that "first" in a conflict is the first that the manifest gives.
	slices.SortStableFunc(b.files, func(a, b File) int { return ComparePaths(a.Path, b.Path) })
	slices.SortStableFunc(b.idx.Entries, compareEntries)

	// Destinations first: they say more to the user than the paths in the tree that clash for the same reason.
	for _, p := range b.idx.problems() {
		b.report(p.code, p.summary, p.detail, b.entryOrigin(p.at), b.entryOrigin(p.other))
	}
	b.checkFiles()
	b.checkSources()
	if b.diags.HasErrors() {
		return Tree{}, b.diags
	}
	return b.finish()
}

type builder struct {
	idx   Index
	files []File
	diags diag.List
	told  map[pair]bool
}

// pair is two places that are in each other's way. Two folders of the same name clash in every file: once is enough.
type pair struct{ at, other diag.Range }

func (b *builder) report(code, summary, detail string, at, other diag.Range) {
	d := diag.Diagnostic{Severity: diag.Error, Code: code, Summary: summary, Detail: detail, Subject: at}
	if !other.IsZero() {
		d.Related = []diag.Related{{Label: "the other one is made here", Range: other}}
		if b.told[pair{at, other}] {
			return
		}
		b.told[pair{at, other}] = true
	}
	b.diags = append(b.diags, d)
}

func (b *builder) entryOrigin(i int) diag.Range {
	if i < 0 {
		return diag.Range{}
	}
	return firstOrigin(b.idx.Entries[i].Origins)
}

func firstOrigin(origins []diag.Range) diag.Range {
	if len(origins) == 0 {
		return diag.Range{}
	}
	return origins[0]
}

// place is a file or folder of the tree, as the first file that needs it spells it.
type place struct {
	path   string
	folder bool
	origin diag.Range
}

func (b *builder) checkFiles() {
	taken := make(map[string]place, 2*len(b.files))
	taken[fold(IndexPath)] = place{path: IndexPath}
	for _, f := range b.files {
		at := firstOrigin(f.Origins)
		if what := pathProblem(f.Path); what != "" {
			b.report("invalid-path", fmt.Sprintf("file name %q %s", f.Path, what),
				"The tree must be valid on every system. Rename the file that it is made from.", at, diag.Range{})
			continue
		}
		if f.Path == IndexPath {
			b.report("invalid-path", fmt.Sprintf("file name %q is taken", f.Path),
				"It is the tree's own listing. Rename the file that it is made from.", at, diag.Range{})
			continue
		}
		parents(f.Path, func(prefix string, whole bool) bool {
			key := fold(prefix)
			old, ok := taken[key]
			if !ok {
				taken[key] = place{prefix, !whole, at}
				return true
			}
			return b.checkPlace(old, place{prefix, !whole, at})
		})
	}
}

// checkPlace reports whether two files may share a place: only as a folder spelled the same way.
func (b *builder) checkPlace(old, now place) bool {
	switch {
	case old.path != now.path:
		b.report("duplicate-path", fmt.Sprintf("%s and %s are one name on macOS", old.path, now.path),
			"The two names differ only in case or in how accents are written. Rename one of them.", now.origin, old.origin)
	case old.folder != now.folder:
		b.report("duplicate-path", fmt.Sprintf("%s is both a file and a folder", now.path),
			"Two sources want the same place in the tree. Rename or remove one of them.", now.origin, old.origin)
	case !now.folder:
		b.report("duplicate-path", fmt.Sprintf("%s is made twice", now.path),
			"Two sources want the same place in the tree. Rename or remove one of them.", now.origin, old.origin)
	default:
		return true
	}
	return false
}

// checkSources looks for what each entry stands for. It needs the files sorted, not valid.
func (b *builder) checkSources() {
	for i, e := range b.idx.Entries {
		if pathProblem(e.Path) != "" || e.Path == IndexPath {
			continue // told with the entry itself
		}
		_, file := findFile(b.files, e.Path)
		folder := e.Placement == Link && len(filesBelow(b.files, e.Path)) > 0
		if !file && !folder {
			b.report("missing-source", fmt.Sprintf("the tree has no %q for %s", e.Path, e.Dest),
				"Every destination needs a file of the tree, or for a link a folder. Report this: no manifest can ask for it.",
				b.entryOrigin(i), diag.Range{})
		}
	}
}

func (b *builder) finish() (Tree, diag.List) {
	h := newHasher()
	for i := range b.idx.Entries {
		e := &b.idx.Entries[i]
		e.Digest = h.digest(b.files, e.Path)
	}
	index := b.idx.encode()
	if len(index) > maxIndex {
		b.report("too-many-destinations", fmt.Sprintf("the index of the tree is larger than %d bytes", maxIndex),
			"Split what this host declares.", diag.Range{}, diag.Range{})
		return Tree{}, b.diags
	}
	at, _ := findFile(b.files, IndexPath)
	b.files = slices.Insert(b.files, at, File{Path: IndexPath, Data: index})
	return Tree{Index: b.idx, Files: b.files, Hash: hashOf(h.files(b.files, ""))}, nil
}
