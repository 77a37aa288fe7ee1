package activate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// Kind is what stands at a path.
type Kind uint8

// The kinds. Other is a device, socket or fifo. What lies behind something that is no folder is Absent.
const (
	Absent Kind = iota
	RegularFile
	Folder
	SymbolicLink
	Other
)

// Place is what stands at one path. Data and Mode are set for files, Text for links, Names (sorted) for folders that
// are destinations or were made by us.
type Place struct {
	Kind  Kind
	Mode  fs.FileMode // permission bits
	Text  string
	Data  []byte
	Names []string

	Archive string // sha256 of the whole folder, packed; only of a folder in the place of a link
	Tree    string // the digest that an entry with this content would have
	Odd     string // why it cannot be packed: "it holds ..."
}

// Observed is what stands at every path that a plan asks for, and at each of its parents up to the home.
type Observed struct {
	places  map[string]Place
	parents map[string][]string // of each destination, the topmost first
}

// At is what stands at a path that was asked for.
func (o Observed) At(path string) Place { return o.places[path] }

// observe looks at each path and its parents. Folders are listed and files read only where they are asked for.
func observe(h *home, paths []string) (Observed, error) {
	o := Observed{map[string]Place{}, map[string][]string{}}
	asked := map[string]bool{}
	for _, path := range paths {
		asked[path] = true
	}
	for _, path := range paths {
		parents, err := h.parents(path)
		if err != nil {
			return Observed{}, err
		}
		o.parents[path] = parents
		for _, p := range append(slices.Clone(parents), path) {
			place, seen := o.places[p]
			if !seen {
				if place, err = look(h, p, asked[p]); err != nil {
					return Observed{}, fmt.Errorf("looking at %s: %w", p, err)
				}
				o.places[p] = place
			}
			if place.Kind != Folder {
				break // behind it everything is absent
			}
		}
	}
	return o, nil
}

// look reads one place. A file that is replaced while it is read is read again.
func look(h *home, path string, whole bool) (Place, error) {
	dir, name, err := h.at(path)
	if err != nil {
		return Place{}, err
	}
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Place{}, nil
	}
	if err != nil {
		return Place{}, err
	}
	p := Place{Mode: info.Mode().Perm()}
	switch {
	case info.Mode().IsRegular():
		p.Kind = RegularFile
		if whole {
			p.Data, info, err = readRegular(dir, name)
			if errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrNotExist) {
				return look(h, path, whole)
			}
			if err == nil {
				p.Mode = info.Mode().Perm()
			}
		}
	case info.IsDir():
		p.Kind = Folder
		if whole {
			p.Names, err = namesIn(h, path)
		}
	case info.Mode()&fs.ModeSymlink != 0:
		p.Kind = SymbolicLink
		p.Text, err = dir.Readlink(name)
	default:
		p.Kind = Other
	}
	return p, err
}

func namesIn(h *home, path string) ([]string, error) {
	dir, err := h.folder(path)
	if err != nil {
		return nil, err
	}
	return readNames(dir)
}

// readNames is the names in a folder, sorted.
func readNames(dir *os.Root) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// packFolders looks into the folders that stand in the place of a link, and more: they may hold the very same, or be taken
// over.
func (o Observed) packFolders(h *home, idx tree.Index, applied Applied, more []string) error {
	paths := slices.Clone(more)
	for _, e := range idx.Entries {
		if e.Placement == tree.Link && !slices.Contains(more, string(e.Dest)) {
			paths = append(paths, string(e.Dest))
		}
	}
	for _, path := range paths {
		place := o.places[path]
		if owned, ok := applied.path(path); place.Kind != Folder || ok && owned.Folder {
			continue
		}
		dir, name, err := h.at(path)
		if err != nil {
			return err
		}
		data, err := pack(dir, name)
		var odd *oddError
		switch {
		case errors.As(err, &odd):
			place.Odd = odd.reason
		case err != nil:
			return fmt.Errorf("reading %s: %w", path, err)
		default:
			place.Archive = digestOf(data)
			if sub, err := enter(dir, name); err == nil {
				place.Tree, _ = tree.DigestDir(sub.FS()) // with links or odd names in it, it has none
				sub.Close()
			}
		}
		o.places[path] = place
	}
	return nil
}
