package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variable is what the text itself says of a variable: the values that it may have, each an array's words. One that the
// text does not assign is in no table, and unknown.
type variable [][]Word

// undo takes back one assignment.
type undo struct {
	name string
	old  variable
	had  bool
}

// scope is what a subshell gives back when it ends.
type scope struct {
	log  int
	args []Word
	dir  string
}

func (w *walker) begin() scope { return scope{len(w.log), w.args, w.dir} }

func (w *walker) finish(s scope) {
	for len(w.log) > s.log {
		last := w.log[len(w.log)-1]
		w.log = w.log[:len(w.log)-1]
		if last.had {
			w.vars[last.name] = last.old
		} else {
			delete(w.vars, last.name)
		}
	}
	w.args, w.dir = s.args, s.dir
}

func (w *walker) set(name string, v variable) {
	old, had := w.vars[name]
	w.log = append(w.log, undo{name, old, had})
	w.vars[name] = v
}

// unset makes a variable one of which the text says nothing.
func (w *walker) unset(name string) {
	if old, had := w.vars[name]; had {
		w.log = append(w.log, undo{name, old, had})
		delete(w.vars, name)
	}
}

// assign gives a variable the values that it may have from now on. Where a command is read in several ways, each adds
// its own.
func (w *walker) assign(name string, values variable) {
	if w.context&(Uncalled|Reading) != 0 {
		values = w.possible(name).union(values)
	}
	w.set(name, values)
}

// possible is what a variable may be now.
func (w *walker) possible(name string) variable {
	if v, ok := w.vars[name]; ok {
		return v
	}
	return variable{{hole(Value)}}
}

// union is both sets of values; too many are unknown.
func (v variable) union(more variable) variable {
	all := v[:len(v):len(v)]
	for _, value := range more {
		if !slices.ContainsFunc(all, func(known []Word) bool { return sameWords(known, value) }) {
			all = append(all, value)
		}
	}
	if len(all) > maxReadings {
		return variable{{hole(Value)}}
	}
	return all
}

// join ends a stretch that may not have been reached: what was assigned since mark may also be as it was before.
func (w *walker) join(mark int) {
	end := len(w.log)
	if mark == end {
		return
	}
	seen := map[string]bool{}
	for i := mark; i < end; i++ {
		first := w.log[i]
		if seen[first.name] {
			continue
		}
		seen[first.name] = true
		before := first.old
		if !first.had {
			before = variable{{hole(Value)}}
		}
		w.set(first.name, before.union(w.possible(first.name)))
	}
}

// forget makes a variable that the text has assigned unknown, beside what it may be.
func (w *walker) forget(name string) {
	if _, had := w.vars[name]; had {
		w.set(name, w.possible(name).union(variable{{hole(Fields)}}))
	}
}

func sameWords(a, b []Word) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text || len(a[i].Holes) != len(b[i].Holes) {
			return false
		}
	}
	return true
}

// assignment carries out one NAME=value, and tells it as it is reported.
func (w *walker) assignment(a *syntax.Assign) Assign {
	if a.Name == nil {
		return Assign{}
	}
	name := a.Name.Value
	var value []Word
	switch {
	case a.Array != nil:
		for _, elem := range a.Array.Elems {
			if elem.Value != nil {
				value = append(value, w.fields([]*syntax.Word{elem.Value})...)
			}
		}
	case a.Value != nil:
		value = []Word{w.single(a.Value)}
	default:
		value = []Word{{}}
	}
	if len(value) > maxFields {
		value = []Word{hole(Fields)}
	}
	if a.Index != nil {
		w.forget(name)
		return Assign{name, value}
	}
	if a.Append {
		value = w.appended(name, value, a.Array != nil)
	}
	return Assign{name, value}
}

func (w *walker) appended(name string, value []Word, array bool) []Word {
	old, _, _ := w.lookup(name)
	if array {
		if len(old)+len(value) > maxFields {
			return []Word{hole(Fields)}
		}
		return append(old[:len(old):len(old)], value...)
	}
	if len(old) == 0 {
		return value
	}
	first := old[0].then(value[0]).size()
	return append([]Word{first}, old[1:]...)
}

// lookup is the value of a parameter, as an array's words. List is true for "$@"; known is false if the text does not
// say the value.
func (w *walker) lookup(name string) (value []Word, list, known bool) {
	if v, ok := w.vars[name]; ok {
		if len(v) > 1 && w.blind {
			return []Word{hole(Value)}, false, false
		}
		return v[w.pick(name, len(v))], false, true
	}
	switch {
	case name == "": // the parser's reading of +=[
	case name == "@" || name == "*":
		if w.args == nil {
			return []Word{hole(Fields)}, true, false
		}
		return w.args[1:], true, true
	case name == "HOME":
		return []Word{{Text: "~"}}, false, true
	case name == "PWD" && w.dir != "":
		return []Word{{Text: w.dir}}, false, true
	case name[0] >= '0' && name[0] <= '9' && w.args != nil:
		n, err := strconv.Atoi(name)
		if err == nil && n < len(w.args) {
			return w.args[n : n+1], false, true
		}
		return nil, false, true
	}
	return []Word{hole(Value)}, false, false
}

// separators is what unquoted values are cut at.
func (w *walker) separators() string {
	if v, ok := w.vars["IFS"]; ok && len(v) == 1 && len(v[0]) == 1 && v[0][0].Known() {
		return v[0][0].Text
	}
	return " \t\n"
}

// choice is one of several values that a variable may have, or one of several ways to expand a parameter.
type choice struct {
	key    any
	at, of int
}

// pick chooses one of n ways for this reading; the next reading of the same command gets the next.
func (w *walker) pick(key any, n int) int {
	if n < 2 || w.blind {
		return 0
	}
	for _, c := range w.choices {
		if c.key == key {
			return min(c.at, n-1)
		}
	}
	w.choices = append(w.choices, choice{key, 0, n})
	return 0
}

// readings calls f once for each way in which a command can be read. Where there are too many, what differs between
// them is unknown in the last.
func (w *walker) readings(f func()) {
	choices, context, blind := w.choices, w.context, w.blind
	w.choices, w.blind = nil, false
	for n := 1; w.script.Limit == NoLimit; n++ {
		f()
		w.context |= Reading
		for len(w.choices) > 0 {
			last := &w.choices[len(w.choices)-1]
			if last.at+1 < last.of {
				last.at++
				break
			}
			w.choices = w.choices[:len(w.choices)-1]
		}
		if len(w.choices) == 0 || w.blind {
			break
		}
		w.blind = n+1 == maxReadings
	}
	w.choices, w.context, w.blind = choices, context, blind
}

// assignedIn is the names that a stretch of text may assign to: what stands before a = and after read.
func assignedIn(text string) []string {
	var names []string
	for i := 0; i < len(text); i++ {
		if text[i] != '=' {
			continue
		}
		end := i
		if end > 0 && text[end-1] == '+' {
			end--
		}
		start := end
		for start > 0 && isNameByte(text[start-1]) {
			start--
		}
		if IsName(text[start:end]) {
			names = append(names, text[start:end])
		}
	}
	if strings.Contains(text, "read") || strings.Contains(text, "printf") {
		for _, field := range strings.Fields(text) {
			if IsName(field) {
				names = append(names, field)
			}
		}
	}
	return names
}
