package copilot

import "strings"

// shellQuote is a word as any POSIX shell reads it back, quoted only if it has to be. Copilot 1.0.83 and 1.0.102 run
// the status line's command with /bin/sh -c.
func shellQuote(word string) string {
	safe := word != ""
	for _, c := range word {
		safe = safe && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_./,-", c))
	}
	if safe {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// fishQuote is a word as fish reads it back.
func fishQuote(word string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(word) + "'"
}
