package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestLinksStayInside(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "outside/secret"), "secret")
	write(t, filepath.Join(dir, "src/in.md"), "in")
	link(t, "in.md", filepath.Join(dir, "src/inside"))
	link(t, "../outside/secret", filepath.Join(dir, "src/leaves"))
	link(t, "../outside", filepath.Join(dir, "src/folder"))
	link(t, "gone", filepath.Join(dir, "src/dangling"))

	f, err := Open(filepath.Join(dir, "src"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(f, "inside"); err != nil || string(got) != "in" {
		t.Errorf("a link inside: %q, %v", got, err)
	}
	for _, name := range []string{"leaves", "folder/secret", "../outside/secret", filepath.Join(dir, "outside/secret")} {
		if got, err := fs.ReadFile(f, name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: read %q, error %v", name, got, err)
		}
		if _, err := f.Stat(name); err == nil {
			t.Errorf("%s: stat went through", name)
		}
	}
	if _, err := fs.ReadFile(f, "dangling"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dangling: %v", err)
	}
	if info, err := f.Lstat("leaves"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("lstat: %v, %v", info, err)
	}
}

// stow and a dotfiles repository link the manifest, not its neighbours.
func TestManifestIsReadWhereItLies(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "dotfiles/laptop.hcl"), "x")
	write(t, filepath.Join(dir, "dotfiles/persona.md"), "p")
	write(t, filepath.Join(dir, "config/other"), "")
	link(t, "../dotfiles/laptop.hcl", filepath.Join(dir, "config/machine.hcl"))

	f, base, err := Manifest(filepath.Join(dir, "config/machine.hcl"))
	if err != nil || base != "laptop.hcl" {
		t.Fatalf("base %q, %v", base, err)
	}
	if _, err := fs.ReadFile(f, "persona.md"); err != nil {
		t.Error(err)
	}

	t.Chdir(filepath.Join(dir, "config"))
	for _, name := range []string{"machine.hcl", "./machine.hcl", "../config/machine.hcl"} {
		if _, base, err := Manifest(name); err != nil || base != "laptop.hcl" {
			t.Errorf("%s: base %q, %v", name, base, err)
		}
	}
	if _, _, err := Manifest("gone.hcl"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
}

func TestModule(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "host/machine.hcl"), "")
	write(t, filepath.Join(dir, "shared/mod/main.hcl"), "m")
	f, _, err := Manifest(filepath.Join(dir, "host/machine.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := f.Module("../shared/mod")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadFile(mod, "main.hcl"); err != nil {
		t.Error(err)
	}
	if _, err := f.Module("/etc"); err == nil {
		t.Error("an absolute module went through")
	}
}

// Folders on the way are kept open, which must not change what a name leads to.
func TestLinksBetweenFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"top", "a/x", "a/b/c/y", "d/b/c/y", "ab/b/c/y"} {
		write(t, filepath.Join(dir, name), name)
	}
	link(t, "../../d", filepath.Join(dir, "a/b/across"))
	link(t, "../../top", filepath.Join(dir, "a/b/up"))
	link(t, "c", filepath.Join(dir, "a/b/beside"))
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range [][2]string{
		{"a/b/c/y", "a/b/c/y"},
		{"d/b/c/y", "d/b/c/y"},
		{"ab/b/c/y", "ab/b/c/y"},
		{"a/x", "a/x"},
		{"top", "top"},
		{"a/b/across/b/c/y", "d/b/c/y"},
		{"a/b/up", "top"},
		{"a/b/beside/y", "a/b/c/y"},
		{"a/b/c/y", "a/b/c/y"},
	} {
		if got, err := fs.ReadFile(f, tt[0]); err != nil || string(got) != tt[1] {
			t.Errorf("%s reads %q, %v", tt[0], got, err)
		}
	}
	if entries, err := fs.ReadDir(f, "."); err != nil || len(entries) != 4 {
		t.Errorf("the folder lists %v, %v", entries, err)
	}
}
