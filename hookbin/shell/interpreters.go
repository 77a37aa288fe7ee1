package shell

import "strings"

// interpreter is a command that runs programs of another language. Flags are the letters of the options whose value is
// a program, names the long ones.
type interpreter struct {
	name    string
	flags   string
	names   string
	operand bool // its first operand is a program
}

var interpreters = [...]interpreter{
	{name: "python", flags: "c"},
	{name: "pypy", flags: "c"},
	{name: "node", flags: "ep", names: "--eval --print"},
	{name: "nodejs", flags: "ep", names: "--eval --print"},
	{name: "bun", flags: "ep", names: "--eval --print"},
	{name: "deno", names: "eval"},
	{name: "perl", flags: "eE"},
	{name: "ruby", flags: "e"},
	{name: "php", flags: "rBRE", names: "--run"},
	{name: "lua", flags: "e"},
	{name: "Rscript", flags: "e"},
	{name: "julia", flags: "eE", names: "--eval"},
	{name: "osascript", flags: "e"},
	{name: "pwsh", flags: "c", names: "-Command -command"},
	{name: "powershell", flags: "c", names: "-Command -command"},
	{name: "vim", flags: "c", names: "--cmd"},
	{name: "nvim", flags: "c", names: "--cmd"},
	{name: "psql", flags: "c", names: "--command"},
	{name: "awk", operand: true},
	{name: "gawk", operand: true, flags: "e"},
	{name: "mawk", operand: true},
	{name: "tclsh"},
	{name: "expect", flags: "c"},
}

// language finds an interpreter, whatever version its name carries: python3.12.
func language(name string) *interpreter {
	bare := strings.TrimRight(name, "0123456789.-")
	for i := range interpreters {
		if interpreters[i].name == bare {
			return &interpreters[i]
		}
	}
	return nil
}

func (w *walker) code(c Command, lang string, text Word) {
	if text.Text != "" {
		w.script.Codes = append(w.script.Codes, Code{lang, text.Text, c.Source})
	}
}

// interpreter reports the programs that are given to an interpreter as words, as its standard input, or in a file that
// the text has written.
func (w *walker) interpreter(c Command) bool {
	lang := language(program(c.Words[0]))
	if lang == nil {
		return false
	}
	args, found, operand := c.Words[1:], false, false
	for i, arg := range args {
		switch at := codeFlag(lang, arg.Text); {
		case at == len(arg.Text) && at > 0:
			if i+1 < len(args) {
				w.code(c, lang.name, args[i+1])
			}
			found = true
		case at > 0:
			w.code(c, lang.name, arg.From(at))
			found = true
		case arg.Text == "" || arg.Text == "-" || arg.Text[0] == '-':
		case lang.operand && !found:
			w.code(c, lang.name, arg)
			found = true
		case !found && !operand:
			operand = true
			if text, ok := w.contents(arg.Text); ok && arg.Known() {
				w.code(c, lang.name, text)
			}
		}
	}
	if !found && !operand && w.stdin != nil {
		w.code(c, lang.name, w.stdin.text())
	}
	return true
}

// codeFlag is the offset in a word at which a program begins: its length if that is the next word, 0 if the word is no
// option of this kind.
func codeFlag(lang *interpreter, text string) int {
	if name, _, ok := strings.Cut(text, "="); has(lang.names, name) {
		if ok {
			return len(name) + 1
		}
		return len(text)
	}
	if len(text) < 2 || text[0] != '-' || text[1] == '-' {
		return 0
	}
	if i := strings.IndexAny(text[1:], lang.flags); i >= 0 {
		return i + 2
	}
	return 0
}
