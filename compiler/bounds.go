package compiler

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// MaxFile bounds every text that is read, in bytes.
const MaxFile = 1 << 20

// The parser and the evaluator of hcl 2.25.0 recurse: 60,000 open brackets end the process with a stack overflow that
// no recover sees. So the size and the depth of a text are bounded before it is parsed.
const (
	maxNesting   = 100
	maxOperators = 1000
)

// checkBounds reports a text that is too large, too deep, or holds a NUL byte.
func checkBounds(text []byte, name string) diag.List {
	return bounded(text, name, hclsyntax.LexConfig)
}

// checkTemplateBounds is checkBounds for the text of a template file.
func checkTemplateBounds(text []byte, name string) diag.List {
	return bounded(text, name, hclsyntax.LexTemplate)
}

type lexFunc func(src []byte, name string, start hcl.Pos) (hclsyntax.Tokens, hcl.Diagnostics)

func bounded(text []byte, name string, lex lexFunc) (out diag.List) {
	whole := diag.Range{File: name}
	if len(text) > MaxFile {
		out.Errorf(whole, "too-large", "The file is too large",
			"It has %d bytes; at most %d are read. Split it into modules.", len(text), MaxFile)
		return out
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		at := diag.Pos{Line: bytes.Count(text[:i], []byte("\n")) + 1, Column: 1, Byte: i}
		out.Errorf(diag.Range{File: name, Start: at, End: at}, "invalid-character", "The file holds a NUL byte",
			"A text file has none. Remove it, or save the file as UTF-8.")
		return out
	}
	if !mayBeDeep(text) {
		return nil
	}
	tokens, _ := lex(text, name, hcl.InitialPos)
	var d depth
	for _, t := range tokens {
		if what := d.step(t); what != "" {
			out.Errorf(rangeOf(t.Range), "too-deep", "The file is nested too deeply",
				"%s. Use locals to name the parts.", what)
			return out
		}
	}
	return nil
}

// mayBeDeep is a cheap test that spares most files the lexer, which costs as much as a third of parsing.
func mayBeDeep(text []byte) bool {
	openers, operators := 0, 0
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			openers++
		case '!', '-', '+', '*', '/', '%', '?', '&', '|', '<', '>', '=', '.':
			operators++
		}
	}
	return openers > maxNesting || openers+operators > maxOperators
}

// depth counts nesting, and the operators of one expression at each level of it.
type depth struct {
	levels     []int // operators so far at each open level
	current    int
	directives int // %{ if and %{ for that are open
	previous   hclsyntax.TokenType
	pending    bool // a newline came: the run goes on only if an operator follows
}

// step takes one token and says what is too much, if anything.
func (d *depth) step(t hclsyntax.Token) string {
	defer func() {
		if t.Type != hclsyntax.TokenNewline && t.Type != hclsyntax.TokenComment {
			d.previous = t.Type
		}
	}()
	if d.pending && t.Type != hclsyntax.TokenNewline && t.Type != hclsyntax.TokenComment {
		d.pending = false
		if !operator(t.Type) && !operator(d.previous) {
			d.current = 0
		}
	}
	switch t.Type {
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote,
		hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		if t.Type == hclsyntax.TokenOBrack {
			d.current++ // a[b][c] nests to the left
		}
		d.levels = append(d.levels, d.current)
		d.current = 0
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote,
		hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
		if n := len(d.levels); n > 0 {
			d.current, d.levels = d.levels[n-1], d.levels[:n-1]
		}
	case hclsyntax.TokenNewline:
		d.pending = true
	case hclsyntax.TokenComment: // one that runs to the end of its line takes the newline along
		d.pending = d.pending || bytes.HasSuffix(t.Bytes, []byte("\n"))
	case hclsyntax.TokenComma:
		d.current = 0
	case hclsyntax.TokenIdent:
		d.directive(string(t.Bytes))
	default:
		if operator(t.Type) {
			d.current++
		}
	}
	switch {
	case len(d.levels)+d.directives > maxNesting:
		return fmt.Sprintf("More than %d brackets, strings and templates are open here", maxNesting)
	case d.current > maxOperators:
		return fmt.Sprintf("More than %d operators stand in one expression here", maxOperators)
	}
	return ""
}

func (d *depth) directive(word string) {
	if d.previous != hclsyntax.TokenTemplateControl {
		return
	}
	switch word {
	case "if", "for":
		d.directives++
	case "endif", "endfor":
		d.directives = max(0, d.directives-1)
	}
}

func operator(t hclsyntax.TokenType) bool {
	switch t {
	case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenPlus, hclsyntax.TokenStar, hclsyntax.TokenSlash,
		hclsyntax.TokenPercent, hclsyntax.TokenQuestion, hclsyntax.TokenColon, hclsyntax.TokenAnd, hclsyntax.TokenOr,
		hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq,
		hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq, hclsyntax.TokenDot:
		return true
	}
	return false
}
