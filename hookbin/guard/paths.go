package guard

import (
	"path"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
)

// The guard "paths" keeps files from being read, written or deleted, by whatever tool and however a command spells it.
func pathsKind() kind {
	list := func(name, what, example string) Arg {
		return Arg{
			Name: name, Type: Strings,
			Doc: "Files that no tool and no command may " + what + ": absolute, below `~/`, or below the folder that the agent works in. " +
				"A folder stands for all that is in it, `*` for the rest of a name, `**` for any folders.",
			Example: example,
		}
	}
	return kind{
		spec: Spec{
			Kind: "paths",
			Doc:  "Keeps files from being read, written or deleted, by tools and by shell commands.",
			Args: []Arg{
				list("read", "read", `["~/.ssh", "**/*.pem"]`),
				list("write", "write, and so delete", `["~/.config", ".github/workflows"]`),
				list("delete", "delete", `["docs"]`),
			},
		},
		check:  checkPaths,
		judge:  judgePaths,
		denied: deniedPaths,
	}
}

// pathModes is the argument that is about a mode. What must not be written must not be deleted either.
var pathModes = [...]struct {
	arg  string
	mode access.Mode
}{{"read", access.Read}, {"write", access.Write | access.Delete}, {"delete", access.Delete}}

func checkPaths(args Args) []Problem {
	var out []Problem
	for _, m := range pathModes {
		for i, pattern := range args.texts(m.arg) {
			if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "/") == "" {
				out = append(out, Problem{m.arg, i, "It is no pattern of paths. Write a path, with `*` for the rest of a name and `**` for any folders."})
			}
		}
	}
	return out
}

func deniedPaths(args Args) []string {
	var out []string
	for _, m := range pathModes {
		for _, pattern := range args.texts(m.arg) {
			out = append(out, m.arg+" "+pattern)
		}
	}
	return out
}

func judgePaths(args Args, call *Call) (*finding, error) {
	if call.Command == "" && len(call.Files) == 0 {
		return nil, nil
	}
	for _, a := range call.Accesses() {
		for _, m := range pathModes {
			if a.Mode&m.mode == 0 {
				continue
			}
			for _, pattern := range args.texts(m.arg) {
				if call.reaches(a, pattern) {
					did := access.Access{Mode: a.Mode & m.mode}.Mode
					return &finding{text: "`" + shown(a.Source) + "` would " + did.String() + " what `" + shown(pattern) + "` keeps from it.", rule: m.arg + " " + pattern}, nil
				}
			}
		}
	}
	return overLimit(call.Script(), "the paths that are kept"), nil
}

// reaches reports whether an access gets at what a pattern names, or at a folder around it with all that is in it.
func (c *Call) reaches(a access.Access, pattern string) bool {
	full := c.absolutePattern(pattern)
	places, sure := c.Places(a)
	for _, place := range places {
		if coversPath(full, place) || a.Tree && below(literalPart(full), place) && !strings.HasPrefix(pattern, "**") {
			return true
		}
	}
	if end := knownEnd(a.Path); !sure && end != "" && strings.HasPrefix(pattern, "**/") {
		return coversPath(full, "/"+end)
	}
	return false
}

// absolutePattern is a pattern of paths from the root on.
func (c *Call) absolutePattern(pattern string) string {
	if strings.HasPrefix(pattern, "**") {
		return "/" + pattern
	}
	return access.Absolute(pattern, c.Cwd, c.Home)
}

// literalPart is the folders of a pattern before its first star.
func literalPart(pattern string) string {
	at := strings.IndexAny(pattern, `*?[\`)
	if at < 0 {
		return pattern
	}
	return pattern[:strings.LastIndexByte(pattern[:at], '/')+1]
}

// coversPath reports whether a path, or a folder that it is in, matches a pattern.
func coversPath(pattern, name string) bool {
	return coverParts(strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(strings.Trim(name, "/"), "/"))
}

func coverParts(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(parts) + 1 {
				if coverParts(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], parts[0]); err != nil || !ok {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return true
}
