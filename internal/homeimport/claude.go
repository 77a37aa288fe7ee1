package homeimport

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ClaudeSource is the folder beside the manifest that a folder laid out for Claude Code is copied into, for a bundle block.
const ClaudeSource = "claude"

// ReadClaude reads a folder that is laid out for Claude Code: ~/.claude itself, or one that holds a .claude. What Copilot
// can take of it becomes parts: CLAUDE.md, and the files of agents, commands, rules and skills. Where Copilot has something of
// that name already, in its own folder or in ~/.agents, that stays, and the part is left.
func ReadClaude(dir, copilot, agents string) ([]Part, []Left, error) {
	r := reader{taken: func(kind, name string) bool {
		place := filepath.Join(agents, "skills", strings.TrimSuffix(name, ".md")) // commands become skills
		switch kind {
		case "agents":
			place = filepath.Join(copilot, kind, name)
		case "CLAUDE.md", "rules":
			place = filepath.Join(copilot, instructionsFile)
		}
		_, err := os.Lstat(place)
		return err == nil
	}}
	err := r.in(dir, func(dir folder) {
		inner := ".claude"
		if filepath.Base(dir.path) == ".claude" {
			inner = "."
		} else {
			r.claude(dir, "CLAUDE.md", "CLAUDE.md")
		}
		r.claude(dir, path.Join(inner, "CLAUDE.md"), ".claude/CLAUDE.md")
		for _, kind := range []string{"agents", "commands", "rules"} {
			for _, e := range r.entries(dir, path.Join(inner, kind)) {
				if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() {
					r.claude(dir, path.Join(inner, kind, e.Name()), path.Join(".claude", kind, e.Name()))
				}
			}
		}
		r.skills(dir, path.Join(inner, "skills"), Claude, path.Join(ClaudeSource, ".claude", "skills"))
	})
	return r.parts, r.left, err
}

// claude takes one file that becomes source below ClaudeSource.
func (r *reader) claude(dir folder, rel, source string) {
	kind := path.Base(path.Dir(source))
	if name := path.Base(source); name == "CLAUDE.md" {
		kind = name
	}
	if _, err := dir.root.Lstat(rel); err == nil && r.taken(kind, path.Base(source)) {
		r.leave(dir, rel, "Copilot has something of its own in its place, which stays. Bring the two together after the first switch, in the manifest.")
		return
	}
	r.file(dir, rel, Claude, path.Join(ClaudeSource, source))
}
