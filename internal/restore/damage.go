package restore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Damage is what a store path holds that differs from the tree it must hold: paths in the tree, sorted; "." is the tree
// itself, where it is missing.
func Damage(p store.Path, want tree.Tree) ([]string, error) {
	if info, err := os.Lstat(string(p)); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return []string{"."}, nil
	}
	have, odd, err := read(p)
	if err != nil {
		return nil, err
	}
	out := odd // a link or an empty folder where nothing belongs
	for _, f := range want.Files {
		got, ok := have[f.Path]
		if !ok || got.Exec != f.Exec || !bytes.Equal(got.Data, f.Data) {
			out = append(out, f.Path)
		}
		delete(have, f.Path)
	}
	for path := range have {
		out = append(out, path)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Suspects is what of a damaged store path is damaged, as far as can be told without the whole: the entries whose digest
// differs, and else, because they have no digest, all files that the index does not cover. It is never empty.
func Suspects(st store.Store, p store.Path) ([]string, error) {
	have, out, err := read(p)
	if err != nil {
		return nil, err
	}
	idx, err := st.ReadIndex(p)
	if err != nil {
		if info, err := os.Lstat(string(p)); err != nil || !info.IsDir() {
			return []string{"."}, nil
		}
		out = append(out, tree.IndexPath)
	} else {
		for _, e := range idx.Entries {
			if Digest(idx, e, below(have, e.Path)) != e.Digest {
				out = append(out, e.Path)
			}
		}
	}
	if len(out) == 0 {
		for path := range have {
			if path != tree.IndexPath && !Covers(idx, path) {
				out = append(out, path)
			}
		}
	}
	if len(out) == 0 {
		out = []string{"."}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
