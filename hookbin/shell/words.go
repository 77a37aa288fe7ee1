package shell

import "mvdan.cc/sh/v3/syntax"

// word walks the commands that stand inside a word: substitutions run before the command that uses them.
func (w *walker) word(word *syntax.Word) {
	if word != nil {
		w.parts(word.Parts)
	}
}

func (w *walker) parts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.DblQuoted:
			w.parts(part.Parts)
		case *syntax.CmdSubst:
			w.within(Substitution|Subshell, func() { w.stmts(part.Stmts) })
		case *syntax.ProcSubst:
			w.inProcess(part)
		case *syntax.ArithmExp:
			w.arithm(part.X)
		case *syntax.ParamExp:
			w.inParameter(part)
		}
	}
}

// inProcess walks <( ) and >( ). What >( ) reads is not known.
func (w *walker) inProcess(p *syntax.ProcSubst) {
	stdin := w.stdin
	if p.Op == syntax.CmdOut {
		w.stdin = nowhere
	}
	w.within(Substitution|Subshell, func() { w.stmts(p.Stmts) })
	w.stdin = stdin
}

func (w *walker) inParameter(pe *syntax.ParamExp) {
	w.arithm(pe.Index)
	if pe.Slice != nil {
		w.arithm(pe.Slice.Offset)
		w.arithm(pe.Slice.Length)
	}
	if pe.Repl != nil {
		w.word(pe.Repl.Orig)
		w.word(pe.Repl.With)
	}
	if pe.Exp != nil {
		w.word(pe.Exp.Word)
	}
	if pe.NestedParam != nil {
		w.parts([]syntax.WordPart{pe.NestedParam})
	}
}

// arithm walks the words of an arithmetic expression. An assignment in it makes the variable unknown.
func (w *walker) arithm(x syntax.ArithmExpr) {
	if x == nil || !w.enter() {
		return
	}
	defer w.leave()
	switch x := x.(type) {
	case *syntax.Word:
		w.word(x)
	case *syntax.BinaryArithm:
		w.arithm(x.X)
		w.arithm(x.Y)
		w.forget(arithmText(x.X))
	case *syntax.UnaryArithm:
		w.arithm(x.X)
		w.forget(arithmText(x.X))
	case *syntax.ParenArithm:
		w.arithm(x.X)
	case *syntax.FlagsArithm:
		w.arithm(x.X)
	}
}

func (w *walker) test(x syntax.TestExpr) {
	if x == nil || !w.enter() {
		return
	}
	defer w.leave()
	switch x := x.(type) {
	case *syntax.Word:
		w.word(x)
	case *syntax.BinaryTest:
		w.test(x.X)
		w.test(x.Y)
	case *syntax.UnaryTest:
		w.test(x.X)
	case *syntax.ParenTest:
		w.test(x.X)
	}
}

// assigns walks the words of assignments.
func (w *walker) assigns(list []*syntax.Assign) {
	for _, a := range list {
		w.word(a.Value)
		w.arithm(a.Index)
		if a.Array == nil {
			continue
		}
		for _, elem := range a.Array.Elems {
			w.arithm(elem.Index)
			w.word(elem.Value)
		}
	}
}
