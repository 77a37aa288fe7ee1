package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// damages are ways in which a tree on disk stops being what its name says.
var damages = map[string]func(p string) error{
	"other bytes": func(p string) error {
		return edit(p, "a/x.md", func(f string) error { return os.WriteFile(f, []byte("y\n"), 0) })
	},
	"cut file":     func(p string) error { return edit(p, "bin/hook", func(f string) error { return os.Truncate(f, 0) }) },
	"no index":     func(p string) error { return edit(p, "index.json", os.Remove) },
	"lost x bit":   func(p string) error { return edit(p, "a/b/run.sh", func(f string) error { return os.Chmod(f, 0o444) }) },
	"missing file": func(p string) error { return edit(p, "a/x.md", os.Remove) },
	"further file": func(p string) error {
		return edit(p, "a/new", func(f string) error { return os.WriteFile(f, nil, 0o444) })
	},
	"empty folder":  func(p string) error { return edit(p, "a/new", func(f string) error { return os.Mkdir(f, 0o555) }) },
	"link for file": func(p string) error { return edit(p, "a/new", func(f string) error { return os.Symlink("x.md", f) }) },
	"nothing in it": func(p string) error {
		ostest.Writable(p)
		return errors.Join(os.RemoveAll(p), os.Mkdir(p, 0o555))
	},
	"file for tree": func(p string) error {
		ostest.Writable(p)
		return errors.Join(os.RemoveAll(p), os.WriteFile(p, nil, 0o444))
	},
	"link for tree": func(p string) error { return errors.Join(os.Rename(p, p+".moved"), os.Symlink(p+".moved", p)) },
}

func edit(p, name string, do func(string) error) error {
	file := filepath.Join(p, name)
	ostest.Writable(p)
	if _, err := os.Lstat(file); err == nil {
		if err := os.Chmod(file, 0o600); err != nil {
			return err
		}
	}
	if err := do(file); err != nil {
		return err
	}
	if info, err := os.Lstat(file); err == nil && info.Mode().Perm() == 0o600 { // the mode is not the damage
		return os.Chmod(file, modeOf(tree.File{Exec: strings.HasPrefix(name, "bin/")}))
	}
	return nil
}

func TestDamageIsFoundAndRepaired(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			tr := smallTree(t)
			p := mustAdd(t, s, tr, "")
			if err := damage(string(p)); err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(p); !errors.Is(err, ErrDamaged) {
				t.Fatalf("Verify gave %v", err)
			}
			if got, added, err := s.Add(tr, p); got != p || !added || err != nil {
				t.Fatalf("Add gave %s, %v, %v", got, added, err)
			}
			if err := s.Verify(p); err != nil {
				t.Error(err)
			}
			for _, left := range names(t, s) {
				if strings.HasPrefix(left, ".") {
					t.Errorf("%s was left", left)
				}
			}
		})
	}
}

func TestSupplant(t *testing.T) {
	s := newStore(t)
	p := mustAdd(t, s, smallTree(t), "")
	tmp := filepath.Join(s.Dir(), ".tmp-x")
	for _, dir := range []string{tmp, s.grave(p)} { // the second: of a crash in the same place
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.supplant(tmp, p); err != nil {
		t.Fatal(err)
	}
	if got := listing(t, string(p)); len(got) != 1 {
		t.Errorf("the new tree holds %v", got)
	}
	if got := names(t, s); !slices.Equal(got, []string{string(p.Name())}) {
		t.Errorf("the store holds %q", got)
	}
}

func TestVerifyChecksTheHost(t *testing.T) {
	s := newStore(t)
	p := mustAdd(t, s, smallTree(t), "")
	other := s.PathOf(tree.Name(string(p.Hash()) + "-other"))
	if err := os.Rename(string(p), string(other)); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(other); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "host") {
		t.Errorf("Verify gave %v", err)
	}
}
