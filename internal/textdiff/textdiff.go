// Package textdiff shows how one text differs from another: unified hunks that patch(1) takes.
package textdiff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// The bounds above which a diff says only that the texts differ. go-diff takes 0.7 s for 10,000 lines of which none
// is equal, and nobody reads more.
const (
	maxBytes = 5 << 20
	maxLines = 50_000
	context  = 3 // equal lines around a change, as diff -u has it
)

// Op is what happened to a line.
type Op byte

// The operations, spelled as in a unified diff.
const (
	Equal  Op = ' '
	Delete Op = '-'
	Insert Op = '+'
)

// Line is one line of a hunk. Text keeps its line end; the last line of a text may have none.
type Line struct {
	Op   Op
	Text string
}

// Hunk is one run of changes with its surrounding equal lines. Starts count from 1, or from 0 for an empty side.
type Hunk struct {
	OldStart, OldCount int
	NewStart, NewCount int
	Lines              []Line
}

// Unified is the difference as a patch with the two names in its head, or "" if the texts are equal. Names are
// written as given: the caller escapes what a terminal must not see. Texts that are binary, or too large to be read,
// give one line that says so.
func Unified(oldName, newName string, old, new []byte) string {
	if string(old) == string(new) {
		return ""
	}
	if why := unreadable(old, new); why != "" {
		return fmt.Sprintf("%s and %s differ (%s)\n", oldName, newName, why)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", headName(oldName), headName(newName))
	for _, h := range Hunks(string(old), string(new)) {
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(h.OldStart, h.OldCount), span(h.NewStart, h.NewCount))
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Op))
			b.WriteString(l.Text)
			if !strings.HasSuffix(l.Text, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

// headName is a name as it stands in a patch's head: patch(1) takes a name with a blank whole only up to a tab.
func headName(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

func unreadable(old, new []byte) string {
	for _, side := range [][]byte{old, new} {
		switch {
		case len(side) > maxBytes:
			return fmt.Sprintf("%d bytes, then %d", len(old), len(new))
		case !utf8.Valid(side) || strings.IndexByte(string(side), 0) >= 0:
			return fmt.Sprintf("binary, %d bytes, then %d", len(old), len(new))
		case strings.Count(string(side), "\n") > maxLines:
			return fmt.Sprintf("more than %d lines", maxLines)
		}
	}
	return ""
}

// span is a side of a hunk's head: a count of 1 is left out.
func span(start, count int) string {
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// Hunks is the difference of two texts line by line.
func Hunks(old, new string) []Hunk {
	lines := lineDiff(old, new)
	var hunks []Hunk
	oldLine, newLine := 1, 1
	for i := 0; i < len(lines); {
		if lines[i].Op == Equal {
			oldLine, newLine, i = oldLine+1, newLine+1, i+1
			continue
		}
		first := max(0, i-context) // equal lines all: hunkEnd leaves more than both contexts between two hunks
		end := hunkEnd(lines, i)
		back := i - first
		h := Hunk{OldStart: oldLine - back, NewStart: newLine - back, Lines: lines[first:end]}
		for _, l := range h.Lines {
			if l.Op != Insert {
				h.OldCount++
			}
			if l.Op != Delete {
				h.NewCount++
			}
		}
		oldLine, newLine, i = h.OldStart+h.OldCount, h.NewStart+h.NewCount, end
		// An empty side names the line before it.
		if h.OldCount == 0 {
			h.OldStart--
		}
		if h.NewCount == 0 {
			h.NewStart--
		}
		hunks = append(hunks, h)
	}
	return hunks
}

// hunkEnd is where the hunk that begins with the change at i ends: after the trailing context of the last change
// that has at most two contexts of equal lines before it.
func hunkEnd(lines []Line, i int) int {
	last := i
	for j := i; j < len(lines) && j-last <= 2*context+1; j++ {
		if lines[j].Op != Equal {
			last = j
		}
	}
	return min(len(lines), last+1+context)
}

// lineDiff is all lines of both texts with what happened to each.
func lineDiff(old, new string) []Line {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the default of one second makes the result depend on the machine's speed
	a, b, table := dmp.DiffLinesToChars(old, new)
	var lines []Line
	for _, d := range dmp.DiffCharsToLines(dmp.DiffMain(a, b, false), table) {
		op := Equal
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			op = Delete
		case diffmatchpatch.DiffInsert:
			op = Insert
		}
		for text := range strings.Lines(d.Text) {
			lines = append(lines, Line{op, text})
		}
	}
	return lines
}

// Words splits the change of one line into another into words, so that a terminal can mark what changed within it.
// The words of the old line are those with Equal and Delete, of the new line those with Equal and Insert.
func Words(old, new string) []Line {
	words := lineDiff(oneWordALine(old), oneWordALine(new))
	for i := range words {
		words[i].Text = strings.TrimSuffix(words[i].Text, "\n")
	}
	return words
}

func oneWordALine(s string) string {
	var b strings.Builder
	inWord := false
	for i, r := range strings.ReplaceAll(s, "\n", "") {
		letter := r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		if i > 0 && !(letter && inWord) {
			b.WriteByte('\n')
		}
		inWord = letter
		b.WriteRune(r)
	}
	b.WriteByte('\n')
	return b.String()
}
