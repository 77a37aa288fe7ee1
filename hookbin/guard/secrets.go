package guard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/credential"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "secrets" keeps credentials from being written into files and from being sent. Nothing in the text switches it
// off: the agent writes that text.
func secretsKind() kind {
	return kind{
		spec: Spec{
			Kind: "secrets",
			Doc: "Keeps credentials out of the files that are written, of the arguments of tools, and of shell commands that write or send something; " +
				"in any other command they are noted.",
			Args: []Arg{{
				Name: "allow", Type: Strings,
				Doc: "What is no credential here: values, in which `*` stands for any characters, and paths, as in guard \"paths\", of files that may hold some. " +
					"Comments in the text, as other scanners have them, allow nothing.",
				Example: `["AKIA*EXAMPLE", "sk_test_*", "**/testdata"]`,
			}},
		},
		check: checkAllow,
		judge: judgeSecrets,
		denied: func(args Args) []string {
			return []string{"credentials in what is written or sent" + butFor(args)}
		},
	}
}

// checkAllow refuses exceptions that except everything, or nothing.
func checkAllow(args Args) []Problem {
	return tooWide(args, "allow", "It allows everything, or nothing. Write a value or a path, with `*` for a part of it; to allow everything, remove the guard.")
}

// tooWide is the elements of an argument that match everything, or are no patterns.
func tooWide(args Args, arg, problem string) []Problem {
	var out []Problem
	for i, pattern := range args.texts(arg) {
		if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "*/~ ") == "" {
			out = append(out, Problem{arg, i, problem})
		}
	}
	return out
}

// butFor is the exceptions, for what the guard objects to: one that is added takes something away.
func butFor(args Args) string {
	if allow := args.texts("allow"); len(allow) > 0 {
		return ", but for " + strings.Join(allow, ", ")
	}
	return ""
}

const noCredential = "Leave the value out: name an environment variable in its place, or ask the person to declare a `secret` in the manifest. " +
	"If it is no credential, the person can add it to `allow` of guard \"secrets\"."

func judgeSecrets(args Args, call *Call) (*finding, error) {
	for _, text := range call.Texts {
		if text.Path != "" && call.allowedPath(args, access.Absolute(text.Path, call.Cwd, call.Home)) {
			continue
		}
		if hit, line, ok := firstHit(args, text.Text); ok {
			does := "would send"
			if text.Path != "" {
				does = "would write"
			}
			return &finding{
				text: "`" + shown(call.Tool) + "` " + does + " " + hit.Rule + ", in " + shown(text.Where) + ", line " + strconv.Itoa(line) + " of the text.",
				rule: hit.Rule, instead: noCredential,
			}, nil
		}
	}
	if call.Command == "" {
		return nil, nil
	}
	return secretInCommand(args, call), nil
}

// firstHit is the first credential in a text that is not allowed, and its line.
func firstHit(args Args, text string) (hit credential.Hit, line int, ok bool) {
	for hit := range credential.In(text) {
		if !allowedValue(args, text[hit.Start:hit.End]) {
			return hit, 1 + strings.Count(text[:hit.Start], "\n"), true
		}
	}
	return credential.Hit{}, 0, false
}

func allowedValue(args Args, value string) bool {
	for _, pattern := range args.texts("allow") {
		if globMatch(pattern, value) {
			return true
		}
	}
	return false
}

// allowedPath reports whether an absolute path is allowed. A pattern without a slash is a name, in any folder.
func (c *Call) allowedPath(args Args, name string) bool {
	for _, pattern := range args.texts("allow") {
		if c.covers(pattern, name) {
			return true
		}
	}
	return false
}

// covers reports whether a pattern names an absolute path or a folder around it. One without a slash is a name in any
// folder.
func (c *Call) covers(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		return coversPath("/**/"+pattern, name)
	}
	return coversPath(c.absolutePattern(pattern), name)
}

// secretInCommand judges a command line: as it is written, and by its words as the shell puts them together.
func secretInCommand(args Args, call *Call) *finding {
	hit, line, ok := firstHit(args, call.Command)
	where := "line " + strconv.Itoa(line) + " of the command"
	if !ok {
		where = "the words of the command, put together,"
		for i := range call.Script().Commands {
			if hit, _, ok = firstHit(args, wordsOf(&call.Script().Commands[i])); ok {
				break
			}
		}
	}
	if !ok {
		return nil
	}
	does, allowed := call.carriesOff(args)
	switch {
	case does != "":
		return &finding{text: where + " holds " + hit.Rule + ", and " + does + ".", rule: hit.Rule, instead: noCredential}
	case allowed:
		return nil
	}
	return &finding{kind: Note, text: where + " holds " + hit.Rule + ". It stands in the record of this session now: name an environment variable in its place.", rule: hit.Rule}
}

// wordsOf is the words of a command and its assignments, one a line.
func wordsOf(c *shell.Command) string {
	var b strings.Builder
	for _, a := range c.Assigns {
		b.WriteString(a.Name + "=")
		for _, word := range a.Value {
			b.WriteString(word.Text + "\n")
		}
	}
	for _, word := range c.Words {
		b.WriteString(word.Text + "\n")
	}
	for _, r := range c.Redirs {
		b.WriteString(r.Target.Text + "\n")
	}
	return b.String()
}

// carriesOff is how a command line writes what it holds to a file or sends it, or "". Allowed says that it writes to files
// that may hold credentials.
func (c *Call) carriesOff(args Args) (does string, allowed bool) {
	script := c.Script()
	if script.Limit != shell.NoLimit || len(script.Unparsed) > 0 {
		return "it cannot be told what the command does with it", false
	}
	for i := range script.Commands {
		cmd := &script.Commands[i]
		if name := cmd.Name(); name.Known() && sends(name.Text, cmd.Words[1:]) {
			return "`" + shown(name.Text) + "` would send it or keep it", false
		}
	}
	for _, code := range script.Codes {
		if _, _, ok := firstHit(args, code.Text); ok {
			return "the program that is given to " + code.Interpreter + " can do anything with it", false
		}
	}
	for _, a := range c.Accesses() {
		name, known := a.At(c.Home)
		switch {
		case a.Mode&access.Write == 0 || below(name, "/dev"):
		case known && c.allowedPath(args, name):
			allowed = true
		default:
			return "the command writes a file", false
		}
	}
	return "", allowed
}

// sends reports whether a program hands its words on to other machines, or into a repository that is pushed to one.
func sends(name string, args []shell.Word) bool {
	switch name {
	case "npm", "pnpm", "yarn", "pip", "poetry", "composer", "bundle", "cargo":
		return slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "config" || w.Text == "login" || w.Text == "publish" })
	case "curl", "wget", "http", "https", "xh", "nc", "ncat", "netcat", "socat", "telnet", "ssh", "scp", "sftp", "rsync", "ftp", "lftp",
		"git", "gh", "glab", "kubectl", "oc", "helm", "aws", "az", "gcloud", "heroku", "vercel", "netlify", "wrangler", "fly", "flyctl",
		"mail", "mailx", "sendmail", "mutt", "crontab":
		return true
	}
	return false
}
