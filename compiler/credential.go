package compiler

import (
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/credential"
	"github.com/agentihooks/agentihooks/internal/mcpfile"
)

// looksLikeCredential is what the text seems to be, or "": as it stands, or with the defaults of its variables.
func looksLikeCredential(text string) string {
	kind := credentialIn(text)
	if kind == "" && strings.Contains(text, "${") {
		kind = credentialIn(withDefaults(text))
	}
	return kind
}

// withDefaults is a text where none of the variables is set that it names in braces. A $NAME without braces stays: it
// may as well be a part of a password.
func withDefaults(text string) string {
	for _, ref := range mcpfile.References(text) {
		if ref.Spelling == mcpfile.Braced || ref.Spelling == mcpfile.Default {
			text = strings.Replace(text, ref.Text, ref.Default, 1)
		}
	}
	return text
}

// credentialIn leaves out what is one by its name alone: checkCredentials goes by the names of a server's attributes.
func credentialIn(text string) string {
	for hit := range credential.In(text) {
		if hit.Rule != credential.Assigned {
			return hit.Rule
		}
	}
	return ""
}
