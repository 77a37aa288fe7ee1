package pythonhome

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/activate"
)

// The marks around its part of copilot-instructions.md and of ~/.bashrc. The first line of the former also says how to make
// it anew.
const (
	headerMark = "<!-- managed-by: agentihooks"
	footerMark = "<!-- agentihooks:managed-end -->"
	blockStart = "# === agentihooks ==="
	blockEnd   = "# === end-agentihooks ==="
)

// instructions takes its part of the instructions, and all of the file where nothing else is in it. Without the mark at the
// end nobody can tell whose is what, and the whole file goes to the backups, as its own uninstall has it.
func (r *reader) instructions() {
	path := filepath.Join(r.copilot, "copilot-instructions.md")
	data, ok := r.read(path)
	if !ok {
		return
	}
	text := string(data)
	start := strings.Index(text, headerMark)
	if start < 0 {
		return
	}
	end := strings.Index(text[start:], footerMark)
	if end < 0 {
		r.whole(path)
		r.out.Notes = append(r.out.Notes, path+": the line that ends the part of "+Name+" is gone, so that all of it is in the backups; take from there what you wrote")
		return
	}
	end += start + len(footerMark)
	end += len(text[end:]) - len(strings.TrimLeft(text[end:], "\r\n"))
	r.cut(path, text, start, end)
}

// cut takes a part of a text, and the whole file where only blanks would be left.
func (r *reader) cut(path, text string, start, end int) {
	part := text[start:end]
	switch {
	case strings.TrimSpace(text[:start]+text[end:]) == "":
		r.whole(path)
	case strings.Count(text, part) > 1:
		r.keepf(path, "the part of %s stands in it twice; remove it by hand", Name)
	default:
		r.out.Legacy.Cuts = append(r.out.Legacy.Cuts, activate.Cut{Path: path, Text: part})
	}
}

// shell takes the block in ~/.bashrc. Other agents that the program is installed for need it too.
func (r *reader) shell(st ledger) {
	path := filepath.Join(r.home, ".bashrc")
	if isLink(path) {
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), blockStart) {
			r.keepf(path, "it is a link; remove the lines from %q to %q from the file that it leads to", blockStart, blockEnd)
		}
		return
	}
	data, ok := r.read(path)
	text := string(data)
	start := lineIndex(text, blockStart)
	if !ok || start < 0 {
		return
	}
	end := lineIndex(text[start:], blockEnd)
	switch {
	case end < 0:
		r.keepf(path, "the line %q that ends the block of %s is gone; remove the block by hand", blockEnd, Name)
		return
	case len(st.others) > 0:
		r.keepf(path, "%s needs its block for %s", Name, strings.Join(st.others, " and "))
		return
	}
	end += start + len(blockEnd)
	if rest := text[end:]; strings.HasPrefix(rest, "\n") {
		end++
	} else if strings.HasPrefix(rest, "\r\n") {
		end += 2
	}
	r.cut(path, text, start, end)
	r.out.Notes = append(r.out.Notes, path+": the block of "+Name+" goes, which loaded "+filepath.Join(r.state, "*.env")+
		" and put ~/.local/bin into PATH; `agentihooks shell-init bash` prints the line that loads what your manifest sets, the rest is yours to add")
}

// lineIndex is where a line begins that is exactly this, blanks at its end aside; -1 if there is none.
func lineIndex(text, line string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], line)
		if i < 0 {
			return -1
		}
		at += i
		rest, _, _ := strings.Cut(text[at+len(line):], "\n")
		if (at == 0 || text[at-1] == '\n') && strings.TrimSpace(rest) == "" {
			return at
		}
		at += len(line)
	}
}
