package homeimport

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
)

// file takes one file as a part of its own. One without text says nothing, and stays.
func (r *reader) file(dir folder, rel string, kind Kind, source string) {
	data, mode, ok := r.read(dir, rel)
	if !ok || len(bytes.TrimSpace(data)) == 0 || !r.clean(dir, rel, data) {
		return
	}
	r.parts = append(r.parts, Part{Kind: kind, Path: dir.join(rel), Source: source, Files: []File{{source, data, mode}}})
}

// scoped takes the instructions for some files only, in folders too: Copilot 1.0.83 and 1.0.102 read these in real folders
// at any depth, by their ending.
func (r *reader) scoped(dir folder) { r.below(dir, "instructions") }

func (r *reader) below(dir folder, rel string) {
	for _, e := range r.entries(dir, rel) {
		name := path.Join(rel, e.Name())
		switch {
		case e.IsDir():
			r.below(dir, name)
		case strings.HasSuffix(e.Name(), ".instructions.md"):
			r.file(dir, name, ScopedInstructions, name)
		}
	}
}

func (r *reader) agents(dir folder) {
	for _, e := range r.entries(dir, "agents") {
		if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() {
			name := path.Join("agents", e.Name())
			r.file(dir, name, Agent, name)
		}
	}
}

// hooks leaves files with hooks where they are: Copilot reads every file of the folder, so theirs run beside ours.
func (r *reader) hooks(dir folder) {
	for _, e := range r.entries(dir, "hooks") {
		if strings.HasSuffix(e.Name(), ".json") {
			r.leave(dir, path.Join("hooks", e.Name()), "Hooks of your own go on running from their own file. To have one in the manifest, write a hook block and remove it there.")
		}
	}
}

// strangers leaves skills where Copilot reads them and we do not write.
func (r *reader) strangers(dir folder) {
	for _, e := range r.entries(dir, "skills") {
		if e.IsDir() {
			r.leave(dir, path.Join("skills", e.Name()), "Copilot goes on reading it there. To have it in the manifest, move it to ~/.agents/skills first.")
		}
	}
}

// skills takes each folder in a folder that holds a SKILL.md.
func (r *reader) skills(dir folder, rel string, kind Kind, source string) {
	for _, e := range r.entries(dir, rel) {
		name := path.Join(rel, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			r.link(dir, name)
		case e.IsDir() && r.taken != nil && r.taken("skills", e.Name()):
			r.leave(dir, name, "Copilot has a skill of this name already, which stays.")
		case e.IsDir() && !r.unnameable(dir, name):
			r.skill(dir, name, kind, path.Join(source, e.Name()))
		}
	}
}

func (r *reader) skill(dir folder, rel string, kind Kind, source string) {
	if info, err := dir.root.Lstat(path.Join(rel, "SKILL.md")); err != nil || !info.Mode().IsRegular() {
		return // Copilot does not read it either
	}
	p := Part{Kind: kind, Path: dir.join(rel), Source: source}
	if size := 0; r.folder(dir, rel, &p, rel, &size) {
		r.parts = append(r.parts, p)
	}
}

// folder takes everything below a folder, or leaves the whole part.
func (r *reader) folder(dir folder, rel string, p *Part, base string, size *int) bool {
	list, ok := r.list(dir, rel)
	if ok && len(list) == 0 {
		r.leave(dir, base, "%s in it is empty, and a manifest's skill has no empty folders.", path.Base(rel))
	}
	if len(list) == 0 {
		return false
	}
	for _, e := range list {
		name := path.Join(rel, e.Name())
		if e.IsDir() {
			if !r.folder(dir, name, p, base, size) {
				return false
			}
			continue
		}
		data, mode, ok := r.read(dir, name)
		if !ok || !r.clean(dir, name, data) {
			return false
		}
		if *size += len(data); *size > maxFolder || len(p.Files) == maxFiles {
			r.leave(dir, base, "It has more than %d files or %d bytes.", maxFiles, maxFolder)
			return false
		}
		p.Files = append(p.Files, File{p.Source + strings.TrimPrefix(name, base), data, mode})
	}
	return true
}
