package guard

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// reason is a finding as it is said to the agent.
func reason(guard string, kind VerdictKind, f *finding) string {
	text, name := f.text, `guard "`+guard+`"`
	switch kind {
	case Note:
		return "Note of " + name + ": " + text
	case Warn:
		return "Stopped once by " + name + ": " + text + " If it is right as it is, make the very same call again."
	case Ask:
		return `Guard "` + guard + `"` + " asks a person first: " + text
	}
	if f.instead != "" {
		return "Denied by " + name + ": " + text + " " + f.instead
	}
	return "Denied by " + name + ": " + text + " If it is really wanted, ask a person to change " + name +
		` in the machine manifest and to run "agentihooks switch".`
}

// matched is the finding on a command that a pattern matches.
func matched(pattern, command string, by how) *finding {
	what := "`" + shown(command) + "` matches the denied pattern `" + shown(pattern) + "`."
	switch by {
	case maybe:
		what = "`" + shown(command) + "` may become a command that the pattern `" + shown(pattern) +
			"` denies: it has a word that only the shell can know. " +
			"Write that word out, or as \"${NAME:?}\" where it must not be empty."
	case unparsed:
		what = "the command is not valid shell, and its words `" + shown(command) + "` match the denied pattern `" + shown(pattern) + "`."
	case inCode:
		what = "the program that is given to an interpreter holds `" + shown(command) + "`, which matches the denied pattern `" + shown(pattern) + "`."
	}
	return &finding{text: what, rule: pattern}
}

// overLimit is the finding on a text that is too much to be read, if it is.
func overLimit(script *shell.Script, against string) *finding {
	if script.Limit == shell.NoLimit {
		return nil
	}
	return &finding{text: "the command " + script.Limit.String() + ", so it cannot be checked against " + against + ". Split it into smaller commands."}
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
