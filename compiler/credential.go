package compiler

import (
	"regexp"
	"strings"
	"sync"
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

// looksLikeCredential is what the text seems to be, or "".
func looksLikeCredential(text string) string {
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
