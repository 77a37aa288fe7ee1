package guard

import (
	"path"
	"strings"
	"unicode/utf8"
)

// pattern is what a command has to have to be denied.
type pattern struct {
	text  string   // as it was written
	name  string   // the command's base name
	words []string // in this order among the operands
	flags []flag   // anywhere

	parsed bool // words and flags are filled in
}

// flag is one flag of a pattern.
type flag struct {
	text    string // with its dashes: -f, --force, -delete, --depth=1
	letters string // other than "": the flag may also be written as these letters, bundled
}

// parse reads a pattern; problem is empty if it is one. The words and flags that p had are written over.
func (p *pattern) parse(text string) (problem string) {
	p.text, p.words, p.flags, p.parsed = strings.TrimSpace(text), p.words[:0], p.flags[:0], true
	if problem := checkText(p.text); problem != "" {
		return problem
	}
	first, next, problem := patternWord(p.text, 0)
	if problem != "" {
		return problem
	}
	p.name = first[strings.LastIndexByte(first, '/')+1:]
	switch {
	case first == "" || first[0] == '-':
		return "The pattern has no command. Begin it with the name of one, as in \"git push --force\"."
	case strings.Contains(first, "="):
		return "The pattern begins with an assignment. Leave it out: assignments before a command are skipped when a pattern is matched."
	case p.name == "":
		return "The pattern begins with a folder. Begin it with the name of a command."
	}
	ended := false
	for next < len(p.text) {
		if p.text[next] == ' ' || p.text[next] == '\t' {
			next++
			continue
		}
		var word string
		if word, next, problem = patternWord(p.text, next); problem != "" {
			return problem
		}
		switch {
		case word == "":
			return "The pattern has an empty word. Remove it."
		case ended, len(word) == 1, word[0] != '-':
			p.words = append(p.words, cleanPath(word))
		case word == "--":
			ended = true
		default:
			p.flags = appendFlag(p.flags, word)
		}
	}
	return ""
}

// appendFlag takes a flag apart: -rf is -r and -f. More than three letters may be one flag or a bundle.
func appendFlag(flags []flag, word string) []flag {
	letters := word[1:]
	switch {
	case strings.HasPrefix(word, "--"), strings.ContainsAny(word, "*="):
		return append(flags, flag{text: word})
	case utf8.RuneCountInString(letters) > 3:
		return append(flags, flag{text: word, letters: letters})
	}
	for i := range len(letters) {
		flags = append(flags, flag{text: "-" + letters[i:i+1], letters: letters[i : i+1]})
	}
	return flags
}

func checkText(text string) string {
	switch {
	case text == "":
		return "The pattern is empty. Write a command with words, as in \"git push --force\", or remove it."
	case len(text) > maxPattern:
		return "The pattern is longer than 1,024 bytes. Shorten it: only the words that a command has to have belong in it."
	}
	for _, r := range text {
		switch {
		case r == utf8.RuneError:
			return "The pattern is not valid UTF-8. Write it as text."
		case r < ' ' && r != '\t', r >= 0x7f && r < 0xa0:
			return "The pattern holds a newline or another control character. Write one command in one line."
		}
	}
	return ""
}

// patternWord reads the word that begins at start; next is the offset after it.
func patternWord(text string, start int) (word string, next int, problem string) {
	end := start
	for end < len(text) && !special(text[end]) {
		end++
	}
	if end == len(text) || text[end] == ' ' || text[end] == '\t' {
		return text[start:end], end, ""
	}
	var b strings.Builder
	for i := start; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t':
			return b.String(), i, ""
		case '\'', '"':
			length := strings.IndexByte(text[i+1:], c)
			if length < 0 {
				return "", 0, "The pattern has a quote that is not closed. Close it, or put a backslash before it."
			}
			b.WriteString(text[i+1 : i+1+length])
			i += 1 + length
		case '\\':
			if i++; i == len(text) {
				return "", 0, "The pattern ends in a backslash. Remove it, or write two."
			}
			b.WriteByte(text[i])
		case ';', '&', '|', '<', '>', '(', ')', '`':
			return "", 0, "The pattern holds the shell operator " + string(rune(c)) + ". " +
				"Write one simple command per pattern; quote the character if it is part of a word."
		case '$':
			return "", 0, "The pattern holds a $, but nothing is expanded in it. " +
				"Write the value itself, `*` for the rest of a word, or ~ for the home folder."
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(text), ""
}

// special reports whether a character ends a word or is more than itself.
func special(c byte) bool {
	switch c {
	case ' ', '\t', '\'', '"', '\\', ';', '&', '|', '<', '>', '(', ')', '`', '$':
		return true
	}
	return false
}

// isPath reports whether words are compared as paths.
func isPath(word string) bool { return word[0] == '/' || word[0] == '~' }

// cleanPath is a path in its shortest form, up to a `*`.
func cleanPath(word string) string {
	if word == "" || !isPath(word) || strings.Contains(word, "*") {
		return word
	}
	return path.Clean(word)
}

// globMatch reports whether text matches a pattern's word, in which `*` stands for any characters.
func globMatch(word, text string) bool {
	head, rest, star := strings.Cut(word, "*")
	if !star {
		return word == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	text = text[len(head):]
	for {
		head, rest, star = strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(text, head)
		}
		at := strings.Index(text, head)
		if at < 0 {
			return false
		}
		text = text[at+len(head):]
	}
}
