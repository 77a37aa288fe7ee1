package copilot

import (
	"net/url"
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
			URL: b.Attrs.Get("url").Text, Headers: textMap(b.Attrs.Get("headers")), Prompt: b.Attrs.Get("prompt").Text,
			Matcher: b.Attrs.Get("matcher").Text, Env: textMap(b.Attrs.Get("env")), Cwd: b.Attrs.Get("cwd").Text,
		}
		if v := b.Attrs.Get("timeoutSec"); v.Kind == model.KindNumber {
			e.TimeoutSec = plain(v)
		}
		switch {
		case e.URL != "":
			e.Type = "http"
			r.checkLoopback(b, event)
		case e.Prompt != "":
			e.Type = "prompt"
		}
		out[event] = append(out[event], e)
	}
	return out
}

// checkLoopback warns of an address on this machine: Copilot 1.0.80 to 1.0.102 skip such a preToolUse entry without
// COPILOT_HOOK_ALLOW_LOCALHOST=1.
func (r *renderer) checkLoopback(b model.Block, event string) {
	at := b.Attrs.Get("url")
	address, err := url.Parse(at.Text)
	if err != nil || event != "preToolUse" {
		return
	}
	if host := address.Hostname(); host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.") {
		r.diags.Warnf(at.Origin, "hook-loopback", "hook \""+b.Label+"\": Copilot skips a hook on this machine",
			"It runs only where COPILOT_HOOK_ALLOW_LOCALHOST=1 is in Copilot's environment. Use exec, or set that.")
	}
}

// textMap is the texts of an object, or nil.
func textMap(v model.Value) map[string]string {
	var out map[string]string
	for _, f := range v.Fields {
		if out == nil {
			out = map[string]string{}
		}
		out[f.Name] = f.Value.Text
	}
	return out
}
