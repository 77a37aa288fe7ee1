package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// credentialFiles are the files in which programs keep credentials, by what their paths end in. They are looked for in any
// folder: a copy of one is no better.
var credentialFiles = [...]string{
	".aws/credentials", ".azure/accessTokens.json", ".azure/msal_token_cache.*", ".bash_history", ".boto", ".cargo/credentials", ".cargo/credentials.toml",
	".claude/.credentials.json", ".codex/auth.json", ".config/gcloud/access_tokens.db", ".config/gcloud/application_default_credentials.json",
	".config/gcloud/credentials.db", ".config/gcloud/legacy_credentials/**", ".config/gh/hosts.yml", ".config/glab-cli/config.yml", ".config/op/**",
	".copilot/config.json", ".docker/config.json", ".dockercfg", ".env", ".env.*", "*.env", ".envrc", ".gem/credentials", ".git-credentials", ".gnupg/private-keys-v1.d/**",
	".htpasswd", ".kube/config", ".my.cnf", ".mysql_history", ".netrc", "_netrc", ".npmrc", ".password-store/**", ".pgpass", ".psql_history", ".pypirc",
	".rediscli_history", ".s3cfg", ".terraform.d/credentials.tfrc.json", ".vault-token", ".yarnrc.yml", ".zsh_history",
	"*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*key*.pem", "*priv*.pem", "id_dsa", "id_ecdsa*", "id_ed25519*", "id_rsa", "*_rsa", "*_ed25519",
}

// sampleEndings are the endings of files that show what such a file looks like.
var sampleEndings = [...]string{".example", ".sample", ".template", ".dist", ".tpl", ".tmpl", ".defaults", ".schema", ".pub", ".md", ".go", ".ts", ".js", ".py", ".rs"}

// holdsCredentials reports whether an absolute path is that of a file for credentials.
func (c *Call) holdsCredentials(args Args, name string) bool {
	if c.allowedPath(args, name) {
		return false
	}
	covered := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return c.covers(p, name) })
	}
	return isCredentialFile(name) || covered(args.texts("files")) || covered(args.texts("secretFiles"))
}

func isCredentialFile(name string) bool {
	switch {
	case name == "/etc/shadow" || name == "/etc/gshadow" || below(name, "/run/secrets") || below(name, "/var/run/secrets"):
		return true
	case strings.HasPrefix(name, "/proc/"):
		return path.Base(name) == "environ"
	case slices.ContainsFunc(sampleEndings[:], func(end string) bool { return strings.HasSuffix(name, end) }):
		return false
	}
	for _, pattern := range credentialFiles {
		if first, _, folder := strings.Cut(pattern, "/"); folder && !strings.Contains(name, first+"/") {
			continue
		}
		if coversPath("/**/"+pattern, name) {
			return true
		}
	}
	return false
}

// credentialFile is the file for credentials that an access reads, if there is one. Of a path that only the shell can know
// the end counts.
func (c *Call) credentialFile(args Args, a access.Access) string {
	places, sure := c.Places(a)
	for _, place := range places {
		if c.holdsCredentials(args, place) {
			return place
		}
		if a.Tree && slices.ContainsFunc([]string{"/.ssh", "/.aws", "/.gnupg", "/.password-store"}, func(end string) bool { return strings.HasSuffix(place, end) }) && !c.allowedPath(args, place) {
			return place
		}
	}
	if text := a.Path.Text; strings.HasPrefix(text, "/proc/") && path.Base(text) == "environ" {
		return text
	}
	if end := knownEnd(a.Path); !sure && end != "" && c.holdsCredentials(args, "/"+end) {
		return end
	}
	return ""
}

// unseen reports whether the command that an access stands in shows nothing of the file.
func unseen(script *shell.Script, a access.Access) bool {
	if a.By != nil {
		return countsOrNames(script, a.By) || silent(a.By.Name().Text, a.By)
	}
	first, _, _ := strings.Cut(a.Source, " ") // behind a redirection
	return counts(first, &shell.Command{Words: []shell.Word{{Text: first}}})
}

// silent reports whether a program does something with a file and shows nothing of it.
func silent(name string, c *shell.Command) bool {
	switch name {
	case "mv":
		return true
	case "curl": // it signs in with a key and shows nothing of it; what it sends stands behind an @
		a := readArguments(c.Words[1:], "", "")
		return !strings.Contains(c.Source, "@") && !a.has("-T", "--upload-file", "-K", "--config", "-b", "--cookie")
	case "openssl":
		kinds := []string{"rsa", "pkey", "ec", "dsa", "pkcs8", "pkcs12", "base64", "enc", "asn1parse"}
		words := texts(c.Words)
		return len(words) > 1 && !slices.Contains(kinds, words[1]) || slices.Contains(words, "-noout") || slices.Contains(words, "-pubout")
	}
	return counts(name, c)
}

// handsOver is the pattern of a find whose files another program reads, if it can name one for credentials.
func (c *Call) handsOver(args Args, script *shell.Script, find *shell.Command) string {
	reads := false
	for i := range script.Commands {
		other := &script.Commands[i]
		by := other.Source == find.Source && slices.Contains(other.Via, find.Name().Text) || find.Pipe != 0 && other.Pipe == find.Pipe && slices.Contains(other.Via, "xargs")
		if by && readsFiles(other.Name().Text) && !silent(other.Name().Text, other) {
			reads = true
		}
	}
	if !reads {
		return ""
	}
	for i, word := range find.Words[:len(find.Words)-1] {
		pattern := find.Words[i+1].Text
		if !slices.Contains([]string{"-name", "-iname", "-path", "-ipath", "-wholename", "-g", "--glob"}, word.Text) || i > 0 && (find.Words[i-1].Text == "!" || find.Words[i-1].Text == "-not") {
			continue
		}
		for _, sample := range []string{".env", ".env.local", "prod.env", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", "credentials", "id_rsa", "id_ed25519", "server.key"} {
			if ok, err := path.Match(path.Base(pattern), sample); err == nil && ok && strings.Trim(pattern, "*") != "" && !allows(args, path.Base(pattern)) {
				return pattern
			}
		}
	}
	return ""
}

// fed is a file for credentials that an earlier stage, or a here-string, names to xargs.
func (c *Call) fed(args Args, script *shell.Script, reader *shell.Command) string {
	if !slices.Contains(reader.Via, "xargs") || !readsFiles(reader.Name().Text) || silent(reader.Name().Text, reader) {
		return ""
	}
	var words []shell.Word
	for i := range script.Commands {
		other := &script.Commands[i]
		if reader.Pipe != 0 && other.Pipe == reader.Pipe && slices.Contains([]string{"echo", "printf", "ls"}, other.Name().Text) {
			words = append(words, other.Words[1:]...)
		}
		if slices.Contains(texts(other.Words), "xargs") {
			for _, r := range other.Redirs {
				words = append(words, r.Target)
			}
		}
	}
	for _, word := range words {
		for name := range strings.FieldsSeq(word.Text) {
			if c.holdsCredentials(args, access.Absolute(name, reader.Dir, c.Home)) {
				return name
			}
		}
	}
	return ""
}

// readsFiles reports whether a program shows the files that it is given.
func readsFiles(name string) bool {
	a := access.Of(&shell.Script{Commands: []shell.Command{{Words: []shell.Word{{Text: name}, {Text: "x"}, {Text: "y"}}}}})
	return slices.ContainsFunc(a, func(a access.Access) bool { return a.Mode&access.Read != 0 })
}

// gitFile is the file for credentials that git shows, perhaps of a revision: HEAD:.env.
func (c *Call) gitFile(args Args, git *shell.Command) (string, bool) {
	if git.Name().Text != "git" {
		return "", false
	}
	shows := false
	for _, word := range git.Words[1:] {
		if slices.Contains([]string{"show", "diff", "log", "blame", "cat-file", "grep", "difftool"}, word.Text) {
			shows = true
		}
		file := word.Text[strings.IndexByte(word.Text, ':')+1:]
		if shows && !strings.HasPrefix(word.Text, "-") && c.holdsCredentials(args, access.Absolute(file, git.Dir, c.Home)) {
			return file, true
		}
	}
	return "", false
}
