package copilot

import (
	"fmt"
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// askBegins is how the value of an exported secret begins in copilot.env. No value that shellQuote wrote begins so.
const askBegins = `"$(`

// exported is the secrets that the manifest wants in the environment. Their values stand in no file of ours.
func (r *renderer) exported() []variable {
	own := r.attr("env").Fields
	var out []variable
	for _, b := range r.in.Machine.Secrets {
		export := b.Attrs.Get("export")
		if !export.Bool || !r.settable(export.Origin, "secret", b.Label) {
			continue
		}
		if i := slices.IndexFunc(own, func(f model.Field) bool { return f.Name == b.Label }); i >= 0 {
			r.diags.Errorf(export.Origin, "conflict", fmt.Sprintf("secret %q and env set the same variable", b.Label), "Rename the secret, or remove one of the two.")
			r.relate(own[i].Value.Origin)
			continue
		}
		out = append(out, variable{name: b.Label, secret: true, because: "secret " + b.Label, origins: []diag.Range{export.Origin}})
	}
	return out
}

// askInShell is a word that asks the hook for a secret when the file is loaded.
func (r *renderer) askInShell(name string) string {
	return askBegins + shellQuote(r.in.Hook) + ask(name) + `)"`
}

func (r *renderer) askInFish(name string) string {
	return "(" + fishQuote(r.in.Hook) + ask(name) + " | string collect)"
}

func ask(name string) string { return " secret-exec " + name + " -- printenv " + name }
