package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/textdiff"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// The colours of a diff. A changed word within a changed line is reversed.
const (
	red, green, cyan, bold = "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[1m"
	reversed, forwards     = "\x1b[7m", "\x1b[27m"
	plain                  = "\x1b[0m"
)

// names are the two names in the head of a patch.
func names(d activate.Difference) (old, new string) {
	old, new = diag.EscapeLine(d.Path), diag.EscapeLine(d.Path)
	switch d.Change {
	case activate.Added:
		old = "/dev/null"
	case activate.Removed:
		new = "/dev/null"
	}
	return old, new
}

// patch is a difference as patch(1) takes it; empty for a merged file, whose text is not ours.
func patch(d activate.Difference) string {
	if d.Placement == tree.Merge {
		return ""
	}
	old, new := names(d)
	return textdiff.Unified(old, new, d.Old, d.New)
}

// printDifferences prints a comparison for a person. Without colour, what it prints is a patch.
// Risks are those of each file, rest those that belong to no file.
func (a *app) printDifferences(d comparison, files []activate.Difference, risks [][]string, rest []string) {
	p := differencePrinter{a.stdout, a.colored(a.stdout)}
	for i, f := range files {
		p.head(f)
		if f.Placement == tree.Merge {
			p.keys(f)
		} else {
			p.text(f)
		}
		for _, r := range risks[i] {
			fmt.Fprintf(p.w, "risk: %s\n", diag.EscapeLine(r))
		}
	}
	for _, r := range rest {
		fmt.Fprintf(p.w, "risk: %s\n", diag.EscapeLine(r))
	}
	a.printWarnings(d.notes, d.texts)
	for _, w := range d.warnings {
		fmt.Fprintln(a.stderr, diag.EscapeLine(w))
	}
	if len(d.collisions) > 0 {
		a.printCollisions("a switch would be refused:", d.collisions)
	}
	if len(d.denied) > 0 {
		a.printDenied("--deny-risk denies what this gives", d.denied)
	}
	if !d.differs() {
		fmt.Fprintln(a.stderr, "no differences")
	}
}

type differencePrinter struct {
	w     io.Writer
	color bool
}

func (p differencePrinter) paint(code, s string) string {
	if !p.color {
		return s
	}
	return code + s + plain
}

// head names a file whose difference is not told by the head of its patch alone.
func (p differencePrinter) head(d activate.Difference) {
	var what []string
	if d.OldExec != d.NewExec && d.Change != activate.Removed {
		mode := "not executable"
		if d.NewExec {
			mode = "executable"
		}
		what = append(what, mode)
	}
	if d.Placement == tree.Merge {
		what = append(what, "keys")
	}
	if len(what) > 0 || string(d.Old) == string(d.New) {
		fmt.Fprintln(p.w, p.paint(bold, fmt.Sprintf("%s %s (%s)", d.Change, diag.EscapeLine(d.Path), strings.Join(append(what, string(d.Placement)), ", "))))
	}
}

func (p differencePrinter) keys(d activate.Difference) {
	for _, k := range d.Keys {
		key := diag.EscapeLine(k.Key)
		if k.Old != nil {
			fmt.Fprintln(p.w, p.paint(red, fmt.Sprintf("- %s: %s", key, diag.EscapeLine(string(k.Old)))))
		}
		if k.New != nil {
			fmt.Fprintln(p.w, p.paint(green, fmt.Sprintf("+ %s: %s", key, diag.EscapeLine(string(k.New)))))
		}
	}
}

// text prints the patch of a text; in colour its lines with the changed words marked.
func (p differencePrinter) text(d activate.Difference) {
	whole := patch(d)
	if !p.color {
		if terminal(p.w) {
			whole = diag.Escape(whole)
		}
		fmt.Fprint(p.w, whole)
		return
	}
	lines := strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "--- ") && i == 0 || strings.HasPrefix(line, "+++ ") && i == 1:
			fmt.Fprintln(p.w, p.paint(bold, line))
		case strings.HasPrefix(line, "@@ "):
			fmt.Fprintln(p.w, p.paint(cyan, line))
		case strings.HasPrefix(line, "-"):
			removed, added := run(lines[i:], "-"), []string(nil)
			added = run(lines[i+len(removed):], "+")
			p.change(removed, added)
			i += len(removed) + len(added) - 1
		case strings.HasPrefix(line, "+"):
			fmt.Fprintln(p.w, p.paint(green, diag.Escape(line)))
		default:
			fmt.Fprintln(p.w, diag.Escape(line))
		}
	}
}

// run is the lines at the beginning that have the mark.
func run(lines []string, mark string) []string {
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n], mark) {
		n++
	}
	return lines[:n]
}

// change prints removed lines and the lines in their place. As many of both are taken for the same lines, changed.
func (p differencePrinter) change(removed, added []string) {
	if len(removed) != len(added) {
		for _, l := range removed {
			fmt.Fprintln(p.w, p.paint(red, diag.Escape(l)))
		}
		for _, l := range added {
			fmt.Fprintln(p.w, p.paint(green, diag.Escape(l)))
		}
		return
	}
	var below []string
	for i := range removed {
		words := textdiff.Words(removed[i][1:], added[i][1:])
		fmt.Fprintln(p.w, marked("-", red, words, textdiff.Delete))
		below = append(below, marked("+", green, words, textdiff.Insert))
	}
	for _, l := range below {
		fmt.Fprintln(p.w, l)
	}
}

// marked is one side of a changed line, with the words that only it has reversed.
func marked(sign, code string, words []textdiff.Line, own textdiff.Op) string {
	var b strings.Builder
	b.WriteString(code + sign)
	for _, w := range words {
		switch w.Op {
		case own:
			b.WriteString(reversed + diag.Escape(w.Text) + forwards)
		case textdiff.Equal:
			b.WriteString(diag.Escape(w.Text))
		}
	}
	return b.String() + plain
}
