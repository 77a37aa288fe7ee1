package copilot

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/targets/target"
)

// The files that shells load, in the tree and below the home.
const (
	envPath  = "env/copilot.env"
	fishPath = "env/copilot.fish"
	envDir   = ".agentihooks"
	envName  = "copilot.env"
	fishName = "copilot.fish"
)

// AllowAllVariable makes Copilot allow every tool, and load the hooks of every repository.
const AllowAllVariable = "COPILOT_ALLOW_ALL"

// The other variables that we set.
const (
	channelsVariable = "AGENTIHOOKS_BASE_CHANNELS"
	browserVariable  = "COPILOT_DEBUG_BROWSER"
)

// variable is one line of the environment files.
type variable struct {
	name, value string
	because     string // the comment above the line: what of the manifest sets it
	origins     []diag.Range
	secret      bool // its value is asked for when the file is loaded
}

// environment writes the variables for POSIX shells and for fish, if there are any.
func (r *renderer) environment() {
	var variables []variable
	if v, ok := r.channels(); ok {
		variables = append(variables, v)
	}
	if allow := r.attr("allowAll"); allow.Bool {
		// Only the literal "true" also loads a repository's hooks; 1.0.102 does not start with a value like "2".
		variables = append(variables, variable{name: AllowAllVariable, value: "true", because: "allowAll", origins: []diag.Range{allow.Origin}})
	}
	if argv, because, at := r.browser(); argv != nil {
		variables = append(variables, variable{name: browserVariable, value: compact(argv), because: because, origins: []diag.Range{at}})
	}
	variables = append(variables, r.ownVariables()...)
	variables = append(variables, r.exported()...)
	if len(variables) == 0 {
		return
	}
	r.environmentD(variables)
	var posix, fish strings.Builder
	var origins []diag.Range
	for _, v := range variables {
		inShell, inFish := shellQuote(v.value), fishQuote(v.value)
		if v.secret {
			inShell, inFish = r.askInShell(v.name), r.askInFish(v.name)
		}
		fmt.Fprintf(&posix, "# %s\n%s=%s\n", v.because, v.name, inShell)
		fmt.Fprintf(&fish, "# %s\nset -gx %s %s\n", v.because, v.name, inFish)
		origins = append(origins, v.origins...)
	}
	r.file(envPath, []byte(posix.String()), false, origins...)
	r.link(r.userHome(envDir, envName), envPath, origins...)
	r.file(fishPath, []byte(fish.String()), false, origins...)
	r.link(r.userHome(envDir, fishName), fishPath, origins...)
}

// channels is the list of channels. A comma separates them, so no name may hold one.
func (r *renderer) channels() (variable, bool) {
	var names []string
	v := variable{name: channelsVariable, because: "channels"}
	for _, c := range r.in.Machine.Channels {
		switch {
		case c.Value == "":
			r.diags.Errorf(c.Origin, "invalid-channel", "a channel has an empty name", "Name it, or remove it.")
		case strings.Contains(c.Value, ","):
			r.diags.Errorf(c.Origin, "invalid-channel", fmt.Sprintf("channel %q holds a comma", c.Value),
				"Channels are handed over as one list with commas between. Write two channels, or rename it.")
		case !r.text(c.Origin, "channel", c.Value):
		default:
			names = append(names, c.Value)
			v.origins = append(v.origins, c.Origin)
		}
	}
	v.value = strings.Join(names, ",")
	return v, len(names) > 0
}

// text refuses what no environment variable can hold.
func (r *renderer) text(at diag.Range, what, s string) bool {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return true
	}
	r.diags.Errorf(at, "invalid-text", fmt.Sprintf("the %s %q is no plain text", what, s),
		"An environment variable holds UTF-8 without NUL. Remove what is not.")
	return false
}

// Environment is the variables that a tree sets for shells, by name, but for exported secrets, whose values it does not
// know. A nil reader has none.
func Environment(read target.Reader) map[string]string {
	values, _ := environmentOf(read)
	return values
}

func environmentOf(read target.Reader) (values map[string]string, secrets []string) {
	if read == nil {
		return nil, nil
	}
	data, _ := read(envPath)
	return readEnvironment(string(data))
}

// readEnvironment is the variables of a copilot.env that environment wrote, and the names of those that are asked for. A
// line of a quoted value that looks like another variable is no variable.
func readEnvironment(text string) (values map[string]string, secrets []string) {
	values = map[string]string{}
	for text != "" {
		if strings.HasPrefix(text, "#") {
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		name, rest, _ := strings.Cut(text, "=")
		end := wordEnd(rest)
		if strings.HasPrefix(rest, askBegins) {
			secrets = append(secrets, name)
		} else if words, err := shellWords(rest[:end]); err == nil && len(words) == 1 {
			values[name] = words[0]
		}
		text = strings.TrimPrefix(rest[end:], "\n")
	}
	return values, secrets
}

// wordEnd is where a word that shellQuote wrote ends: at the first newline outside of quotes.
func wordEnd(s string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case s[i] == '\\' && !quoted:
			i++
		case s[i] == '\n' && !quoted:
			return i
		}
	}
	return len(s)
}
