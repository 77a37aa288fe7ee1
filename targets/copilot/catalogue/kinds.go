package catalogue

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kind is one sort of value. A value is what encoding/json decodes with UseNumber.
type kind struct {
	wants  func(args []string) string            // continues "must be"
	typed  func(v any) bool                      // it has the type
	fits   func(text string, args []string) bool // and, where that is not all, the value
	each   string                                // the kind of every element or member
	inner  bool                                  // args are for the members' values
	needed bool                                  // args are the members that must be there
}

// kinds is the table of what a catalogue's lines may say of a value.
var kinds = map[string]kind{
	"any":     {wants: says("anything"), typed: func(any) bool { return true }},
	"boolean": {wants: says("true or false"), typed: is[bool]},
	"string":  {wants: says("a string"), typed: is[string]},
	"number":  {wants: says("a number"), typed: is[json.Number]},
	"integer": {
		wants: func(args []string) string { return fmt.Sprintf("a whole number from %s to %s", args[0], args[1]) },
		typed: is[json.Number],
		fits: func(text string, args []string) bool {
			n := float(text)
			return n == math.Trunc(n) && n >= float(args[0]) && n <= float(args[1])
		},
	},
	"positive": {
		wants: func(args []string) string { return "a number above 0, at most " + args[0] },
		typed: is[json.Number],
		fits:  func(text string, args []string) bool { return float(text) > 0 && float(text) <= float(args[0]) },
	},
	"enum": {
		wants: func(args []string) string { return "one of " + quoted(args) },
		typed: is[string],
		fits:  func(text string, args []string) bool { return slices.Contains(args, text) },
	},
	"match": {
		wants: func(args []string) string { return "a string of the form " + args[0] },
		typed: is[string],
		fits:  func(text string, args []string) bool { return regexp.MustCompile(args[0]).MatchString(text) },
	},
	"list":     {wants: says("a list"), typed: is[[]any]},
	"strings":  {wants: says("a list of strings"), typed: is[[]any], each: "string"},
	"object":   {wants: says("an object"), typed: is[map[string]any], needed: true},
	"booleans": {wants: says("an object whose members are true or false"), typed: is[map[string]any], each: "boolean"},
	"objects":  {wants: says("an object of objects"), typed: is[map[string]any], each: "object", inner: true},
	"object-or-false": {
		wants:  says("false or an object"),
		typed:  func(v any) bool { return v == false || is[map[string]any](v) },
		needed: true,
	},
}

// refusals are the kinds of keys that a user cannot set, and why. %s is what follows the kind in the line.
var refusals = map[string]string{
	"organisation": "Copilot takes it from an organisation only, and a rule that it does not like voids the whole settings.json without a word. Remove the key; a guard can deny commands.",
	"repository":   "Copilot takes it in a repository's .github/copilot/settings.json only. Set it there, or remove it.",
	"state":        "Copilot keeps it in its own config.json, and takes the key in settings.json for unknown. Remove it.",
	"twice":        "What stands in settings.json runs beside the hooks folder's, each twice. Remove the key: the target registers its own hook.",
	"renamed":      "It is the old name of `%s`. Write that.",
}

func (s *setting) refused() bool { return refusals[s.kind] != "" }

func says(text string) func([]string) string { return func([]string) string { return text } }

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// text is a string or a number as it is written.
func text(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	s, _ := v.(string)
	return s
}

func float(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

func quoted(names []string) string {
	return "`" + strings.Join(names, "`, `") + "`"
}
