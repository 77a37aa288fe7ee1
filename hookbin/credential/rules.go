package credential

// rule is one sort of credential. The formats are those that the services document, or that tokens of theirs have.
type rule struct {
	name   string
	begins string // the texts that it begins at, parted by spaces
	fold   bool   // in capitals or small letters
	alone  bool   // neither a letter nor a digit stands before

	chars class // of what follows
	least int   // how many of them
	exact bool  // and no more
	digit bool  // one of them is a digit: without one it is a word

	find func(text string, at, next int) (start, end int) // in place of the four before; next is behind the beginning
}

// The rules. Of two that begin alike at one place the first to match is the one.
var rules = [...]rule{
	{name: "an AWS access key", begins: "AKIA ASIA AROA AIPA ABIA ACCA", alone: true, chars: upper | digit, least: 16, exact: true},
	{name: "a GitHub token", begins: "ghp_ gho_ ghs_ ghu_ ghr_", chars: alnum, least: 16},
	{name: "a GitHub token", begins: "github_pat_", chars: word, least: 16},
	{name: "a GitLab token", begins: "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- glffct- gloas-", chars: url64 | dot, least: 20},
	{name: "a Slack token", begins: "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp-", chars: alnum | dash, least: 10},
	{name: "a Slack webhook", begins: "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", chars: alnum | slash, least: 40},
	{name: "a Discord webhook", begins: "discord.com/api/webhooks/ discordapp.com/api/webhooks/", chars: url64 | slash, least: 60},
	{name: "a Stripe key", begins: "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_", alone: true, chars: alnum | slash, least: 16},
	{name: "an Anthropic key", begins: "sk-ant-", alone: true, chars: url64, least: 16},
	{name: "an API key", begins: "sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf-", alone: true, chars: url64, least: 16, digit: true},
	{name: "an API key", begins: "sk-", alone: true, chars: alnum, least: 16, digit: true},
	{name: "an npm token", begins: "npm_", alone: true, chars: alnum, least: 30},
	{name: "a PyPI token", begins: "pypi-AgE", chars: url64, least: 12},
	{name: "a RubyGems token", begins: "rubygems_", chars: lower | digit, least: 40},
	{name: "a Google API key", begins: "AIza", alone: true, chars: url64, least: 35, exact: true},
	{name: "a Google OAuth secret", begins: "GOCSPX- ya29.", alone: true, chars: url64, least: 20},
	{name: "a Hugging Face token", begins: "hf_ api_org_", alone: true, chars: alnum, least: 30},
	{name: "a DigitalOcean token", begins: "dop_v1_ doo_v1_ dor_v1_", chars: lower | digit, least: 40},
	{name: "a Docker token", begins: "dckr_pat_ dckr_oat_", chars: url64, least: 20},
	{name: "a Shopify token", begins: "shpat_ shpca_ shppa_ shpss_", chars: alnum, least: 32},
	{name: "a SendGrid key", begins: "SG.", alone: true, chars: url64 | dot, least: 60},
	{name: "a Vault token", begins: "hvs. hvb. hvr.", alone: true, chars: url64, least: 24},
	{name: "a Grafana token", begins: "glsa_ glc_", alone: true, chars: word | slash, least: 32, digit: true},
	{name: "a Sentry token", begins: "sntrys_ sntryu_", chars: word | slash, least: 40},
	{name: "a Linear key", begins: "lin_api_ lin_oauth_", chars: alnum, least: 32},
	{name: "a Tailscale key", begins: "tskey-", alone: true, chars: alnum | dash, least: 20, digit: true},
	{name: "a Databricks token", begins: "dapi", alone: true, chars: lower | digit, least: 32, exact: true, digit: true},
	{name: "a Groq key", begins: "gsk_", alone: true, chars: alnum, least: 40},
	{name: "an xAI key", begins: "xai-", alone: true, chars: alnum, least: 40},
	{name: "a Replicate token", begins: "r8_", alone: true, chars: alnum, least: 36},
	{name: "an NVIDIA key", begins: "nvapi-", alone: true, chars: url64, least: 40},
	{name: "a Perplexity key", begins: "pplx-", alone: true, chars: alnum, least: 40},
	{name: "a Postman key", begins: "PMAK-", alone: true, chars: alnum | dash, least: 40},
	{name: "a Figma token", begins: "figd_", alone: true, chars: url64, least: 36},
	{name: "a 1Password token", begins: "ops_eyJ", alone: true, chars: url64, least: 100},
	{name: "an age key", begins: "AGE-SECRET-KEY-1", chars: upper | digit, least: 58},
	{name: "an Azure key", begins: "AccountKey= SharedAccessKey=", fold: true, chars: base64, least: 40, digit: true},
	{name: "a JSON web token", begins: "eyJ", find: webToken},
	{name: "a private key", begins: "-----BEGIN", find: privateKey},
	{name: "a private key", begins: "PuTTY-User-Key-File-", find: puttyKey},
	{name: "a bearer token", begins: "bearer", fold: true, alone: true, find: bearer},
	{name: "a basic authorization", begins: "basic", fold: true, alone: true, find: basic},
	{name: "a password in an address", begins: "://", find: address},
	{
		name:   "an AWS secret key",
		begins: "secret_access_key secretaccesskey secret-access-key secret_key secretkey", fold: true, find: awsSecret,
	},
	{
		name: Assigned,
		begins: "password passwd passphrase secret api_key api-key apikey private_key private-key privatekey access_key access-key accesskey " +
			"secret_key secret-key secretkey access_token access-token accesstoken auth_token auth-token authtoken auth_key refresh_token " +
			"encryption_key signing_key",
		fold: true, find: assigned,
	},
	{name: Assigned, begins: "token", fold: true, find: assignedToken},
}

// Assigned is the rule of literals that are no credential by themselves, but by the name that they are given.
const Assigned = "a literal for a credential"
