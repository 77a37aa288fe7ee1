package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// how is in what way a command matches a pattern.
type how uint8

const (
	noMatch  how = iota
	certain      // by words that are known
	maybe        // by a word that only the shell knows
	unparsed     // by the words of a text that is not valid shell
	inCode       // by the words of a program in another language
)

// candidate is a simple command, its words sorted by what they can be.
type candidate struct {
	cmd      *shell.Command
	name     shell.Word
	sorted   bool
	operands []operand
	flags    []shell.Word
	letters  [256]bool // of the bundled short flags
	single   int       // how many words are missing in holes that become one word each
	any      bool      // a hole may become any number of words
}

// operand is a word that is no flag. Of is the global option whose value it is, or "".
type operand struct {
	shell.Word
	of string
}

func newCandidate(cmd *shell.Command) *candidate {
	return &candidate{cmd: cmd, name: cmd.Name()}
}

// wholeFlags are commands whose single-dash words are never bundled letters.
func wholeFlags(name string) bool {
	switch name {
	case "find", "java", "javac", "terraform", "tofu", "openssl", "go", "ffmpeg", "magick", "convert", "xrandr", "qemu-system-x86_64", "gcc", "clang", "systemsetup", "dscl":
		return true
	}
	return false
}

// sort puts the words in their places. Where a flag may take the next word, that word counts both as its value and as
// what it looks like; only the values of a command's known global options are set apart.
func (c *candidate) sort() {
	if c.sorted {
		return
	}
	c.sorted = true
	words := c.cmd.Words
	c.any = words[0].Splits()
	ended, begun := false, false
	for i := 1; i < len(words); i++ {
		word := words[i]
		if !word.Known() {
			c.any = c.any || word.Splits()
			c.single++
		}
		isFlag := len(word.Text) > 1 && word.Text[0] == '-' && (word.Known() || word.Holes[0].At > 0)
		switch {
		case word.Text == "--" && word.Known():
			if ended {
				c.operands = append(c.operands, operand{word, ""})
			}
			// After a flag, -- may be its value: then what follows are still flags.
			ended = ended || i == 1 || !strings.HasPrefix(words[i-1].Text, "-") || strings.Contains(words[i-1].Text, "=")
		case isFlag && !ended:
			c.addFlag(word)
			if i+1 < len(words) && !begun && shell.TakesValue(c.name.Text, word.Text) {
				i++
				c.operands = append(c.operands, operand{words[i], word.Text})
			}
		default:
			begun = true
			c.operands = append(c.operands, operand{word, ""})
		}
	}
}

func (c *candidate) addFlag(word shell.Word) {
	c.flags = append(c.flags, word)
	if word.Text[1] != '-' && !(wholeFlags(c.name.Text) && len(word.Text) > 2) {
		for _, letter := range []byte(bundle(word.Text)) {
			c.letters[letter] = true
		}
	}
}

// bundle is the letters of a single-dash word.
func bundle(text string) string {
	if end := strings.IndexAny(text, "= \t\n"); end >= 0 {
		text = text[:end]
	}
	return strings.TrimPrefix(text, "-")
}

// matcher matches patterns on the commands of one text.
type matcher struct {
	text   string
	tokens []string        // of the text, made when a maybe needs them
	stood  map[string]bool // answers of stands
}

func (m *matcher) match(p *pattern, c *candidate) how {
	result := certain
	if !c.name.Known() {
		if !overlaps(p.name, c.name) {
			return noMatch
		}
		result = maybe
	} else if !globMatch(p.name, c.name.Text) {
		return noMatch
	}
	if !p.parsed {
		p.parse(p.text)
	}
	c.sort()
	missing := 0 // requirements that only a hole can meet
	for i := range p.flags {
		if c.hasFlag(&p.flags[i]) {
			continue
		}
		if !c.mayHaveFlag(&p.flags[i]) || !m.stands(p.flags[i].text, &p.flags[i]) {
			return noMatch
		}
		missing++
	}
	fromHoles, ok := m.wordsMatch(p, c)
	if !ok {
		return noMatch
	}
	if missing += fromHoles; missing > 0 {
		if missing > c.single && !c.any {
			return noMatch
		}
		result = maybe
	}
	if !c.name.Known() && !specific(p) && !m.stands(p.name, nil) {
		return noMatch
	}
	return result
}

// specific reports whether a pattern says more than a command's name.
func specific(p *pattern) bool {
	for _, word := range p.words {
		if strings.Trim(word, "*") != "" {
			return true
		}
	}
	return len(p.flags) > 0
}

// hasFlag reports whether the known words have a flag.
func (c *candidate) hasFlag(f *flag) bool {
	name, value, valued := strings.Cut(f.text, "=")
	for _, word := range c.flags {
		given, _, hasValue := strings.Cut(word.Text, "=")
		if !word.Known() && full(word) && !(hasValue && word.Holes[0].At > len(given)) {
			continue // --fo$x is --force only if x is empty, --force=$x always
		}
		switch {
		case globMatch(f.text, word.Text), !valued && globMatch(f.text, given),
			!valued && word.Known() && abbreviates(given, name):
			return true
		case valued && word.Known() && word.Text == name && c.follows(word, value):
			return true
		}
	}
	if f.letters == "" {
		return false
	}
	for i := range len(f.letters) {
		if !c.letters[f.letters[i]] {
			return false
		}
	}
	return len(f.text) == 2 || !wholeFlags(c.name.Text)
}

// abbreviates reports whether a long option may stand for another: git, and everything that uses getopt_long, take
// --har for --hard (git 2.39 and GNU rm 9.1, tried). What ends at a dash of the longer one is an option of its own:
// --force is not short for --force-with-lease.
func abbreviates(short, long string) bool {
	rest, ok := strings.CutPrefix(long, short)
	return ok && len(short) > 2 && !strings.Contains(long, "*") && strings.HasPrefix(short, "--") && !strings.HasPrefix(rest, "-")
}

// follows reports whether a flag's value stands in the word after it.
func (c *candidate) follows(flagWord shell.Word, value string) bool {
	for i, word := range c.cmd.Words[:len(c.cmd.Words)-1] {
		if word.Text == flagWord.Text && globMatch(value, c.cmd.Words[i+1].Text) {
			return true
		}
	}
	return false
}

// mayHaveFlag reports whether a hole can be the flag.
func (c *candidate) mayHaveFlag(f *flag) bool {
	if c.any {
		return true
	}
	for _, word := range c.operands {
		if !word.Known() && overlaps(f.text, word.Word) {
			return true
		}
	}
	for _, word := range c.flags {
		if word.Known() {
			continue
		}
		if overlaps(f.text, word) || f.letters != "" && word.Text[1] != '-' {
			return true
		}
	}
	return false
}

// wordsMatch reports whether the pattern's words stand in the operands in this order. FromHoles is how many of them only
// a hole can be; each of these stands somewhere in the text.
func (m *matcher) wordsMatch(p *pattern, c *candidate) (fromHoles int, ok bool) {
	words, next := p.words, 0
	take := func(word shell.Word) {
		for next < len(words) {
			want := words[next]
			switch {
			case sameWord(want, word, c.cmd.Dir):
				next++
				if strings.Trim(want, "*") != "" && word.Expands() {
					fromHoles++
				}
				return
			case word.Known() || !(word.Splits() || overlaps(want, word)) || !m.stands(want, nil):
				return
			}
			next++
			fromHoles++
			if !word.Splits() {
				return
			}
		}
	}
	if c.cmd.Words[0].Splits() {
		take(shell.Word{Holes: []shell.Hole{{Kind: shell.Fields}}})
	}
	for _, word := range c.operands {
		if word.of == "" || slices.ContainsFunc(p.flags, func(f flag) bool { return f.text == word.of }) {
			take(word.Word)
		}
	}
	return fromHoles, next == len(words)
}

// sameWord reports whether a word is what a pattern wants, with nothing in its holes: $x/ is / if x is empty, and /* is
// everything in /.
func sameWord(want string, word shell.Word, dir string) bool {
	text := word.Text
	if strings.Trim(want, "*") == "" {
		return true
	}
	if full(word) {
		return false
	}
	if !isPath(want) {
		return globMatch(want, text) && (word.Known() || text != "")
	}
	switch {
	case text == "" && (word.Known() || word.Holes[0].Kind != shell.Glob):
		return false
	case text == "" || !isPath(text):
		if dir == "" {
			return false
		}
		text = path.Join(dir, text)
	}
	return globMatch(want, path.Clean(text))
}

// full reports whether a hole of the word is certain to be filled.
func full(word shell.Word) bool {
	return slices.ContainsFunc(word.Holes, func(h shell.Hole) bool { return h.Full })
}

// overlaps reports whether a word with holes can be what a pattern wants, by how both begin and end.
func overlaps(want string, word shell.Word) bool {
	first, last := word.Holes[0].At, word.Holes[len(word.Holes)-1].At
	head, _, star := strings.Cut(want, "*")
	prefix, suffix := word.Text[:first], word.Text[last:]
	if isPath(want) && first == 0 && word.Holes[0].Kind == shell.Glob {
		return false // names of files in the folder, which begin with neither / nor ~
	}
	least := len(prefix) + len(suffix)
	for _, h := range word.Holes {
		if h.Full {
			least++
		}
	}
	if !star && len(want) < least {
		return false
	}
	if !strings.HasPrefix(head, prefix) && !(star && strings.HasPrefix(prefix, head)) {
		return false
	}
	tail := want[strings.LastIndexByte(want, '*')+1:]
	return strings.HasSuffix(tail, suffix) || star && strings.HasSuffix(suffix, tail)
}
