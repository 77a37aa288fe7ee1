package compiler

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentihooks/agentihooks/internal/mcpfile"
)

// credentialRule is one sort of literal that is no configuration but a credential.
type credentialRule struct {
	name  string
	hint  string // a text without it cannot match
	match *regexp.Regexp
	digit bool // without a digit it is a word
}

// credentialRules is compiled when the first literal is looked at.
var credentialRules = sync.OnceValue(func() []credentialRule {
	re := regexp.MustCompile
	return []credentialRule{
		{name: "a GitHub token", hint: "gh", match: re(`\bgh[pousr]_[A-Za-z0-9]{16,}`)},
		{name: "a GitHub token", hint: "github_pat_", match: re(`\bgithub_pat_[A-Za-z0-9_]{16,}`)},
		{name: "an AWS access key", hint: "A", match: re(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
		{name: "an API key", hint: "sk-", match: re(`(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}`), digit: true},
		{name: "a Slack token", hint: "xox", match: re(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
		{name: "a Stripe key", hint: "k_", match: re(`\b[rs]k_(live|test)_[A-Za-z0-9]{16,}`)},
		{name: "a JSON web token", hint: "eyJ", match: re(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
		{name: "a private key", hint: "-----BEGIN", match: re(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
		{name: "a bearer token", match: re(`(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{20,}`)},
		{name: "a basic authorization", match: re(`(?i)\bbasic\s+[A-Za-z0-9+/]{12,}={0,2}(\s|$)`), digit: true},
		{name: "a password in an address", hint: "://", match: re(`[A-Za-z][A-Za-z0-9+.-]*://[^/\s:@]*:[^/\s:@$][^/\s@]*@`)},
	}
})

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

func credentialIn(text string) string {
	for _, r := range credentialRules() {
		if !strings.Contains(text, r.hint) {
			continue
		}
		if found := r.match.FindString(text); found != "" && (!r.digit || strings.ContainsAny(found, digits)) {
			return r.name
		}
	}
	return ""
}
