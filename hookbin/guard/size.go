package guard

import (
	"path"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "size" keeps files short that go into every prompt, or that people read.
func sizeKind() kind {
	return kind{
		spec: Spec{
			Kind: "size",
			Doc:  "Keeps files from growing over a number of lines, by tools that write them and by here-documents.",
			Args: []Arg{
				{Name: "lines", Type: Int, Required: true, Doc: "How many lines a file may have.", Example: "200"},
				{
					Name: "files", Type: Strings,
					Doc: "The files that it is about: absolute, below `~/`, or below the folder that the agent works in. A folder stands for all that is in it, " +
						"`*` for the rest of a name, `**` for any folders. Default: every file.",
					Example: `["**/AGENTS.md", "**/CLAUDE.md"]`,
				},
			},
		},
		check: func(args Args) []Problem {
			var out []Problem
			for i, pattern := range args.texts("files") {
				if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "/") == "" {
					out = append(out, Problem{"files", i, "It is no pattern of paths. Write a path, with `*` for the rest of a name and `**` for any folders."})
				}
			}
			return out
		},
		judge: judgeSize,
		denied: func(args Args) []string {
			files := args.texts("files")
			if _, given := args["files"]; !given {
				files = []string{"any file"}
			}
			var out []string
			for _, f := range files {
				out = append(out, "more than "+strconv.Itoa(args.number("lines"))+" lines in "+f)
			}
			return out
		},
	}
}

// maxSized bounds how much of a file is read to count its lines.
const maxSized = 4 << 20

func judgeSize(args Args, call *Call) (*finding, error) {
	for _, file := range call.Files {
		if file.Mode&access.Write == 0 {
			continue
		}
		lines, before := file.Grows, call.linesOf(access.Absolute(file.Path, call.Cwd, call.Home))
		if call.Tool != "create" {
			lines += before
		}
		if f := call.tooLong(args, file.Path, call.Cwd, call.Tool+" "+file.Path, lines, before); f != nil {
			return f, nil
		}
	}
	if call.Command == "" {
		return nil, nil
	}
	for i := range call.Script().Commands {
		c := &call.Script().Commands[i]
		for _, r := range c.Redirs {
			if f := call.redirected(args, c, r); f != nil {
				return f, nil
			}
		}
	}
	return nil, nil
}

// redirected is the finding on a file that gets the here-document of a command.
func (c *Call) redirected(args Args, cmd *shell.Command, r shell.Redir) *finding {
	if !strings.HasPrefix(r.Op, ">") || !r.Target.Known() {
		return nil
	}
	lines := 0
	for _, in := range cmd.Redirs {
		if strings.HasPrefix(in.Op, "<<") {
			lines = countLines(in.Target.Text)
		}
	}
	before := c.linesOf(access.Absolute(r.Target.Text, cmd.Dir, c.Home))
	if r.Op == ">>" {
		lines += before
	}
	return c.tooLong(args, r.Target.Text, cmd.Dir, cmd.Source, lines, before)
}

// tooLong is the finding on a file that has so many lines afterwards. One that gets shorter may.
func (c *Call) tooLong(args Args, name, dir, source string, lines, before int) *finding {
	limit := args.number("lines")
	if lines <= limit || lines <= before {
		return nil
	}
	patterns := args.texts("files")
	if _, given := args["files"]; !given {
		patterns = []string{"/"}
	}
	for _, pattern := range patterns {
		if pattern != "/" && !c.reaches(access.Access{Path: shell.Word{Text: name}, Dir: dir}, pattern) {
			continue
		}
		return &finding{
			text: "`" + shown(source) + "` leaves " + shown(name) + " with " + strconv.Itoa(lines) + " lines, and it may have " + strconv.Itoa(limit) + ". " +
				"Say it shorter, or put what is not always needed into a file of its own.",
			rule: pattern,
		}
	}
	return nil
}

// linesOf is how many lines a file has now, by its absolute path.
func (c *Call) linesOf(name string) int {
	if c.Disk.Read == nil {
		return 0
	}
	data, _ := c.Disk.Read(name, maxSized)
	return countLines(string(data))
}

// countLines is the number of lines of a text, the last of which may have no end.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
