package copilot

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// local adds what a local server has. With secrets in its environment the hook starts it: `secret-exec` reads the
// secrets at that moment and hands them to the server alone.
func (r *renderer) local(b model.Block, entry object) {
	if complete(b) {
		entry["type"] = "local" // "stdio" is another name for it
	}
	args := texts(b.Attrs.Get("args"))
	env := object{}
	var given []string // arguments of secret-exec
	variables := b.Attrs.Get("env")
	for _, f := range variables.Fields {
		if f.Value.Kind == model.KindTemplate {
			given = append(given, r.assignment(b, f))
			continue
		}
		r.checkVariable(b, f)
		env[f.Name] = f.Value.Text
	}
	if len(env) > 0 || variables.Kind != model.KindAbsent && !complete(b) {
		entry["env"] = env
	}
	if len(given) > 0 {
		args = append(append(append([]string{"secret-exec"}, given...), "--", b.Attrs.Get("command").Text), args...)
		entry["command"] = r.in.Hook
	}
	if len(args) > 0 || b.Attrs.Get("args").Kind != model.KindAbsent || complete(b) {
		entry["args"] = args
	}
}

// assignment is a variable with secrets in it as secret-exec takes it.
func (r *renderer) assignment(b model.Block, f model.Field) string {
	parts := f.Value.Parts
	for i, p := range parts {
		if hasReference(p.Literal) || i+1 < len(parts) && strings.HasSuffix(p.Literal, "$") {
			r.diags.Errorf(f.Value.Origin, "mcp-env-mixed", fmt.Sprintf("mcp %q: %s mixes a secret with a variable", b.Label, f.Name),
				"Copilot would expand it in the text in which the secret's place is marked. Give the server two variables, or write the value without $.")
			return ""
		}
	}
	return assignment(f)
}

// assignment is the name alone if the value is the secret of the same name, else NAME=TEMPLATE with {SECRET} for a secret
// and doubled braces for literal ones.
func assignment(f model.Field) string {
	if len(f.Value.Parts) == 1 && f.Value.Parts[0].Secret == f.Name {
		return f.Name
	}
	var template strings.Builder
	for _, p := range f.Value.Parts {
		if p.Secret != "" {
			template.WriteString("{" + p.Secret + "}")
			continue
		}
		template.WriteString(strings.NewReplacer("{", "{{", "}", "}}").Replace(p.Literal))
	}
	return f.Name + "=" + template.String()
}

// withoutSecrets is a command line without the part that hands it its secrets.
func withoutSecrets(command string, args []string) []string {
	if len(args) > 0 && args[0] == "secret-exec" {
		if i := slices.Index(args, "--"); i >= 0 {
			return args[i+1:]
		}
	}
	return append([]string{command}, args...)
}

// hasReference reports whether Copilot would expand something in a text: $NAME or ${…}.
func hasReference(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		c := text[i+1]
		if text[i] == '$' && (c == '{' || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return true
		}
	}
	return false
}

// variableLike is a word that hardly is anything but the name of a variable: DEBUG is a level, MY_TOKEN is not.
var variableLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`) })

// checkVariable refuses a literal that Copilot would take for the name of a variable: Copilot 1.0.83 and 1.0.102 replace
// a value that is just the name of one they know by its value (seen: a server started with E = "HOME" got the home).
func (r *renderer) checkVariable(b model.Block, f model.Field) {
	text := f.Value.Text
	for _, s := range r.in.Machine.Secrets {
		if text != "" && (s.Attrs.Get("env").Text == text || s.Label == text) {
			r.diags.Errorf(f.Value.Origin, "mcp-env-name", fmt.Sprintf("mcp %q: %s = %q would become the secret %q", b.Label, f.Name, text, s.Label),
				"Copilot replaces a value that is just the name of a variable by that variable's value. Write secret.%s if that is meant, else another value.", s.Label)
			return
		}
	}
	if model.EverydayVariable(text) {
		r.diags.Errorf(f.Value.Origin, "mcp-env-name", fmt.Sprintf("mcp %q: %s = %q would become the value of %s", b.Label, f.Name, text, text),
			"Copilot replaces a value that is just the name of a variable by that variable's value. Write \"$${%s}\" if that is meant, else another value.", text)
		return
	}
	if variableLike().MatchString(text) {
		r.diags.Warnf(f.Value.Origin, "mcp-env-name", fmt.Sprintf("mcp %q: %s = %q reads like the name of a variable", b.Label, f.Name, text),
			"Where a variable of that name is set, Copilot gives the server its value instead. Write \"$${%s}\" if that is meant.", text)
	}
}
