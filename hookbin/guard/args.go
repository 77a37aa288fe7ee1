package guard

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"
)

// argsVersion is the first byte of a guard's data. After it: the number of arguments that are given, then each as its
// name and its value, in ascending order of the names. Numbers are unsigned varints below 2^14, a text stands behind its
// length, a list behind its count.
const argsVersion = 2

// Bounds of a value.
const (
	maxItems = 4_000 // of a list
	maxItem  = 8_000 // bytes of a text
	maxInt   = 1<<14 - 1
)

var errData = errors.New("the guard's compiled arguments are damaged")

// encodeArgs is the canonical encoding of arguments that checkArgs takes: equal arguments give equal bytes, whatever the
// order in which a list was given.
func encodeArgs(args Args) []byte {
	out := binary.AppendUvarint([]byte{argsVersion}, uint64(len(args)))
	text := func(s string) {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	for _, name := range sortedNames(args) {
		text(name)
		switch v := args[name].(type) {
		case []string:
			v = slices.Clone(v)
			slices.Sort(v)
			v = slices.Compact(v)
			out = binary.AppendUvarint(out, uint64(len(v)))
			for _, s := range v {
				text(s)
			}
		case string:
			text(v)
		case int:
			out = binary.AppendUvarint(out, uint64(v))
		case bool:
			out = append(out, 0)
			if v {
				out[len(out)-1] = 1
			}
		}
	}
	return out
}

// decodeArgs reads exactly what encodeArgs writes for this guard.
func decodeArgs(spec Spec, data []byte) (Args, error) {
	if spec.Kind == "commands" && len(data) > 0 && data[0] == 1 { // an older generation's: the patterns alone
		r := argsReader{rest: string(data[1:])}
		if args := (Args{"deny": r.texts()}); !r.bad && r.rest == "" {
			return args, nil
		}
		return nil, errData
	}
	if len(data) == 0 || data[0] != argsVersion {
		return nil, errData
	}
	r := argsReader{rest: string(data[1:])}
	args := Args{}
	last := ""
	for i, n := 0, r.number(); i < n && !r.bad; i++ {
		name := r.text()
		arg, ok := spec.arg(name)
		if !ok || i > 0 && name <= last {
			return nil, errData
		}
		last = name
		switch arg.Type {
		case Strings:
			args[name] = r.texts()
		case String:
			args[name] = r.text()
		case Int:
			args[name] = r.number()
		case Bool:
			args[name] = r.bool()
		}
	}
	if r.bad || r.rest != "" {
		return nil, errData
	}
	return args, nil
}

type argsReader struct {
	rest string
	bad  bool
}

// number takes a number below 2^14; a longer spelling of it than needed is refused.
func (r *argsReader) number() int {
	switch d := r.rest; {
	case len(d) > 0 && d[0] < 0x80:
		r.rest = d[1:]
		return int(d[0])
	case len(d) > 1 && d[1] < 0x80 && d[1] > 0:
		r.rest = d[2:]
		return int(d[0]&0x7f) | int(d[1])<<7
	}
	r.bad = true
	return 0
}

func (r *argsReader) text() string {
	n := r.number()
	if r.bad || n > len(r.rest) || n > maxItem {
		r.bad = true
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	r.bad = r.bad || !utf8.ValidString(s)
	return s
}

func (r *argsReader) texts() []string {
	n := r.number()
	if n > maxItems || n > len(r.rest) {
		r.bad = true
		return nil
	}
	out := make([]string, 0, n)
	for i := range n {
		s := r.text()
		if r.bad || i > 0 && out[i-1] >= s {
			r.bad = true
			return nil
		}
		out = append(out, s)
	}
	return out
}

func (r *argsReader) bool() bool {
	n := r.number()
	r.bad = r.bad || n > 1
	return n == 1
}

// checkArgs is what is wrong with arguments by their types and bounds.
func checkArgs(spec Spec, args Args) []Problem {
	var out []Problem
	problem := func(name string, index int, text string) { out = append(out, Problem{name, index, text}) }
	for _, name := range sortedNames(args) {
		arg, ok := spec.arg(name)
		if !ok {
			problem(name, -1, "The guard has no such argument. Remove it.")
			continue
		}
		switch v := args[name].(type) {
		case []string:
			switch {
			case arg.Type != Strings:
				problem(name, -1, "It is a list. Give one value.")
			case len(v) > maxItems:
				problem(name, -1, "It has more than "+strconv.Itoa(maxItems)+" elements. Use `*` to say several at once.")
			}
			for i, s := range v {
				if why := checkItem(s); why != "" {
					problem(name, i, why)
				}
			}
		case string:
			if why := checkItem(v); arg.Type != String {
				problem(name, -1, "It is text. Give what the documentation of the guard shows.")
			} else if why != "" {
				problem(name, -1, why)
			} else if len(arg.OneOf) > 0 && !slices.Contains(arg.OneOf, v) {
				problem(name, -1, "It has to be one of "+quotedList(arg.OneOf)+".")
			}
		case int:
			if arg.Type != Int || v < 0 || v > maxInt {
				problem(name, -1, "It has to be a whole number from 0 to "+strconv.Itoa(maxInt)+".")
			}
		case bool:
			if arg.Type != Bool {
				problem(name, -1, "It is true or false. Give what the documentation of the guard shows.")
			}
		default:
			problem(name, -1, "It has a value of a type that no guard takes.")
		}
	}
	for _, a := range spec.Args {
		if _, given := args[a.Name]; a.Required && !given {
			problem(a.Name, -1, "It is missing. Give it, as in "+a.Name+" = "+a.Example+".")
		}
	}
	return out
}

func checkItem(s string) string {
	switch {
	case len(s) > maxItem:
		return "It is longer than " + strconv.Itoa(maxItem) + " bytes. Shorten it."
	case !utf8.ValidString(s):
		return "It is not UTF-8. Correct it."
	}
	return ""
}

func quotedList(words []string) string {
	out := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			out += " and "
		default:
			out += ", "
		}
		out += strconv.Quote(w)
	}
	return out
}

// Values of arguments; each is the zero value where the argument is not given.

func (a Args) texts(name string) []string { v, _ := a[name].([]string); return v }

func (a Args) text(name string) string { v, _ := a[name].(string); return v }

func (a Args) number(name string) int { v, _ := a[name].(int); return v }

func sortedNames(args Args) []string {
	out := make([]string, 0, len(args))
	for name := range args {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
