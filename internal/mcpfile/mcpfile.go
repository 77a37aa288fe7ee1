// Package mcpfile reads the files in which people declare MCP servers, mcp-config.json and .mcp.json, as they are found
// in the wild.
package mcpfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonedit"
)

// Server is one server of a file, complete: what Copilot assumes where a member lacks is filled in, and what it does not
// know is left out. Filled members have the server's own place.
type Server struct {
	Name    string // as it stands in the file
	Label   string // the same, or a name made of it that Copilot takes; no two servers have one
	Members []Member
	Origin  diag.Range // its entry
}

// Member is one member of a server's entry. Value is a string, a bool, a json.Number, or a []any or map[string]any of
// these.
type Member struct {
	Name   string
	Value  any
	Origin diag.Range
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

// Local reports whether the server is a program that is started, not one that is spoken to over the network.
func (s Server) Local() bool { return s.Get("command") != nil }

// Link is the path that a git link leads to, if that is what a file holds: git on a system without links checks one out
// as a text file with the path, without a newline.
func Link(data []byte) (string, bool) {
	text := string(data)
	if len(text) == 0 || len(text) > 4096 || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r\x00{}[]\"*?<>|") {
		return "", false
	}
	return text, strings.HasSuffix(text, ".json") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "./")
}

// Read reads a file, with comments and trailing commas as Copilot does. name is the file as the reader knows it. The
// servers are in the order of their names; one with an error is left out.
func Read(name string, data []byte) ([]Server, diag.List) {
	r := reader{file: name, data: data}
	if to, ok := Link(data); ok {
		r.diags.Errorf(r.place(1, 1), "git-link", fmt.Sprintf("%s is a link that git could not make", name),
			"It holds the path %q in place of what is there: it was checked out on a system without links. Name that file, or check out again with core.symlinks on.", to)
		return nil, r.diags
	}
	doc, err := jsonedit.Parse(data)
	if err != nil {
		r.broken(err)
		return nil, r.diags
	}
	r.doc = doc
	return r.servers(), r.diags
}

type reader struct {
	file  string
	data  []byte
	doc   *jsonedit.Doc
	diags diag.List
}

func (r *reader) broken(err error) {
	at := r.place(1, 1)
	var syntax *jsonedit.SyntaxError
	reason := err.Error()
	if errors.As(err, &syntax) {
		at, reason = r.place(syntax.Line, syntax.Column), syntax.Reason
	}
	r.diags.Errorf(at, "invalid-json", r.file+" is no JSON", "%s. Copilot would read no server of it. Correct the file.", reason)
}

// place is a place by line and column, columns in bytes.
func (r *reader) place(line, column int) diag.Range {
	data := bytes.TrimPrefix(r.data, []byte("\xef\xbb\xbf"))
	offset := len(r.data) - len(data)
	for range line - 1 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			break
		}
		data, offset = data[i+1:], offset+i+1
	}
	pos := diag.Pos{Line: line, Column: column, Byte: min(offset+column-1, len(r.data))}
	return diag.Range{File: r.file, Start: pos, End: pos}
}

// at is the place of a value, and the value. A member that stands twice is an error.
func (r *reader) at(path ...string) (any, diag.Range, bool) {
	v, ok, err := r.doc.Get(path)
	var bad *jsonedit.PathError
	if errors.As(err, &bad) {
		r.diags.Errorf(r.place(bad.Line, bad.Column), "invalid-json", fmt.Sprintf("%q: %s", strings.Join(bad.Path, "."), bad.Reason), "Programs differ in which one they take. Correct the file.")
		return nil, diag.Range{}, false
	}
	if err != nil || !ok {
		return nil, diag.Range{}, false
	}
	plain, err := jsonedit.Compact(v.Text)
	if err != nil {
		return nil, diag.Range{}, false // it came out of a text that parsed
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		r.diags.Errorf(r.place(v.Line, v.Column), "invalid-json", strings.Join(path, ".")+" is no plain value", "%v. Correct the file.", err)
		return nil, diag.Range{}, false
	}
	return value, r.place(v.Line, v.Column), true
}

func (r *reader) servers() []Server {
	before := len(r.diags)
	all, at, ok := r.at("mcpServers")
	entries, isObject := all.(map[string]any)
	if !ok || !isObject {
		if len(r.diags) == before {
			if at.IsZero() {
				at = r.place(1, 1)
			}
			r.diags.Errorf(at, "no-servers", r.file+" has no object mcpServers", "Copilot says \"mcpServers: Required\" and reads nothing of the file. Put the servers into that object.")
		}
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
		r.diags.Warnf(at, "server-name", fmt.Sprintf("the server %q has a name that Copilot refuses", name),
			"A name is made of letters, digits, `_` and `-`. It is read as %q; rename it.", s.Label)
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
	r.complete(&s)
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
		s.Members = append(s.Members, Member{name, value, at})
		if name != "url" && name != "headers" { // %AB% is no variable there
			r.spellings(s.Name, name, value, at)
		}
	}
}

// spellings warns of references that Copilot does not replace as their writer meant.
func (r *reader) spellings(server, member string, value any, at diag.Range) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			r.spellings(server, member, e, at)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			r.spellings(server, member+"."+name, v[name], at)
		}
	case string:
		for _, ref := range References(v) {
			if !ref.Spelling.Expanded() {
				r.diags.Warnf(at, "env-syntax", fmt.Sprintf("%s of the server %q names a variable as %s", member, server, ref.Text),
					"Copilot does not take %s for the value of a variable. Write ${%s} if that is meant.", ref.Spelling, ref.Name)
			}
		}
	}
}

// complete fills in what Copilot assumes, and refuses what it could not start.
func (r *reader) complete(s *Server) {
	command, url := s.Get("command"), s.Get("url")
	fill := func(name string, value any) {
		if s.Get(name) == nil {
			s.Members = append(s.Members, Member{name, value, s.Origin})
		}
	}
	switch {
	case (command == nil) == (url == nil):
		r.diags.Errorf(s.Origin, "mcp-transport", fmt.Sprintf("the server %q needs either command or url", s.Name), "A local server has a command, a remote one a url. Give exactly one of the two.")
		return
	case command != nil:
		fill("type", "local")
		fill("args", []any{})
	default:
		fill("type", "http")
	}
	fill("tools", []any{"*"})
	if kinds := map[bool][]string{true: {"local", "stdio"}, false: {"http", "sse"}}[command != nil]; !slices.Contains(kinds, s.Get("type").(string)) {
		r.diags.Errorf(s.Origin, "invalid-value", fmt.Sprintf("the server %q has the type %q", s.Name, s.Get("type")), "Its type is `%s` or `%s`. Correct it, or leave it out.", kinds[0], kinds[1])
	}
	slices.SortFunc(s.Members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}
