package model

// Edit is one change of a value in a manifest: what a program or a user changed in the home, on its way back.
type Edit struct {
	Type, Label string   // the block: "target" and "copilot"
	Path        []string // the attribute, then the keys of objects in it
	Op          EditOp
	Value       Value // of Set, AddElement and RemoveElement: no template
}

// EditOp is the kind of an Edit.
type EditOp uint8

// The kinds of edits. Set gives the place a value, there or new; Unset takes the place out; AddElement and RemoveElement
// change the list at the place.
const (
	Set EditOp = iota
	Unset
	AddElement
	RemoveElement
)
