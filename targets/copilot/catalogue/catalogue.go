// Package catalogue knows which settings each release of the GitHub Copilot CLI takes.
//
// Copilot drops the whole settings.json in silence if one value has the wrong type, and ignores names that it does not
// know (both seen in `copilot mcp list` and in requests to a model, on 1.0.83 and 1.0.102). So every name and value is
// checked before it is written.
package catalogue

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Catalogue is the settings of one release.
type Catalogue struct {
	Version string
	kinds   map[string]kind // by dotted path: what stands there
}

// kind is what a setting takes, as its line in the data says: a type, and what follows it.
type kind struct {
	name string
	rest []string // of an enum its values, of an alias the name that it stands for
}

// The lines of the data are "<path> <kind> <rest>". They come from the tables in the program's own binary
// (prebuilds/linux-x64/runtime.node) and `copilot help config`. Kinds that no value fits: alias, an old name; elsewhere,
// organisation, repository and here-twice, which no-one may set in a user's settings.json.
//
//go:embed data/settings-*.txt
var data embed.FS

// Versions is the releases that there is a catalogue of, the oldest first.
func Versions() []string {
	files, err := data.ReadDir("data")
	if err != nil {
		panic("catalogue: reading our own data: " + err.Error())
	}
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(f.Name(), "settings-"), ".txt"))
	}
	slices.SortFunc(out, Compare)
	return out
}

// Compare orders versions by their numbers. What is no number counts as 0.
func Compare(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(number(x, i), number(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

func number(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits, _, _ := strings.Cut(parts[i], "-") // of a prerelease
	n, _ := strconv.Atoi(digits)
	return n
}

// For is the catalogue for a release: its own, else the nearest of an older one, else the oldest. Without a version it is
// the newest.
func For(version string) Catalogue {
	all := Versions()
	best := all[0]
	for _, v := range all {
		if version == "" || Compare(v, version) <= 0 {
			best = v
		}
	}
	return load(best)
}

func load(version string) Catalogue {
	text, err := data.ReadFile(path.Join("data", "settings-"+version+".txt"))
	if err != nil {
		panic("catalogue: reading our own data: " + err.Error())
	}
	c := Catalogue{Version: version, kinds: map[string]kind{}}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		c.kinds[words[0]] = kind{words[1], words[2:]}
		for dir := words[0]; ; {
			i := strings.LastIndexByte(dir, '.')
			if i < 0 {
				break
			}
			dir = dir[:i]
			c.kinds[dir] = kind{name: "object"}
		}
	}
	return c
}

// names is the settings directly below a path; "" is the top.
func (c Catalogue) names(below string) []string {
	var out []string
	for p, k := range c.kinds {
		dir, name := "", p
		if i := strings.LastIndexByte(p, '.'); i >= 0 {
			dir, name = p[:i], p[i+1:]
		}
		if dir == below && refusals[k.name] == "" && k.name != "alias" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// refusals is why a name of that kind cannot be set, and what to do.
var refusals = map[string]string{
	"elsewhere":    "Copilot keeps it in config.json, and takes the key in settings.json for unknown. Remove it.",
	"here-twice":   "Hooks in settings.json run beside those in the hooks folder, each twice. Remove the key: the target registers its own hook.",
	"organisation": "Copilot takes it from an organisation only; a rule that it does not like voids the whole settings.json without a word. Remove the key; a guard can deny commands.",
	"repository":   "Copilot reads it in a repository's .github/copilot/settings.json only. Remove it.",
}

// takes is what a kind takes, for the reader.
func (k kind) takes() string {
	switch k.name {
	case "boolean":
		return "true or false"
	case "string-array":
		return "a list of strings"
	case "record-of-boolean":
		return "an object of true and false"
	case "record-of-object":
		return "an object of objects"
	case "object":
		return "an object"
	case "enum":
		return "one of " + strings.Join(k.rest, ", ")
	}
	return fmt.Sprintf("a %s", k.name)
}
