package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// source gives what a command reads from its standard input, when it is asked for.
type source func() Word

func (s source) text() Word {
	if s == nil {
		return nowhere()
	}
	return s()
}

// nowhere is a standard input of which the text says nothing.
func nowhere() Word { return hole(Fields) }

// substituted is what $( ) gives: the output without the newlines at its end.
func (w *walker) substituted(stmts []*syntax.Stmt) Word {
	word := w.outputs(stmts, w.stdin)
	for word.Known() && strings.HasSuffix(word.Text, "\n") {
		word = word.cut(1)
	}
	return word.with(Value)
}

// outputs is what the statements write to their standard output, as far as it is literal.
func (w *walker) outputs(stmts []*syntax.Stmt, in source) Word {
	var out []Word
	for _, s := range stmts {
		out = append(out, w.output(s, in))
	}
	return joinWith(out, "").size()
}

func (w *walker) output(s *syntax.Stmt, in source) Word {
	if !w.enter() {
		return nowhere()
	}
	defer w.leave()
	for _, r := range s.Redirs {
		if text, ok := w.input(r); ok {
			in = text
		}
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		return w.callOutput(w.fields(cmd.Args), in)
	case *syntax.Block:
		return w.outputs(cmd.Stmts, in)
	case *syntax.Subshell:
		return w.outputs(cmd.Stmts, in)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return w.output(cmd.Stmt, in)
		}
	case *syntax.BinaryCmd:
		return w.chainOutput(chain(s), in)
	}
	return nowhere()
}

func (w *walker) chainOutput(links []link, in source) Word {
	var out []Word
	for i, l := range links {
		if i > 0 && l.pipe() {
			last := out[len(out)-1]
			out = out[:len(out)-1]
			out = append(out, w.output(l.stmt, func() Word { return last }))
			continue
		}
		out = append(out, w.output(l.stmt, in))
	}
	return joinWith(out, "").size()
}

// callOutput is what a simple command writes: echo and printf their words, cat and tee their input, and what only
// selects or orders lines is taken to let all of them through.
func (w *walker) callOutput(words []Word, in source) Word {
	if len(words) == 0 {
		return Word{}
	}
	name := words[0].Base()
	if !name.Known() {
		return nowhere()
	}
	args := words[1:]
	switch name.Text {
	case "echo":
		return echo(args)
	case "printf":
		return printf(args)
	case "yes":
		return join(args).then(Word{Text: "\n"})
	case "cat", "tee", "head", "tail", "sort", "uniq", "grep", "nl", "tac", "pv", "sponge", "stdbuf", "unbuffer":
		if name.Text == "cat" && len(args) == 1 && args[0].Known() {
			if text, ok := w.files[w.path(args[0].Text)]; ok {
				return text.text()
			}
			if args[0].Text != "-" {
				return nowhere()
			}
		}
		return in.text()
	case "command", "builtin", "exec", "sudo", "env", "nohup":
		return w.callOutput(args, in)
	case "true", ":", "cd", "test", "[", "export", "set", "sleep":
		return Word{}
	}
	if text, ok := decoded(name.Text, args, in); ok {
		return text
	}
	return nowhere()
}

func echo(args []Word) Word {
	decode, newline := false, true
	for len(args) > 0 && args[0].Known() && isEchoFlag(args[0].Text) {
		for _, c := range args[0].Text[1:] {
			switch c {
			case 'e':
				decode = true
			case 'E':
				decode = false
			case 'n':
				newline = false
			}
		}
		args = args[1:]
	}
	out := join(args)
	if decode && out.Known() {
		out.Text = unescape(out.Text, echoed)
	}
	if newline {
		out = out.then(Word{Text: "\n"})
	}
	return out
}

func isEchoFlag(text string) bool {
	return len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], "neE") == ""
}

// printf is what printf writes. The format is used again while there are words left.
func printf(args []Word) Word {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 || args[0].Text == "-v" {
		return Word{}
	}
	layout, rest := args[0], args[1:]
	if !layout.Known() {
		return layout.then(Word{Text: " "}).then(join(rest)).with(Fields)
	}
	var out []Word
	for {
		words, used := printfOnce(unescape(strings.ReplaceAll(layout.Text, "%%", "\x00"), format), rest)
		out = append(out, words...)
		if rest = rest[min(used, len(rest)):]; used == 0 || len(rest) == 0 {
			return joinWith(out, "").size()
		}
	}
}

func printfOnce(layout string, args []Word) (out []Word, used int) {
	for {
		at := strings.IndexByte(layout, '%')
		if at < 0 {
			return append(out, Word{Text: strings.ReplaceAll(layout, "\x00", "%")}), used
		}
		out = append(out, Word{Text: strings.ReplaceAll(layout[:at], "\x00", "%")})
		layout = strings.TrimLeft(layout[at+1:], "-+ #0123456789.*'")
		verb := byte('s')
		if layout != "" {
			verb, layout = layout[0], layout[1:]
		}
		var word Word
		if used < len(args) {
			word = args[used]
		}
		used++
		if verb == 'b' && word.Known() {
			word.Text = unescape(word.Text, echoed)
		}
		out = append(out, word)
	}
}
