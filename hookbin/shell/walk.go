package shell

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker goes through a text in the order in which the shell would.
type walker struct {
	script Script
	parser *syntax.Parser
	text   string // what is being read, for Source
	outer  string // the command that the text was opened from

	vars    map[string]variable
	log     []undo
	exports map[string]bool // variables that other programs get; "*" stands for all
	funcs   map[string]*function
	defined []*function
	aliases map[string]Word
	gitted  map[string]Word // aliases of git that the text defines
	files   map[string]source
	procs   map[*syntax.ProcSubst]string

	args    []Word // $0, $1 …; nil if the text does not say them
	dir     string
	stdin   source
	context Context
	pipe    int // as in Command
	pipes   int // so far
	via     []string
	choices []choice
	blind   bool

	depth   int // opened strings
	nesting int // statements
	steps   int // words made
	opened  int // bytes
}

type function struct {
	body   *syntax.Stmt
	text   string
	active int
	called bool
}

func newWalker() *walker {
	return &walker{
		parser:  syntax.NewParser(syntax.Variant(syntax.LangBash)),
		vars:    map[string]variable{},
		exports: map[string]bool{},
		funcs:   map[string]*function{},
		aliases: map[string]Word{},
		gitted:  map[string]Word{},
		files:   map[string]source{},
		procs:   map[*syntax.ProcSubst]string{},
	}
}

// stop ends the reading. The first reason stands.
func (w *walker) stop(limit Limit) {
	if w.script.Limit == NoLimit {
		w.script.Limit = limit
	}
}

func (w *walker) enter() bool {
	if w.nesting >= maxNesting {
		w.stop(LimitNesting)
	}
	if w.script.Limit != NoLimit {
		return false
	}
	w.nesting++
	return true
}

func (w *walker) leave() { w.nesting-- }

func (w *walker) step(n int) {
	if w.steps += n; w.steps > maxSteps {
		w.stop(LimitWork)
	}
}

// read parses a text and walks it. What stands before an error is walked too: bash runs it before it sees the error.
func (w *walker) read(text string) {
	if limit := bound(text); limit != NoLimit {
		w.stop(limit)
		return
	}
	outer := w.text
	w.text = text
	file, err := w.parser.Parse(strings.NewReader(text), "")
	if err != nil {
		w.script.Unparsed = append(w.script.Unparsed, text)
	}
	if file != nil {
		w.stmts(file.Stmts)
	}
	w.text = outer
}

// uncalled walks the functions that were defined and not called: their words are there, and another line may call them.
func (w *walker) uncalled() {
	for i := 0; i < len(w.defined); i++ {
		f := w.defined[i]
		if f.called {
			continue
		}
		w.args, w.context, w.text = nil, Function|Uncalled, f.text
		w.stmt(f.body)
	}
}

func (w *walker) cut(node syntax.Node) string {
	start, end := int(node.Pos().Offset()), int(node.End().Offset())
	if start > end || end > len(w.text) {
		return strings.TrimSpace(w.text)
	}
	return w.text[start:end]
}

// within walks something in surroundings that end with it.
func (w *walker) within(context Context, walk func()) {
	outer, pipe, scope := w.context, w.pipe, w.begin()
	w.context |= context
	if context&Substitution != 0 {
		w.pipe = 0
	}
	walk()
	w.pipe = pipe
	switch {
	case context&Subshell != 0:
		w.finish(scope)
	case context&(Conditional|Repeated) != 0:
		w.join(scope.log)
	}
	w.context = outer
}

// child walks what another shell runs: of this one it gets the exported variables alone.
func (w *walker) child(walk func()) {
	vars, log, funcs, aliases := w.vars, w.log, w.funcs, w.aliases
	w.vars, w.log, w.funcs, w.aliases = map[string]variable{}, nil, map[string]*function{}, map[string]Word{}
	if w.exports["*"] {
		maps.Copy(w.vars, vars)
	}
	for name := range w.exports {
		if v, ok := vars[name]; ok {
			w.vars[name] = v
		}
	}
	w.within(Subshell, walk)
	w.vars, w.log, w.funcs, w.aliases = vars, log, funcs, aliases
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	if s == nil || !w.enter() {
		return
	}
	defer w.leave()
	stdin := w.stdin
	for _, r := range s.Redirs {
		w.word(r.Word)
		w.word(r.Hdoc)
		w.opens(s, r)
		w.writes(s, r)
		if text, ok := w.input(r); ok {
			w.stdin = text
		}
	}
	if s.Background || s.Coprocess || s.Disown {
		w.within(Subshell, func() { w.command(s) })
	} else {
		w.command(s)
	}
	w.stdin = stdin
}

func (w *walker) command(s *syntax.Stmt) {
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(cmd, s.Redirs)
	case *syntax.BinaryCmd:
		w.chain(chain(s))
	case *syntax.Block:
		w.stmts(cmd.Stmts)
	case *syntax.Subshell:
		w.within(Subshell, func() { w.stmts(cmd.Stmts) })
	case *syntax.IfClause:
		w.branches(cmd)
	case *syntax.WhileClause:
		w.loop(cmd, func() { w.stmts(cmd.Cond); w.stmts(cmd.Do) })
	case *syntax.ForClause:
		w.forLoop(cmd)
	case *syntax.CaseClause:
		w.cases(cmd)
	case *syntax.FuncDecl:
		w.define(cmd)
	case *syntax.DeclClause:
		w.declare(cmd, s.Redirs)
	case *syntax.TimeClause:
		w.stmt(cmd.Stmt)
	case *syntax.CoprocClause:
		w.within(Subshell, func() { w.stmt(cmd.Stmt) })
	case *syntax.TestClause:
		w.test(cmd.X)
	case *syntax.ArithmCmd:
		w.arithm(cmd.X)
		w.parens(cmd)
	case *syntax.LetClause:
		for _, x := range cmd.Exprs {
			w.arithm(x)
		}
	case *syntax.TestDecl:
		w.stmt(cmd.Body)
	}
}

// link is one command of a list or a pipeline, and what joins it to the one before.
type link struct {
	op   syntax.BinCmdOperator
	stmt *syntax.Stmt
}

func (l link) pipe() bool { return l.op == syntax.Pipe || l.op == syntax.PipeAll }

// chain is a && b || c | d as a flat list: a long one is nested as deep as it is long.
func chain(s *syntax.Stmt) []link {
	var out []link
	todo := []link{{0, s}}
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if l.stmt == nil {
			continue
		}
		b, ok := l.stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || l.stmt != s && (len(l.stmt.Redirs) > 0 || l.stmt.Background) {
			out = append(out, l)
			continue
		}
		todo = append(todo, link{b.Op, b.Y}, link{l.op, b.X})
	}
	return out
}

func (w *walker) chain(links []link) {
	for i := 0; i < len(links); {
		end := i + 1
		for end < len(links) && links[end].pipe() {
			end++
		}
		var context Context
		if i > 0 {
			context = Conditional
		}
		w.within(context, func() { w.pipeline(links[i:end]) })
		i = end
	}
}

func (w *walker) pipeline(links []link) {
	if len(links) == 1 {
		w.stmt(links[0].stmt)
		return
	}
	stdin, around := w.stdin, w.pipe
	w.pipes++
	w.pipe = w.pipes
	defer func() { w.pipe = around }()
	for _, l := range links {
		w.within(Piped|Subshell, func() { w.stmt(l.stmt) })
		in, args := w.stdin, w.args
		w.stdin = func() Word {
			outer := w.args
			w.args = args
			defer func() { w.args = outer }()
			return w.output(l.stmt, in)
		}
	}
	w.stdin = stdin
}

func (w *walker) branches(c *syntax.IfClause) {
	w.stmts(c.Cond)
	w.within(Conditional, func() { w.stmts(c.Then) })
	for c = c.Else; c != nil; c = c.Else {
		w.within(Conditional, func() { w.stmts(c.Cond) })
		w.within(Conditional, func() { w.stmts(c.Then) })
	}
}

func (w *walker) cases(c *syntax.CaseClause) {
	w.word(c.Word)
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			w.word(pattern)
		}
		w.within(Conditional, func() { w.stmts(item.Stmts) })
	}
}

// loop walks a body once. What it assigns may be something else when it comes round again.
func (w *walker) loop(node syntax.Node, walk func()) {
	w.within(Repeated, func() {
		for _, name := range assignedIn(w.cut(node)) {
			w.forget(name)
		}
		walk()
	})
}

func (w *walker) forLoop(c *syntax.ForClause) {
	switch head := c.Loop.(type) {
	case *syntax.WordIter:
		for _, item := range head.Items {
			w.word(item)
		}
		var values variable
		w.readings(func() {
			items := w.fields(head.Items)
			if !head.InPos.IsValid() {
				items, _, _ = w.lookup("@")
			}
			for _, item := range items {
				values = append(values, []Word{item.with(Value)})
			}
		})
		if len(values) == 0 || len(values) > maxReadings {
			values = variable{{hole(Value)}}
		}
		w.loop(c, func() {
			w.set(head.Name.Value, values)
			w.stmts(c.Do)
		})
	case *syntax.CStyleLoop:
		w.arithm(head.Init)
		w.arithm(head.Cond)
		w.arithm(head.Post)
		w.loop(c, func() { w.stmts(c.Do) })
	}
}

// parens reads (( )) as dash does, which has no such command: as a subshell in a subshell.
func (w *walker) parens(cmd *syntax.ArithmCmd) {
	if len(w.via) == 0 {
		return
	}
	shell := w.via[len(w.via)-1]
	if shell != "sh" && shell != "dash" && shell != "ash" {
		return
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(w.cut(cmd), "(("), "))")
	w.within(Subshell, func() { w.open(Command{Words: []Word{{Text: shell}}, Source: w.cut(cmd)}, Word{Text: inner}) })
}

func (w *walker) define(d *syntax.FuncDecl) {
	if d.Name == nil || d.Body == nil {
		return
	}
	f := &function{body: d.Body, text: w.text}
	w.funcs[d.Name.Value] = f
	w.defined = append(w.defined, f)
}
