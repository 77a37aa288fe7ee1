package copilot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

// commands makes each command a skill: Copilot 1.0.83 and 1.0.102 have no prompt files, but run every skill as
// /name, with $ARGUMENTS filled in.
func (r *renderer) commands(skills []skill) {
	for _, f := range r.in.Machine.Commands {
		name, markdown := strings.CutSuffix(f.Name, ".md")
		if !markdown {
			r.fault(start(f), f.Origin, "command-file", fmt.Sprintf("command %s is no Markdown", f.Source),
				"A command is a file that ends in .md, with its prompt as the text. Of a command of Gemini's, write the description into a header and the prompt below it, with $ARGUMENTS for {{args}}.")
			continue
		}
		if why := badSkillName(name); why != "" {
			r.diags.Errorf(f.Origin, "skill-name", fmt.Sprintf("command %s has no possible name", f.Source),
				"It becomes a skill of its file's name, which %s. Rename the file.", why)
			continue
		}
		if i := slices.IndexFunc(skills, func(s skill) bool {
			return s.folder == name || skillID(s.name) == skillID(name)
		}); i >= 0 {
			r.diags.Warnf(f.Origin, "command-shadowed", fmt.Sprintf("command %q gives way to the skill of that name", name),
				"Both would be /%s. Rename or remove one of them.", skillID(name))
			r.relate(skills[i].named)
			r.diags[len(r.diags)-1].Related[0].Label = "the skill is named here"
			continue
		}
		if data, ok := r.command(f, name); ok {
			r.file("agents/skills/"+name+"/"+skillFile, data, false, f.Origin)
			r.linkSkill(name, f.Origin)
		}
	}
}

// command is the SKILL.md that a command becomes.
func (r *renderer) command(f model.File, name string) ([]byte, bool) {
	doc, err := frontmatter.Parse(f.Source, f.Data)
	if err != nil {
		r.unreadable(f, err)
		return nil, false
	}
	r.repaired(f, doc)
	fields := []frontmatter.Field{{Name: "name", Value: frontmatter.String(name)}, {Name: "description"}}
	description := frontmatter.String(fmt.Sprintf("Runs the %s command.", name))
	ok := true
	for _, field := range doc.Fields {
		switch field.Name {
		case "name":
		case "description":
			if s, is := scalar(field.Value); is && s.Text != "" {
				description = s
			}
		case "argument-hint":
			fields = append(fields, frontmatter.Field{Name: field.Name, Value: frontmatter.String(hint(field))})
		case "user-invocable", "disable-model-invocation":
			b, is := boolean(field.Value)
			if !is {
				ok = false
				r.fault(field.Value.At, f.Origin, "field-type", fmt.Sprintf("%s: %s is %v", f.Source, field.Name, field.Value.Kind),
					"Write true or false.")
			}
			fields = append(fields, frontmatter.Field{Name: field.Name, Value: b})
		default:
			r.loss(field.At, fmt.Sprintf("Copilot's skills have no field %q; it is left out", field.Name))
		}
	}
	before := len(r.diags)
	fields[1].Value = description
	r.skillDescription(f, frontmatter.Doc{Fields: fields}, fmt.Sprintf("command %q", name))
	body := doc.Body
	if body != "" && !strings.HasPrefix(body, "\n") {
		body = "\n" + body
	}
	return frontmatter.Encode(fields, body), ok && len(r.diags) == before
}

// hint is an argument hint as it was meant: `[name|all]` without quotes is a list to YAML.
func hint(f frontmatter.Field) string {
	if f.Value.Kind == frontmatter.KindString || f.Raw == "" {
		return strings.TrimSpace(f.Value.Text)
	}
	return f.Raw
}
