package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Rule says what the code of one package may import beside the standard library.
type Rule struct {
	// Pure: nothing is read but arguments, so that the same input gives the same output on every machine. Neither the
	// package nor one of this module that it imports may import a package of Impure.
	Pure bool
	// Own lists packages of this module, by their path below its root.
	Own []string
	// Third lists packages of other modules.
	Third []string
}

// Rules is everything that is checked. Wherever packages are listed, "x/..." stands for x and every package below.
type Rules struct {
	Module string            // the module's path
	Rules  map[string]Rule   // by package; a package's own line comes before that of a folder above it
	Closed []string          // folders whose tests, too, keep to the rules; any other test may import all that is known
	Impure []string          // packages of the standard library
	Deps   map[string]string // every module that we import, and why
}

// Check returns a line for each way in which the packages and the modules that go.mod requires directly break the
// rules: first the packages, then the tables.
func (r Rules) Check(pkgs []Package, direct []string) []string {
	var problems []string
	imported := map[string]bool{}
	for _, pkg := range pkgs {
		if !pkg.Commented {
			problems = append(problems, fmt.Sprintf("%s: has no package comment that says what it is", pkg.Path))
		}
		rule, ok := r.rule(pkg.Path)
		if !ok {
			problems = append(problems, fmt.Sprintf("%s: has no rule; give it a line in internal/archtest/rules.go", pkg.Path))
			continue
		}
		var found []string
		for _, imp := range pkg.Imports {
			if module, ok := r.dependency(imp.Path); ok {
				imported[module] = true
			}
			if problem := r.checkImport(pkg.Path, rule, imp); problem != "" {
				found = append(found, fmt.Sprintf("%s: %s imports %s: %s", pkg.Path, imp.File, imp.Path, problem))
			}
		}
		slices.Sort(found)
		problems = append(problems, slices.Compact(found)...)
	}
	problems = append(problems, r.checkUnused(pkgs)...)
	return append(problems, r.checkDeps(direct, imported)...)
}

// checkImport says what is wrong with one import; empty if nothing is.
func (r Rules) checkImport(pkg string, rule Rule, imp Import) string {
	free := imp.Test && !matchesAny(r.Closed, pkg)
	if own, ok := strings.CutPrefix(imp.Path, r.Module+"/"); ok || imp.Path == r.Module {
		target, known := r.rule(own)
		switch {
		case !known:
			return "which has no rule"
		case free || own == pkg:
			return ""
		case !matchesAny(rule.Own, own):
			return "the package's rule does not allow it"
		case rule.Pure && !target.Pure && !imp.Test:
			return "a pure package may import only pure ones"
		}
		return ""
	}
	if isStandard(imp.Path) {
		if rule.Pure && !imp.Test && matchesAny(r.Impure, imp.Path) {
			return "a pure package takes what that gives as an argument"
		}
		return ""
	}
	if _, ok := r.dependency(imp.Path); !ok {
		return "a module without a line in the table of dependencies"
	}
	if !free && !matchesAny(rule.Third, imp.Path) {
		return "the package's rule does not allow it"
	}
	return ""
}

// checkUnused finds rules without a package.
func (r Rules) checkUnused(pkgs []Package) []string {
	var problems []string
	for _, pattern := range slices.Sorted(maps.Keys(r.Rules)) {
		if !slices.ContainsFunc(pkgs, func(pkg Package) bool { return matchesAny([]string{pattern}, pkg.Path) }) {
			problems = append(problems, fmt.Sprintf("rules: there is no package %s; take its line away", pattern))
		}
	}
	return problems
}

// checkDeps compares the table of dependencies with go.mod and with what is imported.
func (r Rules) checkDeps(direct []string, imported map[string]bool) []string {
	var problems []string
	for _, module := range slices.Sorted(slices.Values(direct)) {
		if _, ok := r.Deps[module]; !ok {
			problems = append(problems, fmt.Sprintf("go.mod: requires %s, which has no line in the table of dependencies", module))
		}
	}
	for _, module := range slices.Sorted(maps.Keys(r.Deps)) {
		if !imported[module] {
			problems = append(problems, fmt.Sprintf("dependencies: nothing imports %s; take its line away", module))
		}
		if r.Deps[module] == "" {
			problems = append(problems, fmt.Sprintf("dependencies: %s is there without a reason", module))
		}
	}
	return problems
}

// rule finds the package's rule: its own line, else that of the nearest folder above it with a "/..." line.
func (r Rules) rule(pkg string) (Rule, bool) {
	if rule, ok := r.Rules[pkg]; ok {
		return rule, true
	}
	for dir := pkg; dir != ""; dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)] {
		if rule, ok := r.Rules[dir+"/..."]; ok {
			return rule, true
		}
	}
	return Rule{}, false
}

// dependency finds the module of the table that an imported package belongs to: the longest path that fits.
func (r Rules) dependency(imported string) (string, bool) {
	best := ""
	for module := range r.Deps {
		if within(module, imported) && len(module) > len(best) {
			best = module
		}
	}
	return best, best != ""
}

// isStandard reports whether the import is of the standard library, or cgo's: its first element has no dot.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		dir, subtree := strings.CutSuffix(pattern, "/...")
		return pkg == pattern || subtree && within(dir, pkg)
	})
}

// within reports whether pkg is dir or below it.
func within(dir, pkg string) bool {
	return pkg == dir || strings.HasPrefix(pkg, dir+"/")
}
