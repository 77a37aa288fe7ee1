package tree

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A component longer than 255 bytes does not fit a file name. The whole path must leave room for the state folder
// before it: macOS takes 1,024 bytes in all.
const (
	maxComponent = 255
	maxPath      = 768
	maxDest      = 1000
)

// pathProblem says what is wrong with a path of the tree, or nothing: "ends in …".
func pathProblem(p string) string {
	switch {
	case !utf8.ValidString(p):
		return "is not valid UTF-8"
	case p == "." || !fs.ValidPath(p):
		return "is not a clean relative path"
	case len(p) > maxPath:
		return fmt.Sprintf("is longer than %d bytes", maxPath)
	}
	return componentProblem(p)
}

// componentProblem looks at names alone. Two dots in front are refused because NAR readers (go-nix of January 2025)
// take such a name for a way up and fail.
func componentProblem(p string) string {
	if strings.ContainsFunc(p, unicode.IsControl) {
		return "holds a control character"
	}
	for name := range strings.SplitSeq(p, "/") {
		if len(name) > maxComponent {
			return fmt.Sprintf("has a name longer than %d bytes", maxComponent)
		}
		if strings.HasPrefix(name, "..") {
			return "has a name that begins with two dots"
		}
	}
	return ""
}

// destProblem says what is wrong with a destination, or nothing.
func (x Index) destProblem(d string) string {
	switch {
	case !cleanAbs(d):
		return "is not a clean absolute path"
	case len(d) > maxDest:
		return fmt.Sprintf("is longer than %d bytes", maxDest)
	case !beneath(d, x.Home) && !beneath(d, x.Copilot):
		return fmt.Sprintf("lies neither beneath %s nor beneath %s", x.Home, x.Copilot)
	}
	return componentProblem(d)
}

func cleanAbs(p string) bool {
	return utf8.ValidString(p) && path.IsAbs(p) && path.Clean(p) == p && !strings.ContainsFunc(p, unicode.IsControl)
}

// beneath reports whether p lies in folder, at whatever depth. Both are clean.
func beneath(p, folder string) bool {
	return strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/") && len(p) > len(folder)
}

// parents calls yield with every folder above a slash path, the topmost first, and then with the path itself.
func parents(p string, yield func(prefix string, whole bool) bool) {
	for i := 1; i < len(p); i++ {
		if p[i] == '/' && !yield(p[:i], false) {
			return
		}
	}
	yield(p, true)
}

// fold is equal for two paths that macOS takes for one: without case, in one Unicode normal form. Every tree obeys
// it, for any machine can build any host's tree.
func fold(p string) string {
	for i := range len(p) {
		if p[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(p)))
		}
	}
	return strings.ToLower(p)
}

// problem is a fault of an index. At and other are places in its entries, -1 where there is none.
type problem struct {
	code, summary, detail string
	at, other             int
}

// problems checks an index by itself: its head, each entry, and the entries against each other.
func (x Index) problems() []problem {
	var out []problem
	add := func(at, other int, code, summary, detail string) {
		out = append(out, problem{code, summary, detail, at, other})
	}
	if !ValidHost(x.Host) {
		add(-1, -1, "invalid-host", fmt.Sprintf("host name %q is not valid", x.Host),
			"A host name has 1 to 63 letters, digits, dots, underscores and hyphens and begins with a letter or digit. Rename the host.")
	}
	if x.OS == "" || x.Arch == "" {
		add(-1, -1, "unknown-fact", "operating system or architecture is unknown",
			"A tree is built for one of each. Give the facts os and arch of the host.")
	}
	for _, dir := range []struct{ fact, path string }{{"home", x.Home}, {"copilotHome", x.Copilot}} {
		if !cleanAbs(dir.path) {
			add(-1, -1, "invalid-fact", fmt.Sprintf("%s %q is not a clean absolute path", dir.fact, dir.path),
				fmt.Sprintf("Destinations are made from it. Give the fact %s as an absolute path without \".\", \"..\" or a slash at the end.", dir.fact))
		}
	}
	if len(out) > 0 {
		return out // every destination would be wrong for the same reason
	}
	for i, e := range x.Entries {
		if summary, detail := x.entryProblem(e); summary != "" {
			add(i, -1, "invalid-destination", summary, detail)
		}
	}
	return append(out, x.conflicts()...)
}

func (x Index) entryProblem(e Entry) (summary, detail string) {
	if what := x.destProblem(string(e.Dest)); what != "" {
		return fmt.Sprintf("destination %q %s", e.Dest, what),
			"Only clean paths beneath the home are written. Rename the file that it is made from."
	}
	if what := pathProblem(e.Path); what != "" || e.Path == IndexPath {
		return fmt.Sprintf("destination %q has no source in the tree: %q", e.Dest, e.Path),
			"The source of a destination is a file or folder of the tree. Rename the file that it is made from."
	}
	switch e.Placement {
	case Link, Block:
		if len(e.Keys) > 0 {
			return fmt.Sprintf("destination %q names keys but is not merged", e.Dest),
				"Only a merged file has keys. Report this: no manifest can ask for it."
		}
	case Merge:
		for _, k := range e.Keys {
			if len(k.Path) == 0 || !utf8.ValidString(strings.Join(slices.Concat(k.Path, k.Without), "")) {
				return fmt.Sprintf("destination %q has a key that is empty or not valid UTF-8", e.Dest),
					"A key is a path of at least one object member. Rename the key."
			}
			if len(k.Without) > 0 && !k.Set {
				return fmt.Sprintf("destination %q has a key %q that is no set, and is to be without something", e.Dest, k.Path),
					"Only a set can be. Report this: no manifest can ask for it."
			}
		}
	default:
		return fmt.Sprintf("destination %q has the unknown placement %q", e.Dest, e.Placement),
			"This release knows link, merge and block. Use the release that made the tree."
	}
	return "", ""
}

// conflicts finds destinations that are one, or of which one would be a folder of the other.
func (x Index) conflicts() []problem {
	var out []problem
	first := make(map[string]int, len(x.Entries))
	for i, e := range x.Entries {
		key := fold(string(e.Dest))
		j, taken := first[key]
		switch {
		case !taken:
			first[key] = i
		case x.Entries[j].Dest == e.Dest:
			out = append(out, problem{
				"duplicate-destination", fmt.Sprintf("%s is written twice", e.Dest),
				"Two sources become the same file in the home. Rename or remove one of them.", i, j,
			})
		default:
			out = append(out, problem{
				"duplicate-destination", fmt.Sprintf("%s and %s are one file on macOS", x.Entries[j].Dest, e.Dest),
				"The two names differ only in case or in how accents are written. Rename one of them.", i, j,
			})
		}
	}
	for i, e := range x.Entries {
		parents(fold(string(e.Dest)), func(prefix string, whole bool) bool {
			j, taken := first[prefix]
			if whole || !taken {
				return true
			}
			out = append(out, problem{
				"nested-destination", fmt.Sprintf("%s lies inside %s", e.Dest, x.Entries[j].Dest),
				"A destination is written as a whole, so none can lie inside another. Rename or remove one of them.", i, j,
			})
			return false
		})
	}
	return out
}
