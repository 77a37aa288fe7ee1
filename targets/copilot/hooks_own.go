package copilot

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// entry is one entry of the hooks file. Which fields there are is what Copilot 1.0.80 to 1.0.102 read.
type entry struct {
	Type       string            `json:"type"`
	Exec       string            `json:"exec,omitempty"`
	Args       []string          `json:"args,omitempty"`
	Command    string            `json:"command,omitempty"`
	URL        string            `json:"url,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Allowed    []string          `json:"allowedEnvVars,omitempty"` // variables that are expanded in Headers; others become nothing
	Prompt     string            `json:"prompt,omitempty"`
	Matcher    string            `json:"matcher,omitempty"`
	TimeoutSec any               `json:"timeoutSec,omitempty"`
	Env        map[string]string `json:"env,omitempty"`
	Cwd        string            `json:"cwd,omitempty"`
}

// ownHooks is the hooks of the user's own by event, in the order of their names.
func (r *renderer) ownHooks() map[string][]entry {
	out := map[string][]entry{}
	for _, b := range r.in.Machine.Hooks {
		event := b.Label
		if e := b.Attrs.Get("event"); e.Kind == model.KindString {
			event = e.Text
		}
		e := entry{
			Type: "command", Exec: b.Attrs.Get("exec").Text, Args: texts(b.Attrs.Get("args")), Command: b.Attrs.Get("command").Text,
			URL: b.Attrs.Get("url").Text, Prompt: b.Attrs.Get("prompt").Text,
			Matcher: b.Attrs.Get("matcher").Text, Cwd: b.Attrs.Get("cwd").Text,
		}
		e.environment(b, r.in.Hook)
		if v := b.Attrs.Get("timeoutSec"); v.Kind == model.KindNumber {
			e.TimeoutSec = plain(v)
		}
		switch {
		case e.URL != "":
			e.Type = "http"
			r.headers(b, &e)
			r.checkAddress(b, event, len(e.Allowed) > 0)
		case e.Prompt != "":
			e.Type = "prompt"
		}
		out[event] = append(out[event], e)
	}
	return out
}

// environment adds the hook's variables. With secrets among them our program starts it: `secret-exec` reads them at that
// moment and hands them to the hook alone, and where one cannot be read it fails, so that a call is denied.
func (e *entry) environment(b model.Block, program string) {
	var given []string // arguments of secret-exec
	for _, f := range b.Attrs.Get("env").Fields {
		if f.Value.Kind == model.KindTemplate {
			given = append(given, assignment(f))
			continue
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[f.Name] = f.Value.Text
	}
	if len(given) == 0 {
		return
	}
	argv := append([]string{e.Exec}, e.Args...)
	if e.Command != "" { // as Copilot itself starts it
		argv = []string{"bash", "--norc", "--noprofile", "-c", e.Command}
	}
	e.Exec, e.Command = program, ""
	e.Args = slices.Concat([]string{"secret-exec"}, given, []string{"--"}, argv)
}

// headers adds the headers. Copilot 1.0.80 to 1.0.102 expand $NAME and ${NAME} in them, but only variables that
// allowedEnvVars lists; with others nothing is sent in their place.
func (r *renderer) headers(b model.Block, e *entry) {
	for _, f := range b.Attrs.Get("headers").Fields {
		literals := f.Value.Text
		for _, p := range f.Value.Parts {
			literals += p.Literal + "\x00"
			if env := r.secret(p.Secret).Attrs.Get("env"); p.Secret != "" && env.Kind == model.KindString && !slices.Contains(e.Allowed, env.Text) {
				e.Allowed = append(e.Allowed, env.Text)
			}
		}
		if hasReference(literals) || strings.Contains(literals, "$\x00") {
			r.diags.Errorf(f.Value.Origin, "hook-header", fmt.Sprintf("hook %q: Copilot would send nothing for the variable in %s", b.Label, f.Name),
				"It expands only secrets there. Declare one that is read from the variable, and write ${secret.NAME}.")
			continue
		}
		if e.Headers == nil {
			e.Headers = map[string]string{}
		}
		e.Headers[f.Name] = r.expanded(b, f.Value)
	}
	slices.Sort(e.Allowed)
}

// decides is the events at which the answer of a hook lets a call through or changes it.
var decides = []string{"preToolUse", "preMcpToolCall", "permissionRequest"}

// checkAddress refuses an address without TLS where Copilot 1.0.80 to 1.0.102 skip the hook for it: where the answer
// decides, or a secret is sent. One on this machine is skipped without COPILOT_HOOK_ALLOW_LOCALHOST=1.
func (r *renderer) checkAddress(b model.Block, event string, secret bool) {
	at := b.Attrs.Get("url")
	address, err := url.Parse(at.Text)
	if err != nil || !secret && !slices.Contains(decides, event) {
		return
	}
	host := address.Hostname()
	switch {
	case host == "localhost" || host == "::1" || strings.HasPrefix(host, "127."):
		r.diags.Warnf(at.Origin, "hook-loopback", "hook \""+b.Label+"\": Copilot skips a hook on this machine",
			"It runs only where COPILOT_HOOK_ALLOW_LOCALHOST=1 is in Copilot's environment. Use exec, or set that.")
	case address.Scheme == "http":
		r.diags.Errorf(at.Origin, "hook-plain-http", "hook \""+b.Label+"\": Copilot skips a hook without https here",
			"Others could read the secret that it sends, or change the answer that decides about a call. Write an https address.")
	}
}
