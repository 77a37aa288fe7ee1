package generation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/strictjson"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Origins says which places of the manifest made each file of a tree: "file:line:column" by path in the tree.
type Origins struct {
	Version int                 `json:"version"` // 1
	Entries map[string][]string `json:"entries"`
}

const (
	originsVersion = 1
	originsFolder  = "origins"
	originsTries   = 5
)

// OriginsOf is the origins of a tree, the files as full names them: the next run may have another working directory.
// Files without any (index.json) are left out.
func OriginsOf(t tree.Tree, full func(file string) string) Origins {
	o := Origins{originsVersion, map[string][]string{}}
	for _, f := range t.Files {
		for _, at := range f.Origins {
			if !at.IsZero() {
				at.File = full(at.File)
				o.Entries[f.Path] = append(o.Entries[f.Path], at.String())
			}
		}
	}
	return o
}

// WriteOrigins keeps the origins of a tree, if they differ from those kept already: two manifests may make one tree,
// and the last build is the one that the user looks at. It needs no lock.
func (s State) WriteOrigins(hash tree.Hash, o Origins) error {
	if !hash.Valid() {
		return fmt.Errorf("%q is not a tree hash", hash)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(o); err != nil {
		return err
	}
	path := s.originsPath(hash)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, buf.Bytes()) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := durable.Replace(path, buf.Bytes(), 0o600) // no fsync: if it is lost, the next build writes it again
		// CleanTemp of another process may take our temporary file for one that a crash left.
		if !errors.Is(err, fs.ErrNotExist) || try == originsTries {
			return err
		}
	}
}

// ReadOrigins is the origins kept for a tree; none were kept is an empty value and no error.
func (s State) ReadOrigins(hash tree.Hash) (Origins, error) {
	if !hash.Valid() {
		return Origins{}, fmt.Errorf("%q is not a tree hash", hash)
	}
	path := s.originsPath(hash)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Origins{Version: originsVersion}, nil
	}
	if err != nil {
		return Origins{}, err
	}
	var o Origins
	if err := strictjson.Decode(data, &o); err != nil {
		return Origins{}, fmt.Errorf("reading %s: %w", path, err)
	}
	if o.Version != originsVersion {
		return Origins{}, fmt.Errorf("reading %s: version %d, this release reads %d", path, o.Version, originsVersion)
	}
	return o, nil
}

func (s State) originsPath(hash tree.Hash) string {
	return filepath.Join(s.dir, originsFolder, string(hash)+".json")
}
