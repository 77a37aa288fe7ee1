// Package credential finds credentials in texts: tokens by how they begin, private keys, passwords in addresses and
// headers, and literals that are assigned to a name such as PASSWORD.
package credential

import (
	"iter"
	"strings"
	"sync"
)

// Hit is a credential in a text. Its value is text[Start:End]: never show more of it than its first bytes.
type Hit struct {
	Rule       string // what it is, with an article: "a GitHub token"
	Start, End int
}

// In is the credentials in a text, in the order in which they begin. The text is gone through once, whatever the number
// of rules; no rule looks at more of it than a few thousand bytes.
func In(text string) iter.Seq[Hit] {
	return func(yield func(Hit) bool) {
		m := table()
		for i := 1; i < len(text); i++ {
			pair := uint16(text[i-1]|0x20)<<8 | uint16(text[i]|0x20)
			if m.pairs[pair/64]&(1<<(pair%64)) == 0 {
				continue
			}
			third := byte(0)
			if i+1 < len(text) {
				third = text[i+1] | 0x20
			}
			for _, k := range m.keywords[text[i-1]|0x20] {
				if k.second != text[i]|0x20 || k.third != third {
					continue
				}
				start, end := k.match(text, i-1)
				if start == end {
					continue
				}
				if !yield(Hit{k.rule.name, start, end}) {
					return
				}
				i = max(i, end)
				break
			}
		}
	}
}

// matcher is all rules by the texts that they begin at. Pairs holds the first two bytes of every keyword, with bit 5 set
// in both, so that letters of either case are one: what is not in it begins no match.
type matcher struct {
	pairs    [1 << 16 / 64]uint64
	keywords [256][]keyword // by the first byte, with bit 5 set
}

// keyword is a text that one rule begins at.
type keyword struct {
	text          string
	second, third byte // its bytes, with bit 5 set
	rule          *rule
}

var table = sync.OnceValue(func() *matcher {
	m := new(matcher)
	for i := range rules {
		for text := range strings.FieldsSeq(rules[i].begins) {
			first, second := text[0]|0x20, text[1]|0x20
			pair := uint16(first)<<8 | uint16(second)
			m.pairs[pair/64] |= 1 << (pair % 64)
			m.keywords[first] = append(m.keywords[first], keyword{text, second, text[2] | 0x20, &rules[i]})
		}
	}
	return m
})

// match is the value of a credential that the keyword at an offset belongs to; empty if there is none.
func (k keyword) match(text string, at int) (start, end int) {
	next := at + len(k.text)
	if next > len(text) || text[at:next] != k.text && !(k.rule.fold && strings.EqualFold(text[at:next], k.text)) {
		return 0, 0
	}
	if k.rule.alone && at > 0 && classOf(text[at-1])&alnum != 0 {
		return 0, 0
	}
	if k.rule.find != nil {
		return k.rule.find(text, at, next)
	}
	return k.rule.token(text, at, next)
}

// maxToken bounds how far a token is followed.
const maxToken = 4 << 10

// token is what follows a prefix that says it all.
func (r *rule) token(text string, at, next int) (start, end int) {
	end = run(text, next, r.chars, maxToken)
	value := text[next:end]
	switch {
	case len(value) < r.least, r.exact && len(value) > r.least, masked(value), r.digit && !strings.ContainsAny(value, digits):
		return 0, 0
	}
	return at, end
}

// run is the offset at which the characters of a class end.
func run(text string, at int, chars class, limit int) int {
	end := at
	for end < len(text) && end-at < limit && classOf(text[end])&chars != 0 {
		end++
	}
	return end
}

// masked reports whether a value is of so few different characters that it only stands for one: xxxxxxxx.
func masked(value string) bool {
	var seen [4]byte
	n := 0
	for i := range len(value) {
		if strings.IndexByte(string(seen[:n]), value[i]) >= 0 {
			continue
		}
		if n == 3 {
			return false
		}
		seen[n] = value[i]
		n++
	}
	return true
}

// class is what a character can be, as a set of bits.
type class uint8

const (
	lower class = 1 << iota
	upper
	digit
	under
	dash
	dot
	slash // and +, which base 64 has
	other // ~ and =, which tokens have, too

	alnum  = lower | upper | digit
	word   = alnum | under
	base64 = alnum | slash
	url64  = word | dash
)

const digits = "0123456789"

func classOf(c byte) class {
	switch {
	case 'a' <= c && c <= 'z':
		return lower
	case 'A' <= c && c <= 'Z':
		return upper
	case '0' <= c && c <= '9':
		return digit
	case c == '_':
		return under
	case c == '-':
		return dash
	case c == '.':
		return dot
	case c == '/', c == '+':
		return slash
	case c == '~', c == '=':
		return other
	}
	return 0
}
