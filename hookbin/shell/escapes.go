package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is a dialect of backslash escapes.
type style uint8

const (
	ansiC  style = iota // $'…'
	echoed              // echo -e and %b: octal is \0nnn, \c ends the output
	format              // the format of printf
)

// unescape decodes backslash escapes as bash does. A NUL ends the text, since no word can hold one.
func unescape(text string, as style) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		decoded, next := escape(text, i+1, as)
		if decoded == "\x00" {
			if as == ansiC || text[i+1] == 'c' {
				return b.String()
			}
			decoded = ""
		}
		b.WriteString(decoded)
		i = next
	}
	return b.String()
}

// escape decodes the escape whose letter is at i; it gives the offset after it.
func escape(text string, i int, as style) (string, int) {
	const letters, values = `abefnrtvE\`, "\a\b\x1b\f\n\r\t\v\x1b\\"
	c := text[i]
	if at := strings.IndexByte(letters, c); at >= 0 {
		return values[at : at+1], i + 1
	}
	switch c {
	case '\'', '"', '?':
		if as != echoed {
			return text[i : i+1], i + 1
		}
	case 'x':
		return number(text, i, i+1, 2, 16)
	case 'u':
		return number(text, i, i+1, 4, 16)
	case 'U':
		return number(text, i, i+1, 8, 16)
	case 'c':
		if as == ansiC && i+1 < len(text) {
			return string(rune(text[i+1] & 0x1f)), i + 2
		}
		if as == echoed {
			return "\x00", i + 1
		}
	case '0':
		if as == echoed {
			return number(text, i, i+1, 3, 8)
		}
	}
	if '0' <= c && c <= '7' {
		return number(text, i, i, 3, 8)
	}
	return text[i-1 : i+1], i + 1
}

// number decodes up to the given count of digits from start on. Without any, the escape stands for itself, except that
// \0 is a NUL.
func number(text string, letter, start, digits, base int) (string, int) {
	end := start
	for end < len(text) && end < start+digits && isDigit(text[end], base) {
		end++
	}
	if end == start {
		if text[letter] == '0' {
			return "\x00", end
		}
		return text[letter-1 : end], end
	}
	n, err := strconv.ParseUint(text[start:end], base, 32)
	if err != nil {
		return "", end
	}
	if text[letter] == 'u' || text[letter] == 'U' {
		return string(utf8.AppendRune(nil, rune(n))), end
	}
	return string([]byte{byte(n)}), end
}

func isDigit(c byte, base int) bool {
	switch {
	case '0' <= c && c <= '7':
		return true
	case base == 8:
		return false
	}
	return '8' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
