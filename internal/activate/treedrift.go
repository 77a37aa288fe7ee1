package activate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentihooks/agentihooks/internal/restore"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// treeDrift finds what is damaged in the live tree itself, the hook and its policy too, which no link of the home leads to.
// Where the tree cannot be told any more, it is every file that may be damaged. What is told of a destination is not told again.
func treeDrift(st store.Store, s situation, live string, told []Drift) ([]Drift, error) {
	err := st.Verify(s.storeAt)
	if err == nil {
		return nil, nil
	}
	if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	damaged, err := damage(st, s.storeAt)
	if err != nil {
		return nil, err
	}
	var out []Drift
	for _, name := range damaged {
		if slices.ContainsFunc(told, func(d Drift) bool { return s.leadsTo(d.Path, name) }) {
			continue
		}
		kind := DriftModified
		if _, err := os.Lstat(filepath.Join(string(s.storeAt), filepath.FromSlash(name))); err != nil {
			kind = DriftMissing
		}
		out = append(out, Drift{Path: filepath.Join(live, filepath.FromSlash(name)), Kind: kind})
	}
	return out, nil
}

// leadsTo reports whether a destination stands for a file of the live tree.
func (s situation) leadsTo(dest, name string) bool {
	return slices.ContainsFunc(s.index.Entries, func(e tree.Entry) bool {
		return string(e.Dest) == dest && e.Placement == tree.Link && (name == e.Path || beneath(name, e.Path))
	})
}

func damage(st store.Store, p store.Path) ([]string, error) {
	want, ok, err := restore.Find(st, p, restore.Quick)
	if err != nil {
		return nil, err
	}
	if ok {
		return restore.Damage(p, want)
	}
	return restore.Suspects(st, p)
}
