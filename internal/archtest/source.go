// Package archtest is the module's import rules: which package may know which, as a table and a check of the source.
package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Package is what the rules look at in one folder of Go files, for every system and build tag.
type Package struct {
	Path      string // slash path below the module's root: "internal/tree"
	Commented bool   // one of its files has a package comment
	Imports   []Import
}

// Import is one import of one file.
type Import struct {
	Path string // as written: "fmt", "github.com/spf13/cobra"
	File string // base name of the file
	Test bool   // the file is a _test.go file
}

// Load reads every package below root, the folder of go.mod. It reads the source itself, and does not ask the go
// command, so that files for other systems count too and `go test` sees which files its cached result depends on.
func Load(root string) ([]Package, error) {
	var pkgs []Package
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if dir != root && (name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		pkg, err := loadFolder(dir, filepath.ToSlash(rel))
		if err == nil && pkg != nil {
			pkgs = append(pkgs, *pkg)
		}
		return err
	})
	slices.SortFunc(pkgs, func(a, b Package) int { return cmp.Compare(a.Path, b.Path) })
	return pkgs, err
}

// loadFolder reads the Go files of one folder; nil if there are none.
func loadFolder(dir, rel string) (*Package, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var pkg *Package
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("reading the imports of %s: %w", path.Join(rel, e.Name()), err)
		}
		if pkg == nil {
			pkg = &Package{Path: rel}
		}
		pkg.Commented = pkg.Commented || isPackageComment(file)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, fmt.Errorf("reading the imports of %s: %w", path.Join(rel, e.Name()), err)
			}
			pkg.Imports = append(pkg.Imports, Import{Path: imported, File: e.Name(), Test: strings.HasSuffix(e.Name(), "_test.go")})
		}
	}
	return pkg, nil
}

// isPackageComment reports whether the comment above the package clause is about the package: it opens with the
// package's name, or for a command with any text.
func isPackageComment(file *ast.File) bool {
	name := file.Name.Name
	if name == "main" {
		return file.Doc.Text() != ""
	}
	return strings.HasPrefix(file.Doc.Text(), "Package "+strings.TrimSuffix(name, "_test")+" ")
}
