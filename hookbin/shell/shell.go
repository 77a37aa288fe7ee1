// Package shell turns a shell command line into the simple commands that it would run, as far as the text tells.
package shell

import "strings"

// Script is what a text would run. It is never an error: what could not be read is in Unparsed, and a reading that was
// stopped has a Limit.
type Script struct {
	Commands []Command // in the order in which they would start, a wrapper before the command that it runs
	Opened   []Opened  // files that redirections open, those of groups and loops too
	Codes    []Code    // programs in other languages: python -c …
	Unparsed []string  // texts that the parser does not take: the line itself, or a string that it would have run
	Limit    Limit     // not NoLimit: the reading stopped there, Commands is not all
}

// Command is one simple command.
type Command struct {
	Words   []Word   // the command and its arguments, at least one
	Assigns []Assign // NAME=value before it
	Redirs  []Redir  // its own, not those of a group around it
	Via     []string // what runs it, outermost first: "sudo", "bash"
	Depth   int      // in how many opened strings it stands: 1 in bash -c '…'
	Dir     string   // the folder that it runs in: absolute or below ~; empty if it is not known
	Context Context
	Pipe    int    // the pipeline that it is a stage of, or in one; the innermost; 0: none
	Source  string // as it is written, for messages
}

// Assign is one assignment before a command. An array's words are in order.
type Assign struct {
	Name  string
	Value []Word
}

// Redir is one redirection of a command: Op is ">", ">>", "<", "<<<" and so on; a here-document's Target is its body.
type Redir struct {
	Op     string
	Target Word
	FD     string // the descriptor, if the text says one: "2", "{fd}"; empty: the operator's own
}

// Opened is a file that a redirection opens.
type Opened struct {
	File   Word
	Dir    string // as in Command
	Reads  bool
	Writes bool
	Source string
}

// Code is a program in a language other than the shell's, as it was given to its interpreter.
type Code struct {
	Interpreter string
	Text        string
	Source      string // the command that it was given to
}

// Context says in what surroundings a command stands, as a set of bits.
type Context uint16

// The surroundings.
const (
	Conditional  Context = 1 << iota // after && or ||, in if or case
	Repeated                         // in a loop
	Piped                            // one of several in a pipeline
	Subshell                         // in ( ), a pipeline or the background: changes of the environment end with it
	Substitution                     // in $( ), backquotes, <( ) or >( )
	Function                         // in the body of a function
	Reading                          // not the first reading of a command that can be read in several ways
	Uncalled                         // in the body of a function that the text does not call
)

// Limit is the bound that a text went over.
type Limit uint8

// The bounds, and NoLimit for none.
const (
	NoLimit      Limit = iota
	LimitLength        // more than 64 KB of text
	LimitOpeners       // more than 1,000 of ( { [ and backquotes
	LimitNesting       // statements nested more than 1,000 deep
	LimitDepth         // strings opened within strings more than 8 deep
	LimitWork          // more commands or words than can be read in time
)

// Bounds. The parser's and the walker's recursion is bounded by them too: a stack overflow ends the process.
const (
	maxText     = 64 << 10  // bytes of one text
	maxOpeners  = 1_000     // in one text
	maxNesting  = 1_000     // statements around a statement
	maxDepth    = 8         // strings within strings
	maxCommands = 20_000    // in one script
	maxSteps    = 200_000   // words made, in one script
	maxOpened   = 512 << 10 // bytes of all opened strings
	maxValue    = 16 << 10  // bytes of a variable's value; a longer one is not known
	maxFields   = 1_000     // words that one word may become
	maxReadings = 24        // of one command
)

// String is the limit as the second half of a sentence: "the command …".
func (l Limit) String() string {
	switch l {
	case LimitLength:
		return "is longer than 64 KB"
	case LimitOpeners:
		return "holds more than 1,000 opening brackets and backquotes"
	case LimitNesting:
		return "is nested more than 1,000 levels deep"
	case LimitDepth:
		return "has shell commands in strings in strings, more than 8 deep"
	case LimitWork:
		return "would run more commands than can be read in time"
	}
	return ""
}

// Read reads a text as bash would.
func Read(text string) Script { return ReadIn(text, "") }

// ReadIn is Read in a folder: absolute, or "" if it is not known.
func ReadIn(text, dir string) Script {
	w := newWalker()
	w.dir = dir
	w.read(text)
	w.uncalled()
	return w.script
}

// bound is the limit that a text goes over before it is parsed.
func bound(text string) Limit {
	if len(text) > maxText {
		return LimitLength
	}
	openers := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '`':
			openers++
		case '[':
			if i > 0 && isNameByte(text[i-1]) { // an index, which the parser reads by recursion
				openers++
			}
		}
	}
	if openers > maxOpeners {
		return LimitOpeners
	}
	return NoLimit
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// IsName reports whether s can be the name of a variable.
func IsName(s string) bool {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

// Name is the base name of the command, without a .exe at its end.
func (c Command) Name() Word {
	base := c.Words[0].Base()
	if base.Known() {
		base.Text = strings.TrimSuffix(base.Text, ".exe")
	}
	return base
}
