package guard

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

const change = ` If it is really wanted, ask a person to change guard "commands" in the machine manifest and to run "agentihooks switch".`

// denied is the verdict on a command that a pattern matches.
func denied(pattern, command string, by how) Verdict {
	what := "`" + shown(command) + "` matches the denied pattern `" + shown(pattern) + "`"
	switch by {
	case maybe:
		what = "`" + shown(command) + "` may become a command that the pattern `" + shown(pattern) +
			"` denies: it has a word that only the shell can know. " +
			"Write that word out, or as \"${NAME:?}\" where it must not be empty."
	case unparsed:
		what = "the command is not valid shell, and its words `" + shown(command) + "` match the denied pattern `" + shown(pattern) + "`."
	case inCode:
		what = "the program that is given to an interpreter holds `" + shown(command) + "`, which matches the denied pattern `" + shown(pattern) + "`."
	default:
		what += "."
	}
	return Verdict{Deny, `Denied by guard "commands": ` + what + change, "commands"}
}

// overLimit is the verdict on a text that is too much to be read.
func overLimit(limit shell.Limit) Verdict {
	return Verdict{
		Deny, `Denied by guard "commands": the command ` + limit.String() +
			", so it cannot be checked against the denied patterns. Split it into smaller commands.", "commands",
	}
}

// maxShown bounds how much of a command a reason shows, in characters.
const maxShown = 200

// shown is text for a message: cut, in one line, with control and bidirectional characters written as escapes.
func shown(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > maxShown {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + "}")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
