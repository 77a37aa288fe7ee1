package hook

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxText bounds a reason or a context, in bytes.
const maxText = 8 << 10

// message is text as it is handed to an agent: within maxText, and with nothing in it but lines of visible characters.
func message(text string) string { return cut(escape(text, "\n"), maxText) }

// cut is text within limit bytes, with a mark where its end is missing.
func cut(text string, limit int) string {
	const mark = "… (cut)"
	if len(text) <= limit {
		return text
	}
	n := limit - len(mark)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + mark
}

// visible is text on one line of visible characters.
func visible(text string) string { return escape(text, "") }

// escape is text with every control and bidirectional character escaped but those in keep, so that it is read in the
// order in which it was written and tells a terminal nothing.
func escape(text, keep string) string {
	var b strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) || strings.ContainsRune(keep, r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
