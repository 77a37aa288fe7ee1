package generation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// Numbers is every generation that has a folder, ascending, also one whose record cannot be read.
func (s State) Numbers() ([]Number, error) { return s.numbers() }

// StoreName is the tree of a generation by its link alone, so that one with a damaged record, or one of a newer
// release, keeps its tree too. ok is false if the link is lost or names none; one that cannot be read is an error, for it
// may name any.
func (s State) StoreName(n Number) (name tree.Name, ok bool, err error) {
	text, err := os.Readlink(filepath.Join(s.Folder(n), treeLink))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EINVAL) { // EINVAL: something else stands there
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	text, ok = strings.CutPrefix(text, "../../store/")
	name, bad := tree.ParseName(text)
	return name, ok && bad == nil, nil
}

// originsFresh is how old a temporary file in origins must be to be a leftover: builds write there without the lock.
const originsFresh = time.Hour

// CleanOrigins removes the origins of trees that keep does not name, and what crashes left. It removes nothing if dryRun
// is set, and gives the trees whose origins go.
func (s State) CleanOrigins(keep func(tree.Hash) bool, now time.Time, dryRun bool) ([]tree.Hash, error) {
	dir := filepath.Join(s.dir, "origins")
	items, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var gone []tree.Hash
	var all error
	remove := func(name string) {
		if dryRun {
			return
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, fmt.Errorf("removing %s: %w", filepath.Join(dir, name), err))
		}
	}
	for _, item := range items {
		base, isJSON := strings.CutSuffix(item.Name(), ".json")
		hash, err := tree.ParseHash(base)
		switch {
		case isJSON && err == nil && !keep(hash):
			gone = append(gone, hash)
			remove(item.Name())
		case strings.HasPrefix(item.Name(), tempPrefix):
			if info, err := item.Info(); err == nil && now.Sub(info.ModTime()) > originsFresh {
				remove(item.Name())
			}
		}
	}
	return gone, all
}
