package copilot

import (
	"fmt"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
)

const mcpPath = "copilot/mcp-config.json"

// servers renders the entries of mcp-config.json that are ours. Each is complete, if not said otherwise, and in the form
// that Copilot's own rewrite of the file leaves equal (`copilot mcp add` on 1.0.102: it adds type, args and tools where they
// lack).
func (r *renderer) servers() {
	entries := object{}
	var keys []tree.Key
	var origins []diag.Range
	r.checkServerNames()
	for _, b := range r.in.Machine.MCP {
		r.checkServer(b)
		entry := r.server(b)
		if entry == nil {
			continue
		}
		entries[b.Label] = entry
		keys = append(keys, tree.Key{Path: []string{"mcpServers", b.Label}})
		origins = append(origins, b.Origin)
	}
	if len(keys) == 0 {
		return
	}
	r.merge(r.home("mcp-config.json"), mcpPath, canonical(object{"mcpServers": entries}), keys, origins...)
}

// server is one entry, or nil after an error.
func (r *renderer) server(b model.Block) object {
	command, url := b.Attrs.Get("command"), b.Attrs.Get("url")
	if (command.Kind == model.KindAbsent) == (url.Kind == model.KindAbsent) {
		r.diags.Errorf(b.Origin, "mcp-transport", fmt.Sprintf("mcp %q needs either command or url", b.Label),
			"A local server has a command, a remote one a url. Give exactly one of the two.")
		return nil
	}
	entry := object{}
	if complete(b) {
		entry["tools"] = []string{"*"}
	}
	before := len(r.diags)
	for _, f := range b.Attrs.Fields {
		switch f.Name {
		case "complete", "enabled", "env", "headers", "url":
		case "type":
			if !complete(b) {
				entry["type"] = f.Value.Text
			}
		case "disabled":
			if f.Value.Bool || !complete(b) {
				entry["disabled"] = f.Value.Bool
			}
		default:
			if t := secretIn(f.Value); t.Kind != model.KindAbsent {
				r.diags.Errorf(t.Origin, "secret-not-allowed", fmt.Sprintf("mcp %q: a secret cannot stand in %s", b.Label, f.Name),
					"Everyone on the machine could read it there. Give it to the server in env, or to a remote one in headers or url.")
				continue
			}
			entry[f.Name] = plain(f.Value)
		}
	}
	if command.Kind != model.KindAbsent {
		r.local(b, entry)
	} else {
		r.remote(b, entry)
	}
	if len(r.diags) > before && r.diags[before:].HasErrors() {
		return nil
	}
	return entry
}

// complete reports whether an entry gets what the block does not say.
func complete(b model.Block) bool {
	v := b.Attrs.Get("complete")
	return v.Kind == model.KindAbsent || v.Bool
}

// remote adds what an http or sse server has. Copilot replaces ${NAME} in url and headers by the variable's value
// (seen on 1.0.83 and 1.0.102), so a secret there has to be in its environment.
func (r *renderer) remote(b model.Block, entry object) {
	entry["url"] = r.expanded(b, b.Attrs.Get("url"))
	if given := b.Attrs.Get("headers"); len(given.Fields) > 0 || given.Kind != model.KindAbsent && !complete(b) {
		headers := object{}
		for _, f := range given.Fields {
			headers[f.Name] = r.expanded(b, f.Value)
		}
		entry["headers"] = headers
	}
	if !complete(b) {
		return
	}
	entry["type"] = "http"
	if t := b.Attrs.Get("type"); t.Kind == model.KindString {
		entry["type"] = t.Text
	}
	for _, name := range []string{"auth", "oidc"} {
		if _, set := entry[name]; !set {
			entry[name] = false
		}
	}
}

// expanded is a text in which Copilot expands variables, each secret as a reference to its variable.
func (r *renderer) expanded(b model.Block, v model.Value) string {
	if v.Kind != model.KindTemplate {
		return v.Text
	}
	var text strings.Builder
	for _, p := range v.Parts {
		if p.Secret == "" {
			text.WriteString(p.Literal)
			continue
		}
		secret := r.secret(p.Secret)
		name := secret.Attrs.Get("env").Text
		if secret.Attrs.Get("export").Bool {
			name = secret.Label
		}
		if name == "" {
			r.diags.Errorf(v.Origin, "secret-needs-env", fmt.Sprintf("%s %q: secret %q has no variable", b.Type, b.Label, p.Secret),
				"Copilot itself sends it, and can take it only from its environment. Declare the secret with env, or with export = true, which lets every program of your shells read it.")
			r.relate(secret.Origin)
			r.diags[len(r.diags)-1].Related[0].Label = "declared here"
			return ""
		}
		text.WriteString("${" + name + "}")
	}
	return text.String()
}

// secret is the block of a declared secret. A template names only declared ones.
func (r *renderer) secret(name string) model.Block {
	for _, b := range r.in.Machine.Secrets {
		if b.Label == name {
			return b
		}
	}
	return model.Block{}
}
