package guard

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// Call is a tool call as the guards see it. Tool and Command are always there; what the rest needs of the machine comes
// in as values and functions, and what is worked out is worked out once for all guards.
type Call struct {
	Tool    string // the tool's name in Copilot's vocabulary: bash, edit, `server-tool`
	Command string // text that a shell will read; empty for every other tool
	Files   []File // what the tool itself does to files: view, create, edit, grep, glob
	Texts   []Text // what is written or sent: the text of an edit, every string that an MCP tool is given
	URL     string // web_fetch

	Cwd      string // absolute, or empty
	Home     string // absolute, or empty
	StateDir string // absolute: $STATE, or empty
	Disk     Disk
	// Sources is the manifest's path and the folders that it reads from, absolute. It may be nil.
	Sources func() []string
	// Failures is how often this very call failed in the same way, with nothing that succeeded since. It may be nil.
	Failures func() int

	script   *shell.Script
	accesses []access.Access
	reached  bool
}

// File is a file or a folder that a tool is given.
type File struct {
	Path  string
	Mode  access.Mode
	Tree  bool // all that is below it too
	Grows int  // how many lines more it has after an edit; after create, how many it has
}

// Text is something that a tool writes or sends.
type Text struct {
	Where string // "the file .env", "the argument body of gateway-fetch"
	Path  string // the file that it is written to; empty if it is sent
	Text  string
}

// Disk is what a guard may ask about files. A nil function knows nothing.
type Disk struct {
	// Resolve follows the links of the longest part of an absolute path that exists.
	Resolve func(name string) string
	// Glob is the files that a pattern names, at most limit of them; more says that there are others.
	Glob func(pattern string, limit int) (names []string, more bool)
	// Read is the beginning of a regular file, at most limit bytes.
	Read func(name string, limit int) ([]byte, bool)
	// IsFolder reports whether a path is a folder.
	IsFolder func(name string) bool
}

// Script is the command, taken apart; empty for a tool that is no shell.
func (c *Call) Script() *shell.Script {
	if c.script == nil {
		script := shell.Script{}
		if c.Command != "" {
			script = shell.ReadIn(c.Command, c.Cwd)
		}
		c.script = &script
	}
	return c.script
}

// Accesses is every file that the call reaches: what the tool itself is given, and what its command says.
func (c *Call) Accesses() []access.Access {
	if !c.reached {
		c.reached = true
		for _, f := range c.Files {
			c.accesses = append(c.accesses, access.Access{Path: shell.Word{Text: f.Path}, Dir: c.Cwd, Mode: f.Mode, Tree: f.Tree, Source: c.Tool + " " + f.Path})
		}
		c.accesses = append(c.accesses, access.Of(c.Script())...)
	}
	return c.accesses
}

// maxGlob bounds how many files a pattern of an access is followed to.
const maxGlob = 200

// Places is where an access leads: its path as it is written and with its links followed. Names of files that the shell
// would match are asked of the disk. A path that only the shell can know gives none; sure says that none is missing.
func (c *Call) Places(a access.Access) (places []string, sure bool) {
	if name, ok := a.At(c.Home); ok {
		return c.resolved(name), true
	}
	if a.Dir == "" && a.Path.Known() { // as if it were here
		return c.resolved(access.Absolute(a.Path.Text, c.Cwd, c.Home)), false
	}
	pattern, ok := globOf(a.Path)
	if !ok || c.Disk.Glob == nil {
		return nil, false
	}
	names, more := c.Disk.Glob(access.Absolute(pattern, cmp.Or(a.Dir, c.Cwd), c.Home), maxGlob)
	for _, name := range names {
		places = append(places, c.resolved(name)...)
	}
	return places, !more
}

// resolved is an absolute path as it is, and with its links followed if that is another.
func (c *Call) resolved(name string) []string {
	places := []string{name}
	if c.Disk.Resolve != nil && path.IsAbs(name) {
		if real := c.Disk.Resolve(name); real != name {
			places = append(places, real)
		}
	}
	return places
}

// globOf is a word with a * in each hole, if all its holes are names of files.
func globOf(word shell.Word) (string, bool) {
	if slices.ContainsFunc(word.Holes, func(h shell.Hole) bool { return h.Kind != shell.Glob }) {
		return "", false
	}
	var b strings.Builder
	at := 0
	for _, h := range word.Holes {
		b.WriteString(escapeGlob(word.Text[at:h.At]))
		if !strings.HasSuffix(b.String(), "*") {
			b.WriteByte('*')
		}
		at = h.At
	}
	b.WriteString(escapeGlob(word.Text[at:]))
	return b.String(), true
}

var globEscapes = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

func escapeGlob(text string) string {
	if !strings.ContainsAny(text, `\*?[`) {
		return text
	}
	return globEscapes.Replace(text)
}

// below reports whether a path is a folder or in it.
func below(name, folder string) bool {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(folder, "/"))
	return ok && folder != "" && (rest == "" || rest[0] == '/')
}
