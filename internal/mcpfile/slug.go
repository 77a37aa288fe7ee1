package mcpfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxName bounds the name of a server, in bytes.
const MaxName = 128

// Slug is the name itself if Copilot takes it for a server's: letters, digits, `_` and `-`. Else it is a name made of it:
// accents go, and what is left of other characters becomes one `-`.
func Slug(name string) string {
	var b strings.Builder
	gap := false
	for _, c := range norm.NFD.String(name) {
		switch {
		case c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(c)
		case !unicode.Is(unicode.Mn, c):
			gap = true
		}
	}
	out := b.String()
	if len(out) > MaxName {
		out = out[:MaxName]
	}
	if out == "" {
		return "server"
	}
	return out
}
