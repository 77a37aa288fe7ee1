package copilot

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

// Copilot's limits of a skill (1.0.83 and 1.0.102 say them when they refuse one). Lengths are in UTF-16 units, blanks
// around the text not counted: 512 characters of two units each are the most.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024
)

const skillFile = "SKILL.md"

// executablesPath lists the executable files of all skills, a JSON list of paths below agents/skills: index.json has
// one line for a whole folder, and who compares two trees wants to know of a new executable.
const executablesPath = "agents/executables.json"

// skill is a skill's folder as it is taken.
type skill struct {
	folder string // name of the folder
	name   string // what Copilot calls it
	named  diag.Range
}

// skills copies each folder and links it as one. Then commands become skills, unless a skill has their name.
func (r *renderer) skills() {
	var taken []skill
	var executables []string
	var origins []diag.Range
	for _, f := range r.in.Machine.Skills {
		s, ok := r.skill(f, taken)
		if !ok {
			continue
		}
		taken = append(taken, s)
		r.skillDoubts(f, s)
		for _, file := range f.Files {
			r.file(path.Join("agents/skills", f.Name, file.Rel), file.Data, file.Exec, f.Origin)
			if file.Exec {
				executables = append(executables, f.Name+"/"+file.Rel)
				origins = append(origins, f.Origin)
			}
		}
		r.linkSkill(f.Name, f.Origin)
	}
	if len(executables) > 0 {
		slices.Sort(executables)
		r.file(executablesPath, canonical(executables), false, origins...)
	}
	r.commands(taken)
}

// linkSkill makes a skill's folder live. Copilot 1.0.83 and 1.0.102 do not read ~/.agents/skills when COPILOT_HOME is
// anything but ~/.copilot.
func (r *renderer) linkSkill(name string, origin diag.Range) {
	dest := r.userHome(".agents/skills", name)
	if r.home() != r.userHome(".copilot") {
		dest = r.home("skills", name)
	}
	r.link(dest, "agents/skills/"+name, origin)
}

// skill checks a folder. Its SKILL.md is not changed: Copilot reads a BOM and CRLF, and is as strict about YAML as this.
func (r *renderer) skill(f model.Folder, taken []skill) (skill, bool) {
	i := slices.IndexFunc(f.Files, func(file model.File) bool { return file.Rel == skillFile })
	if i < 0 {
		r.noSkillFile(f)
		return skill{}, false
	}
	file := f.Files[i]
	file.Origin = f.Origin
	before := len(r.diags)
	doc, err := frontmatter.Parse(file.Source, file.Data)
	switch {
	case err != nil:
		r.unreadable(file, err)
		return skill{}, false
	case len(doc.Repaired) > 0:
		r.fault(doc.Repaired[0], f.Origin, "invalid-source", fmt.Sprintf("%s cannot be read", file.Source),
			"This line is no YAML, and Copilot does not load the skill. Put the text behind the colon in quotes.")
		return skill{}, false
	}
	s := skill{folder: f.Name, name: r.skillName(f, file, doc), named: f.Origin}
	r.skillDescription(file, doc, "skill "+fmt.Sprintf("%q", f.Name))
	r.skillTypes(file, doc)
	if len(r.diags) == before {
		for _, other := range taken {
			if skillID(other.name) == skillID(s.name) && other.folder != s.folder {
				at := start(file)
				if n := doc.Get("name"); n.Kind != frontmatter.KindAbsent {
					at = n.At
				}
				r.fault(at, f.Origin, "duplicate-skill", fmt.Sprintf("skill %q is defined twice", s.name),
					"Copilot offers one skill of a name, and this is also that of folder %s. Rename one of them, or remove it.", other.folder)
				r.diags[len(r.diags)-1].Related = append(r.diags[len(r.diags)-1].Related, diag.Related{Label: "the other one is named here", Range: other.named})
			}
		}
	}
	return s, len(r.diags) == before
}

// skillID is what Copilot makes of a name to call the skill by.
func skillID(name string) string { return strings.ReplaceAll(name, " ", "-") }

func (r *renderer) noSkillFile(f model.Folder) {
	for _, file := range f.Files {
		if strings.EqualFold(file.Rel, skillFile) {
			r.fault(start(file), f.Origin, "skill-file", fmt.Sprintf("skill %q has a %s, not a %s", f.Name, file.Rel, skillFile),
				"Copilot looks for exactly that name. Rename the file.")
			return
		}
	}
	r.diags.Errorf(f.Origin, "skill-file", fmt.Sprintf("skill %q has no %s", f.Name, skillFile),
		"%s is taken for a skill because skills names it. Add the file, or leave the folder out.", f.Source)
}

// skillName is the name that Copilot gives the skill: the frontmatter's, else the folder's.
func (r *renderer) skillName(f model.Folder, file model.File, doc frontmatter.Doc) string {
	v := doc.Get("name")
	switch v.Kind {
	case frontmatter.KindAbsent:
		if why := badSkillName(f.Name); why != "" {
			r.diags.Errorf(f.Origin, "skill-name", fmt.Sprintf("skill folder %q makes no name", f.Name),
				"The skill has no name of its own, and the folder's %s. Add \"name: …\" to its frontmatter, or rename the folder.", why)
		}
		return f.Name
	case frontmatter.KindString:
		name := strings.TrimSpace(v.Text)
		if why := badSkillName(name); why != "" {
			r.fault(v.At, f.Origin, "skill-name", fmt.Sprintf("skill name %q is not possible", name),
				"Copilot does not load it, because it %s. Rename the skill.", why)
		}
		return name
	}
	r.fault(v.At, f.Origin, "field-type", fmt.Sprintf("%s: the name is %v", file.Source, v.Kind),
		"Copilot does not load the skill. Put the name in quotes.")
	return ""
}

// badSkillName says why Copilot 1.0.83 refuses a name, or nothing (1.0.102 also takes colons).
func badSkillName(name string) string {
	if name == "" {
		return "is empty"
	}
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-_. ", c)) {
			return "holds other characters than letters, digits and, after the first, - _ . and blanks"
		}
	}
	if len(name) > maxSkillName {
		return fmt.Sprintf("is longer than %d characters", maxSkillName)
	}
	return ""
}

// skillDescription checks the description, which Copilot shows the model to choose by.
func (r *renderer) skillDescription(file model.File, doc frontmatter.Doc, what string) {
	v := doc.Get("description")
	text := strings.TrimSpace(v.Text)
	length := len(utf16.Encode([]rune(text)))
	switch {
	case v.Kind == frontmatter.KindAbsent:
		r.fault(start(file), file.Origin, "skill-description", what+" has no description",
			"The model chooses skills by it. Add a line \"description: …\" to the frontmatter of %s.", file.Source)
	case v.Kind != frontmatter.KindString && v.Kind != frontmatter.KindNull:
		r.fault(v.At, file.Origin, "field-type", fmt.Sprintf("%s: the description is %v", file.Source, v.Kind),
			"Copilot does not load the skill. Put the text in quotes.")
	case text == "":
		r.fault(v.At, file.Origin, "skill-description", what+" has an empty description",
			"The model chooses skills by it. Say when the skill is of use.")
	case length > maxSkillDescription:
		r.fault(v.At, file.Origin, "skill-description", fmt.Sprintf("%s has a description of %d characters", what, length),
			"Copilot does not load a skill with more than %d. Shorten it; the body has room for the rest.", maxSkillDescription)
	}
}

// skillTypes checks the other fields that keep Copilot from loading a skill.
func (r *renderer) skillTypes(file model.File, doc frontmatter.Doc) {
	for _, f := range doc.Fields {
		want := frontmatter.KindAbsent
		switch f.Name {
		case "argument-hint":
			want = frontmatter.KindString
		case "user-invocable", "disable-model-invocation":
			want = frontmatter.KindBool
		}
		if want != frontmatter.KindAbsent && f.Value.Kind != want {
			r.fault(f.Value.At, file.Origin, "field-type", fmt.Sprintf("%s: %s is %v", file.Source, f.Name, f.Value.Kind),
				"Copilot does not load the skill. Write %v.", want)
		}
	}
}
