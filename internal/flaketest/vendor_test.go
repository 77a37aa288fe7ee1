package flaketest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nix-community/go-nix/pkg/nar"
)

var update = flag.Bool("update", false, "write the digest of the vendored modules into flake.nix")

// TestVendorHash checks the vendorHash of flake.nix. nixpkgs' buildGoModule (read in 2025's module.nix, proxyVendor
// unset) runs `go mod vendor` and takes the NAR sha256 of the folder that this makes.
func TestVendorHash(t *testing.T) {
	flake, err := os.ReadFile(flakeFile)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^( *vendorHash = )"(.*)";$`).FindAllSubmatch(flake, -1)
	if len(found) != 1 {
		t.Fatalf("flake.nix has %d lines `vendorHash = \"…\";`, want 1", len(found))
	}
	got, want := string(found[0][2]), vendorHash(t)
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("flake.nix says vendorHash = %q, but the modules that this source imports give %q.\n"+
			"Write it there with: go test ./internal/flaketest -run VendorHash -update", got, want)
	}
	line := append(append([]byte{}, found[0][1]...), `"`+want+`";`...)
	if err := os.WriteFile(flakeFile, bytes.Replace(flake, found[0][0], line, 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

// vendorHash vendors the module into a temporary folder, from the module cache alone, and returns its digest as Nix
// writes it.
func vendorHash(t *testing.T) string {
	t.Helper()
	watchSources(t)
	dir := filepath.Join(t.TempDir(), "vendor")
	cmd := exec.Command("go", "mod", "vendor", "-o", dir)
	cmd.Dir = filepath.Dir(flakeFile)
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "GOPROXY=off") {
			t.Skipf("the module cache does not hold every module that is to be vendored (`go mod download` fetches them):\n%s", out)
		}
		t.Fatalf("go mod vendor: %v\n%s", err, out)
	}
	sum := sha256.New()
	if err := nar.DumpPath(sum, dir); err != nil {
		t.Fatal(err)
	}
	return "sha256-" + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

// watchSources looks at every folder of the module: go test then knows that a changed file makes its cached result of
// this test worthless, which it cannot see of files that another process reads.
func watchSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(flakeFile), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
