package model

// BlockSpec describes a block type or a target by its attributes. It is plain data: the compiler decodes and merges
// by it, the reference page, `agentihooks schema` and did-you-mean are made from it.
type BlockSpec struct {
	Type       string // "target", "mcp", "guard"
	Label      string // fixed label for one kind ("copilot", "commands"); empty: any label
	Doc        string // one sentence
	Attributes []AttrSpec
}

// AttrSpec describes one attribute.
type AttrSpec struct {
	Name     string
	Type     Type
	Merge    Merge
	Required bool
	Secret   bool   // secret references are allowed anywhere inside the value
	Doc      string // one or two sentences, with the default
	Example  string // HCL text of a value
	Key      string // what it becomes in the target's own file: "settings.json: statusLine"; may be empty
}

// Type is the set of values that an attribute takes.
type Type struct {
	Kind TypeKind
	Elem *Type    // TypeList, TypeMap: of what
	Of   []Type   // TypeOneOf: the alternatives
	Enum []string // TypeString: the only values, if not empty
}

// TypeKind is the kind of a Type.
type TypeKind uint8

// The type kinds. TypeAny is any JSON-like value, TypeMap an object with any keys.
const (
	TypeAny TypeKind = iota
	TypeBool
	TypeNumber
	TypeString
	TypeList
	TypeMap
	TypeOneOf
)

// Merge says what a later layer's value does to an earlier one's.
type Merge uint8

// The merge kinds. MergeReplace: the later layer wins, two values in one layer are an error. MergeSet: union of list
// elements in first-seen order; only([…]) replaces. MergeDeep: objects merge key by key, null removes.
const (
	MergeReplace Merge = iota
	MergeSet
	MergeDeep
)
