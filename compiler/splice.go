package compiler

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// span is a stretch of a text with \n line ends, end exclusive.
type span struct{ start, end int }

// replacement puts text in the place of src[start:end].
type replacement struct {
	start, end int
	text       string
}

// splice makes the replacements, whose offsets count in the text with \n line ends, in a file as it is spelled: with
// its byte order mark, and \r\n where it has them. New lines end as the line does into which they go.
func splice(raw []byte, all []replacement) []byte {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b replacement) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var out []byte
	at := 0
	for _, r := range all {
		start, end := rawOffset(raw, r.start), rawOffset(raw, r.end)
		out = append(out, raw[at:start]...)
		text := r.text
		if windowsLine(raw, start) {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		out = append(out, text...)
		at = end
	}
	return append(out, raw[at:]...)
}

// rawOffset is the offset in the file of one in the text with \n line ends.
func rawOffset(raw []byte, at int) int {
	i := 0
	for ; at > 0 && i < len(raw); at-- {
		if raw[i] == '\r' && i+1 < len(raw) && raw[i+1] == '\n' {
			i++
		}
		i++
	}
	return i
}

// windowsLine reports whether the line around an offset ends in \r\n; of the last line, the one before.
func windowsLine(raw []byte, at int) bool {
	if n := bytes.IndexByte(raw[at:], '\n'); n >= 0 {
		return at+n > 0 && raw[at+n-1] == '\r'
	}
	n := bytes.LastIndexByte(raw[:at], '\n')
	return n > 0 && raw[n-1] == '\r'
}

// container is a bracket with items in it: inner lies between the brackets.
type container struct {
	inner  span
	items  []span
	commas bool // items need a comma between them, even on lines of their own
}

// remove is the replacement that takes an item out, with its line if nothing else is on it. Comments stay.
func (c container) remove(src []byte, i int) replacement {
	it := c.items[i]
	end := it.end
	if next := skipBlanks(src, end); next < c.inner.end && src[next] == ',' {
		end = next + 1
	}
	first, last := lineStart(src, it.start), lineEnd(src, end)
	rest := src[end:last]
	ownLine := first >= c.inner.start && isBlank(src[first:it.start])
	switch {
	case ownLine && isBlank(rest) && last < c.inner.end:
		return replacement{first, last + 1, ""}
	case ownLine && (bytes.HasPrefix(trimBlanks(rest), []byte("#")) || bytes.HasPrefix(trimBlanks(rest), []byte("//"))):
		return replacement{it.start, skipBlanks(src, end), ""}
	case i+1 < len(c.items) && isBlank(src[end:c.items[i+1].start]):
		return replacement{it.start, c.items[i+1].start, ""}
	case i > 0 && isBlank(bytes.ReplaceAll(src[c.items[i-1].end:it.start], []byte(","), nil)):
		return replacement{c.items[i-1].end, it.end, ""}
	case len(c.items) == 1 && isBlank(src[c.inner.start:it.start]) && isBlank(src[end:c.inner.end]):
		return replacement{c.inner.start, c.inner.end, ""}
	}
	return replacement{it.start, end, ""}
}

// insert is the replacements that add an item at the end, in the style of those that are there. text gives the item for
// the indentation of its line.
func (c container) insert(src []byte, text func(indent string) string) []replacement {
	inner := src[c.inner.start:c.inner.end]
	own := lineIndent(src, c.inner.end)
	if len(c.items) == 0 {
		pad := " "
		if c.commas {
			pad = ""
		}
		line := lineStart(src, c.inner.end)
		switch {
		case isBlank(inner):
			return []replacement{{c.inner.start, c.inner.end, pad + text(lineIndent(src, c.inner.start)) + pad}}
		case line > c.inner.start && isBlank(src[line:c.inner.end]):
			indent := own + indentStep(own)
			return []replacement{{line, line, indent + text(indent) + "\n"}}
		}
		return []replacement{{c.inner.end, c.inner.end, text(own) + " "}}
	}
	last := c.items[len(c.items)-1]
	end, comma := last.end, ""
	if next := skipBlanks(src, end); next < c.inner.end && src[next] == ',' {
		end, comma = next+1, ","
	}
	line := lineEnd(src, end)
	if line >= c.inner.end {
		return []replacement{{last.end, last.end, ", " + text(lineIndent(src, last.start))}}
	}
	indent := own + indentStep(own)
	if first := lineStart(src, last.start); first >= c.inner.start && isBlank(src[first:last.start]) {
		indent = string(src[first:last.start])
	}
	var out []replacement
	if c.commas && comma == "" {
		out = append(out, replacement{last.end, last.end, ","})
	}
	return append(out, replacement{line, line, "\n" + indent + text(indent) + comma})
}

// insertLine is insert for the attributes of a block: each needs a line of its own.
func (c container) insertLine(src []byte, text func(indent string) string) []replacement {
	inner := src[c.inner.start:c.inner.end]
	own := lineIndent(src, c.inner.start)
	indent := own + indentStep(own)
	switch {
	case bytes.ContainsRune(inner, '\n') && lineEnd(src, c.inner.start) < firstStart(c):
		return c.insert(src, text)
	case len(c.items) == 0 && isBlank(inner):
		return []replacement{{c.inner.start, c.inner.end, "\n" + indent + text(indent) + "\n" + own}}
	case len(c.items) == 0:
		return c.insert(src, text)
	}
	last := c.items[len(c.items)-1]
	return []replacement{
		{c.inner.start, skipBlanks(src, c.inner.start), "\n" + indent},
		{last.end, skipBlanks(src, last.end), "\n" + indent + text(indent) + "\n" + own},
	}
}

func firstStart(c container) int {
	if len(c.items) == 0 {
		return c.inner.end
	}
	return c.items[0].start
}

// indentStep is one more level of indentation.
func indentStep(indent string) string {
	if strings.Contains(indent, "\t") {
		return "\t"
	}
	return "  "
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// lineEnd is the offset of the next newline, or of the end of the text.
func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

// lineIndent is the blanks that the line around an offset begins with.
func lineIndent(src []byte, at int) string {
	first := lineStart(src, at)
	return string(src[first:min(skipBlanks(src, first), at)])
}

func skipBlanks(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	return at
}

func isBlank(text []byte) bool { return len(trimBlanks(text)) == 0 }

func trimBlanks(text []byte) []byte { return bytes.Trim(text, " \t") }

// hasComments reports whether a stretch of HCL holds a comment.
func hasComments(text []byte) bool {
	if !bytes.ContainsAny(text, "#/") {
		return false
	}
	tokens, _ := hclsyntax.LexExpression(text, "", hcl.InitialPos)
	return slices.ContainsFunc(tokens, func(t hclsyntax.Token) bool { return t.Type == hclsyntax.TokenComment })
}
