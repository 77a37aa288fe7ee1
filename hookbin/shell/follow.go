package shell

import (
	"slices"
	"strings"
)

// program is the name by which a command is looked up: its base name, without .exe.
func program(word Word) string {
	return strings.TrimSuffix(word.Base().Text, ".exe")
}

// follow goes from a command to those that it runs, and carries out the builtins that change what later words mean.
func (w *walker) follow(c Command) {
	name, args := program(c.Words[0]), c.Words[1:]
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh":
		w.shell(c)
	case "at", "batch":
		w.fromInput(c, nil)
	case ".", "source":
		w.sourced(c, args)
	case "eval":
		if len(args) > 0 && args[0].Text == "--" {
			args = args[1:]
		}
		w.open(c, join(args))
	case "trap":
		w.trap(c, args)
	case "alias":
		w.alias(c, args)
	case "find", "fd", "fdfind":
		w.find(c, args)
	case "xargs":
		w.xargs(c, args)
	case "parallel":
		w.parallel(c, args)
	case "git":
		w.git(c, args)
	case "command":
		if len(args) > 0 && strings.HasPrefix(args[0].Text, "-") && strings.ContainsAny(args[0].Text, "vV") {
			return // only says what it would run
		}
		w.wrap(c, wrapperFor(name), args)
	default:
		if w.builtin(name, args) || w.interpreter(c) {
			return
		}
		if spec := wrapperFor(name); spec != nil {
			w.wrap(c, spec, args)
		}
	}
}

// wrap follows a command of the table.
func (w *walker) wrap(c Command, spec *wrapper, args []Word) {
	if spec.after != "" {
		for i, arg := range args {
			if arg.Known() && has(spec.after, arg.Text) {
				w.wrapped(spec.name, c, args[i+1:])
				return
			}
		}
		return
	}
	s := spec.scan(args)
	for _, o := range s.options {
		switch {
		case has(spec.texts, o.name):
			w.child(func() { w.open(c, o.value) })
		case spec.name == "env" && (o.name == "-S" || o.name == "--split-string"):
			rest := args[min(o.next, len(args)):]
			w.child(func() { w.open(c, Word{Text: "env "}.then(o.value).then(quoteAll(rest))) })
			return
		}
	}
	if spec.input && len(s.starts) == 0 {
		w.fromInput(c, nil)
	}
	for _, start := range s.starts {
		rest := args[start:]
		switch spec.then {
		case aCommand:
			w.with(s.assigns, func() { w.wrapped(spec.name, c, rest) })
		case aText:
			w.child(func() { w.open(c, join(rest)) })
		case aSub:
			if sub := wrapperFor(spec.name + " " + rest[0].Text); sub != nil && rest[0].Known() {
				w.wrap(c, sub, rest[1:])
			}
		}
	}
}

// wrapped runs the words that a wrapper runs.
func (w *walker) wrapped(by string, outer Command, words []Word) {
	if len(words) == 0 {
		return
	}
	via := w.via
	w.via = append(w.via[:len(w.via):len(w.via)], by)
	w.run(Command{Words: words, Source: outer.Source, Redirs: outer.Redirs, Assigns: outer.Assigns})
	w.via = via
}

// open reads a string that a command runs as shell text.
func (w *walker) open(by Command, text Word) {
	code := text.code()
	if strings.TrimSpace(code) == "" {
		return
	}
	if w.depth == maxDepth {
		w.stop(LimitDepth)
		return
	}
	if w.opened += len(code); w.opened > maxOpened {
		w.stop(LimitWork)
		return
	}
	via, outer, choices := w.via, w.outer, w.choices
	w.via = append(w.via[:len(w.via):len(w.via)], program(by.Words[0]))
	w.outer = by.Source
	w.depth++
	w.read(strings.TrimSuffix(code, "\n"))
	w.depth--
	w.via, w.outer, w.choices = via, outer, choices
}

// shell follows bash -c text, a script that the text has written, and a shell that reads its standard input.
func (w *walker) shell(c Command) {
	args := c.Words[1:]
	text, fromStdin, i := false, false, 0
	for ; i < len(args); i++ {
		word := args[i].Text
		if word == "--" || word == "-" {
			i++
			break
		}
		if args[i].Unknown() {
			continue
		}
		if word == "" || word[0] != '-' && word[0] != '+' {
			break
		}
		if strings.HasPrefix(word, "--") {
			if word == "--rcfile" || word == "--init-file" {
				i++
			}
			continue
		}
		text = text || strings.Contains(word, "c")
		fromStdin = fromStdin || strings.Contains(word, "s")
		if strings.ContainsAny(word, "oO") {
			i++
		}
	}
	rest := args[min(i, len(args)):]
	switch {
	case text && len(rest) > 0:
		given := rest[1:]
		if len(given) == 0 {
			given = c.Words[:1]
		}
		w.child(func() {
			w.args = given
			w.open(c, rest[0])
		})
	case len(rest) > 0 && !fromStdin:
		w.file(c, rest)
	default:
		w.fromInput(c, rest)
	}
}

// fromInput follows what a shell reads from its standard input, if the text says what that is.
func (w *walker) fromInput(c Command, args []Word) {
	if w.stdin == nil {
		return
	}
	in := w.stdin.text()
	w.child(func() {
		w.args = append(c.Words[:1:1], args...)
		w.open(c, in)
	})
}

// sourced follows the file that . reads into this shell.
func (w *walker) sourced(c Command, args []Word) {
	if len(args) == 0 || !args[0].Known() {
		return
	}
	if text, ok := w.contents(args[0].Text); ok {
		outer := w.args
		if len(args) > 1 {
			w.args = append(c.Words[:1:1], args[1:]...)
		}
		w.open(c, text)
		w.args = outer
	}
}

// file follows a script by its name, if the text itself has written it.
func (w *walker) file(c Command, args []Word) {
	if !args[0].Known() {
		return
	}
	if text, ok := w.contents(args[0].Text); ok {
		w.runFile(c, text, args)
	}
}

// contents is what the text itself wrote to a file.
func (w *walker) contents(name string) (Word, bool) {
	if name == "/dev/stdin" || name == "/dev/fd/0" || name == "/proc/self/fd/0" {
		return w.stdin.text(), w.stdin != nil
	}
	file, ok := w.files[w.path(name)]
	if !ok {
		return Word{}, false
	}
	return file.text(), true
}

// runFile runs the text of a script by its first line.
func (w *walker) runFile(c Command, text Word, args []Word) {
	line, _, _ := strings.Cut(text.Text, "\n")
	if strings.HasPrefix(line, "#!") {
		for _, field := range strings.Fields(line[2:]) {
			if lang := language(program(Word{Text: field})); lang != nil {
				w.code(c, lang.name, text)
				return
			}
		}
	}
	w.child(func() {
		w.args = args
		w.open(c, text)
	})
}

// trap follows the text that a trap runs later.
func (w *walker) trap(c Command, args []Word) {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) > 1 && !strings.HasPrefix(args[0].Text, "-") {
		w.within(Conditional, func() { w.open(c, args[0]) })
	}
}

// alias remembers aliases, and reads their texts: another line may use them.
func (w *walker) alias(c Command, args []Word) {
	for _, arg := range args {
		name, _, ok := strings.Cut(arg.Text, "=")
		if !ok || len(arg.Holes) > 0 && arg.Holes[0].At <= len(name) {
			continue
		}
		text := arg.From(len(name) + 1)
		w.within(Function|Uncalled|Subshell, func() { w.open(c, text) })
		w.aliases[name] = text
	}
}

// find follows -exec and its like, up to a ; or +.
func (w *walker) find(c Command, args []Word) {
	for i := 0; i < len(args); i++ {
		switch args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
		default:
			continue
		}
		rest := args[i+1:]
		if end := slices.IndexFunc(rest, func(word Word) bool { return word.Text == ";" || word.Text == "+" }); end >= 0 {
			rest = rest[:end]
		}
		words := make([]Word, len(rest))
		for j, word := range rest {
			words[j] = word.replace("{}")
		}
		w.wrapped(program(c.Words[0]), c, words)
		i += len(rest)
	}
}

// xargs follows the command that gets words of the standard input.
func (w *walker) xargs(c Command, args []Word) {
	s := wrapperFor("xargs").scan(args)
	token := ""
	for _, o := range s.options {
		switch o.name {
		case "-I":
			token = o.value.Text
		case "-i", "--replace":
			if token = o.value.Text; token == "" || o.name == "--replace" && !strings.Contains(token, "{") {
				token = "{}"
			}
		}
	}
	for _, start := range s.starts {
		words := slices.Clone(args[start:])
		if token == "" {
			words = append(words, hole(Fields))
		}
		for i := range words {
			words[i] = words[i].replace(token)
		}
		w.wrapped("xargs", c, words)
	}
}

// parallel follows the text that gets words from behind ::: or from the standard input.
func (w *walker) parallel(c Command, args []Word) {
	isMark := func(word Word) bool { return strings.HasPrefix(word.Text, ":::") }
	values := []Word{hole(Fields)}
	if mark := slices.IndexFunc(args, isMark); mark >= 0 {
		values, args = args[mark+1:], args[:mark]
		if len(values) > maxReadings {
			values = []Word{hole(Fields)}
		}
	} else if w.stdin != nil {
		values = []Word{w.stdin.text()}
	}
	s := wrapperFor("parallel").scan(args)
	if len(s.starts) == 0 {
		s.starts = []int{len(args)}
	}
	for _, start := range s.starts {
		template := join(args[start:])
		for _, value := range values {
			text := template.then(Word{Text: " "}).then(value)
			if strings.Contains(template.Text, "{}") && value.Known() {
				text = Word{Text: strings.ReplaceAll(template.code(), "{}", value.Text)}
			}
			w.child(func() { w.open(c, text.size()) })
		}
	}
}
