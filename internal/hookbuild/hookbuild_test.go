package hookbuild

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const moduleRoot = "../.."

// checkout copies what the hook is built from into a new folder.
func checkout(t *testing.T, to string) {
	t.Helper()
	copyFile := func(name string) {
		data, err := os.ReadFile(filepath.Join(moduleRoot, name))
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	copyFile("go.mod")
	copyFile("go.sum")
	err := fs.WalkDir(os.DirFS(moduleRoot), "hookbin", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			copyFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEqualBytes builds the hook from two checkouts of different names, the second with an empty build cache and in
// an environment that tries to get into the binary.
func TestEqualBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library: half a minute")
	}
	target := Target{"linux", "amd64"}
	build := func(folder string) []byte {
		t.Helper()
		root := filepath.Join(t.TempDir(), folder)
		checkout(t, root)
		out := filepath.Join(root, target.Name())
		if err := Build(root, target, "", out); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		checkBinary(t, data, root)
		return data
	}
	first := build("a")
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("TZ", "Asia/Kathmandu")
	t.Setenv("LANG", "tr_TR.UTF-8")
	t.Setenv("GOFLAGS", "-tags=other -ldflags=-X=main.x=y")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("CGO_ENABLED", "1")
	second := build("another checkout/with-a-longer-name")
	if !bytes.Equal(first, second) {
		t.Errorf("two checkouts give two binaries, of %d and %d bytes", len(first), len(second))
	}
}

// checkBinary: it is static, without cgo, and knows nothing of where it was built.
func checkBinary(t *testing.T, data []byte, root string) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range file.Progs {
		if program.Type == elf.PT_INTERP || program.Type == elf.PT_DYNAMIC {
			t.Errorf("not statically linked: it has a %v", program.Type)
		}
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	for key, want := range map[string]string{"CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": "amd64", "GOAMD64": "v1", "vcs.revision": ""} {
		if settings[key] != want {
			t.Errorf("it was built with %s=%s, want %q", key, settings[key], want)
		}
	}
	if bytes.Contains(data, []byte(root)) {
		t.Error("it holds the path of its checkout")
	}
}

// TestEnviron: what the caller's environment says of Go does not reach the build, except for where modules come from.
func TestEnviron(t *testing.T) {
	t.Setenv("GOPROXY", "https://proxy.example.net")
	t.Setenv("GOFLAGS", "-tags=x")
	t.Setenv("GODEBUG", "http2debug=1")
	t.Setenv("CGO_LDFLAGS", "-lx")
	env, err := environ(moduleRoot, "local")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, entry := range env {
		key, value, _ := strings.Cut(entry, "=")
		if _, twice := got[key]; twice {
			t.Errorf("%s is set twice", key)
		}
		got[key] = value
	}
	for key, want := range map[string]string{
		"GOPROXY": "https://proxy.example.net", "GOFLAGS": "", "GOENV": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0",
		"GODEBUG": "", "CGO_LDFLAGS": "",
	} {
		if got[key] != want {
			t.Errorf("%s=%s, want %q", key, got[key], want)
		}
	}
	if version, err := pinned(moduleRoot); err != nil || !strings.HasPrefix(version, "go1.") {
		t.Errorf("pinned: %q, %v", version, err)
	}
}
