package compiler

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/mcpfile"
)

// mcp reads the first file of MCP servers that a part has.
func (r *bundleReader) mcp(p bundlePart) {
	for _, name := range []string{".copilot/mcp-config.overrides.json", "mcp-config.overrides.json", ".claude/.mcp.json", ".mcp.json"} {
		rel := path.Join(p.dir, name)
		if !r.src.exists(rel) {
			continue
		}
		if shown, text, ok := r.read(p, rel); ok {
			servers, diags := mcpfile.Read(shown, text)
			r.out.diags = append(r.out.diags, diags...)
			for _, s := range servers {
				r.server(s)
			}
		}
		return
	}
}

// read gives the name and the text of a JSON file, with the line ends that places are counted in.
func (r *bundleReader) read(p bundlePart, rel string) (shown string, text []byte, ok bool) {
	data, problem := r.src.read(rel, MaxFile)
	if problem != nil {
		r.out.diags.Errorf(p.at, problem.code, problem.summary, "%s", problem.detail)
		return "", nil, false
	}
	shown, text = r.src.show(rel), bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	r.ev.m.addText(shown, text)
	return shown, text, true
}

// server adds a server as an `mcp` block.
func (r *bundleReader) server(s mcpfile.Server) {
	if s.Label != s.Name {
		r.out.diags.Errorf(s.Origin, "invalid-label", "`"+s.Name+"` is no mcp name", "%s", serverName(s.Name))
		return
	}
	b := &blockValue{kind: r.ev.m.table.block("mcp"), label: s.Name, at: s.Origin, whole: true}
	for _, m := range s.Members {
		spec, ok := b.kind.attribute(b.label, m.Name)
		if empty, isObject := m.Value.(map[string]any); !ok || isObject && len(empty) == 0 && spec.Secret {
			continue // "env": {} says nothing, and stands at remote servers too
		}
		n := r.node(bundleText{m, "`" + m.Name + "` of mcp `" + s.Name + "`", s.Name, spec.Secret}, spec)
		if n == nil {
			b.bad = true
			continue
		}
		b.attrs = append(b.attrs, nodeAttr{spec, n})
	}
	r.servers[s.Name] = b
}

// attribute is what a block with that label takes under a name.
func (b *blockType) attribute(label, name string) (model.AttrSpec, bool) {
	for _, s := range b.specs {
		if i := slices.IndexFunc(s.Attributes, func(a model.AttrSpec) bool { return a.Name == name }); i >= 0 && (s.Label == "" || s.Label == label) {
			return s.Attributes[i], true
		}
	}
	return model.AttrSpec{}, false
}

// bundleText is the member of a JSON file in which a text stands.
type bundleText struct {
	mcpfile.Member
	what   string
	server string // "": it is no server's, and nothing in it is a reference
	secret bool   // secrets may stand there
}

// field is the same for a member of an object.
func (in bundleText) field(name string) bundleText {
	return bundleText{in.Member.Field(name), "`" + name + "` in " + in.what, in.server, in.secret}
}

// node is a member as an attribute.
func (r *bundleReader) node(in bundleText, spec model.AttrSpec) *node {
	c := converter{ev: r.ev, what: in.what, secret: spec.Secret, diags: &r.out.diags}
	return c.node(r.value(in.Value, in), origin{at: in.Origin, fields: in.Fields}, spec.Type, in.what)
}

// value is a value of JSON as the manifest would have it.
func (r *bundleReader) value(v any, in bundleText) cty.Value {
	switch v := v.(type) {
	case bool:
		return cty.BoolVal(v)
	case json.Number:
		n, err := cty.ParseNumberVal(v.String())
		if err != nil {
			return cty.StringVal(v.String()) // no number of ours: the type is then wrong
		}
		return n
	case string:
		return r.text(v, in)
	case []any:
		out := make([]cty.Value, len(v))
		for i, e := range v {
			out[i] = r.value(e, in)
		}
		return cty.TupleVal(out)
	case map[string]any:
		out := make(map[string]cty.Value, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[name] = r.value(v[name], in.field(name))
		}
		return cty.ObjectVal(out)
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

// text puts the declared secrets in the place of references to variables of their names.
func (r *bundleReader) text(text string, in bundleText) cty.Value {
	if in.server == "" {
		return cty.StringVal(text)
	}
	marks := cty.ValueMarks{}
	text = mcpfile.Replace(text, func(ref mcpfile.Reference) string {
		_, declared := r.ev.m.secrets[ref.Name]
		switch {
		case !ref.Spelling.Expanded():
		case declared && in.secret && ref.Spelling != mcpfile.Default:
			marks[secretMark{ref.Name}] = struct{}{}
			return reference(ref.Name)
		case declared && !in.secret:
			r.out.diags.Errorf(in.Origin, "secret-not-allowed", "The secret `"+ref.Name+"` cannot be used in "+in.what,
				"It would be written into a file that the agent can read. Secrets may stand in `env`, `headers` and `url` only. Remove it here.")
		case !model.EverydayVariable(ref.Name):
			r.undeclared(ref, declared, in)
		}
		return ref.Text
	})
	return cty.StringVal(text).WithMarks(marks)
}

// undeclared warns of a variable that Copilot takes from its own environment.
func (r *bundleReader) undeclared(ref mcpfile.Reference, declared bool, in bundleText) {
	summary := "The server `" + in.server + "` takes " + ref.Name + " from Copilot's environment"
	switch {
	case !in.secret:
		r.out.diags.Warnf(in.Origin, "not-a-secret", summary, "`%s` in %s becomes a part of the command line, which other programs can read. If it is a secret, give it to the server in `env`.", ref.Text, in.what)
	case declared:
		r.out.diags.Warnf(in.Origin, "not-a-secret", summary, "`%s` has a default, so it is no reference to the secret `%s`. Write `${%s}`.", ref.Text, ref.Name, ref.Name)
	default:
		r.out.diags.Warnf(in.Origin, "not-a-secret", summary, "`%s` in %s is no declared secret, so the agent has the variable too. If it is one, declare it: `secret \"%s\" { env = \"%s\" }`.", ref.Text, in.what, ref.Name, ref.Name)
	}
}
