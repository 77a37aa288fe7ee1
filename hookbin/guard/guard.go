package guard

import (
	"errors"
	"slices"
	"strings"
)

// Call is a tool call as a guard sees it.
type Call struct {
	Tool    string // the tool's name in Copilot's vocabulary: bash, edit, `server-tool`
	Command string // text that a shell will read; empty for every other tool
}

// VerdictKind is what a guard has to say, from weakest to strongest.
type VerdictKind uint8

// The verdicts. Pass is "no objection": it never overrules anybody else's.
const (
	Pass VerdictKind = iota
	Note
	Ask
	Deny
)

// Verdict is the answer of one guard to one call. Reason is for the model, and empty for Pass.
type Verdict struct {
	Kind   VerdictKind
	Reason string
	Guard  string // the guard's kind
}

// Problem is what is wrong with an argument. Index is the element of a list, or -1 for the argument as a whole. Text is
// full sentences that end in what to do.
type Problem struct {
	Arg   string
	Index int
	Text  string
}

// kind is one guard: what it is called, and how its arguments are compiled, judged by and described.
type kind struct {
	spec     Spec
	compile  func(Args) ([]byte, []Problem)
	judge    func(data []byte, call Call) (Verdict, error)
	describe func(data []byte) (string, error)
}

// kinds is the table of guards, sorted by kind.
func kinds() []kind {
	return []kind{
		commandsKind(),
	}
}

// ErrUnknown is the error for a guard that this program does not have.
var ErrUnknown = errors.New("unknown guard")

func find(name string) (kind, error) {
	for _, k := range kinds() {
		if k.spec.Kind == name {
			return k, nil
		}
	}
	return kind{}, ErrUnknown
}

// Specs is what each guard takes, sorted by kind.
func Specs() []Spec {
	var out []Spec
	for _, k := range kinds() {
		out = append(out, k.spec)
	}
	return out
}

// Compile turns a guard's arguments into the form that Judge reads. With problems there is no data. Equal arguments give
// equal bytes.
func Compile(name string, args Args) ([]byte, []Problem) {
	k, err := find(name)
	if err != nil {
		return nil, []Problem{{Index: -1, Text: "There is no guard of this kind. Use one of: " + strings.Join(names(), ", ") + "."}}
	}
	var problems []Problem
	for _, given := range sortedNames(args) {
		if !slices.ContainsFunc(k.spec.Args, func(a Arg) bool { return a.Name == given }) {
			problems = append(problems, Problem{given, -1, "The guard has no such argument. Remove it."})
		}
	}
	data, more := k.compile(args)
	if problems = append(problems, more...); len(problems) > 0 {
		return nil, problems
	}
	return data, nil
}

// Judge asks a guard about a call. An error says that the data is not what Compile made, or that the guard is unknown:
// then nothing is known of what the user forbids, and the hook denies.
func Judge(name string, data []byte, call Call) (Verdict, error) {
	k, err := find(name)
	if err != nil {
		return Verdict{}, err
	}
	return k.judge(data, call)
}

// Describe is one line on what a guard does, for the banner of a session: "commands: denies git push --force".
func Describe(name string, data []byte) string {
	k, err := find(name)
	if err != nil {
		return name + ": " + err.Error()
	}
	line, err := k.describe(data)
	if err != nil {
		return name + ": " + err.Error()
	}
	return name + ": " + line
}

func names() []string {
	var out []string
	for _, s := range Specs() {
		out = append(out, s.Kind)
	}
	return out
}

func sortedNames(args Args) []string {
	out := make([]string, 0, len(args))
	for name := range args {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
