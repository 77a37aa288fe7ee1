// Package model is the machine: a manifest resolved for one host, as plain values that remember where each was written.
package model

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// Machine is everything that one host's agents should be. It holds no secret values, only references to them, and
// no hcl or cty types. All slices are in the order in which the manifest's layers give them (modules, top level,
// profiles, host), except blocks, which are sorted by type and label.
type Machine struct {
	Host  string // name in the store; matches [A-Za-z0-9][A-Za-z0-9._-]{0,62}
	Facts Facts

	Profiles     []string // those that the host names, in its order; what they include is part of them
	Channels     []Text   // channel names, a set in first-seen order
	Persona      []File   // Markdown, in order
	Rules        []File   // Markdown, one rule a file
	Manifesto    []File   // Markdown that comes after all other instructions
	Instructions []File   // path-scoped instructions
	Agents       []File   // Markdown with frontmatter
	Commands     []File   // Markdown, may have frontmatter
	Skills       []Folder // each holds a SKILL.md (checked by the target)

	Targets []Block // label: the target's name, "copilot"
	MCP     []Block // label: the server's name
	Secrets []Block // label: the secret's name; attributes env, file or command
	Guards  []Block // label: the guard's kind, "commands"
	Hooks   []Block // label: a name, which is the event where the attribute event does not say

	Reminders []Block // label: a name

	KeepGenerations int // how many a switch leaves; 0: the default. It gets into no tree
}

// Text is a string with its origin.
type Text struct {
	Value  string
	Origin diag.Range
}

// File is one source file, read whole. Data is shared: never write into it.
type File struct {
	Name   string // base name, "base.md"
	Rel    string // slash path below the fixed part of the pattern that found it: "sub/x.md" for "dir/**/*.md"
	Source string // for comments in the output: slash path below its source root, "persona/base.md" or "builtin/base/rules/x.md"
	Data   []byte
	Exec   bool
	Origin diag.Range // the attribute's element that named it
}

// Folder is one source folder with all its files. A file's Rel is its slash path below the folder.
type Folder struct {
	Name   string
	Source string
	Files  []File // sorted by Rel
	Origin diag.Range
}

// Block is one labelled block after merging. Attrs is of KindObject and has only attributes that were set; every
// one was checked against its spec.
type Block struct {
	Type   string // "mcp"
	Label  string
	Attrs  Value
	Origin diag.Range // the label of the last layer's block
}

// Facts is what is true of one machine: everything outside the manifest and its files that may get into a tree.
// All values are as the machine spells them. A field left empty is unknown (a fact of another machine that nobody gave).
type Facts struct {
	Hostname    string            `json:"hostname"`    // domain cut
	OS          string            `json:"os"`          // Go's GOOS: linux, darwin
	Arch        string            `json:"arch"`        // Go's GOARCH: amd64, arm64
	WSL         *bool             `json:"wsl"`         // nil: unknown
	User        string            `json:"user"`        // login name
	Home        string            `json:"home"`        // absolute
	StateDir    string            `json:"stateDir"`    // absolute: $STATE
	CopilotHome string            `json:"copilotHome"` // absolute: COPILOT_HOME, else home + /.copilot
	Versions    map[string]string `json:"versions"`    // program name -> version found; absent program: no key
	Which       map[string]string `json:"which"`       // asked name -> absolute path, "" if asked and not found
}

// Value is one resolved value with its origin. Exactly the fields of its Kind are set.
type Value struct {
	Kind   Kind
	Bool   bool
	Number string  // canonical JSON number text
	Text   string  // KindString
	Parts  []Part  // KindTemplate
	List   []Value // KindList
	Fields []Field // KindObject, sorted by Name, names unique
	Origin diag.Range
}

// Kind is the kind of a Value. KindTemplate is a string in which at least one secret is referenced.
type Kind uint8

// The kinds. KindAbsent is the zero Value: what Get returns for an attribute that is not set.
const (
	KindAbsent Kind = iota
	KindBool
	KindNumber
	KindString
	KindTemplate
	KindList
	KindObject
)

// Part is one stretch of a template: literal text, or the name of a secret. One of the two is empty.
type Part struct {
	Literal string
	Secret  string
}

// Field is one named value of an object.
type Field struct {
	Name  string
	Value Value
}

// Get is the field of that name of an object; the zero Value if there is none, or if v is no object.
func (v Value) Get(name string) Value {
	i, ok := slices.BinarySearchFunc(v.Fields, name, func(f Field, n string) int { return strings.Compare(f.Name, n) })
	if !ok {
		return Value{}
	}
	return v.Fields[i].Value
}
