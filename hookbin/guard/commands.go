package guard

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "commands" denies shell commands by patterns. A pattern is a command with words. It is matched on every
// simple command that a line would run, so quotes, wrappers, pipes into a shell and the like do not hide one, and words
// that are only an argument are none.
const (
	maxPatterns = 1_000
	maxPattern  = 1_024 // bytes of one
)

func commandsKind() kind {
	return kind{
		spec: Spec{
			Kind: "commands",
			Doc:  "Denies shell commands by pattern, wherever in a line they stand.",
			Args: []Arg{{
				Name:     "deny",
				Type:     Strings,
				Required: true,
				Doc: "Patterns: a command, and the words and flags that it has to have. Others may stand before, between and behind them. " +
					"`*` stands for the rest of a word; `-f` and `--force` are two flags, so write both.",
				Example: `["git push --force", "git push -f", "rm -rf /"]`,
			}},
		},
		compile:  compileCommands,
		judge:    judgeCommands,
		describe: describeCommands,
	}
}

func compileCommands(args Args) ([]byte, []Problem) {
	texts, ok := args["deny"].([]string)
	if !ok {
		return nil, []Problem{{"deny", -1, "deny has to be a list of strings. Give the patterns as in deny = [\"git push --force\"]."}}
	}
	var problems []Problem
	var patterns []string
	for i, text := range texts {
		var p pattern
		if problem := p.parse(text); problem != "" {
			problems = append(problems, Problem{"deny", i, problem})
			continue
		}
		patterns = append(patterns, p.text)
	}
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	if len(patterns) > maxPatterns {
		problems = append(problems, Problem{"deny", -1, "deny has more than " + strconv.Itoa(maxPatterns) + " patterns. Use `*` to say several at once."})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return encodeCommands(patterns), nil
}

// commandsVersion is the first byte of the encoding. After it: the number of patterns, then each as its length and its
// text, in ascending order. Numbers are unsigned varints.
const commandsVersion = 1

func encodeCommands(patterns []string) []byte {
	out := binary.AppendUvarint([]byte{commandsVersion}, uint64(len(patterns)))
	for _, p := range patterns {
		out = binary.AppendUvarint(out, uint64(len(p)))
		out = append(out, p...)
	}
	return out
}

var errCommands = errors.New("the compiled patterns are damaged")

// decodeCommands reads exactly what encodeCommands writes of texts that are patterns. It gives each pattern's text and
// name alone: most of them are about commands that are not in the line, and parse makes the rest.
func decodeCommands(data []byte) ([]pattern, error) {
	if len(data) == 0 || data[0] != commandsVersion {
		return nil, errCommands
	}
	count, rest, ok := cutUvarint(string(data[1:]))
	if !ok || count > maxPatterns {
		return nil, errCommands
	}
	out := make([]pattern, 0, count)
	var scratch pattern
	for range count {
		size, after, ok := cutUvarint(rest)
		if !ok || size > uint64(len(after)) {
			return nil, errCommands
		}
		var text string
		text, rest = after[:size], after[size:]
		if scratch.parse(text) != "" || scratch.text != text || len(out) > 0 && out[len(out)-1].text >= text {
			return nil, errCommands
		}
		out = append(out, pattern{text: text, name: scratch.name})
	}
	if rest != "" {
		return nil, errCommands
	}
	return out, nil
}

// cutUvarint takes a number below 2^14 off the front; a longer spelling of it than needed is refused.
func cutUvarint(data string) (uint64, string, bool) {
	switch {
	case len(data) > 0 && data[0] < 0x80:
		return uint64(data[0]), data[1:], true
	case len(data) > 1 && data[1] < 0x80 && data[1] > 0:
		return uint64(data[0]&0x7f) | uint64(data[1])<<7, data[2:], true
	}
	return 0, "", false
}

func describeCommands(data []byte) (string, error) {
	patterns, err := decodeCommands(data)
	if err != nil {
		return "", err
	}
	if len(patterns) == 0 {
		return "denies nothing", nil
	}
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = p.text
	}
	return "denies " + strings.Join(texts, ", "), nil
}

func judgeCommands(data []byte, call Call) (Verdict, error) {
	pass := Verdict{Guard: "commands"}
	patterns, err := decodeCommands(data)
	if err != nil {
		return pass, err
	}
	if call.Command == "" || len(patterns) == 0 {
		return pass, nil
	}
	script := shell.Read(call.Command)
	m := matcher{text: call.Command}
	for i := range script.Commands {
		c := newCandidate(&script.Commands[i])
		for j := range patterns {
			if how := m.match(&patterns[j], c); how != noMatch {
				return denied(patterns[j].text, script.Commands[i].Source, how), nil
			}
		}
	}
	for _, text := range script.Unparsed {
		if p, words := m.crude(patterns, crudeSegments(text)); p != nil {
			return denied(p.text, words, unparsed), nil
		}
	}
	for _, code := range script.Codes {
		if p, words := m.crude(patterns, codeSegments(code.Text)); p != nil {
			return denied(p.text, words, inCode), nil
		}
	}
	if script.Limit != shell.NoLimit {
		return overLimit(script.Limit), nil
	}
	return pass, nil
}
