// Package access tells which files a shell text reads, writes and deletes, as far as the text itself says.
package access

import (
	"path"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// Mode is what is done to a file, as a set of bits.
type Mode uint8

// The modes. What replaces a file or changes its rights writes it; what moves it away deletes it.
const (
	Read Mode = 1 << iota
	Write
	Delete
)

// String is the mode as a verb: "write".
func (m Mode) String() string {
	switch {
	case m&Delete != 0:
		return "delete"
	case m&Write != 0:
		return "write"
	}
	return "read"
}

// Access is one file that a command reaches.
type Access struct {
	Path   shell.Word
	Dir    string // where a relative path begins: absolute, or below ~; empty if it is not known
	Mode   Mode
	Tree   bool           // all that is below the path too
	Source string         // the command, as it is written
	By     *shell.Command // of the script; nil for what a redirection or a tool opens
}

// Of is every access of a script, in the order of the text.
func Of(script *shell.Script) []Access {
	var out []Access
	for i := range script.Commands {
		out = append(out, command(&script.Commands[i])...)
	}
	for _, o := range script.Opened {
		a := Access{Path: o.File, Dir: o.Dir, Source: o.Source}
		if o.Reads {
			a.Mode |= Read
		}
		if o.Writes {
			a.Mode |= Write
		}
		out = append(out, a)
	}
	return out
}

// command is the accesses of one simple command, by the table of programs.
func command(c *shell.Command) []Access {
	name := c.Name()
	if !name.Known() {
		return nil
	}
	switch name.Text {
	case "dd":
		return assigned(c)
	case "find", "fd", "fdfind":
		return found(c)
	}
	p, ok := programFor(name.Text)
	if !ok {
		return nil
	}
	a := p.read(c.Words[1:])
	if p.inPlace != "" && a.has(p.inPlace) {
		p.mode |= Write
	}
	var out []Access
	add := func(word shell.Word, mode Mode, tree bool) {
		if mode != 0 && (word.Text != "" && word.Text != "-" || !word.Known()) {
			out = append(out, Access{word, c.Dir, mode, tree, c.Source, c})
		}
	}
	for _, o := range a.options {
		add(o.value, p.optionMode(o.name), false)
		if at := strings.IndexByte(o.value.Text, '@'); listed(p.sends, o.name) && (at == 0 || at > 0 && o.value.Text[at-1] == '=') && !o.value.HoleBefore(at+1) {
			add(o.value.From(at+1), Read, false)
		}
	}
	files := a.operands
	if skip := p.skip; skip > 0 && !a.has(p.unless) {
		files = files[min(skip, len(files)):]
	}
	tree := p.tree || a.has(p.recursive)
	target, isTarget := a.value(p.target)
	if p.last != 0 && !isTarget && len(files) > 1 {
		target, isTarget = files[len(files)-1], true
		files = files[:len(files)-1]
	}
	for _, f := range files {
		add(f, p.mode, tree)
	}
	if isTarget {
		add(target, p.last, tree)
		for _, f := range files { // it may be a folder
			add(inside(target, f), p.last, tree)
		}
	}
	return out
}

// inside is the file that is made of a source in a folder.
func inside(folder, source shell.Word) shell.Word {
	base := shell.Word{Text: strings.TrimRight(source.Text, "/"), Holes: source.Holes}.Base()
	sep := "/"
	if strings.HasSuffix(folder.Text, "/") {
		sep = ""
	}
	return folder.Join(sep, base)
}

// assigned is the accesses of dd.
func assigned(c *shell.Command) []Access {
	var out []Access
	for _, word := range c.Words[1:] {
		for prefix, mode := range map[string]Mode{"if=": Read, "of=": Write} {
			if strings.HasPrefix(word.Text, prefix) && !word.HoleBefore(len(prefix)) {
				out = append(out, Access{word.From(len(prefix)), c.Dir, mode, false, c.Source, c})
			}
		}
	}
	return out
}

// found is the accesses of find: it deletes below its roots, or lists. The commands that it runs are commands of their
// own.
func found(c *shell.Command) []Access {
	var roots []shell.Word
	deletes := false
	for _, word := range c.Words[1:] {
		if word.Text == "-delete" {
			deletes = true
		}
	}
	if !deletes {
		return nil
	}
	for _, word := range c.Words[1:] {
		if strings.HasPrefix(word.Text, "-") || word.Text == "(" || word.Text == "!" {
			if len(word.Text) == 2 && strings.ContainsAny(word.Text[1:], "LHP") {
				continue
			}
			break
		}
		roots = append(roots, word)
	}
	if len(roots) == 0 {
		roots = []shell.Word{{Text: "."}}
	}
	var out []Access
	for _, root := range roots {
		out = append(out, Access{root, c.Dir, Delete, true, c.Source, c})
	}
	return out
}

// At is the path, cleaned and absolute, if the text says it. Home is absolute, or empty if it is not known.
func (a Access) At(home string) (string, bool) {
	name := Absolute(a.Path.Text, a.Dir, home)
	return name, a.Path.Known() && path.IsAbs(name)
}

// Absolute is a path as a command in a folder sees it.
func Absolute(name, dir, home string) string {
	if name = fromHome(name, home); path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(fromHome(dir, home), name)
}

func fromHome(name, home string) string {
	if home != "" && (name == "~" || strings.HasPrefix(name, "~/")) {
		return home + name[1:]
	}
	return name
}
