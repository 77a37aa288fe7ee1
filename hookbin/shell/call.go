package shell

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (w *walker) call(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	w.assigns(c.Assigns)
	for _, arg := range c.Args {
		w.word(arg)
	}
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assignAll(a)
		}
		return
	}
	source := w.cut(c)
	if w.text == holeCode { // text of which nothing is known: show the command that was given it
		source = w.outer
	}
	w.readings(func() {
		words := w.fields(c.Args)
		if len(words) == 0 {
			return
		}
		cmd := Command{Words: words, Source: source, Redirs: w.redirs(redirs)}
		for _, a := range c.Assigns {
			cmd.Assigns = append(cmd.Assigns, w.assignment(a))
		}
		w.with(cmd.Assigns, func() { w.run(cmd) })
	})
}

// assignAll carries out an assignment with every value that it may give.
func (w *walker) assignAll(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	var values variable
	w.readings(func() { values = append(values, w.assignment(a).Value) })
	if a.Index != nil {
		w.forget(a.Name.Value)
		return
	}
	w.assign(a.Name.Value, values)
}

// with carries out assignments that hold for one command.
func (w *walker) with(assigns []Assign, run func()) {
	if len(assigns) == 0 {
		run()
		return
	}
	old, exported := make([]undo, len(assigns)), make([]bool, len(assigns))
	for i, a := range assigns {
		before, had := w.vars[a.Name]
		old[i], exported[i] = undo{a.Name, before, had}, w.exports[a.Name]
		w.set(a.Name, variable{a.Value})
		w.exports[a.Name] = true
	}
	run()
	for i := len(old) - 1; i >= 0; i-- {
		if !exported[i] {
			delete(w.exports, old[i].name)
		}
		if old[i].had {
			w.set(old[i].name, old[i].old)
		} else {
			w.unset(old[i].name)
		}
	}
}

// declare walks export, declare, local and their like.
func (w *walker) declare(d *syntax.DeclClause, redirs []*syntax.Redirect) {
	w.assigns(d.Args)
	exports := d.Variant.Value == "export"
	cmd := Command{Words: []Word{{Text: d.Variant.Value}}, Source: w.cut(d), Redirs: w.redirs(redirs)}
	for _, a := range d.Args {
		if a.Name == nil {
			words := w.fields([]*syntax.Word{a.Value})
			exports = exports || len(words) > 0 && strings.HasPrefix(words[0].Text, "-") && strings.Contains(words[0].Text, "x")
			cmd.Words = append(cmd.Words, words...)
			continue
		}
		if exports {
			w.exports[a.Name.Value] = true
		}
		if a.Naked {
			cmd.Words = append(cmd.Words, Word{Text: a.Name.Value})
			continue
		}
		w.assignAll(a)
		value := join(w.assignment(a).Value)
		cmd.Words = append(cmd.Words, Word{Text: a.Name.Value + "="}.then(value))
	}
	w.emit(cmd)
}

func (w *walker) redirs(list []*syntax.Redirect) []Redir {
	var out []Redir
	for _, r := range list {
		target := w.single(r.Word)
		if r.Hdoc != nil {
			target = w.body(r)
		}
		redir := Redir{Op: r.Op.String(), Target: target}
		if r.N != nil {
			redir.FD = r.N.Value
		}
		out = append(out, redir)
	}
	return out
}

// input is what a redirection gives to the standard input.
func (w *walker) input(r *syntax.Redirect) (source, bool) {
	if r.N != nil && r.N.Value != "0" {
		return nil, false
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return func() Word { return w.body(r) }, true
	case syntax.WordHdoc:
		return func() Word { return w.single(r.Word).then(Word{Text: "\n"}) }, true
	case syntax.RdrIn, syntax.RdrInOut:
		return func() Word {
			if file := w.single(r.Word); file.Known() {
				if text, ok := w.files[w.path(file.Text)]; ok {
					return text.text()
				}
			}
			return nowhere()
		}, true
	case syntax.DplIn:
		return nowhere, true
	}
	return nil, false
}

// opens reports the file that a redirection opens.
func (w *walker) opens(s *syntax.Stmt, r *syntax.Redirect) {
	o := Opened{Dir: w.dir, Source: w.cut(s)}
	switch r.Op {
	case syntax.RdrIn:
		o.Reads = true
	case syntax.RdrInOut:
		o.Reads, o.Writes = true, true
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		o.Writes = true
	case syntax.DplOut: // >&2 is no file, >&name is
		if text := w.single(r.Word); text.Known() && strings.Trim(text.Text, "0123456789-") == "" {
			return
		}
		o.Writes = true
	default:
		return
	}
	w.readings(func() {
		if o.File = w.single(r.Word); len(w.script.Opened) < maxCommands {
			w.script.Opened = append(w.script.Opened, o)
		}
	})
}

// writes remembers what a statement writes to a file, for the case that a shell reads it later in the text.
func (w *walker) writes(s *syntax.Stmt, r *syntax.Redirect) {
	add := false
	switch r.Op {
	case syntax.AppOut, syntax.AppAll:
		add = true
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
	default:
		return
	}
	in := w.stdin
	w.readings(func() {
		if file := w.single(r.Word); file.Known() {
			w.write(file.Text, add, func() Word { return w.output(s, in) })
		}
	})
}

func (w *walker) write(file string, add bool, text source) {
	name := w.path(file)
	if before, ok := w.files[name]; ok && add {
		w.files[name] = func() Word { return before.text().then(text.text()).size() }
		return
	}
	w.files[name] = text
}

// path is a file's name as it is looked up: cleaned, and below the folder if the text says it.
func (w *walker) path(name string) string {
	if w.dir != "" && !path.IsAbs(name) {
		return path.Join(w.dir, name)
	}
	return path.Clean(name)
}

// procFile is the name that stands for a process substitution.
func (w *walker) procFile(p *syntax.ProcSubst) string {
	name, ok := w.procs[p]
	if !ok {
		name = "/dev/fd/" + strconv.Itoa(63+len(w.procs))
		w.procs[p] = name
	}
	if p.Op == syntax.CmdIn {
		in := w.stdin
		w.files[name] = func() Word { return w.outputs(p.Stmts, in) }
	}
	return name
}

// emit reports a command.
func (w *walker) emit(c Command) {
	if len(w.script.Commands) >= maxCommands {
		w.stop(LimitWork)
		return
	}
	c.Via, c.Depth, c.Dir, c.Context, c.Pipe = w.via, w.depth, w.dir, w.context, w.pipe
	w.script.Commands = append(w.script.Commands, c)
}

// run reports a command and follows it: an alias, a function, a shell builtin, a wrapper.
func (w *walker) run(c Command) {
	if len(c.Words) == 0 || !w.enter() {
		return
	}
	defer w.leave()
	w.step(len(c.Words))
	w.emit(c)
	first := c.Words[0]
	if !first.Known() {
		if len(c.Words) > 1 && !strings.HasPrefix(c.Words[1].Text, "-") {
			w.wrapped("", c, c.Words[1:]) // $SUDO git …, where the first word may be a wrapper or nothing
		}
		return
	}
	if w.shorthand(c) || w.function(c) {
		return
	}
	if text, ok := w.files[w.path(first.Text)]; ok && strings.Contains(first.Text, "/") {
		w.runFile(c, text.text(), c.Words)
		return
	}
	w.follow(c)
}

// shorthand follows an alias that the text defines.
func (w *walker) shorthand(c Command) bool {
	alias, ok := w.aliases[c.Words[0].Text]
	if !ok {
		return false
	}
	delete(w.aliases, c.Words[0].Text) // an alias is not expanded within itself
	w.open(c, alias.then(quoteAll(c.Words[1:])))
	w.aliases[c.Words[0].Text] = alias
	return true
}

func quoteAll(words []Word) Word {
	var b strings.Builder
	for _, word := range words {
		b.WriteByte(' ')
		b.WriteString(word.Quoted())
	}
	return Word{Text: b.String()}
}

// function follows a call of a function that the text defines. One that calls itself is followed once more.
func (w *walker) function(c Command) bool {
	f, ok := w.funcs[c.Words[0].Text]
	if !ok {
		return false
	}
	f.called = true
	if f.active == 2 {
		return true
	}
	f.active++
	args, text, choices := w.args, w.text, w.choices
	w.args, w.text = c.Words, f.text
	w.within(Function, func() { w.stmt(f.body) })
	w.args, w.text, w.choices = args, text, choices
	f.active--
	return true
}
