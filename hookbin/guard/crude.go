package guard

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// tokenize cuts a text into words without parsing it. Quotes are dropped, so that pu”sh is one word; with quotesSplit
// they end a word instead.
func tokenize(text, separators string, quotesSplit bool) []string {
	var out []string
	word := make([]byte, 0, 64)
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = word[:0]
		}
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			if quotesSplit {
				end()
			}
		case c == '\\':
		case c <= ' ' || strings.IndexByte(separators, c) >= 0:
			end()
		default:
			word = append(word, c)
		}
	}
	end()
	return out
}

// stands reports whether a word of a pattern stands somewhere in the text, as a word of its own.
func (m *matcher) stands(want string, f *flag) bool {
	found, known := m.stood[want]
	if known {
		return found
	}
	if m.stood == nil {
		m.stood = map[string]bool{}
		m.tokens = tokenize(m.text, ";&|()<>{},`", false)
	}
	for _, token := range m.tokens {
		if found = f == nil && wordStands(want, token) || f != nil && flagStands(f, token); found {
			break
		}
	}
	m.stood[want] = found
	return found
}

func wordStands(want, token string) bool {
	if globMatch(want, cleanPath(token)) {
		return true
	}
	_, value, ok := strings.Cut(token, "=") // x=push
	return ok && globMatch(want, cleanPath(value))
}

func flagStands(f *flag, token string) bool {
	if _, value, ok := strings.Cut(token, "="); ok && strings.HasPrefix(value, "-") {
		token = value // FLAGS=--force
	}
	if len(token) < 2 || token[0] != '-' {
		return false
	}
	given, _, _ := strings.Cut(token, "=")
	if globMatch(f.text, token) || globMatch(f.text, given) {
		return true
	}
	if f.letters == "" || token[1] == '-' {
		return false
	}
	for i := range len(f.letters) {
		if strings.IndexByte(bundle(token), f.letters[i]) < 0 {
			return false
		}
	}
	return true
}

// crudeSegments cuts a text that is not valid shell into what may be its commands, once with quotes dropped and once
// with quotes as ends of words.
func crudeSegments(text string) [][]string {
	return append(segments(text, ";&|\n()`{}<>", false), segments(text, ";&|\n()`{}<>", true)...)
}

// codeSegments cuts a program of another language into what may be commands in its strings and lists of strings.
func codeSegments(text string) [][]string {
	return segments(text, ";&|)", true)
}

// segments cuts a text at the given bytes, and each piece into words.
func segments(text, at string, quotesSplit bool) [][]string {
	var out [][]string
	for text != "" {
		end := strings.IndexAny(text, at)
		piece := text
		if end < 0 {
			text = ""
		} else {
			piece, text = text[:end], text[end+1:]
		}
		if words := tokenize(piece, ",[]({}`$", quotesSplit); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// crude looks for a pattern in words of which nobody knows which are a command: the first that has the name of a
// pattern's command is taken for one, and all that follow for its words.
func (m *matcher) crude(patterns []pattern, pieces [][]string) (*pattern, string) {
	var names []string
	for _, words := range pieces {
		names = names[:0]
		for _, word := range words {
			names = append(names, strings.TrimSuffix(word[strings.LastIndexByte(word, '/')+1:], ".exe"))
		}
		for i := range patterns {
			p := &patterns[i]
			at := slices.IndexFunc(names, func(name string) bool { return globMatch(p.name, name) })
			if at < 0 {
				continue
			}
			cmd := shell.Command{Words: knownWords(words[at:])}
			if m.match(p, newCandidate(&cmd)) != noMatch {
				return p, strings.Join(words[at:], " ")
			}
		}
	}
	return nil, ""
}

// knownWords is texts as words. What a -- ends is not known here, so it counts for nothing.
func knownWords(texts []string) []shell.Word {
	out := make([]shell.Word, 0, len(texts))
	for i, text := range texts {
		if text != "--" || i == 0 {
			out = append(out, shell.Word{Text: text})
		}
	}
	return out
}
