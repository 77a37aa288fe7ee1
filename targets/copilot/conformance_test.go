package copilot

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestConformance: every row of the page says what became of a behaviour, why, and what tests it, and each of these tests
// exists.
func TestConformance(t *testing.T) {
	page, err := os.ReadFile("CONFORMANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, faults := conformance(string(page))
	for _, f := range faults {
		t.Error(f)
	}
	if rows < 100 {
		t.Errorf("%d rows were read", rows)
	}
}

// TestConformanceFaults: the page cannot claim what is not so.
func TestConformanceFaults(t *testing.T) {
	const good = "| b | kept |  | [TestConformance](conformance_test.go) |"
	for row, want := range map[string]string{
		good: "",
		"| b | changed | why | [TestConformance: \"kept\"](conformance_test.go); [switch_persona](../../testdata/script/switch_persona.txtar) |": "",
		"| b | not applicable | why |  |":                                                "",
		good + "\n" + good:                                                               "stands twice",
		"| b | kept | [TestConformance](conformance_test.go) |":                          "3 cells",
		"| b | left | why |  |":                                                          "is \"left\"",
		"| b | kept |  |  |":                                                             "no test",
		"| b | kept |  | TestConformance |":                                              "no test",
		"| b | kept |  | [TestConformance](conformance_test.go); else |":                 "\"else\" is no link",
		"| b | changed |  | [TestConformance](conformance_test.go) |":                    "no reason",
		"| b | not applicable |  |  |":                                                   "no reason",
		"| b | kept |  | [TestNone](conformance_test.go) |":                              "no TestNone",
		"| b | kept |  | [TestConformance](none_test.go) |":                              "none_test.go",
		"| b | kept |  | [TestConformance: \"x" + "yz\"](conformance_test.go) |":         "no \"x" + "yz\"",
		"| b | kept |  | [conformance](conformance_test.go) |":                           "is called conformance",
		"| b | kept |  | [switch](../../testdata/script/switch_persona.txtar) |":         "is called switch",
		"| b | kept |  | [switch_nothing](../../testdata/script/switch_nothing.txtar) |": "switch_nothing.txtar",
		"| b | kept |  | [persona](persona.go) |":                                        "is called persona",
	} {
		_, faults := conformance(row + "\n")
		if got := strings.Join(faults, "\n"); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s\ngives %q, want %q", row, got, want)
		}
	}
}

var testLink = regexp.MustCompile(`^\[([^\]]+)\]\(([^)]+)\)$`)

// conformance reads the page's tables: how many rows they have, and what is wrong with them.
func conformance(page string) (rows int, faults []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| behaviour |") {
			continue
		}
		rows++
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf(format, args...)+": "+line)
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		if len(cells) != 4 {
			fault("it has %d cells", len(cells))
			continue
		}
		behaviour, status, why, tests := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
		if seen[behaviour] {
			fault("it stands twice")
		}
		seen[behaviour] = true
		if !slices.Contains([]string{"kept", "changed", "not applicable"}, status) {
			fault("the behaviour is %q", status)
		}
		if status != "kept" && why == "" {
			fault("there is no reason")
		}
		found := 0
		for text := range strings.SplitSeq(tests, "; ") {
			switch link := testLink.FindStringSubmatch(text); {
			case text == "":
			case link == nil:
				fault("%q is no link", text)
			default:
				found++
				if missing := missingTest(link[1], link[2]); missing != "" {
					fault("%s", missing)
				}
			}
		}
		if status != "not applicable" && found == 0 {
			fault("there is no test")
		}
	}
	return rows, faults
}

// missingTest says what is not there of a test: a script, or a function of a file, with the name of a case behind it.
func missingTest(name, path string) string {
	if _, err := os.Stat(path); err != nil {
		return err.Error()
	}
	if script, ok := strings.CutSuffix(filepath.Base(path), ".txtar"); ok {
		if script != name {
			return path + " is called " + name
		}
		return ""
	}
	function, sub, _ := strings.Cut(name, ": ")
	if !strings.HasSuffix(path, "_test.go") || !strings.HasPrefix(function, "Test") {
		return path + " is called " + name
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err.Error()
	}
	if !slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Name.Name == function
	}) {
		return "there is no " + function + " in " + path
	}
	if sub == "" {
		return ""
	}
	want, err := strconv.Unquote(sub)
	there := false
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && text == want {
				there = true
			}
		}
		return true
	})
	if err != nil || !there {
		return "there is no " + sub + " in " + path
	}
	return ""
}
