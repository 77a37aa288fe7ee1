package guard

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "network" judges the hosts that a call names. Where a server sends a client on to, and what a program does by
// itself, it does not see: it is no firewall.
func networkKind() kind {
	return kind{
		spec: Spec{
			Kind: "network",
			Doc:  "Judges the hosts that web_fetch, curl, wget, git, ssh and programs given to interpreters name.",
			Args: []Arg{
				{
					Name: "allow", Type: Strings,
					Doc:     "Hosts that may be reached, and then no other: a name, `*.example.com` for all below one, an IP address.",
					Example: `["github.com", "*.github.com"]`,
				},
				{
					Name: "deny", Type: Strings,
					Doc:     "Hosts that may not be reached, also if `allow` has them.",
					Example: `["169.254.169.254", "*.internal.example.com"]`,
				},
			},
		},
		check:  checkNetwork,
		judge:  judgeNetwork,
		denied: deniedHosts,
	}
}

func checkNetwork(args Args) []Problem {
	var out []Problem
	for _, arg := range []string{"allow", "deny"} {
		texts := slices.Clone(args.texts(arg))
		for i, text := range texts {
			star := ""
			if strings.HasPrefix(text, "*.") {
				star = "*."
			}
			h := newHost(strings.Trim(text[len(star):], "[]"))
			if !h.sure && text != "*" {
				out = append(out, Problem{arg, i, "It is no host. Write its name alone, in ASCII (xn--… for other letters), `*.example.com` for all below one, or an IP address."})
				continue
			}
			if text != "*" {
				texts[i] = star + h.name
			}
		}
		if _, given := args[arg]; given {
			args[arg] = texts
		}
	}
	return out
}

func deniedHosts(args Args) []string {
	var out []string
	for _, pattern := range args.texts("deny") {
		out = append(out, "host "+pattern)
	}
	if _, given := args["allow"]; given {
		out = append(out, "hosts but "+strings.Join(args.texts("allow"), ", "))
	}
	return out
}

func judgeNetwork(args Args, call *Call) (*finding, error) {
	judge := func(h host, source string) *finding { return judgeHost(args, h, source, call.Command) }
	if call.URL != "" {
		if h, ok := urlHost(shell.Word{Text: call.URL}); ok {
			return judge(h, call.Tool+" "+call.URL), nil
		}
	}
	if call.Command == "" {
		return nil, nil
	}
	script := call.Script()
	for i := range script.Commands {
		c := &script.Commands[i]
		for _, h := range commandHosts(c) {
			if f := judge(h, c.Source); f != nil {
				return f, nil
			}
		}
	}
	for _, o := range script.Opened { // bash itself connects
		if parts := strings.Split(o.File.Text, "/"); len(parts) > 4 && parts[1] == "dev" && (parts[2] == "tcp" || parts[2] == "udp") {
			h := newHost(parts[3])
			if o.File.HoleBefore(len("/dev/tcp/") + len(parts[3]) + 1) {
				h = host{}
			}
			if f := judge(h, o.Source); f != nil {
				return f, nil
			}
		}
	}
	programs := script.Codes
	for _, text := range script.Unparsed {
		programs = append(programs[:len(programs):len(programs)], shell.Code{Text: text, Source: text})
	}
	for _, code := range programs {
		for _, h := range hostsIn(code.Text) {
			if f := judge(h, code.Source); f != nil {
				return f, nil
			}
		}
	}
	return overLimit(script, "the hosts that may be reached"), nil
}

// judgeHost is the finding on a host; text is the whole line.
func judgeHost(args Args, h host, source, text string) *finding {
	what := "`" + shown(source) + "` reaches "
	for _, pattern := range args.texts("deny") {
		switch {
		case h.sure && coversHost(pattern, h.name):
			return &finding{text: what + shown(h.name) + ", which is denied.", rule: "deny " + pattern}
		case !h.sure && h.name == "" && strings.Contains(text, strings.TrimPrefix(pattern, "*.")):
			return &finding{text: what + "a host that only the shell can know, and " + shown(pattern) + " is denied. Write the host out.", rule: "deny " + pattern}
		}
	}
	if !h.sure && h.name != "" {
		return &finding{text: what + shown(h.name) + ", which is no plain name of a host: programs may read another one in it. Write it in ASCII letters.", rule: "spelling"}
	}
	allowed, given := args["allow"].([]string)
	switch {
	case !given || h.sure && slices.ContainsFunc(allowed, func(p string) bool { return coversHost(p, h.name) }) || slices.Contains(allowed, "*"):
		return nil
	case !h.sure:
		return &finding{text: what + "a host that only the shell can know. Write it out: only some are allowed.", rule: "allow"}
	}
	return &finding{text: what + shown(h.name) + ", which is not among the hosts that are allowed. Use one that is, or what is on this machine.", rule: "allow"}
}

// Options of curl 8, wget 1.21 and OpenSSH 9 that take a value, by their manuals.
const (
	curlShort = "AbcCdDeEFHKmoPQrtTuUwxXyYz"
	curlLong  = "abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie cookie-jar " +
		"create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation dns-interface dns-servers doh-url dump-header engine " +
		"etag-compare etag-save expect100-timeout form form-string ftp-account ftp-method ftp-port happy-eyeballs-timeout-ms header hsts interface json " +
		"keepalive-time key key-type krb limit-rate local-port login-options mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer " +
		"output output-dir parallel-max pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-cert proxy-header proxy-key " +
		"proxy-user proxy1.0 pubkey quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time service-name socks4 " +
		"socks4a socks5 socks5-hostname speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max tls13-ciphers trace trace-ascii unix-socket " +
		"upload-file url url-query user user-agent variable write-out"
	wgetShort = "aABDeilIoOPQRtTUwX"
	wgetLong  = "accept append-output base body-data body-file ca-certificate certificate compression config connect-timeout cut-dirs default-page directory-prefix " +
		"dns-timeout domains exclude-directories exclude-domains execute follow-tags header http-password http-user ignore-tags include-directories input-file " +
		"level limit-rate load-cookies max-redirect method output-document output-file password post-data post-file prefer-family private-key quota read-timeout " +
		"referer reject rejected-log report-speed save-cookies secure-protocol timeout tries user user-agent wait waitretry"
	sshShort = "BbcDEeFIiJLlmOoPpQRSWw"
)

// commandHosts is the hosts that a command names.
func commandHosts(c *shell.Command) []host {
	name := c.Name()
	if !name.Known() {
		return nil
	}
	var hosts []host
	add := func(words []shell.Word, read func(shell.Word) (host, bool)) {
		for i, word := range words {
			if word.Unknown() && word.Splits() && (i > 0 || len(words) > 1) {
				continue // $OPTIONS beside an address
			}
			if h, ok := read(word); ok {
				hosts = append(hosts, h)
			}
		}
	}
	scp := func(w shell.Word) (host, bool) { return sshHost(w, true) }
	words := c.Words[1:]
	switch name.Text {
	case "curl":
		a := readArguments(words, curlShort, curlLong)
		add(append(a.values("--url"), a.operands...), curlHost)
		add(a.values("-x", "--proxy", "--preproxy", "--proxy1.0", "--socks4", "--socks4a", "--socks5", "--socks5-hostname", "--doh-url"), curlHost)
		if a.has("-K", "--config", "--connect-to", "--resolve") {
			hosts = append(hosts, host{})
		}
	case "wget", "wget2":
		a := readArguments(words, wgetShort, wgetLong)
		add(a.operands, urlHost)
		for _, setting := range a.values("-e", "--execute") {
			if name, value, _ := strings.Cut(setting.Text, "="); strings.HasSuffix(strings.TrimSpace(name), "_proxy") {
				add([]shell.Word{{Text: strings.TrimSpace(value)}}, urlHost)
			}
		}
		if a.has("-i", "--input-file") {
			hosts = append(hosts, host{})
		}
	case "git":
		add(gitAddresses(words), func(w shell.Word) (host, bool) { return sshHost(w, true) })
	case "ssh", "sftp":
		a := readArguments(words, sshShort, "")
		add(a.operands[:min(1, len(a.operands))], func(w shell.Word) (host, bool) { return sshHost(w, false) })
		for _, jump := range a.values("-J") {
			for one := range strings.SplitSeq(jump.Text, ",") {
				add([]shell.Word{{Text: one, Holes: jump.Holes}}, func(w shell.Word) (host, bool) { return sshHost(w, false) })
			}
		}
	case "scp", "rsync":
		add(readArguments(words, "cDFiJloPSXefBMT", "rsh exclude include files-from exclude-from include-from").operands, scp)
	case "nc", "ncat", "netcat", "telnet":
		a := readArguments(words, "IiMmOpPqsTVwXxecg", "")
		add(a.operands[:min(1, len(a.operands))], urlHost)
	}
	if len(hosts) > 0 {
		for _, a := range c.Assigns {
			if n := strings.ToLower(a.Name); strings.HasSuffix(n, "_proxy") && n != "no_proxy" && len(a.Value) > 0 {
				add(a.Value[:1], urlHost)
			}
		}
	}
	return hosts
}

// gitAddresses is the words of a git command that are addresses: those of subcommands that take one, and of settings before
// it.
func gitAddresses(words []shell.Word) []shell.Word {
	var out []shell.Word
	takes := false
	for i, begun := 0, false; i < len(words); i++ {
		text := words[i].Text
		if !begun && !strings.HasPrefix(text, "-") {
			if i == 0 || !shell.TakesValue("git", words[i-1].Text) {
				begun, takes = true, slices.Contains([]string{"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule", "archive"}, text)
			}
		}
		at := strings.Index(text, "://")
		switch {
		case begun && !takes:
			return out
		case at >= 0:
			out = append(out, words[i].From(strings.LastIndexByte(text[:at], '=')+1))
		case strings.Contains(text, "@") && !strings.ContainsAny(text, " ="):
			out = append(out, words[i])
		}
	}
	return out
}

// curlHost is urlHost with what curl makes several addresses of: {a,b} and [1-3].
func curlHost(word shell.Word) (host, bool) {
	h, ok := urlHost(word)
	if strings.ContainsAny(h.name, "{}") {
		h = host{}
	}
	return h, ok
}

// hostsIn is the hosts of the addresses that stand in a text.
func hostsIn(text string) []host {
	var out []host
	for {
		_, rest, found := strings.Cut(text, "://")
		if !found {
			return out
		}
		end := strings.IndexAny(rest, "\"'`<>)( \t\n,;")
		if end < 0 {
			end = len(rest)
		}
		if h, ok := urlHost(shell.Word{Text: "x://" + rest[:end]}); ok {
			out = append(out, h)
		}
		text = rest
	}
}
