package guard

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// revealer is a command that prints a credential, by the manuals of the programs as of 2026: its operands begin with these
// words. A word may be several, parted by a |. With needs it does only if one of these options is there, with unless only if
// none is; operand is what one of the other operands has to contain, or behind a ^ begin with.
type revealer struct {
	program, words         string
	needs, unless, operand string
}

var revealers = [...]revealer{
	{program: "ansible-vault", words: "view|decrypt|edit"},
	{program: "aws", words: "codeartifact get-authorization-token"},
	{program: "aws", words: "configure export-credentials"},
	{program: "aws", words: "configure get", operand: "secret"},
	{program: "aws", words: "configure get", operand: "token"},
	{program: "aws", words: "ecr|ecr-public get-login-password"},
	{program: "aws", words: "eks get-token"},
	{program: "aws", words: "iam create-access-key"},
	{program: "aws", words: "rds generate-db-auth-token"},
	{program: "aws", words: "secretsmanager get-secret-value|batch-get-secret-value"},
	{program: "aws", words: "ssm get-parameter|get-parameters|get-parameters-by-path", needs: "--with-decryption"},
	{program: "aws", words: "sso get-role-credentials"},
	{program: "aws", words: "sts assume-role|assume-role-with-saml|assume-role-with-web-identity|get-session-token|get-federation-token"},
	{program: "az", words: "account get-access-token"},
	{program: "az", words: "acr credential show"},
	{program: "az", words: "acr login", needs: "--expose-token"},
	{program: "az", words: "keyvault secret show|download"},
	{program: "az", words: "storage account keys list"},
	{program: "bw", words: "get password|totp|item|notes"},
	{program: "bw", words: "list items"},
	{program: "bw", words: "export"},
	{program: "chamber", words: "read|export|env"},
	{program: "docker", words: "compose config", unless: "--no-interpolate -q --quiet --services --images --volumes --profiles --hash --variables"},
	{program: "docker", words: "inspect", unless: "-f --format"},
	{program: "docker", words: "container inspect", unless: "-f --format"},
	{program: "docker-compose", words: "config", unless: "--no-interpolate -q --quiet --services --images --volumes --profiles --hash"},
	{program: "doppler", words: "secrets", unless: "--only-names"},
	{program: "flyctl", words: "auth token"},
	{program: "fly", words: "auth token"},
	{program: "gcloud", words: "auth application-default print-access-token"},
	{program: "gcloud", words: "auth print-access-token|print-identity-token"},
	{program: "gcloud", words: "config config-helper"},
	{program: "gcloud", words: "secrets versions access"},
	{program: "gh", words: "auth status", needs: "-t --show-token"},
	{program: "gh", words: "auth token"},
	{program: "git", words: "credential fill"},
	{program: "git-credential-manager", words: "get"},
	{program: "glab", words: "auth status", needs: "-t --show-token"},
	{program: "glab", words: "config get", operand: "token"},
	{program: "gopass", words: "show"},
	{program: "gpg", needs: "--export-secret-keys --export-secret-subkeys"},
	{program: "heroku", words: "config:get"},
	{program: "heroku", words: "config"},
	{program: "infisical", words: "secrets|export"},
	{program: "keyring", words: "get"},
	{program: "kubectl", words: "config view", needs: "--raw"},
	{program: "kubectl", words: "create token"},
	{program: "kubectl", words: "get", operand: "^secret", needs: "-o --output --template"},
	{program: "lpass", words: "show|export"},
	{program: "netlify", words: "env:list|env:get"},
	{program: "npm", words: "config get", operand: "_auth"},
	{program: "npm", words: "config get", operand: "_password"},
	{program: "oc", words: "get", operand: "^secret", needs: "-o --output --template"},
	{program: "oc", words: "whoami", needs: "-t --show-token"},
	{program: "op", words: "read"},
	{program: "op", words: "item|document get"},
	{program: "pass", words: "show"},
	{program: "pulumi", words: "config", needs: "--show-secrets"},
	{program: "pulumi", words: "stack output", needs: "--show-secrets"},
	{program: "rails", words: "credentials:show"},
	{program: "railway", words: "variables"},
	{program: "secret-tool", words: "lookup|search"},
	{program: "security", words: "dump-keychain"},
	{program: "security", words: "find-generic-password|find-internet-password", needs: "-w -g"},
	{program: "sops", words: "decrypt"},
	{program: "sops", needs: "-d --decrypt"},
	{program: "terraform", words: "output", needs: "-json -raw"},
	{program: "vault", words: "kv get"},
	{program: "vault", words: "print token"},
	{program: "vault", words: "read"},
	{program: "vault", words: "token create"},
}

// Options of these programs that take a value and may stand before a word that counts.
const revealerLong = "profile region output query endpoint-url project account configuration namespace context kubeconfig hostname account-id vault address file project-name env config template"

// reveals is the command that prints a credential, as the table has it: "gh auth token".
func reveals(name string, c *shell.Command) string {
	known := false
	for _, r := range revealers {
		known = known || r.program == name
	}
	if !known {
		return ""
	}
	a := readArguments(c.Words[1:], "nrofhp", revealerLong)
	for _, r := range revealers {
		if r.program == name && r.matches(a, texts(a.operands)) {
			return strings.TrimSuffix(name+" "+r.words, " ")
		}
	}
	return ""
}

func (r revealer) matches(a arguments, operands []string) bool {
	words := strings.Fields(r.words)
	if len(operands) < len(words) {
		return false
	}
	for i, word := range words {
		if !slices.Contains(strings.Split(word, "|"), operands[i]) {
			return false
		}
	}
	if r.operand != "" && !slices.ContainsFunc(operands[len(words):], r.isAbout) {
		return false
	}
	if format, ok := a.value("-o", "--output"); ok && (format.Text == "name" || format.Text == "wide") {
		return false
	}
	if r.needs != "" && !a.hasAny(strings.Fields(r.needs)) {
		return false
	}
	return r.unless == "" || !a.hasAny(strings.Fields(r.unless))
}

func (r revealer) isAbout(operand string) bool {
	if begin, ok := strings.CutPrefix(r.operand, "^"); ok {
		return strings.HasPrefix(operand, begin)
	}
	return strings.Contains(operand, r.operand)
}

// hasAny is has for long options with one dash too, as terraform has them: they read as their first letter.
func (a arguments) hasAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if len(name) > 2 && name[1] != '-' {
			return slices.ContainsFunc(a.options, func(o option) bool { return strings.HasPrefix(name, o.name) })
		}
		return a.has(name)
	})
}
