package guard

import (
	"slices"
	"strconv"
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
		check:  checkCommands,
		judge:  judgeCommands,
		denied: func(args Args) []string { return args.texts("deny") },
	}
}

func checkCommands(args Args) []Problem {
	texts := slices.Clone(args.texts("deny"))
	var problems []Problem
	for i, text := range texts {
		var p pattern
		if problem := p.parse(text); problem != "" {
			problems = append(problems, Problem{"deny", i, problem})
		}
		texts[i] = p.text
	}
	if len(texts) > maxPatterns {
		problems = append(problems, Problem{"deny", -1, "deny has more than " + strconv.Itoa(maxPatterns) + " patterns. Use `*` to say several at once."})
	}
	args["deny"] = texts
	return problems
}

// patterns reads each pattern's text and name alone: most of them are about commands that are not in the line, and match
// makes the rest.
func patterns(args Args) ([]pattern, error) {
	texts := args.texts("deny")
	out := make([]pattern, 0, len(texts))
	var scratch pattern
	for _, text := range texts {
		if scratch.parse(text) != "" {
			return nil, errData
		}
		out = append(out, pattern{text: scratch.text, name: scratch.name})
	}
	return out, nil
}

func judgeCommands(args Args, call *Call) (*finding, error) {
	patterns, err := patterns(args)
	if err != nil || call.Command == "" || len(patterns) == 0 {
		return nil, err
	}
	script := call.Script()
	m := matcher{text: call.Command}
	for i := range script.Commands {
		c := newCandidate(&script.Commands[i])
		for j := range patterns {
			if how := m.match(&patterns[j], c); how != noMatch {
				return matched(patterns[j].text, script.Commands[i].Source, how), nil
			}
		}
	}
	for _, text := range script.Unparsed {
		if p, words := m.crude(patterns, crudeSegments(text)); p != nil {
			return matched(p.text, words, unparsed), nil
		}
	}
	for _, code := range script.Codes {
		if p, words := m.crude(patterns, codeSegments(code.Text)); p != nil {
			return matched(p.text, words, inCode), nil
		}
	}
	return overLimit(script, "the denied patterns"), nil
}
