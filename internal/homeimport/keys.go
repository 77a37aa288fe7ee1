package homeimport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonplace"
	"github.com/agentihooks/agentihooks/internal/mcpfile"
)

// settings takes each key of settings.json.
func (r *reader) settings(dir folder) {
	const name = "settings.json"
	data, _, ok := r.read(dir, name)
	if !ok {
		return
	}
	var faults diag.List
	file, ok := jsonplace.Parse(&faults, dir.join(name), data, "Copilot reads nothing of it.")
	if ok {
		all, at, _ := file.Get(&faults)
		object, isObject := all.(map[string]any)
		if !isObject {
			r.left = append(r.left, Left{dir.join(name), "", at.Start.Line, "It is no object of settings."})
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			v, at, ok := file.Get(&faults, key)
			if !ok {
				continue
			}
			value, ok := model.FromJSON(v)
			switch {
			case key == "disabledMcpServers" || key == "enabledMcpServers":
				r.left = append(r.left, Left{dir.join(name), key, at.Start.Line, "`copilot mcp disable` and `enable` change it, so it stays yours."})
			case !ok:
				r.left = append(r.left, Left{dir.join(name), key, at.Start.Line, "It holds null, which a manifest has no word for."})
			default:
				r.parts = append(r.parts, Part{Kind: Setting, Path: dir.join(name), Key: key, Line: at.Start.Line, Value: value})
			}
		}
	}
	r.faults(faults)
}

// servers takes each server of mcp-config.json.
func (r *reader) servers(dir folder) {
	const name = "mcp-config.json"
	data, _, ok := r.read(dir, name)
	if !ok {
		return
	}
	all, faults := mcpfile.Read(dir.join(name), data)
	for _, s := range all {
		p := Part{Kind: Server, Path: dir.join(name), Key: s.Name, Line: s.Origin.Start.Line}
		needs := map[string]bool{}
		var fields []model.Field
		for _, m := range s.Members {
			fields = append(fields, model.Field{Name: m.Name, Value: member(m, s.Get("url") != nil, needs)})
		}
		p.Value = model.Value{Kind: model.KindObject, Fields: fields}
		p.Needs = slices.Sorted(maps.Keys(needs))
		r.parts = append(r.parts, p)
	}
	r.faults(faults)
}

// Incomplete is a server that is written exactly as it stands, without what Copilot would add.
func (p Part) Incomplete() Part {
	i, _ := slices.BinarySearchFunc(p.Value.Fields, incomplete, func(f model.Field, name string) int { return strings.Compare(f.Name, name) })
	p.Value.Fields = slices.Insert(slices.Clone(p.Value.Fields), i, model.Field{Name: incomplete, Value: model.Value{Kind: model.KindBool}})
	return p
}

// IsIncomplete reports whether a server is.
func (p Part) IsIncomplete() bool { return p.Value.Get(incomplete).Kind != model.KindAbsent }

const incomplete = "complete"

// member is an attribute. In headers and the address of a remote server ${NAME} is a secret of that name: Copilot expands
// it there, and would elsewhere send the text as it stands.
func member(m mcpfile.Member, remote bool, needs map[string]bool) model.Value {
	v, _ := model.FromJSON(m.Value) // no member of a server is null
	switch {
	case remote && m.Name == "url":
		return secrets(v, needs)
	case remote && m.Name == "headers":
		for i, f := range v.Fields {
			v.Fields[i].Value = secrets(f.Value, needs)
		}
	}
	return v
}

// secrets is a text with references in the place of ${NAME}.
func secrets(v model.Value, needs map[string]bool) model.Value {
	if v.Kind != model.KindString {
		return v
	}
	var parts []model.Part
	literal, rest := "", v.Text
	for _, ref := range mcpfile.References(v.Text) {
		before, after, _ := strings.Cut(rest, ref.Text)
		literal, rest = literal+before, after
		if ref.Spelling != mcpfile.Braced || model.EverydayVariable(ref.Name) {
			literal += ref.Text
			continue
		}
		if literal != "" {
			parts = append(parts, model.Part{Literal: literal})
		}
		parts, literal = append(parts, model.Part{Secret: ref.Name}), ""
		needs[ref.Name] = true
	}
	if len(parts) == 0 {
		return v
	}
	if literal += rest; literal != "" {
		parts = append(parts, model.Part{Literal: literal})
	}
	return model.Value{Kind: model.KindTemplate, Parts: parts}
}

// faults leaves what a file's reader found fault with.
func (r *reader) faults(list diag.List) {
	for _, d := range list {
		if d.Severity == diag.Error {
			r.left = append(r.left, Left{d.Subject.File, "", d.Subject.Start.Line, fmt.Sprintf("%s: %s", d.Summary, d.Detail)})
		}
	}
}
