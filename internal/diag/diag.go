// Package diag is what the user is told about the input: diagnostics with source ranges, as values.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says whether a diagnostic stops the command.
type Severity uint8

// The two severities. An error stops before anything is written; a warning is printed and the command goes on.
const (
	Error Severity = iota
	Warning
)

// Pos is a place in a source file. Line and Column count from 1 (columns in grapheme clusters, as hcl counts them);
// Byte is the offset from 0, and the only one fit for cutting source text.
type Pos struct {
	Line, Column, Byte int
}

// Range is a stretch of a source file, end exclusive. File is the name as it is shown to the user. The zero Range
// means "nowhere in particular".
type Range struct {
	File       string
	Start, End Pos
}

// IsZero reports whether the range names no file.
func (r Range) IsZero() bool { return r.File == "" }

// String is the range as compilers print it: file:line:column, or file alone where no line is known.
func (r Range) String() string {
	if r.Start.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// Related is another place that a diagnostic speaks of: the other side of a conflict.
type Related struct {
	Label string // "first set here"
	Range Range
}

// Diagnostic is one thing that the user has to know. Summary names the thing; Detail is full sentences that end in
// what to do. Code is stable, in kebab case, and part of the JSON interface.
type Diagnostic struct {
	Severity Severity
	Code     string
	Summary  string
	Detail   string
	Subject  Range
	Related  []Related
}

// List is diagnostics in the order they were found. A nil List is "all is well".
type List []Diagnostic

// Errorf appends an error.
func (l *List) Errorf(at Range, code, summary, detail string, args ...any) {
	*l = append(*l, Diagnostic{Error, code, summary, fmt.Sprintf(detail, args...), at, nil})
}

// Warnf appends a warning.
func (l *List) Warnf(at Range, code, summary, detail string, args ...any) {
	*l = append(*l, Diagnostic{Warning, code, summary, fmt.Sprintf(detail, args...), at, nil})
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sorted is the list in source order: by file, then by place, then by code, without exact repeats. Libraries report
// some faults in map order, so nothing is printed unsorted.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Subject.File, b.Subject.File),
			cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Summary, b.Summary),
		)
	})
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.Subject == b.Subject && a.Code == b.Code && a.Summary == b.Summary && a.Detail == b.Detail
	})
}
