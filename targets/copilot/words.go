package copilot

import (
	"errors"
	"strings"
)

// shellWords splits a text into words by the shell's quoting rules. Nothing is expanded. An error says what is open:
// "an open ' quote".
func shellWords(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	in := false // inside a word, perhaps an empty one
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
			continue
		case '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("an open ' quote")
			}
			word.WriteString(s[i+1 : i+1+end])
			i += 1 + end
		case '"':
			end := doubleQuoted(s[i+1:], &word)
			if end < 0 {
				return nil, errors.New(`an open " quote`)
			}
			i += 1 + end
		case '\\':
			i++
			if i == len(s) {
				return nil, errors.New("a backslash at its end")
			}
			if s[i] == '\n' {
				continue // a line that goes on
			}
			word.WriteByte(s[i])
		default:
			word.WriteByte(c)
		}
		in = true
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// doubleQuoted reads up to the closing quote and returns its offset, or -1.
func doubleQuoted(s string, word *strings.Builder) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i
		case c == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0:
			i++
			if s[i] != '\n' {
				word.WriteByte(s[i])
			}
		default:
			word.WriteByte(c)
		}
	}
	return -1
}
