package jsonedit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Equal reports whether two JSON texts have the same value: key order, layout, comments and spelling do not count,
// numbers compare exactly (1.0 is 1, 1e2 is 100). Texts that do not parse are equal to nothing.
func Equal(a, b []byte) bool {
	if checkBounds(a) != nil || checkBounds(b) != nil {
		return false
	}
	va, errA := hujson.Parse(a)
	vb, errB := hujson.Parse(b)
	return errA == nil && errB == nil && equalValues(&va, &vb)
}

func equalValues(a, b *hujson.Value) bool {
	return bytes.Equal(appendCanonical(nil, a), appendCanonical(nil, b))
}

// Compact is a JSON text without comments, trailing commas and white space. Keys keep their order.
func Compact(text []byte) ([]byte, error) {
	if err := checkBounds(text); err != nil {
		return nil, err
	}
	v, err := hujson.Parse(bytes.Clone(text)) // Minimize writes into what it is given
	if err != nil {
		return nil, syntaxError(err)
	}
	v.Minimize()
	return v.Pack(), nil
}

// appendCanonical writes one spelling of each value. Of a key that stands twice both are written, so that an object
// with duplicates equals only one with the same duplicates.
func appendCanonical(out []byte, v *hujson.Value) []byte {
	switch x := v.Value.(type) {
	case *hujson.Object:
		members := slices.Clone(x.Members)
		slices.SortStableFunc(members, func(a, b hujson.ObjectMember) int { return strings.Compare(nameOf(a), nameOf(b)) })
		out = append(out, '{')
		for i := range members {
			out = appendCanonical(out, &members[i].Name)
			out = append(out, ':')
			out = appendCanonical(out, &members[i].Value)
			out = append(out, ',')
		}
		return append(out, '}')
	case *hujson.Array:
		out = append(out, '[')
		for i := range x.Elements {
			out = appendCanonical(out, &x.Elements[i])
			out = append(out, ',')
		}
		return append(out, ']')
	case hujson.Literal:
		switch x.Kind() {
		case '"':
			return append(out, canonicalString(x)...)
		case '0':
			return append(out, canonicalNumber(string(x))...)
		}
		return append(out, x...)
	}
	return out
}

// canonicalString leaves a text with bytes that Go replaces (a lone surrogate, bad UTF-8) as it is spelled: two
// different ones must not become equal.
func canonicalString(lit hujson.Literal) []byte {
	s := lit.String()
	if strings.ContainsRune(s, '\uFFFD') {
		return lit
	}
	out, err := json.Marshal(s)
	if err != nil {
		return lit
	}
	return out
}

// canonicalNumber is sign, digits without zeros at either end, and the exponent that goes with them. An exponent of
// more than 18 digits stays as it is spelled.
func canonicalNumber(text string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if exponent == "" {
		exponent = "0"
	}
	exp, err := strconv.ParseInt(exponent, 10, 64)
	if err != nil || exp > 1e18 || exp < -1e18 {
		return text
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exp -= int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	exp += int64(len(digits) - len(trimmed))
	if trimmed == "" {
		return "0"
	}
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + strconv.FormatInt(exp, 10)
}
