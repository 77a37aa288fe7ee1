package store

import (
	"fmt"
	"path/filepath"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// Path is the absolute path of a tree in the store. A Path comes from Add, List, PathOf or ParsePath, which is why
// Name, Hash and Host cannot fail.
type Path string

// Name is the last component: <hash>-<host>.
func (p Path) Name() tree.Name { return tree.Name(filepath.Base(string(p))) }

// Hash is the hash that the content must have.
func (p Path) Hash() tree.Hash { return p.Name().Hash() }

// Host is the host that the tree was built for.
func (p Path) Host() string { return p.Name().Host() }

// ParsePath checks that s is absolute, clean and ends in the name of a store path.
func ParsePath(s string) (Path, error) {
	if !filepath.IsAbs(s) || filepath.Clean(s) != s {
		return "", fmt.Errorf("store path %q is not a clean absolute path", s)
	}
	if _, err := tree.ParseName(filepath.Base(s)); err != nil {
		return "", err
	}
	return Path(s), nil
}
