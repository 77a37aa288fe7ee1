// Package mcpfile reads the files in which people declare MCP servers, mcp-config.json and .mcp.json, as they are found
// in the wild.
package mcpfile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonplace"
)

// Server is one server of a file, with the members that Copilot knows.
type Server struct {
	Name    string     // as it stands in the file: Copilot refuses one that is not its own Slug
	Label   string     // the same, or a name made of it that Copilot takes; no two servers have one
	Members []Member   // sorted by name
	Origin  diag.Range // its entry
}

// Member is one member of a server's entry. Value is a string, a bool, a json.Number, or a []any or map[string]any of
// these.
type Member struct {
	Name   string
	Value  any
	Origin diag.Range
	Fields map[string]diag.Range // where the members of an object stand
}

// Get is the value of a member, nil if it has none of that name.
func (s Server) Get(name string) any {
	for _, m := range s.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Field is the place of a member of an object.
func (m Member) Field(name string) Member {
	if at, ok := m.Fields[name]; ok {
		m.Origin = at
	}
	return Member{Origin: m.Origin}
}

// Read reads a file, with comments and trailing commas as Copilot does. name is the file as the reader knows it. The
// servers are in the order of their names; one with an error is left out.
func Read(name string, data []byte) ([]Server, diag.List) {
	var r reader
	file, ok := jsonplace.Parse(&r.diags, name, data, "Copilot would read no server of it.")
	if !ok {
		return nil, r.diags
	}
	r.file = file
	return r.servers(), r.diags
}

type reader struct {
	file  jsonplace.File
	diags diag.List
}

// at is the place of a value, and the value.
func (r *reader) at(path ...string) (any, diag.Range, bool) { return r.file.Get(&r.diags, path...) }

func (r *reader) servers() []Server {
	before := len(r.diags)
	all, at, ok := r.at("mcpServers")
	entries, isObject := all.(map[string]any)
	if !ok || !isObject {
		if len(r.diags) == before {
			if at.IsZero() {
				at = r.file.Place(1, 1)
			}
			r.diags.Errorf(at, "no-servers", r.file.Name+" has no object mcpServers", "Copilot says \"mcpServers: Required\" and reads nothing of the file. Put the servers into that object.")
		}
		return nil
	}
	if size(all, 3) > maxEntries {
		r.diags.Errorf(at, "too-large", r.file.Name+" declares too many servers", "At most %d servers, members and fields of these are read. Remove some.", maxEntries)
		return nil
	}
	var out []Server
	taken := map[string]bool{}
	names := slices.Sorted(maps.Keys(entries))
	for _, name := range names {
		taken[name] = Slug(name) == name
	}
	for _, name := range names {
		if s, ok := r.server(name, taken); ok {
			out = append(out, s)
		}
	}
	return out
}

// maxEntries bounds what is looked for in a file: to find the place of an entry is to pass all those beside it.
const maxEntries = 2000

// size is the number of entries of an object down to a depth.
func size(v any, depth int) int {
	object, _ := v.(map[string]any)
	n := len(object)
	for _, e := range object {
		if depth > 1 {
			n += size(e, depth-1)
		}
	}
	return n
}

func (r *reader) server(name string, taken map[string]bool) (Server, bool) {
	entry, at, ok := r.at("mcpServers", name)
	if !ok {
		return Server{}, false
	}
	s := Server{Name: name, Label: name, Origin: at}
	if Slug(name) != name {
		s.Label = Slug(name)
		for n := 2; taken[s.Label]; n++ {
			s.Label = fmt.Sprintf("%s_%d", Slug(name), n)
		}
		taken[s.Label] = true
	}
	members, ok := entry.(map[string]any)
	if !ok {
		r.diags.Errorf(at, "wrong-type", fmt.Sprintf("the server %q is no object", name), "Write one with `command` or `url`.")
		return Server{}, false
	}
	before := len(r.diags)
	for _, member := range slices.Sorted(maps.Keys(members)) {
		r.member(&s, member)
	}
	r.transport(s)
	return s, !r.diags[before:].HasErrors()
}

// member adds a member, if its kind and its value are what Copilot takes.
func (r *reader) member(s *Server, name string) {
	value, at, ok := r.at("mcpServers", s.Name, name)
	if !ok {
		return
	}
	sort, known := sorts[name]
	switch {
	case !known:
		r.diags.Warnf(at, "unknown-member", fmt.Sprintf("the server %q has a member %q that Copilot does not know", s.Name, name),
			"Copilot ignores it, and drops it when it writes the file. It is left out.")
	case !sort.takes(value):
		r.diags.Errorf(at, "wrong-type", fmt.Sprintf("%q of the server %q must be %s", name, s.Name, sort.wants), "Correct it.")
	default:
		m := Member{name, value, at, map[string]diag.Range{}}
		if object, ok := value.(map[string]any); ok {
			for _, field := range slices.Sorted(maps.Keys(object)) {
				_, m.Fields[field], _ = r.at("mcpServers", s.Name, name, field)
			}
		}
		s.Members = append(s.Members, m)
		if name != "url" && name != "headers" { // %AB% is no variable there
			r.spellings(s.Name, name, value, m)
		}
	}
}

// spellings warns of references that Copilot does not replace as their writer meant.
func (r *reader) spellings(server, member string, value any, in Member) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			r.spellings(server, member, e, in)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			r.spellings(server, member+"."+name, v[name], in.Field(name))
		}
	case string:
		for _, ref := range References(v) {
			if !ref.Spelling.Expanded() {
				r.diags.Warnf(in.Origin, "env-syntax", fmt.Sprintf("%s of the server %q names a variable as %s", member, server, ref.Text),
					"Copilot does not take %s for the value of a variable. Write ${%s} if that is meant.", ref.Spelling, ref.Name)
			}
		}
	}
}

// transport refuses what Copilot could neither start nor speak to.
func (r *reader) transport(s Server) {
	command, kinds := s.Get("command") != nil, []string{"http", "sse"}
	if command == (s.Get("url") != nil) {
		r.diags.Errorf(s.Origin, "mcp-transport", fmt.Sprintf("the server %q needs either command or url", s.Name), "A local server has a command, a remote one a url. Give exactly one of the two.")
		return
	}
	if command {
		kinds = []string{"local", "stdio"}
	}
	if kind, ok := s.Get("type").(string); ok && !slices.Contains(kinds, kind) {
		r.diags.Errorf(s.Origin, "invalid-value", fmt.Sprintf("the server %q has the type %q", s.Name, kind), "Its type is `%s` or `%s`. Correct it, or leave it out.", kinds[0], kinds[1])
	}
}
