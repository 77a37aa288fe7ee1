package credential

import (
	base "encoding/base64"
	"strings"
)

// Credentials that are more than a prefix and characters.

// webToken is header, claims and signature, each in base 64; the first two are JSON objects, which begin with eyJ.
func webToken(text string, at, _ int) (start, end int) {
	const least, most = 8, 2 << 10
	if at > 0 && classOf(text[at-1])&url64 != 0 {
		return 0, 0
	}
	end = at
	for part := range 3 {
		if part > 0 {
			if end == len(text) || text[end] != '.' {
				return 0, 0
			}
			end++
		}
		if part < 2 && !strings.HasPrefix(text[end:], "eyJ") {
			return 0, 0
		}
		from := end
		if end = run(text, from, url64, most); end-from < least {
			return 0, 0
		}
	}
	return at, end
}

// privateKey is the first line of a key in PEM's armour, of whatever kind: PRIVATE KEY, RSA PRIVATE KEY, OPENSSH PRIVATE
// KEY, ENCRYPTED PRIVATE KEY, PGP PRIVATE KEY BLOCK, SSH2 ENCRYPTED PRIVATE KEY.
func privateKey(text string, at, next int) (start, end int) {
	end = next
	for end < len(text) && end-next < 60 && (text[end] == ' ' || classOf(text[end])&(upper|digit) != 0) {
		end++
	}
	if !strings.Contains(text[next:end], "PRIVATE KEY") {
		return 0, 0
	}
	return at, end
}

// puttyKey is the first line of a key of PuTTY: PuTTY-User-Key-File-3: ssh-ed25519.
func puttyKey(text string, at, next int) (start, end int) {
	end = run(text, next, digit, 2)
	if end == next || !strings.HasPrefix(text[end:], ": ") {
		return 0, 0
	}
	return at, end
}

// bearer is what an Authorization header has behind the word.
func bearer(text string, _, next int) (start, end int) {
	start = blanks(text, next)
	end = run(text, start, url64|dot|slash|other, maxToken)
	value := text[start:end]
	if start == next || len(value) < 20 || masked(value) || placeholder(value) || isName(value) {
		return 0, 0
	}
	return start, end
}

// basic is a name and a password in base 64.
func basic(text string, _, next int) (start, end int) {
	start = blanks(text, next)
	end = run(text, start, base64, maxToken)
	value := text[start:end]
	if start == next || len(value) < 8 {
		return 0, 0
	}
	plain, err := base.RawStdEncoding.DecodeString(value)
	if err != nil {
		return 0, 0
	}
	if name, password, ok := strings.Cut(string(plain), ":"); !ok || name+password == "" || !printable(string(plain)) {
		return 0, 0
	}
	return start, end
}

func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] == 0x7f {
			return false
		}
	}
	return true
}

// blanks is the offset behind the blanks at another.
func blanks(text string, at int) int {
	end := at
	for end < len(text) && end-at < 8 && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return end
}

// address is the password of scheme://user:password@host.
func address(text string, at, next int) (start, end int) {
	if at == 0 || classOf(text[at-1])&alnum == 0 {
		return 0, 0
	}
	colon := -1
	for i := next; i < len(text) && i-next < 512; i++ {
		switch c := text[i]; {
		case c == ':' && colon < 0:
			colon = i
		case c == '@':
			if colon < 0 {
				return 0, 0
			}
			if value := text[colon+1 : i]; value == "" || placeholder(value) || masked(value) && len(value) > 2 || standsForPassword(value) {
				return 0, 0
			}
			return colon + 1, i
		case c <= ' ', c == '/', c == '"', c == '\'', c == '`', c == '<' && colon < 0, c == '\\':
			return 0, 0
		}
	}
	return 0, 0
}

// standsForPassword reports whether a password is one that documents write in its place.
func standsForPassword(value string) bool {
	switch strings.ToLower(value) {
	case "pass", "password", "passwd", "pwd", "pw", "secret", "token":
		return true
	}
	return false
}
