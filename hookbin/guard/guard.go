package guard

import (
	"errors"
	"maps"
	"strings"
)

// VerdictKind is what a guard has to say, from weakest to strongest.
type VerdictKind uint8

// The verdicts. Pass is "no objection": it never overrules anybody else's.
const (
	Pass VerdictKind = iota
	Note             // the call runs, and the agent is told
	Warn             // the call is denied, the very same call again is not
	Ask              // a person decides
	Deny
)

// Verb is what a guard does with such a verdict: "denies".
func (k VerdictKind) Verb() string {
	switch k {
	case Pass:
		return "allows"
	case Note:
		return "notes"
	case Warn:
		return "warns before"
	case Ask:
		return "asks before"
	}
	return "denies"
}

// Verdict is the answer of one guard to one call. Reason is for the model, and empty for Pass.
type Verdict struct {
	Kind   VerdictKind
	Reason string
	Guard  string // the guard's kind
	Rule   string // what of its arguments objects, as the manifest has it; may be empty
}

// Problem is what is wrong with an argument. Index is the element of a list, or -1 for the argument as a whole. Text is
// full sentences that end in what to do.
type Problem struct {
	Arg   string
	Index int
	Text  string
}

// finding is what a guard objects to. Text is full sentences: what, why, and what to do instead. Kind is Pass where the
// guard's mode decides.
type finding struct {
	kind    VerdictKind
	text    string
	rule    string // as in Verdict
	instead string // what to do about a denial; empty: the manifest is to be changed
}

// kind is one guard: what it is called, and how its arguments are checked, judged by and described.
type kind struct {
	spec     Spec
	fixed    bool                                          // its verdicts are its own: it has no mode
	check    func(Args) []Problem                          // what the types do not tell; brings values to one form; may be nil
	judge    func(args Args, call *Call) (*finding, error) // nil: no objection
	denied   func(Args) []string                           // what it objects to, one thing an element; may be nil
	describe func(Args) string                             // what follows its verb; nil: the elements of denied
}

// kinds is the table of guards, sorted by kind.
func kinds() []kind {
	return []kind{
		commandsKind(),
		credentialsKind(),
		gitKind(),
		kubectlKind(),
		networkKind(),
		packagesKind(),
		pathsKind(),
		retryKind(),
		secretsKind(),
		selfKind(),
		sizeKind(),
	}
}

// ErrUnknown is the error for a guard that this program does not have.
var ErrUnknown = errors.New("unknown guard")

func find(name string) (kind, error) {
	for _, k := range kinds() {
		if k.spec.Kind == name {
			if !k.fixed {
				k.spec.Args = append(k.spec.Args, modeArg())
			}
			return k, nil
		}
	}
	return kind{}, ErrUnknown
}

// Specs is what each guard takes, sorted by kind.
func Specs() []Spec {
	var out []Spec
	for _, k := range kinds() {
		k, _ = find(k.spec.Kind)
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
	problems := checkArgs(k.spec, args)
	args = maps.Clone(args)
	for _, p := range problems {
		delete(args, p.Arg)
	}
	if args != nil && k.check != nil {
		problems = append(problems, k.check(args)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return encodeArgs(args), nil
}

// decode is a guard and its arguments.
func decode(name string, data []byte) (kind, Args, error) {
	k, err := find(name)
	if err != nil {
		return kind{}, nil, err
	}
	args, err := decodeArgs(k.spec, data)
	return k, args, err
}

// Judge asks a guard about a call. An error says that the data is not what Compile made, or that the guard is unknown:
// then nothing is known of what the user forbids, and the hook denies.
func Judge(name string, data []byte, call *Call) (Verdict, error) {
	k, args, err := decode(name, data)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Guard: name}
	f, err := k.judge(args, call)
	if err != nil || f == nil {
		return v, err
	}
	if v.Kind = f.kind; v.Kind == Pass {
		v.Kind = mode(args)
	}
	v.Reason, v.Rule = reason(name, v.Kind, f), f.rule
	return v, nil
}

// mode is the verdict that the manifest chose.
func mode(args Args) VerdictKind {
	switch args.text("mode") {
	case "note":
		return Note
	case "warn":
		return Warn
	case "ask":
		return Ask
	}
	return Deny
}

// Describe is one line on what a guard does, for the banner of a session: "commands: denies git push --force".
func Describe(name string, data []byte) string {
	k, args, err := decode(name, data)
	if err != nil {
		return name + ": " + err.Error()
	}
	what := "nothing"
	if k.describe != nil {
		what = k.describe(args)
	} else if list := k.denied(args); len(list) > 0 {
		what = strings.Join(list, ", ")
	}
	if k.fixed {
		return name + ": " + what
	}
	return name + ": " + mode(args).Verb() + " " + what
}

// Denied is what a guard objects to, one thing an element, sorted, and how strongly: for who compares two policies. The
// error is ErrUnknown for a guard that has no such list.
func Denied(name string, data []byte) ([]string, VerdictKind, error) {
	k, args, err := decode(name, data)
	if err == nil && k.denied == nil {
		err = ErrUnknown
	}
	if err != nil {
		return nil, Pass, err
	}
	return k.denied(args), mode(args), nil
}

func names() []string {
	var out []string
	for _, k := range kinds() {
		out = append(out, k.spec.Kind)
	}
	return out
}
