// Package homeimport reads a home of the Copilot CLI that people made by hand, as the parts that a manifest can declare.
package homeimport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin/credential"
)

// Part is one thing of a home that a manifest can declare: files, or a key of a file.
type Part struct {
	Kind   Kind
	Path   string // absolute, where it lies; of a key its file
	Key    string // the setting, or the server; "" for files
	Line   int    // of the key, from 1; 0 for files
	Source string // slash path beside the manifest where its files go; "" for keys
	Files  []File
	Value  model.Value // of a setting; of a server its attributes as an object
	Needs  []string    // variables that a server takes from Copilot's environment, sorted
}

// Kind is a kind of part.
type Kind string

// The kinds.
const (
	Instructions       Kind = "instructions" // the file copilot-instructions.md
	ScopedInstructions Kind = "scoped instructions"
	Agent              Kind = "agent"
	Skill              Kind = "skill"
	Claude             Kind = "Claude Code's" // a file or folder of a folder that is laid out for Claude Code
	Setting            Kind = "setting"
	Server             Kind = "MCP server"
)

// File is one file of a part.
type File struct {
	Path string // slash path beside the manifest
	Data []byte
	Mode fs.FileMode // permissions that its owner and others have; others never more than reading
}

// Left is something that stays the user's own: the manifest does not get it.
type Left struct {
	Path   string `json:"path"`
	Key    string `json:"key"`
	Line   int    `json:"line"`   // 0: it is about the whole file
	Reason string `json:"reason"` // full sentences
}

// Limits of what is read into memory, in bytes. They are those of a manifest's own sources.
const (
	maxFile   = 16 << 20
	maxFolder = 64 << 20
	maxFiles  = 2000
)

// instructionsFile is the one file of instructions that Copilot reads in its own folder.
const instructionsFile = "copilot-instructions.md"

// reader collects the parts of a home.
type reader struct {
	parts []Part
	left  []Left
	taken func(kind, name string) bool // nil: nothing is
}

// Read reads what Copilot has in its own folder and in ~/.agents: both absolute, either may be missing. Nothing is read
// through a link, and nothing of what Copilot keeps for itself. The parts are in the order of kinds and names. An error
// means that a folder could not be looked at.
func Read(copilot, agents string) ([]Part, []Left, error) {
	var r reader
	if err := r.in(copilot, func(dir folder) {
		r.file(dir, instructionsFile, Instructions, "persona/"+instructionsFile)
		r.scoped(dir)
		r.agents(dir)
		r.settings(dir)
		r.servers(dir)
		r.hooks(dir)
		r.strangers(dir)
	}); err != nil {
		return nil, nil, err
	}
	err := r.in(agents, func(dir folder) { r.skills(dir, "skills", Skill, "skills") })
	return r.parts, r.left, err
}

// folder is an open folder with its path.
type folder struct {
	root *os.Root
	path string
}

func (f folder) join(rel string) string { return filepath.Join(f.path, filepath.FromSlash(rel)) }

// in opens a folder for read, if there is one.
func (r *reader) in(path string, read func(folder)) error {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	read(folder{root, path})
	return nil
}

// entries is what a folder below dir holds, sorted; nothing where there is no such folder. One that is a link, or that
// cannot be read, is left.
func (r *reader) entries(dir folder, rel string) []fs.DirEntry {
	list, _ := r.list(dir, rel)
	return list
}

// list is entries, and whether the folder was not left.
func (r *reader) list(dir folder, rel string) (list []fs.DirEntry, ok bool) {
	info, err := dir.root.Lstat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode()&(fs.ModeDir|fs.ModeSymlink) == 0:
		return nil, true
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		r.link(dir, rel)
		return nil, false
	case err == nil:
		list, err = fs.ReadDir(dir.root.FS(), rel)
	}
	if err != nil {
		r.leave(dir, rel, "It cannot be read: %v.", err)
	}
	return list, err == nil
}

func (r *reader) leave(dir folder, rel, reason string, args ...any) {
	r.left = append(r.left, Left{Path: dir.join(rel), Reason: fmt.Sprintf(reason, args...)})
}

func (r *reader) link(dir folder, rel string) {
	to, _ := dir.root.Readlink(rel)
	r.leave(dir, rel, "It is a link to %q, and links are not followed. To have it in the manifest, copy what it leads to.", to)
}

// read is a regular file. Where it cannot be taken it is left, with the reason.
func (r *reader) read(dir folder, rel string) (data []byte, mode fs.FileMode, ok bool) {
	info, err := dir.root.Lstat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, false
	case r.unnameable(dir, rel):
	case err != nil:
		r.leave(dir, rel, "It cannot be read: %v.", err)
	case info.Mode()&fs.ModeSymlink != 0:
		r.link(dir, rel)
	case !info.Mode().IsRegular():
		r.leave(dir, rel, "It is no regular file.")
	case info.Size() > maxFile:
		r.leave(dir, rel, "It has %d bytes; at most %d are read.", info.Size(), maxFile)
	default:
		if data, err = dir.root.ReadFile(rel); err == nil {
			return data, info.Mode().Perm()&^0o022 | 0o600, true
		}
		r.leave(dir, rel, "It cannot be read: %v.", err)
	}
	return nil, 0, false
}

// unnameable leaves what a manifest cannot name.
func (r *reader) unnameable(dir folder, rel string) bool {
	odd := strings.ContainsFunc(rel, func(c rune) bool { return c == '\\' || c == utf8.RuneError || unicode.IsControl(c) })
	if odd {
		r.leave(dir, rel, "Its name has a backslash, a control character, or bytes that are no UTF-8, and a manifest cannot name it.")
	}
	return odd
}

// clean reports whether a file holds no credential. One that does is left: a copy of it is one more place to leak from.
func (r *reader) clean(dir folder, rel string, data []byte) bool {
	for hit := range credential.In(string(data)) {
		line := 1 + strings.Count(string(data[:hit.Start]), "\n")
		r.left = append(r.left, Left{dir.join(rel), "", line, fmt.Sprintf("It holds what looks like %s, and credentials are not copied. Take it out, and declare a secret where one is needed.", hit.Rule)})
		return false
	}
	return true
}
