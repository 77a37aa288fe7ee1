package guard

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// arguments is the words behind a command, sorted as getopt does. Words that only the shell knows are operands.
type arguments struct {
	operands []shell.Word
	options  []option
	ended    bool // a -- stands among them
}

type option struct {
	name  string     // with its dashes: -f, --force
	value shell.Word // empty for one that takes none
}

// readArguments sorts words. Short is the letters, and long the names parted by spaces, of the options that take a value.
func readArguments(words []shell.Word, short, long string) arguments {
	var a arguments
	next := func(i int) shell.Word {
		if i+1 < len(words) {
			return words[i+1]
		}
		return shell.Word{}
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch text := word.Text; {
		case text == "--" && word.Known():
			a.operands, a.ended = append(a.operands, words[i+1:]...), true
			return a
		case len(text) < 2 || text[0] != '-' || word.HoleBefore(1):
			a.operands = append(a.operands, word)
		case text[1] == '-':
			name, _, valued := strings.Cut(text, "=")
			o := option{name: name}
			switch {
			case valued:
				o.value = word.From(len(name) + 1)
			case slices.ContainsFunc(strings.Fields(long), func(l string) bool { return name == "--"+l || abbreviates(name, "--"+l) }):
				o.value = next(i)
				i++
			}
			a.options = append(a.options, o)
		default:
			for at := 1; at < len(text); at++ {
				o := option{name: "-" + text[at:at+1]}
				if strings.IndexByte(short, text[at]) >= 0 {
					if o.value = word.From(at + 1); o.value.Text == "" && o.value.Known() {
						o.value = next(i)
						i++
					}
					at = len(text)
				}
				a.options = append(a.options, o)
			}
		}
	}
	return a
}

// has reports whether one of the options is given. A long one may be shortened.
func (a arguments) has(names ...string) bool {
	return slices.ContainsFunc(a.options, func(o option) bool { return o.is(names) })
}

// value is the value of the last of the options that is given.
func (a arguments) value(names ...string) (shell.Word, bool) {
	for _, o := range slices.Backward(a.options) {
		if o.is(names) {
			return o.value, true
		}
	}
	return shell.Word{}, false
}

// values is every value of the options.
func (a arguments) values(names ...string) []shell.Word {
	var out []shell.Word
	for _, o := range a.options {
		if o.is(names) {
			out = append(out, o.value)
		}
	}
	return out
}

func (o option) is(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return o.name == name || abbreviates(o.name, name) })
}
