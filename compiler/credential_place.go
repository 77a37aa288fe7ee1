package compiler

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/mcpfile"
)

// credentialName matches the names of options, variables, headers and parameters whose value is a credential, whatever
// it looks like.
var credentialName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[._-])((api|access|private|secret)[._-]?key|authorization|cookie|pass(wd|word|phrase)?|secret|token)$`)
})

func namesCredential(name string) bool {
	return credentialName().MatchString(strings.TrimLeft(name, "-"))
}

// isPlainCredential reports whether a value is a credential itself, not a reference, a placeholder or the file that holds it.
func isPlainCredential(value string) bool {
	for _, ref := range mcpfile.References(value) {
		switch ref.Spelling {
		case mcpfile.Braced, mcpfile.Editor:
			return false
		case mcpfile.Plain: // pa$word is a password
			if at := strings.Index(value, ref.Text); at == 0 || strings.IndexByte(" :=", value[at-1]) >= 0 {
				return false
			}
		}
	}
	value = withDefaults(value)
	return len(value) >= 8 && !strings.ContainsAny(value[:1], "<{/~.")
}

// checkCredentials refuses literals of a server that stand where a credential stands.
func checkCredentials(l *diag.List, title string, b model.Block) {
	report := func(at diag.Range, where, name, instead string) {
		l.Errorf(at, "credential", title+" has a literal for `"+name+"` in "+where,
			"That is the place of a credential, and the file can be read by the agent. Declare `secret \"NAME\" { … }` and %s.", instead)
	}
	for _, attr := range []string{"env", "headers"} {
		for _, f := range b.Attrs.Get(attr).Fields {
			if f.Value.Kind == model.KindString && namesCredential(f.Name) && isPlainCredential(f.Value.Text) {
				report(f.Value.Origin, "`"+attr+"`", f.Name, "write ${secret.NAME} in its place")
			}
		}
	}
	if url := b.Attrs.Get("url"); url.Kind == model.KindString {
		_, query, _ := strings.Cut(url.Text, "?")
		for pair := range strings.SplitSeq(query, "&") {
			if name, value, _ := strings.Cut(pair, "="); namesCredential(name) && isPlainCredential(value) {
				report(url.Origin, "`url`", name, "write ${secret.NAME} in its place")
			}
		}
	}
	before := ""
	for _, arg := range b.Attrs.Get("args").List {
		name, value := before, arg.Text
		if i := strings.IndexAny(arg.Text, "=:"); i > 0 && namesCredential(arg.Text[:i]) {
			name, value = arg.Text[:i], strings.TrimSpace(arg.Text[i+1:])
		} else if !strings.HasPrefix(before, "-") || strings.HasPrefix(value, "-") {
			name = ""
		}
		if namesCredential(name) && isPlainCredential(value) {
			report(arg.Origin, "`args`", name, "give it to the server in `env`: everyone on the machine can read arguments")
		}
		before = arg.Text
	}
}
