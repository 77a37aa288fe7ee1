package copilot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

const personaPath = "copilot/copilot-instructions.md"

// persona joins the persona's files, the rules and the manifesto, each under a comment that names its source. A single file
// that there is nothing to tell from stays as it is.
func (r *renderer) persona() {
	var parts []string
	var last string
	var origins []diag.Range
	add := func(kind string, f model.File, text string) {
		last = text
		parts = append(parts, fmt.Sprintf("<!-- %s: %s -->\n%s", kind, inComment(f.Source), strings.Trim(text, "\n")))
		origins = append(origins, f.Origin)
	}
	plain := func(kind string, files []model.File) {
		for _, f := range files {
			text, err := frontmatter.Text(f.Source, f.Data)
			if err != nil {
				r.unreadable(f, err)
				continue
			}
			add(kind, f, text)
		}
	}
	plain("persona", r.in.Machine.Persona)
	for _, f := range r.in.Machine.Rules {
		if text, ok := r.rule(f); ok {
			add("rule", f, text)
		}
	}
	plain("manifesto", r.in.Machine.Manifesto)
	if len(parts) == 0 {
		return
	}
	profiles := r.in.Machine.Profiles
	identified := r.on("identity") && len(profiles) > 0
	if len(r.in.Machine.Persona) == 1 && len(parts) == 1 && !identified {
		r.instructionsFile(last, origins)
		return
	}
	if identified {
		parts = slices.Insert(parts, 0, "<!-- identity -->\n"+identity(profiles))
		origins = append(origins, r.attr("identity").Origin)
	}
	for i, p := range parts {
		parts[i] = strings.TrimRight(p, "\n") + "\n"
	}
	r.instructionsFile(strings.Join(parts, "\n"), origins)
}

func (r *renderer) instructionsFile(text string, origins []diag.Range) {
	r.file(personaPath, []byte(text), false, origins...)
	r.link(r.home("copilot-instructions.md"), personaPath, origins...)
}

// identity is the line that names the profiles: the first one is what the machine goes by.
func identity(profiles []string) string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = strconv.Quote(p)
	}
	over := ""
	if len(names) > 1 {
		over = ", with " + strings.Join(names[1:], ", ") + " over it"
	}
	return fmt.Sprintf("These instructions are compiled from the profile %s%s. This line only says so: it has no precedence over what follows.", names[0], over)
}

// rule is a rule's text without its frontmatter. A text that opens with a line of three dashes and then prose has
// none: it stays whole, with a warning.
func (r *renderer) rule(f model.File) (string, bool) {
	doc, err := frontmatter.Parse(f.Source, f.Data)
	for _, field := range doc.Fields {
		if strings.Contains(field.Name, " ") {
			err = &frontmatter.Error{At: field.At, Reason: fmt.Sprintf("%q is no field", field.Name)}
			break
		}
		switch field.Name {
		case "paths", "globs", "applyTo":
			r.loss(field.At, fmt.Sprintf("%q limits the rule to some files; in copilot-instructions.md it always holds (instructions with applyTo can be limited)", field.Name))
		}
	}
	if err == nil {
		return doc.Body, true
	}
	text, bad := frontmatter.Text(f.Source, f.Data)
	if bad != nil {
		r.unreadable(f, bad)
		return "", false
	}
	at, reason := place(err)
	r.doubt(at, f.Origin, "rule-frontmatter", fmt.Sprintf("what opens rule %s is no frontmatter", f.Source),
		"It stays in the text, because %s. Repair it, or begin the file with another line than three dashes.", reason)
	return text, true
}

// unreadable reports a source file that is not text, or whose header is broken.
func (r *renderer) unreadable(f model.File, err error) {
	at, reason := place(err)
	r.fault(at, f.Origin, "invalid-source", fmt.Sprintf("%s cannot be read", f.Source),
		"It cannot be used because %s. Repair the file.", reason)
}

// place takes an error of package frontmatter apart.
func place(err error) (diag.Range, string) {
	if e, ok := err.(*frontmatter.Error); ok {
		return e.At, e.Reason
	}
	return diag.Range{}, err.Error()
}

// inComment is a file's name as it may stand in an HTML comment: nothing in it ends the comment or the line.
func inComment(name string) string {
	name = strings.ReplaceAll(diag.EscapeLine(name), "&", "&amp;")
	name = strings.ReplaceAll(name, ">", "&gt;")
	return strings.ReplaceAll(name, "--", "-&#45;")
}
