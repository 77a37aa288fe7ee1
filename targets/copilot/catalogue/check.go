package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/internal/nearest"
)

// Fault is one value that Copilot would not take. One of them is enough for it to drop the whole settings.json with
// nothing but a line in its log (seen on 1.0.83 and 1.0.102); only an unknown key just has no effect.
type Fault struct {
	Path   []string // names, and the positions of elements
	Code   string   // unknown-setting, refused-setting, wrong-type or invalid-value
	What   string   // continues the key: "is no setting of Copilot 1.0.102"
	Advice string   // full sentences, ending in what to do
}

// Voids reports whether the fault costs the whole file.
func (f Fault) Voids() bool { return f.Code == "wrong-type" || f.Code == "invalid-value" }

// Key is the path as one text.
func (f Fault) Key() string { return strings.Join(f.Path, ".") }

// Check finds what is wrong with settings, as encoding/json decodes them with UseNumber, sorted by path.
func (c Catalogue) Check(settings map[string]any) []Fault {
	k := checker{catalogue: c}
	k.value(nil, c.root, settings)
	return k.faults
}

type checker struct {
	catalogue Catalogue
	faults    []Fault
}

func (k *checker) fault(path []string, code, what, advice string) {
	k.faults = append(k.faults, Fault{slices.Clone(path), code, what, advice})
}

func (k *checker) value(path []string, s *setting, v any) {
	if why := refusals[s.kind]; why != "" {
		if len(s.args) > 0 {
			why = fmt.Sprintf(why, s.args[0])
		}
		k.fault(path, "refused-setting", "cannot be set here", why)
		return
	}
	name := s.kind
	if name == "" {
		name = "object"
	}
	if !k.takes(path, name, s.args, v) || len(s.members) == 0 {
		return
	}
	object, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		below := append(slices.Clip(path), name)
		if member := s.members[name]; member != nil {
			k.value(below, member, object[name])
		} else {
			k.unknown(below, slices.Collect(maps.Keys(s.members)))
		}
	}
}

// takes checks a value against a line of the table of kinds, and what lies in it.
func (k *checker) takes(path []string, name string, args []string, v any) bool {
	kd := kinds[name]
	code := ""
	switch {
	case !kd.typed(v):
		code = "wrong-type"
	case kd.fits != nil && !kd.fits(text(v), args):
		code = "invalid-value"
	}
	if code != "" {
		advice := "One wrong value can make Copilot ignore all of settings.json. Correct it."
		if meant := nearest.Name(text(v), args); meant != "" {
			advice = "Did you mean `" + meant + "`? " + advice
		}
		k.fault(path, code, "must be "+kd.wants(args), advice)
		return false
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			if kd.each != "" {
				k.takes(append(slices.Clip(path), strconv.Itoa(i)), kd.each, nil, e)
			}
		}
	case map[string]any:
		if kd.needed {
			k.needs(path, args, v)
		}
		if !kd.inner {
			args = nil
		}
		for _, member := range slices.Sorted(maps.Keys(v)) {
			if kd.each != "" {
				k.takes(append(slices.Clip(path), member), kd.each, args, v[member])
			}
		}
	}
	return true
}

func (k *checker) needs(path, names []string, v map[string]any) {
	for _, name := range names {
		if _, ok := v[name]; !ok {
			k.fault(path, "invalid-value", "lacks `"+name+"`", "Copilot ignores all of settings.json without it. Add it, or remove the object.")
		}
	}
}

func (k *checker) unknown(path, siblings []string) {
	what := "is no setting of Copilot " + k.catalogue.Version
	switch meant := nearest.Name(path[len(path)-1], siblings); {
	case meant != "":
		full := strings.Join(append(slices.Clone(path[:len(path)-1]), meant), ".")
		k.fault(path, "unknown-setting", what, "Did you mean `"+full+"`? Correct it.")
	case k.catalogue.root.at(strings.Split(strings.Join(path, "."), ".")) != nil:
		k.fault(path, "unknown-setting", what, "A dot does not lead into an object here. Write the object.")
	case knownTo(path) != "":
		k.fault(path, "unknown-setting", what, "Copilot "+knownTo(path)+" has it. Remove it, or use that version.")
	case len(siblings) <= 20:
		slices.Sort(siblings)
		k.fault(path, "unknown-setting", what, "Known here: "+quoted(siblings)+". Correct or remove it.")
	default:
		k.fault(path, "unknown-setting", what, "It would have no effect. Correct or remove it; `copilot help config` lists the settings.")
	}
}
