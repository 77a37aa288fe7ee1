// Package guard is the checks that the hook makes before a tool call: one file a guard, one line each in the table.
package guard

// Spec describes a guard's arguments as plain data, so that the compiler can check and document them without
// knowing what a guard does.
type Spec struct {
	Kind string // the label of its block: guard "commands" { … }
	Doc  string // one sentence
	Args []Arg
}

// Arg is one argument.
type Arg struct {
	Name     string
	Type     ArgType
	OneOf    []string // String: the values that it may have; empty: any
	Required bool
	Internal bool // the compiler fills it in; a manifest has no such argument
	Doc      string
	Example  string // HCL text of a value
}

// ArgType is the type of an argument.
type ArgType uint8

// The argument types.
const (
	Strings ArgType = iota // a list of strings with set meaning, union over layers
	String
	Bool
	Int // a whole number from 0 to 16,383
)

// Args holds the values of a guard's arguments by name: []string, string, bool or int.
type Args map[string]any

func (s Spec) arg(name string) (Arg, bool) {
	for _, a := range s.Args {
		if a.Name == name {
			return a, true
		}
	}
	return Arg{}, false
}

// modeArg is the argument that every guard has whose verdict the manifest may choose.
func modeArg() Arg {
	return Arg{
		Name: "mode", Type: String, OneOf: []string{"block", "ask", "warn", "note"},
		Doc: "What a hit does: `block` denies the call, `ask` asks the person, `warn` denies it once and lets the very same call through after that, " +
			"`note` only tells the agent. Default: block.",
		Example: `"ask"`,
	}
}
