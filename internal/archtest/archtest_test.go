package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const root = "../.."

func TestDesign(t *testing.T) {
	pkgs, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := mod.Module.Mod.Path; got != Design.Module {
		t.Fatalf("go.mod is of module %s, the rules are of %s", got, Design.Module)
	}
	var direct []string
	for _, require := range mod.Require {
		if !require.Indirect {
			direct = append(direct, require.Mod.Path)
		}
	}
	for _, problem := range Design.Check(pkgs, direct) {
		t.Error(problem)
	}
}

// TestCheck breaks each rule once.
func TestCheck(t *testing.T) {
	rules := Rules{
		Module: "example.com/m",
		Impure: []string{"os/...", "time"},
		Closed: []string{"hook/..."},
		Deps:   map[string]string{"dep.org/x": "for tests", "dep.org/x/sub": "another module below it"},
		Rules: map[string]Rule{
			"pure":      {Pure: true, Own: []string{"pure2", "impure"}, Third: []string{"dep.org/x/ok"}},
			"pure2":     {Pure: true},
			"impure":    {Own: []string{"tools/..."}},
			"hook":      {Third: []string{"dep.org/x/ok"}},
			"tools/...": {},
			"tools/own": {Own: []string{"pure"}},
		},
	}
	code := func(path string) Import { return Import{Path: path, File: "a.go"} }
	test := func(path string) Import { return Import{Path: path, File: "a_test.go", Test: true} }
	own := func(pkg string) string { return "example.com/m/" + pkg }
	const (
		notAllowed = "the package's rule does not allow it"
		impure     = "a pure package takes what that gives as an argument"
		noModule   = "a module without a line in the table of dependencies"
	)
	tests := map[string]struct {
		pkg     string
		imports []Import
		want    []string // ends of the lines about this package
	}{
		"allowed": {
			pkg:     "pure",
			imports: []Import{code("fmt"), code(own("pure2")), code(own("pure")), code("dep.org/x/ok"), code("osprey/os")},
		},
		"tests are free": {
			pkg:     "pure2",
			imports: []Import{test("os"), test(own("impure")), test("dep.org/x/any")},
		},
		"tests of a closed package are not": {
			pkg:     "hook",
			imports: []Import{test("os"), test(own("hook")), test("dep.org/x/any"), test(own("pure"))},
			want:    []string{"a_test.go imports dep.org/x/any: " + notAllowed, "imports example.com/m/pure: " + notAllowed},
		},
		"impure": {
			pkg:     "pure",
			imports: []Import{code("time"), code("os/exec"), code("os")},
			want:    []string{"imports os/exec: " + impure, "imports os: " + impure, "imports time: " + impure},
		},
		"impure through another": {
			pkg:     "pure",
			imports: []Import{code(own("impure"))},
			want:    []string{"a pure package may import only pure ones"},
		},
		"forbidden own package": {
			pkg:     "pure2",
			imports: []Import{code(own("pure"))},
			want:    []string{notAllowed},
		},
		"forbidden third package": {
			pkg:     "pure",
			imports: []Import{code("dep.org/x/okay"), code("dep.org/x")},
			want:    []string{"imports dep.org/x/okay: " + notAllowed, "imports dep.org/x: " + notAllowed},
		},
		"unknown module":           {pkg: "impure", imports: []Import{code("dep.org/xy")}, want: []string{noModule}},
		"unknown module in a test": {pkg: "impure", imports: []Import{test("dep.org/xy")}, want: []string{noModule}},
		"unknown own package":      {pkg: "impure", imports: []Import{test(own("gone"))}, want: []string{"which has no rule"}},
		"no rule": {
			pkg:     "purer",
			imports: []Import{code("os")},
			want:    []string{"has no rule; give it a line in internal/archtest/rules.go"},
		},
		"subtree": {
			pkg:     "impure",
			imports: []Import{code(own("tools")), code(own("tools/deep/er")), code(own("toolset"))},
			want:    []string{"imports example.com/m/toolset: which has no rule"},
		},
		"own line before subtree": {pkg: "tools/own", imports: []Import{code(own("pure"))}},
		"line of the subtree":     {pkg: "tools/other", imports: []Import{code(own("pure"))}, want: []string{notAllowed}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pkg := Package{Path: tt.pkg, Commented: true, Imports: tt.imports}
			got := slices.DeleteFunc(rules.Check([]Package{pkg}, nil), func(line string) bool { return !strings.HasPrefix(line, tt.pkg+": ") })
			if len(got) != len(tt.want) {
				t.Fatalf("got %d problems, want %d:\n%s", len(got), len(tt.want), strings.Join(got, "\n"))
			}
			for i, line := range got {
				if !strings.HasSuffix(line, tt.want[i]) {
					t.Errorf("got %q, want one that ends in %q", line, tt.want[i])
				}
			}
		})
	}
}

func TestCheckWhole(t *testing.T) {
	rules := Rules{
		Module: "example.com/m",
		Rules:  map[string]Rule{"a": {Third: []string{"dep.org/..."}}, "gone": {}, "gone/...": {}},
		Deps:   map[string]string{"dep.org/used": "a reason", "dep.org/used/v2": "", "dep.org/unused": "a reason"},
	}
	pkgs := []Package{{Path: "a", Imports: []Import{{Path: "dep.org/used/x"}, {Path: "dep.org/used/v2/x"}}}}
	got := strings.Join(rules.Check(pkgs, []string{"dep.org/used", "dep.org/other"}), "\n")
	want := `a: has no package comment that says what it is
rules: there is no package gone; take its line away
rules: there is no package gone/...; take its line away
go.mod: requires dep.org/other, which has no line in the table of dependencies
dependencies: nothing imports dep.org/unused; take its line away
dependencies: dep.org/used/v2 is there without a reason`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestLoad(t *testing.T) {
	files := map[string]string{
		"main.go":              "// Command x does x.\npackage main\nimport \"os\"\n",
		"a/a.go":               "package a\n",
		"a/doc.go":             "// Package a is a.\npackage a\n",
		"a/a_darwin.go":        "package a\nimport (\n\t_ \"embed\"\n\tq \"net/url\"\n)\n",
		"a/gen.go":             "//go:build ignore\n\npackage main\nimport \"os/exec\"\n",
		"a/a_test.go":          "package a_test\nimport \"testing\"\n",
		"a/testdata/t.go":      "package t\nimport \"plugin\"\n",
		"_old/o.go":            "package o\n",
		".git/g.go":            "package g\n",
		"b/b.go":               "// Copyright.\npackage b\n",
		"b/onlytest/x_test.go": "// Package onlytest is tests.\npackage onlytest\n",
		"docs/README.md":       "",
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Package{
		{Path: ".", Commented: true, Imports: []Import{{Path: "os", File: "main.go"}}},
		{Path: "a", Commented: true, Imports: []Import{
			{Path: "embed", File: "a_darwin.go"},
			{Path: "net/url", File: "a_darwin.go"},
			{Path: "testing", File: "a_test.go", Test: true},
			{Path: "os/exec", File: "gen.go"},
		}},
		{Path: "b"},
		{Path: "b/onlytest", Commented: true},
	}
	if !slices.EqualFunc(got, want, func(a, b Package) bool {
		return a.Path == b.Path && a.Commented == b.Commented && slices.Equal(a.Imports, b.Imports)
	}) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}

	if err := os.WriteFile(filepath.Join(dir, "a", "bad.go"), []byte("pakage a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "a/bad.go") {
		t.Errorf("a file that is no Go gave error %v, want one that names it", err)
	}
}
