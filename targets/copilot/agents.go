package copilot

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/frontmatter"
	"github.com/agentihooks/agentihooks/targets/copilot/catalogue"
)

// agentField is one field of a custom agent's frontmatter that Copilot knows.
type agentField struct {
	name    string   // as Copilot 1.0.83 and 1.0.102 read it
	aliases []string // other spellings that people use
	shape   shape
	since   string // the first version seen to know it, if 1.0.80 does not; versions before name it in their log and ignore it
}

// shape is what Copilot takes as a field's value; another one keeps it from loading the agent.
type shape uint8

const (
	aString shape = iota
	aBool
	aList   // of strings; a comma string is split
	aModel  // a string, or a list of strings
	anyMap  // a map, checked by Copilot
	servers // a map of MCP servers
	aPolicy // "preferred" or "required"
)

// agentFields are the fields in the order in which they are written. `reasoningEffort`, `modelPolicy` and `models` are
// names of Copilot's programming interface: in a file 1.0.102 ignores them with a warning in its log.
var agentFields = []agentField{
	{name: "name"},
	{name: "description"},
	{name: "tools", shape: aList},
	{name: "model", aliases: []string{"models"}, shape: aModel},
	{name: "model-policy", aliases: []string{"modelPolicy"}, shape: aPolicy, since: "1.0.83"},
	{name: "reasoning-effort", aliases: []string{"reasoningEffort"}},
	{name: "skills", shape: aList},
	{name: "mcp-servers", shape: servers},
	{name: "hooks", shape: anyMap, since: "1.0.102"},
	{name: "disable-model-invocation", shape: aBool},
	{name: "user-invocable", shape: aBool},
	{name: "infer", shape: aBool},
	{name: "include-custom-instructions", shape: aBool, since: "1.0.92"},
	{name: "deferred-tool-loading", shape: aBool},
	{name: "strict-tools-list", shape: aBool},
}

// agents writes each agent: as it is where Copilot finds in it what we do, else anew with a canonical frontmatter, the
// body as it is.
func (r *renderer) agents() {
	named := map[string]diag.Range{}
	for _, f := range r.in.Machine.Agents {
		a := agent{renderer: r, file: f, stem: agentStem(f.Name)}
		doc, fields, ok := a.read()
		if !ok {
			continue
		}
		name := fields[0].Value.Text
		if first, taken := named[name]; taken {
			r.fault(fields[0].Value.At, f.Origin, "duplicate-agent", fmt.Sprintf("agent %q is defined twice", name),
				"Copilot offers one agent of a name. Rename one of them, or remove it.")
			r.diags[len(r.diags)-1].Related = append(r.diags[len(r.diags)-1].Related, diag.Related{Label: "the other one is named here", Range: first})
			continue
		}
		named[name] = f.Origin
		path := "copilot/agents/" + a.stem + ".md"
		data := f.Data
		if !saysTheSame(data, doc, fields) {
			data = frontmatter.Encode(fields, doc.Body)
		}
		r.file(path, data, false, f.Origin)
		r.link(r.home("agents", a.stem+".md"), path, f.Origin)
	}
}

// saysTheSame reports whether a file says what its canonical form with these fields would: it has the same fields, each by
// the name that Copilot knows and with that value. A name that is left out is that of the file.
func saysTheSame(data []byte, doc frontmatter.Doc, fields []frontmatter.Field) bool {
	if doc.Get("name").Kind == frontmatter.KindAbsent {
		fields = fields[1:]
	}
	return len(doc.Repaired) == 0 && len(doc.Fields) == len(fields) && !bytes.Contains(data, []byte("\r")) && !bytes.HasPrefix(data, []byte("\ufeff")) &&
		!slices.ContainsFunc(fields, func(f frontmatter.Field) bool { return !sameValue(doc.Get(f.Name), f.Value) })
}

// sameValue compares a value with its canonical form, in which texts are trimmed: a folded one ends in a line end.
func sameValue(source, canonical frontmatter.Value) bool {
	if source.Kind == frontmatter.KindString && canonical.Kind == frontmatter.KindString {
		return strings.TrimSpace(source.Text) == strings.TrimSpace(canonical.Text)
	}
	return source.String() == canonical.String()
}

// agentStem is an agent's file name without its endings.
func agentStem(name string) string {
	stem := strings.TrimSuffix(name, ".md")
	if s := strings.TrimSuffix(stem, ".agent"); s != "" {
		return s
	}
	return stem
}

// agent is one source file on its way.
type agent struct {
	*renderer
	file model.File
	stem string
	bad  bool
}

// read is the source, taken apart, and the agent's canonical fields, the name first.
func (a *agent) read() (doc frontmatter.Doc, fields []frontmatter.Field, ok bool) {
	doc, err := frontmatter.Parse(a.file.Source, a.file.Data)
	if err != nil {
		a.unreadable(a.file, err)
		return doc, nil, false
	}
	a.repaired(a.file, doc)
	values := map[string]frontmatter.Field{}
	for _, f := range doc.Fields {
		a.take(values, f)
	}
	name := values["name"].Value
	if name.Kind == frontmatter.KindAbsent || name.Text == "" {
		name = frontmatter.String(a.stem)
		name.At = start(a.file)
	}
	if d := values["description"].Value; strings.TrimSpace(d.Text) == "" && !a.bad {
		at := start(a.file)
		if d.Kind != frontmatter.KindAbsent {
			at = d.At
		}
		a.fail(at, "agent-description", fmt.Sprintf("agent %q has no description", a.stem),
			"Copilot does not load an agent without one: it says when the agent is used. Add a line \"description: …\" to the frontmatter.")
	}
	fields = []frontmatter.Field{{Name: "name", Value: name}}
	for _, known := range agentFields[1:] {
		if f, ok := values[known.name]; ok {
			fields = append(fields, frontmatter.Field{Name: known.name, Value: f.Value})
		}
	}
	return doc, fields, !a.bad
}

// take puts one field of the source under the name that Copilot knows.
func (a *agent) take(values map[string]frontmatter.Field, f frontmatter.Field) {
	known, ok := findAgentField(f.Name)
	switch {
	case !ok:
		a.loss(f.At, fmt.Sprintf("Copilot's agents have no field %q; it is left out", f.Name))
		return
	case f.Value.Kind == frontmatter.KindNull && known.name != "description":
		a.doubt(f.At, a.file.Origin, "empty-field", fmt.Sprintf("agent %q: %s has no value", a.stem, f.Name),
			"It counts as absent. Give it a value, or remove the line.")
		return
	case known.name == "model" && f.Value.Text == "inherit":
		return // Claude's word for "no model of its own"
	}
	if first, taken := values[known.name]; taken {
		a.fail(f.At, "duplicate-field", fmt.Sprintf("agent %q: %s and %s are one field", a.stem, first.Name, f.Name),
			"Copilot knows it as %s. Remove one of the two.", known.name)
		return
	}
	given := f
	f.Value = a.shaped(known, f)
	if a.before(known.since) {
		a.loss(f.At, fmt.Sprintf("Copilot %s knows no field %q in an agent; it is left out", a.version(), f.Name))
		return
	}
	if l := f.Value.List; known.shape == aModel && len(l) > 0 && a.before("1.0.83") {
		a.loss(f.Value.At, fmt.Sprintf("Copilot %s does not load an agent with a list of models; only %q is kept", a.version(), l[0].Text))
		f.Value = l[0]
	}
	if known.name == "tools" {
		f.Value = a.tools(given, f.Value)
	}
	values[known.name] = f
}

// before reports whether the version that is rendered for is known and older than another.
func (a *agent) before(since string) bool {
	return since != "" && a.version() != "" && catalogue.Compare(a.version(), since) < 0
}

func findAgentField(name string) (agentField, bool) {
	for _, f := range agentFields {
		if f.name == name {
			return f, true
		}
		for _, alias := range f.aliases {
			if alias == name {
				return f, true
			}
		}
	}
	return agentField{}, false
}

// fail is fault for this agent, which is not written then.
func (a *agent) fail(at diag.Range, code, summary, detail string, args ...any) {
	a.bad = true
	a.fault(at, a.file.Origin, code, summary, detail, args...)
}

// repaired warns of values that are read although they are no YAML.
func (r *renderer) repaired(f model.File, doc frontmatter.Doc) {
	for _, at := range doc.Repaired {
		r.doubt(at, f.Origin, "frontmatter-repaired", fmt.Sprintf("%s: this line is no YAML as it stands", f.Source),
			"It was read as it was probably meant. Put a value with a colon or a star in quotes, and indent with blanks.")
	}
}
