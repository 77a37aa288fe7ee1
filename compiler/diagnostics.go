package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// maxDiagnostics bounds what one file or expression reports: a hostile file can hold a fault in every byte.
const maxDiagnostics = 50

// rangeOf is hcl's range as ours. Both count bytes from 0 and columns in grapheme clusters.
func rangeOf(r hcl.Range) diag.Range {
	return diag.Range{
		File:  r.Filename,
		Start: diag.Pos{Line: r.Start.Line, Column: r.Start.Column, Byte: r.Start.Byte},
		End:   diag.Pos{Line: r.End.Line, Column: r.End.Column, Byte: r.End.Byte},
	}
}

// codes gives the stable code of hcl's own diagnostics. hcl has none, its summaries are what there is.
var codes = map[string]string{
	"Attribute redefined":             "conflict",
	"Invalid character encoding":      "invalid-utf8",
	"Call to unknown function":        "unknown-function",
	"Error in function call":          "function-call",
	"Invalid function argument":       "function-call",
	"Not enough function arguments":   "function-call",
	"Too many function arguments":     "function-call",
	"Unknown variable":                "unknown-name",
	"Unsupported attribute":           "unknown-name",
	"Missing map element":             "unknown-name",
	"Invalid index":                   "invalid-index",
	"Incorrect condition type":        "wrong-type",
	"Inconsistent conditional result": "wrong-type",
}

// fromHCL is the one place that turns hcl's diagnostics into ours. code is used for summaries that the table lacks.
func fromHCL(ds hcl.Diagnostics, code string) diag.List {
	var out diag.List
	for _, d := range ds {
		if inner := innerOf(d); inner != nil {
			call := diag.Related{Label: "called here"}
			if d.Subject != nil {
				call.Range = rangeOf(*d.Subject)
			}
			for _, one := range fromHCL(inner, code) {
				one.Related = append(one.Related, call)
				out = append(out, one)
			}
			continue
		}
		one := diag.Diagnostic{Code: code, Summary: d.Summary, Detail: d.Detail}
		if c, ok := codes[d.Summary]; ok {
			one.Code = c
		}
		if d.Severity == hcl.DiagWarning {
			one.Severity = diag.Warning
		}
		if d.Subject != nil {
			one.Subject = rangeOf(*d.Subject)
		}
		// A byte that is no UTF-8 gives two faults at one place; the second says nothing new.
		sameFault := slices.ContainsFunc(out, func(o diag.Diagnostic) bool {
			return o.Code == "invalid-utf8" && o.Subject.Start == one.Subject.Start && o.Subject.File == one.Subject.File
		})
		if !sameFault {
			out = append(out, one)
		}
		if len(out) == maxDiagnostics {
			break
		}
	}
	return out
}

// innerOf is the diagnostics that a function of ours returned as its error: those of a template file, with ranges
// in that file.
func innerOf(d *hcl.Diagnostic) hcl.Diagnostics {
	extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
	if !ok {
		return nil
	}
	inner, ok := extra.FunctionCallError().(hcl.Diagnostics)
	if !ok {
		return nil
	}
	return inner
}

// also appends the other side of a conflict to the last diagnostic.
func also(l diag.List, label string, at diag.Range) {
	last := &l[len(l)-1]
	last.Related = append(last.Related, diag.Related{Label: label, Range: at})
}

// redefined turns hcl's "Attribute redefined", which names the first place in its text only, into a conflict that
// shows it.
func redefined(d *hcl.Diagnostic, file *hcl.File) (diag.Diagnostic, bool) {
	if d.Summary != "Attribute redefined" || d.Subject == nil {
		return diag.Diagnostic{}, false
	}
	name := string(d.Subject.SliceBytes(file.Bytes))
	first := firstAttribute(file.Body.(*hclsyntax.Body), name, *d.Subject)
	var l diag.List
	l.Errorf(rangeOf(*d.Subject), "conflict", "`"+name+"` is set twice",
		"A block takes one value for each attribute. Keep one of the two lines.")
	if first != nil {
		also(l, "first set here", rangeOf(first.NameRange))
	}
	return l[0], true
}

// firstAttribute finds the attribute of that name in the innermost body around a place.
func firstAttribute(b *hclsyntax.Body, name string, at hcl.Range) *hclsyntax.Attribute {
	for _, inner := range b.Blocks {
		if r := inner.Range(); r.Start.Byte <= at.Start.Byte && at.Start.Byte < inner.Body.EndRange.End.Byte {
			return firstAttribute(inner.Body, name, at)
		}
	}
	return b.Attributes[name]
}

// printable reports whether a name can be shown and stored as it is.
func printable(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\uFFFD' })
}
