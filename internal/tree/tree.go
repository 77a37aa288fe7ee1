// Package tree is the rendered output of one machine: files with their modes, and for each what it becomes in the home.
package tree

import "github.com/agentihooks/agentihooks/internal/diag"

// Placement says how an entry becomes live.
type Placement string

// The placements. Link: a symbolic link at the destination, through `current`. Merge: the keys of a JSON file that
// the program writes too. Block: a marked part of a text file that is the user's.
const (
	Link  Placement = "link"
	Merge Placement = "merge"
	Block Placement = "block"
)

// Dest is where an entry becomes live: an absolute, clean path beneath the user's home or the program's own home.
type Dest string

// File is one file of the tree. Path is a clean, relative slash path, valid on every system we run on.
type File struct {
	Path    string
	Exec    bool
	Data    []byte       // never written into once the tree holds it
	Origins []diag.Range // manifest places that made it; never part of the content
}

// Key is one value that we own in a merged file: the path of object members that leads to it. With Set the value is
// an array of which we own the elements that we declare, not the whole; Without is texts that are taken out of it where
// they stand, and put back when they are no longer declared so.
type Key struct {
	Path    []string `json:"path"`
	Set     bool     `json:"set,omitempty"`
	Without []string `json:"without,omitempty"`
}

// Entry is one destination. Path names the file of the tree behind it, or for Link also a folder of the tree. For
// Merge the file is a JSON object that holds exactly the Keys; keys are merged in the order given here.
type Entry struct {
	Dest      Dest         `json:"dest"`
	Placement Placement    `json:"placement"`
	Path      string       `json:"path"`
	Digest    string       `json:"digest"` // sha256 in hex: of a file's bytes, or of a folder's NAR; set by New
	Keys      []Key        `json:"keys,omitempty"`
	Origins   []diag.Range `json:"-"`
}

// Index is the tree's own listing, index.json at its root: decoded strictly, encoded canonically.
type Index struct {
	Version int     `json:"version"` // IndexVersion; any other is refused
	Host    string  `json:"host"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
	Home    string  `json:"home"`        // absolute; destinations lie beneath it or CopilotHome
	Copilot string  `json:"copilotHome"` // absolute
	Entries []Entry `json:"entries"`     // sorted by Dest, unique
}

// IndexVersion is the version of index.json that this package writes and reads.
const IndexVersion = 1

// IndexPath is the index's own path in the tree.
const IndexPath = "index.json"

// Tree is a whole output: immutable once New made it.
type Tree struct {
	Index Index
	Files []File // sorted by path, component by component; index.json among them
	Hash  Hash
}

// Hash is the sha256 of the tree's NAR serialisation in Nix's base 32: 52 characters.
type Hash string
