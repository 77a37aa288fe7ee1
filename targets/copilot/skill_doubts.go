package copilot

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

// skillDoubts warns of what loads, but not as its author may think.
func (r *renderer) skillDoubts(f model.Folder, s skill) {
	for _, file := range f.Files {
		file.Origin = f.Origin
		if file.Rel == skillFile {
			if id := skillID(s.name); id != f.Name {
				at := start(file)
				if doc, err := frontmatter.Parse(file.Source, file.Data); err == nil && doc.Get("name").Kind != frontmatter.KindAbsent {
					at = doc.Get("name").At
				}
				r.doubt(at, f.Origin, "skill-folder", fmt.Sprintf("the skill in folder %q is called %q", f.Name, id),
					"Copilot calls it by its name, with dashes for blanks; the Agent Skills format asks for the folder's name. Give both one name.")
			}
		}
		if line, ref := outside(file); ref != "" {
			r.doubt(frontmatter.Line(file.Source, file.Data, line), f.Origin, "skill-outside", fmt.Sprintf("%s refers to %s, which is outside of its skill", file.Source, ref),
				"A skill's folder is live by itself: what lies beside it in the sources is not there. Put the file into the skill.")
		}
	}
}

// outside is the first relative path in a skill's file that leads out of the skill, and its line. In Markdown only the
// targets of links count: its text may speak of any path.
func outside(f model.File) (line int, ref string) {
	if !utf8.Valid(f.Data) || bytes.IndexByte(f.Data, 0) >= 0 {
		return 0, ""
	}
	markdown := strings.HasSuffix(strings.ToLower(f.Rel), ".md")
	for text := range strings.Lines(string(f.Data)) {
		line++
		for from := 0; ; {
			i := strings.Index(text[from:], "../")
			if i < 0 {
				break
			}
			i += from
			begin, end := i, i
			for begin > 0 && inPath(text[begin-1]) {
				begin--
			}
			for end < len(text) && inPath(text[end]) {
				end++
			}
			from = end
			if markdown && !strings.HasSuffix(text[:begin], "](") {
				continue
			}
			if ref := text[begin:end]; leadsOut(path.Dir(f.Rel), text[:begin], ref) {
				return line, ref
			}
		}
	}
	return 0, ""
}

// leadsOut reports whether a path leads out of the skill, seen from a folder in it. What stands before it tells whether
// it begins with a variable, which most scripts set to their own folder; other absolute paths and addresses do not count.
func leadsOut(dir, before, ref string) bool {
	if strings.HasSuffix(before, "$") {
		_, ref, _ = strings.Cut(ref, "/")
	}
	if strings.HasPrefix(ref, "/../") {
		ref = ref[1:]
	}
	if strings.HasPrefix(ref, "/") || strings.HasSuffix(before, "~") || strings.HasSuffix(before, ":") && strings.HasPrefix(ref, "//") {
		return false
	}
	return strings.HasPrefix(path.Join(dir, ref), "../")
}

func inPath(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("./_-+@%", c) >= 0 || c >= utf8.RuneSelf
}
