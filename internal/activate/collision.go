package activate

import (
	"fmt"
	"strconv"
	"strings"
)

// Class says what stands in the way.
type Class string

// The classes of collisions. ClassState is what the program keeps for itself: never ours to write.
const (
	ClassIdentical Class = "identical"
	ClassDiffers   Class = "differs"
	ClassFolder    Class = "folder"
	ClassLink      Class = "link"
	ClassKey       Class = "key"
	ClassState     Class = "state"
)

// Collision is a destination, or a key of a merged file, that holds something that is not ours.
type Collision struct {
	Path   string `json:"path"`
	Class  Class  `json:"class"`
	Key    string `json:"key"`
	Line   int    `json:"-"` // of the key's present value, from 1; 0 if it is not about a key
	Column int    `json:"-"`
	Reason string `json:"-"` // a full sentence
	Remedy string `json:"-"` // a full sentence: what to do

	block bool // it is about our block in the user's text
}

// CollisionError refuses a switch: nothing was stored or written. It holds all collisions, sorted by path and key.
type CollisionError struct{ Collisions []Collision }

func (e *CollisionError) Error() string {
	lines := make([]string, 0, len(e.Collisions))
	for _, c := range e.Collisions {
		lines = append(lines, c.String())
	}
	return strings.Join(lines, "\n")
}

// String is the collision in one line: place, reason, remedy.
func (c Collision) String() string {
	at := c.Path
	if c.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", c.Path, c.Line, c.Column)
	}
	return fmt.Sprintf("%s: %s %s", at, c.Reason, c.Remedy)
}

// FileFault is a file that a program and we both write, and that cannot be read as JSON with comments.
type FileFault struct {
	Path         string
	Line, Column int // from 1
	Reason       string
}

// String is the fault in one line, with what to do.
func (f FileFault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s; correct it there, the file was left as it is", f.Path, f.Line, f.Column, f.Reason)
}

// UnreadableError refuses a switch because of such files: nothing was stored or written.
type UnreadableError struct{ Files []FileFault }

func (e *UnreadableError) Error() string {
	lines := make([]string, 0, len(e.Files))
	for _, f := range e.Files {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// KeyName is a path of keys as it is shown: joined by dots, a key with other than letters, digits, - and _ quoted.
func KeyName(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = p
		if strings.ContainsFunc(p, odd) || p == "" {
			parts[i] = strconv.Quote(p)
		}
	}
	return strings.Join(parts, ".")
}

func odd(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !letter && r != '-' && r != '_'
}
