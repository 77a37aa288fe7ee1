package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// secretName matches the names of variables that hold a credential, whatever stands before it.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|_)(PASSWORD|PASSWD|PASSPHRASE|PWD_?HASH|SECRET|TOKEN|PAT|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SIGNING_?KEY|ENCRYPTION_?KEY|SESSION_?KEY|` +
		`CREDENTIALS?|AUTH|CONNECTION_?STRING)(_?(\d+|ID|VALUE|BASE64|B64|JSON|PROD|DEV|TEST|STAGING|LIVE|OLD|NEW))*$`)
})

// secretAmong is the first name of a variable that holds a credential.
func secretAmong(args Args, names []string) string {
	for _, name := range names {
		given := slices.Contains(args.texts("variables"), name) || slices.Contains(args.texts("secretVariables"), name)
		if (given || len(name) < 200 && shell.IsName(name) && secretName().MatchString(name)) && !allows(args, name) {
			return name
		}
	}
	return ""
}

// printedVariables is the variables that a command prints by their names, or whether it prints all.
func printedVariables(name string, c *shell.Command) (names []string, all bool) {
	words := c.Words[1:]
	switch name {
	case "printenv":
		a := readArguments(words, "", "")
		return texts(a.operands), len(a.operands) == 0 && !a.has("--help", "--version")
	case "env":
		a := readArguments(words, "uCS", "unset chdir split-string")
		runs := slices.ContainsFunc(a.operands, func(w shell.Word) bool { return !strings.Contains(w.Text, "=") })
		return nil, !runs && !a.has("-i", "--ignore-environment", "-S", "--split-string", "--help", "--version")
	case "export", "declare", "typeset", "readonly", "local":
		a := readArguments(words, "", "")
		if a.has("-f", "-F") || slices.ContainsFunc(a.operands, func(w shell.Word) bool { return strings.Contains(w.Text, "=") }) || len(a.operands) > 0 && !a.has("-p") {
			return nil, false
		}
		return texts(a.operands), len(a.operands) == 0 && name != "local" && !onlyKind(a)
	case "set":
		return nil, len(words) == 0
	case "systemctl":
		return nil, len(words) > 0 && words[len(words)-1].Text == "show-environment"
	case "direnv":
		return nil, len(words) > 0 && (words[0].Text == "dump" || words[0].Text == "export")
	}
	return nil, false
}

// onlyKind reports whether declare lists variables of a kind that no credential is of: -a and -A, -i.
func onlyKind(a arguments) bool { return a.has("-a", "-A", "-i") }

func texts(words []shell.Word) []string {
	var out []string
	for _, w := range words {
		out = append(out, w.Text)
	}
	return out
}

// variable matches an expansion that gives a variable's value, or a part of it. ${#NAME} and ${NAME:+set} give none.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{!?([A-Za-z_][A-Za-z0-9_]*)(:?\+)?)`)
})

// expanded is the variables whose values a command that prints its words is given. Line is the text that it stands in: of a
// here-document only that has the names.
func expanded(name string, c *shell.Command, line string) []string {
	switch name {
	case "echo", "printf", "print", "cat", "tee", "base64", "xxd", "od", "hexdump", "rev", "head", "tail", "sed", "awk", "tr", "cut", "jq", "logger", "wall", "write", "notify-send":
	default:
		return nil
	}
	source := withoutSingleQuoted(c.Source)
	if slices.ContainsFunc(c.Redirs, func(r shell.Redir) bool { return strings.HasPrefix(r.Op, "<<") && r.Target.Expands() }) {
		source = line
	}
	var out []string
	for _, m := range variable().FindAllStringSubmatch(source, 64) {
		if m[3] == "" {
			out = append(out, m[1]+m[2])
		}
	}
	return out
}

// withoutSingleQuoted is a command without what stands in single quotes, which the shell does not expand.
func withoutSingleQuoted(text string) string {
	var b strings.Builder
	double := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			continue
		case text[i] == '"':
			double = !double
		case text[i] == '\'' && !double:
			end := strings.IndexByte(text[i+1:], '\'')
			if end < 0 {
				return b.String()
			}
			i += end + 1
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// stages is what follows a command in its pipeline.
func stages(script *shell.Script, c *shell.Command) []*shell.Command {
	var out []*shell.Command
	after := false
	for i := range script.Commands {
		other := &script.Commands[i]
		if after && c.Pipe != 0 && other.Pipe == c.Pipe && other.Source != c.Source {
			out = append(out, other)
		}
		after = after || other == c
	}
	return out
}

// isSeen reports whether what a command prints is shown: not if a program that shows nothing reads it, if it goes into a
// file, or if it becomes a part of a command that prints none of it.
func isSeen(script *shell.Script, c *shell.Command) bool {
	if discarded(c) || intoFile(c) || countsOrNames(script, c) {
		return false
	}
	if c.Context&shell.Substitution != 0 && c.Pipe == 0 {
		return slices.ContainsFunc(script.Commands, func(other shell.Command) bool {
			return other.Source != c.Source && strings.Contains(other.Source, c.Source) && prints(other.Name().Text)
		})
	}
	rest := stages(script, c)
	return len(rest) == 0 || prints(rest[len(rest)-1].Name().Text)
}

// prints reports whether a program shows what it reads or is given.
func prints(name string) bool {
	return slices.Contains([]string{"echo", "printf", "print", "tee", "jq", "yq", "tr", "column", "xargs", "logger"}, name) || readsFiles(name)
}

// stdout is where a command's own redirections lead its output; none do if ok is false.
func stdout(c *shell.Command) (to shell.Redir, ok bool) {
	for _, r := range c.Redirs { // the last one counts
		if strings.HasPrefix(r.Op, "&>") || strings.HasPrefix(r.Op, ">") && (r.FD == "" || r.FD == "1") {
			to, ok = r, true
		}
	}
	return to, ok && to.Op != ">&"
}

// discarded reports whether a command's output goes to /dev/null.
func discarded(c *shell.Command) bool {
	to, ok := stdout(c)
	return ok && to.Target.Text == "/dev/null"
}

func intoFile(c *shell.Command) bool {
	to, ok := stdout(c)
	return ok && !below(to.Target.Text, "/dev") && !strings.HasPrefix(to.Target.Text, "/proc/")
}

// countsOrNames reports whether a command, or a stage behind it, lets through numbers or names of variables alone. What tee
// gets is shown before.
func countsOrNames(script *shell.Script, c *shell.Command) bool {
	for _, stage := range append([]*shell.Command{c}, stages(script, c)...) {
		switch name := stage.Name().Text; {
		case name == "tee":
			return false
		case counts(name, stage):
			return true
		}
	}
	return false
}

// counts reports whether a program says of what it reads how much it is, what it hashes to, whether it matches, or what
// stands before each =.
func counts(name string, c *shell.Command) bool {
	switch name {
	case "wc", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum":
		return true
	case "grep", "egrep", "fgrep", "rg", "zgrep":
		if readArguments(c.Words[1:], "ABCmdDef", "").has("-c", "--count", "-l", "--files-with-matches", "-L", "--files-without-match", "-q", "--quiet", "--silent") {
			return true
		}
	case "cmp", "diff":
		return readArguments(c.Words[1:], "", "").has("-s", "--silent", "-q", "--brief", "--quiet")
	}
	return namesOnly(name, c)
}

// namesOnly reports whether a program takes what stands before each =.
func namesOnly(name string, c *shell.Command) bool {
	switch name {
	case "cut":
		a := readArguments(c.Words[1:], "bcdf", "delimiter fields")
		field := func(value string, names ...string) bool {
			return slices.ContainsFunc(a.values(names...), func(w shell.Word) bool { return w.Text == value })
		}
		return field("=", "-d", "--delimiter") && field("1", "-f", "--fields")
	case "sed":
		return len(c.Words) > 1 && slices.ContainsFunc(c.Words[1:], func(w shell.Word) bool { return slices.Contains([]string{"s/=.*//", "s/=.*$//", "s/=.*/=/"}, w.Text) })
	case "awk", "gawk", "mawk":
		return strings.Contains(strings.Join(texts(c.Words[1:]), " "), "-F=") && slices.ContainsFunc(c.Words, func(w shell.Word) bool { return strings.ReplaceAll(w.Text, " ", "") == "{print$1}" })
	case "grep", "egrep":
		return readArguments(c.Words[1:], "ABCmdDef", "").has("-o", "--only-matching") && slices.ContainsFunc(c.Words, func(w shell.Word) bool {
			return slices.Contains([]string{"^[^=]*", "^[^=]+", "^[A-Z_]*", "^[A-Z_]+", "^[A-Za-z_]*", "^[A-Za-z_]+", "^[A-Z0-9_]*", "^[A-Z0-9_]+"}, w.Text)
		})
	}
	return false
}

// filtered reports whether the next stage lets one variable through that holds no credential: grep ^PATH=.
func filtered(args Args, script *shell.Script, c *shell.Command) bool {
	rest := stages(script, c)
	if len(rest) == 0 || !slices.Contains([]string{"grep", "egrep", "rg"}, rest[0].Name().Text) {
		return false
	}
	a := readArguments(rest[0].Words[1:], "ABCmdDef", "regexp")
	patterns := append(a.values("-e", "--regexp"), a.operands...)
	if a.has("-v", "--invert-match", "-A", "-B", "-C") || len(patterns) != 1 {
		return false
	}
	text := patterns[0].Text
	anchored := strings.HasPrefix(text, "^") && strings.HasSuffix(text, "=")
	name := strings.Trim(text, "^=$")
	return patterns[0].Known() && (anchored && shell.IsName(name) || slices.Contains(everyday[:], strings.ToUpper(name))) && secretAmong(args, []string{name}) == ""
}

// everyday are names of variables, and parts of such, that stand in no name of a credential.
var everyday = [...]string{"PATH", "HOME", "USER", "SHELL", "LANG", "LC_", "PWD", "TERM", "EDITOR", "PAGER", "DISPLAY", "TMPDIR", "GOPATH", "GOROOT", "GOFLAGS", "PYTHONPATH", "VIRTUAL_ENV", "JAVA_HOME", "NODE_ENV", "XDG", "COLUMNS", "TZ"}
