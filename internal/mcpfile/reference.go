package mcpfile

import (
	"regexp"
	"strings"
	"sync"
)

// Spelling is a way to name an environment variable in a text. What Copilot 1.0.83 and 1.0.102 do with each was seen in
// the environment of a server.
type Spelling string

// The spellings. Copilot expands the first three if the variable is set, the third also if it is not.
const (
	Plain   Spelling = "$NAME"
	Braced  Spelling = "${NAME}"
	Default Spelling = "${NAME:-default}"
	Escaped Spelling = "$$NAME"      // no escape: a $ and the variable's value
	Editor  Spelling = "${env:NAME}" // of VS Code, also ${input:NAME}: stays as it is
	Percent Spelling = "%NAME%"      // of Windows: stays as it is
)

// Expanded reports whether Copilot replaces the whole of it by the variable's value.
func (s Spelling) Expanded() bool { return s == Plain || s == Braced || s == Default }

// Reference is one place in a text that names a variable.
type Reference struct {
	Spelling Spelling
	Name     string
	Default  string
	Text     string // as it stands there
}

var references = sync.OnceValue(func() *regexp.Regexp {
	const name = `[A-Za-z_][A-Za-z0-9_]*`
	return regexp.MustCompile(`\$\{(` + name + `)(?::-([^{}]*))?\}|\$\{([a-z]+:[A-Za-z0-9_.-]+)\}|(\$?)\$(` + name + `)|%(` + name + `)%`)
})

// References are the variables that a text names, in order.
func References(text string) []Reference {
	var out []Reference
	for _, m := range references().FindAllStringSubmatch(text, -1) {
		ref := Reference{Text: m[0]}
		switch {
		case m[1] != "" && strings.Contains(m[0], ":-"):
			ref.Spelling, ref.Name, ref.Default = Default, m[1], m[2]
		case m[1] != "":
			ref.Spelling, ref.Name = Braced, m[1]
		case m[3] != "":
			_, name, _ := strings.Cut(m[3], ":")
			ref.Spelling, ref.Name = Editor, name
		case m[4] != "":
			ref.Spelling, ref.Name = Escaped, m[5]
		case m[5] != "":
			ref.Spelling, ref.Name = Plain, m[5]
		default:
			ref.Spelling, ref.Name = Percent, m[6]
		}
		out = append(out, ref)
	}
	return out
}

// Replace is the text with what f gives in the place of each reference.
func Replace(text string, f func(Reference) string) string {
	return references().ReplaceAllStringFunc(text, func(found string) string { return f(References(found)[0]) })
}
