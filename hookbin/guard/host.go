package guard

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// host is the machine that an address names, in one form: lower case, an IP address in its usual spelling. Sure is false
// where only the shell, or a program's own reading, knows it.
type host struct {
	name string
	sure bool
}

// urlHost is the host of an address as curl takes it: with or without a scheme. ok is false for one without a host.
func urlHost(word shell.Word) (h host, ok bool) {
	text, start := word.Text, 0
	if scheme, rest, found := strings.Cut(text, "://"); found && !strings.ContainsAny(scheme, "/?#@") {
		if strings.EqualFold(scheme, "file") {
			return host{}, false
		}
		start = len(text) - len(rest)
	} else if strings.HasPrefix(text, "//") {
		start = 2
	}
	end := len(text)
	if at := strings.IndexAny(text[start:], "/?#"); at >= 0 {
		end = start + at
	}
	authority := text[start:end]
	if strings.Contains(authority, `\`) { // to some programs a slash
		return host{authority, false}, true
	}
	at := start + strings.LastIndexByte(authority, '@') + 1
	if slices.ContainsFunc(word.Holes, func(h shell.Hole) bool { return h.At >= at && h.At <= end }) {
		return host{}, true
	}
	return newHost(withoutPort(text[at:end])), at < end
}

// sshHost is the host of user@host:path, host:path or, where that is all there can be, of user@host.
func sshHost(word shell.Word, path bool) (h host, ok bool) {
	if strings.Contains(word.Text, "://") {
		return urlHost(word)
	}
	text, _, isPath := strings.Cut(word.Text, ":")
	if path && (!isPath || strings.Contains(text, "/")) || word.Text == "" && word.Known() {
		return host{}, false
	}
	if word.HoleBefore(len(text)+1) && (!isPath || word.HoleBefore(len(text))) {
		return host{}, true
	}
	return newHost(text[strings.LastIndexByte(text, '@')+1:]), text != ""
}

func withoutPort(authority string) string {
	if rest, is := strings.CutPrefix(authority, "["); is { // an IPv6 address
		name, _, _ := strings.Cut(rest, "]")
		return name
	}
	name, _, _ := strings.Cut(authority, ":")
	return name
}

// newHost brings a name to one form. One that programs read in different ways is not sure: letters outside ASCII, which
// stand for another name, and characters that no host has.
func newHost(name string) host {
	name = strings.TrimSuffix(strings.ToLower(unescapePercent(name)), ".")
	if strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '-' || r == '_' || r == ':')
	}) {
		return host{name, false}
	}
	if strings.Contains(name, ":") {
		ip, ok := wholeIPv6(name)
		return host{ip, ok}
	}
	if ip, ok := looseIPv4(name); ok {
		return host{ip, true}
	}
	return host{name, name != ""}
}

func unescapePercent(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// looseIPv4 reads the spellings of an address that inet_aton takes and curl with it: 0x7f.1, 2130706433, 0177.0.0.1.
func looseIPv4(name string) (string, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return "", false
	}
	var all uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || strings.ContainsAny(part, "_ob") && !strings.HasPrefix(part, "0x") {
			return "", false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return "", false
			}
			all |= n << (24 - 8*i)
			continue
		}
		if n >= 1<<(8*(5-len(parts))) {
			return "", false
		}
		all |= n
	}
	return dotted(all), true
}

func dotted(ip uint64) string {
	part := func(shift int) string { return strconv.FormatUint(ip>>shift&255, 10) }
	return part(24) + "." + part(16) + "." + part(8) + "." + part(0)
}

// wholeIPv6 is an IPv6 address with all its eight groups; one that stands for an IPv4 address is that. It has neither a
// zone nor, before it, anything but such an address.
func wholeIPv6(name string) (string, bool) {
	if last := name[strings.LastIndexByte(name, ':')+1:]; strings.Contains(last, ".") {
		ip, ok := looseIPv4(last)
		return ip, ok && strings.HasPrefix(name, "::")
	}
	head, tail, short := strings.Cut(name, "::")
	groups := strings.FieldsFunc(head, func(r rune) bool { return r == ':' })
	rest := strings.FieldsFunc(tail, func(r rune) bool { return r == ':' })
	for short && len(groups)+len(rest) < 8 {
		groups = append(groups, "0")
	}
	if groups = append(groups, rest...); len(groups) != 8 {
		return name, false
	}
	var low uint64
	mapped := true
	for i, group := range groups {
		n, err := strconv.ParseUint(group, 16, 16)
		if err != nil {
			return name, false
		}
		groups[i] = strconv.FormatUint(n, 16)
		low = low<<16&0xffffffff | n
		mapped = mapped && (i > 4 || n == 0) && (i != 5 || n == 0xffff)
	}
	if mapped {
		return dotted(low), true
	}
	return strings.Join(groups, ":"), true
}

// coversHost reports whether a pattern is for a host: the host itself, *.example.com for all below it, * for any.
func coversHost(pattern, name string) bool {
	if below, is := strings.CutPrefix(pattern, "*"); is {
		return len(name) > len(below) && strings.HasSuffix(name, below)
	}
	return pattern == name
}
