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
