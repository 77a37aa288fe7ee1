package shell

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// decoded is what a program that turns text back into what it was writes; false if it does not, or if the text is not
// known.
func decoded(name string, args []Word, in source) (Word, bool) {
	var text Word
	given := func(options ...string) bool {
		return slices.ContainsFunc(args, func(w Word) bool { return slices.Contains(options, w.Text) })
	}
	switch name {
	case "base64", "gbase64":
		if !given("-d", "-D", "-di", "-id", "--decode", "--d") {
			return text, false
		}
		if text = in.text(); text.Known() {
			// What cannot be decoded any more ends it, and what was before is written (GNU coreutils 9.1, tried).
			data, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(unspaced(text.Text), "="))
			text.Text = string(data)
		}
	case "xxd":
		if !given("-r", "-rp", "-pr") || !given("-p", "-ps", "-plain", "-rp", "-pr") {
			return text, false
		}
		if text = in.text(); text.Known() {
			data, _ := hex.DecodeString(unspaced(text.Text))
			text.Text = string(data)
		}
	case "rev":
		if text = in.text(); text.Known() {
			lines := strings.Split(text.Text, "\n")
			for i, line := range lines {
				runes := []rune(line)
				slices.Reverse(runes)
				lines[i] = string(runes)
			}
			text.Text = strings.Join(lines, "\n")
		}
	default:
		return text, false
	}
	return text, text.Known() && utf8.ValidString(text.Text)
}

func unspaced(text string) string { return strings.Join(strings.Fields(text), "") }
