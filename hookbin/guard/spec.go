// Package guard is the checks that the hook makes before a tool call: one file a guard, one line each in the table.
package guard

// Spec describes a guard's arguments as plain data, so that the compiler can check and document them without
// knowing what a guard does.
type Spec struct {
	Kind string // the label of its block: guard "commands" { … }
	Doc  string // one sentence
	Args []Arg
}

// Arg is one argument. Every argument so far is a list of strings with set meaning, or a string, or a bool.
type Arg struct {
	Name     string
	Type     ArgType
	Required bool
	Doc      string
	Example  string // HCL text of a value
}

// ArgType is the type of an argument.
type ArgType uint8

// The argument types.
const (
	Strings ArgType = iota // a list of strings, union over layers
	String
	Bool
)

// Args holds the values of a guard's arguments by name: []string, string or bool.
type Args map[string]any
