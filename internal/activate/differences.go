package activate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/jsonedit"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// files are the files of a tree by their path in it.
type files map[string]tree.File

func (f files) read(name string) ([]byte, error) {
	file, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return file.Data, nil
}

func treeFiles(tr tree.Tree) files {
	out := files{}
	for _, f := range tr.Files {
		out[f.Path] = f
	}
	return out
}

// filesOf is the files of the live tree; none if nothing is live, or its tree is lost.
func (s situation) filesOf(st store.Store) (files, error) {
	if s.index == nil {
		return files{}, nil
	}
	out, err := storeFiles(s.storeAt)
	if errors.Is(err, fs.ErrNotExist) {
		return files{}, nil
	}
	return out, err
}

func storeFiles(p store.Path) (files, error) {
	out := files{}
	root := os.DirFS(string(p))
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(root, name)
		out[name] = tree.File{Path: name, Exec: info.Mode()&0o100 != 0, Data: data}
		return err
	})
	return out, err
}

// links are the linked entries of an index by destination.
func links(idx *tree.Index) map[string]tree.Entry {
	out := map[string]tree.Entry{}
	if idx != nil {
		for _, e := range idx.Entries {
			if e.Placement == tree.Link {
				out[string(e.Dest)] = e
			}
		}
	}
	return out
}

// spread are the files that linked entries show, by the path at which they are seen.
func spread(entries map[string]tree.Entry, all files) map[string]seenFile {
	out := map[string]seenFile{}
	for dest, e := range entries {
		if f, ok := all[e.Path]; ok {
			out[dest] = seenFile{e.Dest, f}
			continue
		}
		for name, f := range all {
			if rel, ok := strings.CutPrefix(name, e.Path+"/"); ok {
				out[path.Join(filepath.ToSlash(dest), rel)] = seenFile{e.Dest, f}
			}
		}
	}
	return out
}

type seenFile struct {
	entry tree.Dest
	tree.File
}

func linkDifferences(oldEntries map[string]tree.Entry, oldFiles files, newEntries map[string]tree.Entry, newFiles files) []Difference {
	before, after := spread(oldEntries, oldFiles), spread(newEntries, newFiles)
	var out []Difference
	for at, now := range after {
		was, existed := before[at]
		d := Difference{Path: at, Change: Added, Placement: tree.Link, Entry: now.entry, New: content(now.Data), NewExec: now.Exec}
		if existed {
			if bytes.Equal(was.Data, now.Data) && was.Exec == now.Exec {
				continue
			}
			d.Change, d.Old, d.OldExec = Changed, content(was.Data), was.Exec
		}
		out = append(out, d)
	}
	for at, was := range before {
		if _, stays := after[at]; !stays {
			out = append(out, Difference{Path: at, Change: Removed, Placement: tree.Link, Entry: was.entry, Old: content(was.Data), OldExec: was.Exec})
		}
	}
	sortDifferences(out)
	return out
}

// content is never nil: an empty file is not an absent one.
func content(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

func mergeDifferences(oldIdx *tree.Index, oldFiles files, newIdx *tree.Index, newFiles files) ([]Difference, error) {
	before, after := merged(oldIdx), merged(newIdx)
	var dests []string
	for dest := range before {
		dests = append(dests, dest)
	}
	for dest := range after {
		dests = append(dests, dest)
	}
	slices.Sort(dests)
	var out []Difference
	for _, dest := range slices.Compact(dests) {
		oldKeys, err := keyValues(before[dest], oldFiles)
		if err != nil {
			return nil, err
		}
		newKeys, err := keyValues(after[dest], newFiles)
		if err != nil {
			return nil, err
		}
		d := Difference{Path: dest, Change: Changed, Placement: tree.Merge, Entry: tree.Dest(dest), Keys: compareKeys(oldKeys, newKeys)}
		if _, ok := before[dest]; !ok {
			d.Change = Added
		} else if _, ok := after[dest]; !ok {
			d.Change = Removed
		}
		if len(d.Keys) > 0 || d.Change != Changed {
			out = append(out, d)
		}
	}
	return out, nil
}

func merged(idx *tree.Index) map[string]tree.Entry {
	out := map[string]tree.Entry{}
	for _, e := range idx.Entries {
		if e.Placement == tree.Merge {
			out[string(e.Dest)] = e
		}
	}
	return out
}

// keyValues are the declared values of a merged file, in the order of its keys.
func keyValues(e tree.Entry, all files) ([]KeyDifference, error) {
	if e.Path == "" {
		return nil, nil
	}
	data, err := all.read(e.Path)
	if err != nil {
		return nil, err
	}
	doc, err := jsonedit.Parse(data)
	if err != nil {
		return nil, err
	}
	var out []KeyDifference
	for _, k := range e.Keys {
		v, ok, err := doc.Get(k.Path)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, KeyDifference{Key: KeyName(k.Path), New: compactOrNil(v.Text)})
		}
	}
	return out, nil
}

func compareKeys(before, after []KeyDifference) []KeyDifference {
	was := map[string]json.RawMessage{}
	for _, k := range before {
		was[k.Key] = k.New
	}
	var out []KeyDifference
	for _, k := range after {
		old, existed := was[k.Key]
		delete(was, k.Key)
		if !existed || !jsonedit.Equal(old, k.New) {
			out = append(out, KeyDifference{k.Key, old, k.New})
		}
	}
	for key, old := range was {
		out = append(out, KeyDifference{Key: key, Old: old})
	}
	slices.SortFunc(out, func(a, b KeyDifference) int { return cmp.Compare(a.Key, b.Key) })
	return out
}
