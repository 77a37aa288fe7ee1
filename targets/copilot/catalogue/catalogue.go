// Package catalogue is what each version of the Copilot CLI takes in settings.json.
package catalogue

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// files are the catalogues, one a version. A line is a path, a kind of the table in kinds.go, and what the kind needs:
// the names of an enum, bounds, required members. They come from the arrays inside the CLI's own binary; bounds and
// required members are those that its log names when a value breaks them (seen on 1.0.102; on 1.0.83 those of
// subagents, statusLine and extraKnownMarketplaces).
//
//go:embed data/settings-*.txt
var files embed.FS

// Catalogue is the settings that one version knows.
type Catalogue struct {
	Version string
	root    *setting
}

// setting is one key, or an object of keys.
type setting struct {
	kind    string // of the table; "": an object of keys and nothing else
	args    []string
	members map[string]*setting
}

// all is the catalogues, oldest first.
var all = sync.OnceValue(func() []Catalogue {
	entries, err := files.ReadDir("data")
	if err != nil {
		panic(err) // they are embedded
	}
	var out []Catalogue
	for _, e := range entries {
		data, err := files.ReadFile("data/" + e.Name())
		if err != nil {
			panic(err)
		}
		version := strings.TrimSuffix(strings.TrimPrefix(e.Name(), "settings-"), ".txt")
		out = append(out, Catalogue{version, parse(string(data))})
	}
	slices.SortFunc(out, func(a, b Catalogue) int { return Compare(a.Version, b.Version) })
	return out
})

func parse(text string) *setting {
	root := &setting{members: map[string]*setting{}}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		s := root
		for name := range strings.SplitSeq(words[0], ".") {
			next := s.members[name]
			if next == nil {
				next = &setting{}
				if s.members == nil {
					s.members = map[string]*setting{}
				}
				s.members[name] = next
			}
			s = next
		}
		s.kind, s.args = words[1], words[2:]
	}
	return root
}

// For is the catalogue for a version of the CLI: its own, or the nearest older one; the oldest if all are newer, and
// the newest for "".
func For(version string) Catalogue {
	list := all()
	if version == "" {
		return list[len(list)-1]
	}
	chosen := list[0]
	for _, c := range list {
		if Compare(c.Version, version) <= 0 {
			chosen = c
		}
	}
	return chosen
}

// Versions is the versions that have a catalogue of their own, oldest first.
func Versions() []string {
	var out []string
	for _, c := range all() {
		out = append(out, c.Version)
	}
	return out
}

// Valid reports whether a text is a version: three numbers, and perhaps more after a hyphen.
func Valid(version string) bool {
	release, _, _ := strings.Cut(version, "-")
	parts := strings.Split(release, ".")
	return len(parts) == 3 && !slices.ContainsFunc(parts, func(p string) bool {
		_, err := strconv.ParseUint(p, 10, 32)
		return err != nil
	})
}

// Compare orders versions by their numbers. What follows a hyphen does not count: a preview knows what its release does.
func Compare(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

func numbers(version string) []uint64 {
	release, _, _ := strings.Cut(version, "-")
	var out []uint64
	for p := range strings.SplitSeq(release, ".") {
		n, _ := strconv.ParseUint(p, 10, 32) // what is no number comes first
		out = append(out, n)
	}
	return out
}

// knownTo is the newest version that has a key; "" if none has.
func knownTo(path []string) string {
	for _, c := range slices.Backward(all()) {
		if s := c.root.at(path); s != nil && !s.refused() {
			return c.Version
		}
	}
	return ""
}

func (s *setting) at(path []string) *setting {
	for _, name := range path {
		if s = s.members[name]; s == nil {
			return nil
		}
	}
	return s
}
