package shell

import "strings"

// scanned is what the options of a wrapper leave of its arguments.
type scanned struct {
	starts  []int // where the command may begin, one for each reading
	options []option
	assigns []Assign
}

// option is one option with its value; next is the index of the word after both.
type option struct {
	name  string // "-c", "--command"
	value Word
	next  int
}

// scan reads the options of a wrapper. An option that may or may not take the next word is read both ways.
func (s *wrapper) scan(args []Word) scanned {
	var out scanned
	type place struct{ at, before int }
	todo := []place{{0, s.before}}
	seen := make([]bool, 2*len(args)+2)
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.at >= len(args) || seen[2*p.at+p.before] {
			continue
		}
		seen[2*p.at+p.before] = true
		text, known := args[p.at].Text, args[p.at].Known()
		switch {
		case text == "--" && known:
			if p.at+1+p.before < len(args) {
				out.starts = append(out.starts, p.at+1+p.before)
			}
		case text == "-" && known && p.before == 0:
			todo = append(todo, place{p.at + 1, 0})
		case len(text) > 1 && text[0] == '-':
			next, doubt := s.option(args, p.at, &out)
			todo = append(todo, place{next, p.before})
			if doubt {
				todo = append(todo, place{next + 1, p.before})
			}
		default:
			if !known && text == "" { // may be an option, or nothing
				todo = append(todo, place{p.at + 1, p.before})
			}
			if a, ok := assignWord(args[p.at]); ok && s.assigns {
				out.assigns = append(out.assigns, a)
				todo = append(todo, place{p.at + 1, p.before})
				continue
			}
			switch {
			case s.then == nothing:
				todo = append(todo, place{p.at + 1, 0})
			case p.before > 0:
				todo = append(todo, place{p.at + 1, p.before - 1})
			default:
				out.starts = append(out.starts, p.at)
			}
		}
	}
	return out
}

// option reads the option at args[at]. Doubt says that the word after it may be its value.
func (s *wrapper) option(args []Word, at int, out *scanned) (next int, doubt bool) {
	word := args[at]
	following := func() Word {
		if at+1 < len(args) {
			return args[at+1]
		}
		return Word{}
	}
	if strings.HasPrefix(word.Text, "--") {
		name, _, valued := strings.Cut(word.Text, "=")
		takes := s.takesLong(name[2:])
		switch {
		case valued:
			out.options = append(out.options, option{name, word.From(len(name) + 1), at + 1})
		case takes == always:
			out.options = append(out.options, option{name, following(), at + 2})
			return at + 2, false
		default:
			out.options = append(out.options, option{name, following(), at + 1})
		}
		return at + 1, !valued && takes == perhaps
	}
	for i := 1; i < len(word.Text); i++ {
		name, last := "-"+word.Text[i:i+1], i+1 == len(word.Text)
		takes := s.takes(word.Text[i])
		switch {
		case takes == always && last:
			out.options = append(out.options, option{name, following(), at + 2})
			return at + 2, false
		case takes == always, takes == glued:
			out.options = append(out.options, option{name, word.From(i + 1), at + 1})
			return at + 1, false
		}
		out.options = append(out.options, option{name, Word{}, at + 1})
		if last && takes == perhaps {
			return at + 1, true
		}
	}
	return at + 1, !word.Known()
}

// assignWord takes a word NAME=value apart.
func assignWord(word Word) (Assign, bool) {
	name, _, ok := strings.Cut(word.Text, "=")
	if !ok || !IsName(name) || len(word.Holes) > 0 && word.Holes[0].At <= len(name) {
		return Assign{}, false
	}
	return Assign{name, []Word{word.From(len(name) + 1)}}, true
}

// has reports whether a list of words parted by spaces holds one.
func has(list, word string) bool {
	for list != "" {
		var first string
		if first, list, _ = strings.Cut(list, " "); first == word {
			return true
		}
	}
	return false
}

// TakesValue reports whether a global option of a command takes the next word as its value: -C of git, --context of
// kubectl. Option is as it is written, without a value.
func TakesValue(command, option string) bool {
	spec := wrapperFor(command)
	if spec == nil || spec.then != aSub || len(option) < 2 {
		return false
	}
	if name, ok := strings.CutPrefix(option, "--"); ok {
		return spec.takesLong(name) == always
	}
	return len(option) == 2 && spec.takes(option[1]) == always
}
