package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "credentials" keeps the values of credentials from the agent: what it reads stands in the record of the session,
// and goes to the model. To use one without looking at it is let through.
func credentialsKind() kind {
	return kind{
		spec: Spec{
			Kind: "credentials",
			Doc: "Keeps the values of credentials from being shown: files such as `.env`, `~/.ssh/id_*` and `~/.aws/credentials`, variables with names such as `*_TOKEN`, " +
				"the whole environment, and commands such as `gh auth token`. To use a value without showing it, or to ask whether there is one, is let through.",
			Args: []Arg{
				{
					Name: "files", Type: Strings,
					Doc:     "Files that hold credentials, too: as in guard \"paths\", or a name for files of that name in any folder.",
					Example: `["~/.config/my-tool/token", "*.secret.yaml"]`,
				},
				{Name: "variables", Type: Strings, Doc: "Variables that hold credentials, too: their names.", Example: `["DATABASE_URL"]`},
				{
					Name: "allow", Type: Strings,
					Doc:     "What may be shown all the same: files, as in `files`, names of variables, and commands as the reason of a denial has them.",
					Example: `[".env.test", "CI_JOB_TOKEN", "gh auth token"]`,
				},
				{Name: "secretFiles", Type: Strings, Internal: true, Doc: "The files of the manifest's secrets."},
				{Name: "secretVariables", Type: Strings, Internal: true, Doc: "Their variables."},
			},
		},
		check: checkCredentials,
		judge: judgeCredentials,
		denied: func(args Args) []string {
			out := []string{"what shows credentials" + butFor(args)}
			for _, more := range append(args.texts("files"), args.texts("variables")...) {
				out = append(out, "what shows "+more)
			}
			return out
		},
	}
}

func checkCredentials(args Args) []Problem {
	out := append(checkAllow(args), tooWide(args, "files", "It names every file, or none. Write a path, or a name, with `*` for a part of it.")...)
	for i, name := range args.texts("variables") {
		if !shell.IsName(name) {
			out = append(out, Problem{"variables", i, "It is no name of a variable: letters, digits and `_`. Write the name alone, without `$`."})
		}
	}
	return out
}

const useUnseen = "Let the program that needs it read it itself (`--env-file`, `$NAME` in its arguments, a pipe to its standard input), or ask for the names alone " +
	"(`cut -d= -f1 FILE`) or whether it is set (`[ -n \"$NAME\" ]`). If it is no credential, the person can add it to `allow` of guard \"credentials\"."

func showsIt(source, what, rule string) *finding {
	return &finding{text: "`" + shown(source) + "` would show " + what + ".", rule: rule, instead: useUnseen}
}

func judgeCredentials(args Args, call *Call) (*finding, error) {
	if f := credentialInText(args, call); f != nil {
		return f, nil
	}
	script := call.Script()
	for _, a := range call.Accesses() {
		if a.Mode&access.Read == 0 || call.Tool == "glob" {
			continue
		}
		if name := call.credentialFile(args, a); name != "" && !unseen(script, a) {
			return showsIt(a.Source, "`"+shown(name)+"`, a file for credentials", name), nil
		}
	}
	if call.Command == "" {
		return nil, nil
	}
	for i := range script.Commands {
		if f := credentialInCommand(args, call, script, &script.Commands[i]); f != nil {
			return f, nil
		}
	}
	for _, code := range script.Codes {
		if f := credentialInCode(args, call, code); f != nil {
			return f, nil
		}
	}
	for _, text := range script.Unparsed {
		if f := credentialInCode(args, call, shell.Code{Text: text, Source: text}); f != nil {
			return f, nil
		}
	}
	return overLimit(script, "what shows credentials"), nil
}

// credentialInText judges what an MCP tool is given: an argument that is the path of a file for credentials.
func credentialInText(args Args, call *Call) *finding {
	for _, text := range call.Texts {
		name := strings.TrimPrefix(text.Text[strings.Index(text.Text, ": ")+1:], " ") // behind the name of the argument
		if text.Path != "" || len(name) > 4096 || strings.ContainsAny(name, "\n\t<>{}\"'") || !strings.ContainsAny(name, "/.~") {
			continue
		}
		name = strings.TrimPrefix(name, "file://")
		if full := access.Absolute(name, call.Cwd, call.Home); call.holdsCredentials(args, full) {
			return showsIt(call.Tool, "`"+shown(name)+"`, a file for credentials", name)
		}
	}
	return nil
}

// credentialInCommand judges one command: the environment as a whole, variables, and programs that print credentials.
func credentialInCommand(args Args, call *Call, script *shell.Script, c *shell.Command) *finding {
	name := c.Name()
	if !name.Known() {
		return nil
	}
	if names, all := printedVariables(name.Text, c); all && !countsOrNames(script, c) && !filtered(args, script, c) && !discarded(c) {
		if !allows(args, name.Text) {
			return showsIt(c.Source, "every variable of the environment, credentials among them", name.Text)
		}
	} else if v := secretAmong(args, names); v != "" && !discarded(c) && !countsOrNames(script, c) {
		return showsIt(c.Source, "the value of `"+v+"`", v)
	}
	if file := call.fed(args, script, c); file != "" {
		return showsIt(c.Source, "`"+shown(file)+"`, a file for credentials", file)
	}
	if v := secretAmong(args, expanded(name.Text, c, call.Command)); v != "" && isSeen(script, c) {
		return showsIt(c.Source, "the value of `"+v+"`", v)
	}
	if rule := reveals(name.Text, c); rule != "" && isSeen(script, c) && !allows(args, rule) {
		return showsIt(c.Source, "what `"+rule+"` prints", rule)
	}
	if name.Text == "find" || name.Text == "fd" || name.Text == "fdfind" {
		if pattern := call.handsOver(args, script, c); pattern != "" {
			return showsIt(c.Source, "files that `"+shown(pattern)+"` names, credentials among them", pattern)
		}
	}
	if file, ok := call.gitFile(args, c); ok && !countsOrNames(script, c) {
		return showsIt(c.Source, "`"+shown(file)+"`, a file for credentials", file)
	}
	return nil
}

// allows reports whether the manifest allows a variable or a command by its name.
func allows(args Args, name string) bool { return slices.Contains(args.texts("allow"), name) }

// credentialInCode judges a text in another language, or one that nobody can parse: paths among its words, and what it takes
// of the environment if it prints something.
func credentialInCode(args Args, call *Call, code shell.Code) *finding {
	for _, word := range wordsOfCode(code.Text) {
		if strings.ContainsAny(word, "/.~") && len(word) < 4096 && !strings.HasSuffix(word, "process.env") && call.holdsCredentials(args, access.Absolute(word, call.Cwd, call.Home)) {
			return showsIt(code.Source, "`"+shown(word)+"`, a file for credentials", word)
		}
	}
	if !printing().MatchString(code.Text) {
		return nil
	}
	for _, m := range environment().FindAllStringSubmatch(code.Text, 64) {
		switch name := m[3]; {
		case m[1] == "" && name == "":
			return showsIt(code.Source, "every variable of the environment, credentials among them", "environment")
		case secretAmong(args, []string{name}) != "":
			return showsIt(code.Source, "the value of `"+name+"`", name)
		}
	}
	return nil
}

func wordsOfCode(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r\"'`()[]{}<>,;=|&", r) })
}

// printing matches what prints in the languages that interpreters take on their command line.
var printing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(print|printf|puts|echo|pp|p|say|write|console\.\w+|inspect|dump)\b`)
})

// environment matches a place where a program takes the environment: one variable of it, whose name is the third group, or
// all of it. With the first group it only asks for a name, or for the names.
var environment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(['"]\s+(?:not\s+)?in\s+|keys\(\s*)?(?:os\.environ|process\.env|\bENV|\bgetenv)\b(\s*(?:\.(?:get|fetch)\s*)?[\[({.]\s*['"]?([A-Z_][A-Za-z0-9_]*|keys)?)?`)
})
