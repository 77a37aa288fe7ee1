// Package pythonhome reads what the Python agentihooks, our predecessor, put into a home for Copilot, from the records that
// it keeps of itself: what they claim and what still is as they say is its own, everything else is the user's.
//
// The records and files are those of its releases 2.0 to 2.17.
package pythonhome

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonedit"
	"github.com/agentihooks/agentihooks/internal/jsonplace"
)

// Name is the program, as messages and records call it.
const Name = "the Python agentihooks"

// Installation is what of it is in a home.
type Installation struct {
	Legacy activate.Legacy
	Kept   []string // "PATH: why": what it may have put there, and what stays all the same
	Notes  []string // what changes for the user besides the files
}

// Found reports whether the home still carries anything of it.
func (i Installation) Found() bool {
	return len(i.Legacy.Keys)+len(i.Legacy.Whole)+len(i.Legacy.Cuts) > 0
}

// Read reads a home. A record that cannot be relied on is an error: then nothing is known of what it claims. Nothing is
// read through a link that stands in the place of a file.
func Read(home, copilot string) (Installation, diag.List) {
	r := &reader{home: home, copilot: copilot, skills: filepath.Join(home, ".agents", "skills"), state: filepath.Join(home, ".agentihooks")}
	r.out.Legacy.Of = Name
	st := r.ledger()
	wrapper, root := r.wrapper()
	r.hooks(wrapper)
	r.environment()
	r.instructions()
	r.agents()
	r.commands()
	r.links(st)
	r.settings(root)
	r.servers(st)
	r.shell(st)
	r.whole(wrapper...)
	r.records(st)
	if r.list.HasErrors() {
		return Installation{}, r.list
	}
	if !r.out.Found() {
		r.out = Installation{}
	}
	return r.out, r.list
}

type reader struct {
	home, copilot string
	skills        string // the skills of the user that several agents read
	state         string // the program's own folder
	list          diag.List
	out           Installation
	pending       []string // records, which are removed after everything else
}

func (r *reader) whole(paths ...string) { r.out.Legacy.Whole = append(r.out.Legacy.Whole, paths...) }

func (r *reader) folder(path string) { r.out.Legacy.Folders = append(r.out.Legacy.Folders, path) }

func (r *reader) keepf(path, format string, args ...any) {
	r.out.Kept = append(r.out.Kept, path+": "+fmt.Sprintf(format, args...))
}

// maxFile bounds what is read of one file, in bytes.
const maxFile = 16 << 20

// read is the content of a regular file; ok is false where there is none.
func (r *reader) read(path string) (data []byte, ok bool) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.Mode().IsRegular() {
		return nil, false
	}
	if err == nil {
		data, err = readFile(path)
	}
	if err != nil {
		r.list.Errorf(diag.Range{File: path}, "unreadable-record", path+" cannot be read", "%v. Nothing was changed. Make it readable, then try again.", err)
	}
	return data, err == nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return data, err
}

// isLink reports whether a link stands at a path.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// document is a JSON file, with the places and the texts of its values.
type document struct {
	jsonplace.File
	texts *jsonedit.Doc
}

func parse(l *diag.List, name string, data []byte) (document, bool) {
	file, ok := jsonplace.Parse(l, name, data, "Nothing was changed, for it says what is of "+Name+".")
	if !ok {
		return document{}, false
	}
	texts, err := jsonedit.Parse(data)
	return document{file, texts}, err == nil
}

// parseShared parses a file that Copilot and the user write too: one that is broken is no fault of the program's where
// nothing else is of it.
func (r *reader) parseShared(path string, data []byte) (document, bool) {
	if !r.out.Found() && len(r.pending) == 0 {
		return parse(new(diag.List), path, data)
	}
	return parse(&r.list, path, data)
}

// text is a value as compact JSON; ok is false where there is none.
func (d document) text(path ...string) (string, bool) {
	v, ok, err := d.texts.Get(path)
	if err != nil || !ok {
		return "", false
	}
	compact, err := jsonedit.Compact(v.Text)
	return string(compact), err == nil
}

// elements are the elements of an array as compact JSON.
func (d document) elements(path ...string) []string {
	values, _, err := d.texts.Elements(path)
	if err != nil {
		return nil
	}
	var out []string
	for _, v := range values {
		if compact, err := jsonedit.Compact(v.Text); err == nil {
			out = append(out, string(compact))
		}
	}
	return out
}

// marked reports whether a text says in a comment that it is the program's.
func marked(data []byte) bool { return strings.Contains(string(data), "managed-by: agentihooks") }
