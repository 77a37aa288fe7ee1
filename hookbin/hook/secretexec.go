package hook

import (
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// secretExec becomes a command that has secrets in its environment: `NAME[=TEMPLATE]… -- COMMAND [ARG]…`. NAME alone
// sets the variable NAME to the secret NAME; in a template `{NAME}` stands for the secret, `{{` and `}}` for braces.
// The values are in no argument, no message and no environment but that of the command.
func secretExec(w World, args []string) int {
	complain := func(code int, text string) int {
		io.WriteString(w.Stderr, "agentihooks-hook: "+visible(text)+"\n")
		return code
	}
	variables, command, err := parseAssignments(args)
	if err != nil {
		return complain(exitUsage, err.Error())
	}
	p, err := loadPolicy(w)
	if err != nil {
		return complain(exitFailed, "the policy beside this program cannot be read: "+err.Error()+"; run agentihooks verify")
	}
	environ := w.Environ()
	k := keeper{policy: p, environ: environ, limit: w.Command, warn: func(text string) { complain(exitDone, text) }}
	for _, v := range variables {
		value, err := v.value(&k)
		if err != nil {
			return complain(exitFailed, err.Error())
		}
		environ = setVariable(environ, v.name, value)
	}
	path, err := exec.LookPath(command[0])
	if err == nil {
		err = w.Exec(path, command, environ)
	}
	code := exitNoExec
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNoFound
	}
	return complain(code, "starting "+command[0]+": "+err.Error())
}

// variable is one variable of the command: its value is the parts, one after the other.
type variable struct {
	name  string
	parts []part
}

// part is literal text, or the name of a secret.
type part struct {
	text   string
	secret bool
}

// parseAssignments splits the arguments of secret-exec into variables and command.
func parseAssignments(args []string) ([]variable, []string, error) {
	split := slices.Index(args, "--")
	if split < 1 || split == len(args)-1 {
		return nil, nil, errors.New("secret-exec needs at least one NAME[=TEMPLATE], then --, then a command")
	}
	var variables []variable
	for _, arg := range args[:split] {
		name, template, isTemplate := strings.Cut(arg, "=")
		v := variable{name: name, parts: []part{{name, true}}}
		if isTemplate {
			parts, ok := parseTemplate(template)
			if !ok {
				return nil, nil, errors.New("secret-exec: the template of " + name + " has a brace that does not name a secret; write {NAME}, or {{ and }} for braces")
			}
			v.parts = parts
		}
		if name == "" {
			return nil, nil, errors.New("secret-exec: an assignment has no variable before its =")
		}
		variables = append(variables, v)
	}
	return variables, args[split+1:], nil
}

// parseTemplate takes a template apart.
func parseTemplate(template string) (parts []part, ok bool) {
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			parts = append(parts, part{text: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(template); i++ {
		c := template[i]
		switch {
		case c != '{' && c != '}':
			literal.WriteByte(c)
		case i+1 < len(template) && template[i+1] == c:
			literal.WriteByte(c)
			i++
		case c == '}':
			return nil, false
		default:
			end := strings.IndexAny(template[i+1:], "{}")
			if end < 1 || template[i+1+end] == '{' {
				return nil, false
			}
			flush()
			parts = append(parts, part{template[i+1 : i+1+end], true})
			i += 1 + end
		}
	}
	flush()
	return parts, true
}

// value is the variable's value, with every secret in its place.
func (v variable) value(k *keeper) (string, error) {
	var b strings.Builder
	for _, p := range v.parts {
		text := p.text
		if p.secret {
			value, err := k.read(p.text)
			if err != nil {
				return "", err
			}
			text = value
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// setVariable sets one variable in environ, in place of every earlier assignment to it.
func setVariable(environ []string, name, value string) []string {
	kept := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, name+"=")
	})
	return append(kept, name+"="+value)
}

// keeper reads secrets by their references, each once.
type keeper struct {
	policy  policy.Policy
	environ []string
	limit   time.Duration // for a command
	warn    func(text string)
	known   map[string]string
}

// read is the value of the secret. An error names the secret and its source, never a value.
func (k *keeper) read(name string) (string, error) {
	if value, ok := k.known[name]; ok {
		return value, nil
	}
	i := slices.IndexFunc(k.policy.Secrets, func(s policy.Secret) bool { return s.Name == name })
	if i < 0 {
		return "", errors.New("secret " + name + " is not in the manifest of this generation; declare it, then run agentihooks switch")
	}
	secret := k.policy.Secrets[i]
	value, err := k.readSource(secret)
	switch {
	case err != nil:
	case value == "":
		err = errors.New("it is empty or not set")
	case strings.IndexByte(value, 0) >= 0:
		err = errors.New("it holds a NUL byte, which no environment variable can")
	}
	if err != nil {
		text := "secret " + name + " (" + sourceText(secret) + "): " + err.Error()
		if secret.Doc != "" {
			text += "; " + secret.Doc
		}
		return "", errors.New(text)
	}
	if k.known == nil {
		k.known = map[string]string{}
	}
	k.known[name] = value
	return value, nil
}

// sourceText names where a secret comes from.
func sourceText(s policy.Secret) string {
	switch {
	case s.Env != "":
		return "environment variable " + s.Env
	case s.File != "":
		return "file " + s.File
	}
	return "command " + s.Command[0]
}
