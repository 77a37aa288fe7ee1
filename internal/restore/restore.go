// Package restore finds what a damaged tree of the store was, from its name, what is left of it, and the other trees.
package restore

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// How many whole trees a search hashes at most: 10 ms each with 350 files and the hook. Quick is for a command that only wants
// to name what is damaged.
const (
	Quick    = 50
	Thorough = 500
)

// Bounds of what costs less: indexes that are tried, and combinations of the files of one folder.
const (
	maxIndexes = 8
	maxFolder  = 500
)

// Find looks for the tree that a store path must hold. It changes nothing. ok says that it was found: its hash is the one
// in the name. It searches what the index gives by digest, what other trees hold at the same path (the hook, the policy
// and the index have no digest), single executable bits, and the tree without what does not belong to it. tries is Quick or Thorough.
func Find(st store.Store, p store.Path, tries int) (want tree.Tree, ok bool, err error) {
	s, err := newSearch(st, p, tries)
	if err != nil {
		return tree.Tree{}, false, err
	}
	for _, idx := range s.indexes() {
		if want, ok = s.with(idx); ok {
			return want, true, nil
		}
	}
	return tree.Tree{}, false, nil
}

// search is the tree as it is, and where else its files may be.
type search struct {
	store store.Store
	path  store.Path
	have  map[string]tree.File
	other []store.Path
	where map[string][]place // by digest of an index entry
	tries int                // left, of hashing a whole tree
}

// place is an entry of some tree: what its digest stands for was there once.
type place struct {
	tree store.Path
	path string
}

func newSearch(st store.Store, p store.Path, tries int) (*search, error) {
	all, err := st.List()
	if err != nil {
		return nil, err
	}
	s := &search{store: st, path: p, where: map[string][]place{}, tries: tries}
	if s.have, _, err = read(p); err != nil {
		return nil, err
	}
	for _, other := range all {
		if other == p {
			continue
		}
		s.other = append(s.other, other)
		idx, err := st.ReadIndex(other)
		if err != nil {
			continue // damaged as well; its files are looked at by their path
		}
		for _, e := range idx.Entries {
			s.where[e.Digest] = append(s.where[e.Digest], place{other, e.Path})
		}
	}
	return s, nil
}

// indexes is what the index of the tree may have been: its own as it is, then those of other trees of the same host.
func (s *search) indexes() []tree.Index {
	var out []tree.Index
	seen := map[string]bool{}
	for _, p := range append([]store.Path{s.path}, s.other...) {
		if p.Host() != s.path.Host() || len(out) == maxIndexes {
			continue
		}
		data, err := s.store.ReadFile(p, tree.IndexPath)
		if err != nil || seen[string(data)] {
			continue
		}
		seen[string(data)] = true
		if idx, err := s.store.ReadIndex(p); err == nil {
			out = append(out, idx)
		} else if idx, err := tree.DecodeIndex(data); err == nil && idx.Host == s.path.Host() {
			out = append(out, idx)
		}
	}
	return out
}

// with searches the tree that has this index. First what the index has digests of, each by itself; then the rest.
func (s *search) with(idx tree.Index) (tree.Tree, bool) {
	var sure []tree.File
	for _, e := range idx.Entries {
		files, ok := s.entry(idx, e)
		if !ok {
			return tree.Tree{}, false
		}
		sure = append(sure, files...)
	}
	sure = distinct(sure)
	covered := func(path string) bool { return Covers(idx, path) }
	var found tree.Tree
	whole := func(files []tree.File) bool {
		s.tries--
		found, _ = tree.New(idx, slices.Concat(sure, files), idx.Entries)
		return found.Name() == s.path.Name()
	}
	slots := s.slots("", covered)
	if product(slots, s.tries, whole) {
		return found, true
	}
	// A digest of a file says nothing of its executable bit.
	rest := firsts(slots)
	for i := range sure {
		sure[i].Exec = !sure[i].Exec
		if s.tries > 0 && whole(rest) {
			return found, true
		}
		sure[i].Exec = !sure[i].Exec
	}
	return tree.Tree{}, false
}

// Covers reports whether an index has a digest that a file of its tree is part of.
func Covers(idx tree.Index, path string) bool {
	return slices.ContainsFunc(idx.Entries, func(e tree.Entry) bool {
		return path == e.Path || strings.HasPrefix(path, e.Path+"/")
	})
}

// entry is the files that an entry stands for: as they are, from where its digest is, or put together.
func (s *search) entry(idx tree.Index, e tree.Entry) ([]tree.File, bool) {
	right := func(files []tree.File) bool { return Digest(idx, e, files) == e.Digest }
	if files := below(s.have, e.Path); right(files) {
		return files, true
	}
	for _, donor := range s.where[e.Digest] {
		if files := s.moved(donor, e.Path); right(files) {
			return files, true
		}
	}
	var found []tree.File
	ok := product(s.slots(e.Path, nil), maxFolder, func(files []tree.File) bool {
		found = files
		return right(files)
	})
	return found, ok
}

// Digest is the digest that an entry with these files would have; "" if that cannot be.
func Digest(idx tree.Index, e tree.Entry, files []tree.File) string {
	idx.Entries = nil
	made, faults := tree.New(idx, files, []tree.Entry{{Dest: e.Dest, Placement: e.Placement, Path: e.Path, Keys: e.Keys}})
	if len(faults) > 0 {
		return ""
	}
	return made.Index.Entries[0].Digest
}

// moved reads what is at a place, as if it were at another path.
func (s *search) moved(from place, to string) []tree.File {
	var out []tree.File
	for _, f := range readBelow(from.tree, from.path, everything) {
		f.Path = to + strings.TrimPrefix(f.Path, from.path)
		out = append(out, f)
	}
	return out
}

// choice is what may be at one path: files of that path, or nothing (nil).
type choice []*tree.File

// slots is the choices at every path below a folder ("": all) of this or any other tree, but for those that skip names.
// What is there now comes first.
func (s *search) slots(folder string, skip func(string) bool) []choice {
	all := map[string]choice{}
	add := func(f tree.File) {
		for _, old := range all[f.Path] {
			if old.Exec == f.Exec && string(old.Data) == string(f.Data) {
				return
			}
		}
		all[f.Path] = append(all[f.Path], &f)
	}
	wanted := func(path string) bool { return path != tree.IndexPath && (skip == nil || !skip(path)) }
	for _, f := range below(s.have, folder) {
		if wanted(f.Path) {
			add(f)
		}
	}
	for _, p := range s.other {
		// What another tree has a digest of is not what this one has none of.
		own := tree.Index{}
		if skip != nil {
			own, _ = s.store.ReadIndex(p)
		}
		for _, f := range readBelow(p, folder, func(path string) bool { return wanted(path) && !Covers(own, path) }) {
			add(f)
		}
	}
	var out []choice
	for _, path := range slices.SortedFunc(maps.Keys(all), tree.ComparePaths) {
		options := all[path]
		now, here := s.have[path]
		if here {
			now.Exec = !now.Exec
			options = append(options, &now, nil)
		} else {
			options = slices.Insert(options, 0, nil)
		}
		out = append(out, options)
	}
	return out
}

// firsts is the files of the first choices.
func firsts(slots []choice) []tree.File {
	var out []tree.File
	for _, c := range slots {
		if c[0] != nil {
			out = append(out, *c[0])
		}
	}
	return out
}

// distinct drops files of the same path, which two entries may share.
func distinct(files []tree.File) []tree.File {
	slices.SortStableFunc(files, func(a, b tree.File) int { return tree.ComparePaths(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b tree.File) bool { return a.Path == b.Path })
}

// product tries combinations of choices until one is right, the fewest changes first, at most limit of them.
func product(slots []choice, limit int, right func([]tree.File) bool) bool {
	picked := make([]int, len(slots))
	try := func() bool {
		limit--
		var files []tree.File
		for i, c := range slots {
			if f := c[picked[i]]; f != nil {
				files = append(files, *f)
			}
		}
		return right(files)
	}
	var change func(from, changes int) bool
	change = func(from, changes int) bool {
		if changes == 0 {
			return limit > 0 && try()
		}
		for i := from; i < len(slots) && limit > 0; i++ {
			for picked[i] = 1; picked[i] < len(slots[i]); picked[i]++ {
				if change(i+1, changes-1) {
					return true
				}
			}
			picked[i] = 0
		}
		return false
	}
	for changes := 0; changes <= len(slots) && limit > 0; changes++ {
		if change(0, changes) {
			return true
		}
	}
	return false
}

// below is the files at or below a path, sorted.
func below(files map[string]tree.File, path string) []tree.File {
	var out []tree.File
	for _, f := range files {
		if path == "" || f.Path == path || strings.HasPrefix(f.Path, path+"/") {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b tree.File) int { return tree.ComparePaths(a.Path, b.Path) })
	return out
}

// read is the files of a tree on disk, and the names of everything else in it but folders that hold files. What cannot be
// read, and what is no file, is not there. A tree that is missing has no files.
func read(p store.Path) (files map[string]tree.File, odd []string, err error) {
	files = map[string]tree.File{}
	for _, f := range readBelow(p, "", everything) {
		files[f.Path] = f
	}
	err = filepath.WalkDir(string(p), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == string(p) {
				return fs.SkipAll
			}
			return fs.SkipDir
		}
		rel, err := filepath.Rel(string(p), path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == "." {
			return nil
		}
		if _, isFile := files[name]; !isFile && (!d.IsDir() || len(below(files, name)) == 0) {
			odd = append(odd, name)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return files, odd, err
}

func everything(string) bool { return true }

// readBelow reads the files at or below a path of a tree on disk ("": all) whose names are wanted.
func readBelow(p store.Path, path string, wanted func(string) bool) []tree.File {
	var out []tree.File
	root := filepath.Join(string(p), filepath.FromSlash(path))
	_ = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // not there
		}
		rel, err := filepath.Rel(string(p), at)
		if err != nil || !wanted(filepath.ToSlash(rel)) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if data, err := os.ReadFile(at); err == nil {
			out = append(out, tree.File{Path: filepath.ToSlash(rel), Exec: info.Mode()&0o100 != 0, Data: data})
		}
		return nil
	})
	return out
}
