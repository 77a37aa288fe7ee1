package copilot

import (
	"fmt"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// Where systemd's user manager looks for variables: programs that no shell starts have them from there.
const (
	systemdPath = "env/environment.d.conf"
	systemdName = ".config/environment.d/50-agentihooks.conf"
)

// attributesOfVariables is the variables that an attribute of the target, or of the manifest, sets.
var attributesOfVariables = map[string]string{
	AllowAllVariable: "allowAll", browserVariable: "browserCommand", channelsVariable: "channels",
}

// foreignVariables belong to the shell, the session or the loader: setting one breaks the shell that loads the file, or
// puts code into every program.
var foreignVariables = map[string]bool{
	"BASHOPTS": true, "BASH_ENV": true, "COPILOT_HOME": true, "ENV": true, "HOME": true, "IFS": true, "LOGNAME": true, "OLDPWD": true,
	"PATH": true, "PROMPT_COMMAND": true, "PS4": true, "PWD": true, "SHELL": true, "SHELLOPTS": true, "UID": true, "USER": true, "ZDOTDIR": true,
}

// ownVariables is the user's own variables, by name.
func (r *renderer) ownVariables() []variable {
	var out []variable
	for _, f := range r.attr("env").Fields {
		at := f.Value.Origin
		if r.settable(at, "env", f.Name) && r.text(at, "variable "+f.Name, f.Value.Text) {
			out = append(out, variable{name: f.Name, value: f.Value.Text, because: "env", origins: []diag.Range{at}})
		}
	}
	return out
}

// settable refuses a variable that is not for every shell to have from us.
func (r *renderer) settable(at diag.Range, what, name string) bool {
	switch attribute := attributesOfVariables[name]; {
	case !model.VariableName(name):
		r.diags.Errorf(at, "invalid-variable", fmt.Sprintf("%s: %q is no name of a variable", what, name),
			"It has letters, digits and _, and does not begin with a digit. Correct it.")
	case attribute != "":
		r.diags.Errorf(at, "invalid-variable", fmt.Sprintf("%s: %s is set by %s", what, name, attribute), "Write `%s` in its place.", attribute)
	case foreignVariables[name] || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_"):
		r.diags.Errorf(at, "invalid-variable", fmt.Sprintf("%s: %s is not ours to set", what, name),
			"Every shell that loads the file would have it. Set it where your shell does, or remove it.")
	default:
		return true
	}
	return false
}

// environmentD writes the variables for systemd, but for allowAll, since what no person started is not to do everything, and
// for secrets, which systemd cannot ask for.
func (r *renderer) environmentD(variables []variable) {
	on := r.attr("environmentD")
	if on.Kind != model.KindBool || !on.Bool {
		return
	}
	if os := r.in.Machine.Facts.OS; os != "linux" {
		r.diags.Warnf(on.Origin, "no-effect", "environmentD does nothing on "+os, "Only systemd reads it. Move it into the hosts that run Linux.")
		return
	}
	var text strings.Builder
	origins := []diag.Range{on.Origin}
	for _, v := range variables {
		if v.name != AllowAllVariable && !v.secret && v.value != "" { // systemd takes none for no variable
			fmt.Fprintf(&text, "# %s\n%s=%s\n", v.because, v.name, systemdQuote(v.value))
			origins = append(origins, v.origins...)
		}
	}
	if text.Len() == 0 {
		return
	}
	r.file(systemdPath, []byte(text.String()), false, origins...)
	r.link(r.userHome(systemdName), systemdPath, origins...)
}

// systemdQuote is a value as systemd's environment generator reads it back (252; man 5 environment.d): in double quotes a
// backslash escapes, and two dollars are one.
func systemdQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", "$$").Replace(s) + `"`
}
