package mcpfile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// show is a server as one line.
func show(s Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s)", s.Name, s.Label)
	for _, m := range s.Members {
		fmt.Fprintf(&b, " %s=%v", m.Name, m.Value)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, text string
		servers    []string
		diags      []string // line, code
	}{
		{"complete", `{"mcpServers": {"docs": {"type": "http", "url": "https://e", "headers": {"K": "${K}"}, "tools": ["q"], "timeout": 5}}}`, []string{"docs(docs) headers=map[K:${K}] timeout=5 tools=[q] type=http url=https://e"}, nil},
		{"least", `{"mcpServers": {"b": {"command": "x"}, "a": {"url": "https://e"}}}`, []string{"a(a) url=https://e", "b(b) command=x"}, nil},
		{"comments, commas, a BOM and CRLF", "\ufeff{\r\n// c\r\n\"mcpServers\": {\"b\": {\"type\": \"stdio\", \"command\": \"x\",},} /* e */}", []string{"b(b) command=x type=stdio"}, nil},
		{"no servers", `{"mcpServers": {}}`, nil, nil},
		{"off", `{"mcpServers": {"a": {"command": "x", "disabled": true}}}`, []string{"a(a) command=x disabled=true"}, nil},
		{"names", "{\"mcpServers\": {\n\"ünï\": {\"command\": \"x\"},\n\"a.b/c\": {\"command\": \"x\"},\n\"a b c\": {\"command\": \"x\"},\n\"a-b-c\": {\"command\": \"x\"},\n\"…\": {\"command\": \"x\"}}}", []string{
			"a b c(a-b-c_2) command=x", "a-b-c(a-b-c) command=x",
			"a.b/c(a-b-c_3) command=x", "ünï(uni) command=x", "…(server) command=x",
		}, nil},
		{"unknown members", "{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"enabled\": false}}}", []string{"a(a) command=x"}, []string{"2 unknown-member"}},
		{"wrong types", "{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"args\": \"y\",\n\"env\": {\"A\": 1}}, \"b\": {\"command\": \"x\"}}}", []string{"b(b) command=x"}, []string{"2 wrong-type", "3 wrong-type"}},
		{"no transport", "{\"mcpServers\": {\"a\": {},\n \"b\": {\"command\": \"x\", \"url\": \"y\"}, \"c\": {\"type\": \"http\", \"command\": \"x\"}}}", nil, []string{"1 mcp-transport", "2 mcp-transport", "2 invalid-value"}},
		{"a server that is none", "{\"mcpServers\": {\"a\":\n1}}", nil, []string{"2 wrong-type"}},
		{"spellings", `{"mcpServers": {"a": {"command": "x", "env": {"A": "$A", "B": "${B}", "C": "${C:-none}", "D": "${env:D}", "E": "$$literal", "F": "%F%"}}}}`, []string{"a(a) command=x env=map[A:$A B:${B} C:${C:-none} D:${env:D} E:$$literal F:%F%]"}, []string{"1 env-syntax", "1 env-syntax", "1 env-syntax"}},
		{"a git link as text", "../mcp/copilot/mcp-config.json", nil, []string{"1 git-link"}},
		{"empty", "", nil, []string{"1 invalid-json"}},
		{"cut off", "{\"mcpServers\": {\n\"a\":", nil, []string{"2 invalid-json"}},
		{"no object", `[]`, nil, []string{"1 invalid-json"}},
		{"no mcpServers", `{"servers": {}}`, nil, []string{"1 no-servers"}},
		{"mcpServers is none", "{\n\"mcpServers\": []}", nil, []string{"2 no-servers"}},
		{"twice", "{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"y\"}}}", nil, []string{"2 invalid-json"}},
		{"many", `{"mcpServers": {"a": {"command": "x", "env": {` + fields(maxEntries) + `}}}}`, nil, []string{"1 too-large"}},
		{"a field twice", "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"A\": \"1\",\n\"A\": \"2\"}}}}", nil, []string{"2 invalid-json"}},
		{"deep", strings.Repeat("[", 5000), nil, []string{"1 invalid-json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			servers, diags := Read("mcp.json", []byte(tt.text))
			var got, said []string
			for _, s := range servers {
				got = append(got, show(s))
			}
			for _, d := range diags {
				said = append(said, fmt.Sprint(d.Subject.Start.Line, " ", d.Code))
				if d.Detail == "" || !strings.HasSuffix(d.Detail, ".") || d.Subject.File != "mcp.json" {
					t.Errorf("diagnostic %+v", d)
				}
			}
			if !reflect.DeepEqual(got, tt.servers) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.servers, "\n"))
			}
			if !reflect.DeepEqual(said, tt.diags) {
				t.Errorf("said %q, want %q", said, tt.diags)
			}
		})
	}
}

// fields is the members of an object, as JSON.
func fields(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("\"A%d\": \"\"", i))
	}
	return strings.Join(out, ",")
}

// A place is where the value stands, also behind a BOM.
func TestPlaces(t *testing.T) {
	text := "\ufeff{\r\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}}}"
	servers, _ := Read("f", []byte(text))
	for _, m := range servers[0].Members {
		if m.Name == "command" && !strings.HasPrefix(text[m.Origin.Start.Byte:], `"x"`) {
			t.Errorf("command is at %q", text[m.Origin.Start.Byte:])
		}
	}
	if at := servers[0].Origin; !strings.HasPrefix(text[at.Start.Byte:], `{"command"`) || at.String() != "f:2:23" {
		t.Errorf("the server is at %s", at)
	}
}

func TestReferences(t *testing.T) {
	got := References("a $A ${B}/${C:-d e}${env:D}$$E %F% 100% $1 ${ $ ${G:-} ${input:H}")
	want := []Reference{
		{Plain, "A", "", "$A"},
		{Braced, "B", "", "${B}"},
		{Default, "C", "d e", "${C:-d e}"},
		{Editor, "D", "", "${env:D}"},
		{Escaped, "E", "", "$$E"},
		{Percent, "F", "", "%F%"},
		{Default, "G", "", "${G:-}"},
		{Editor, "H", "", "${input:H}"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"a_B-9": "a_B-9", "name with spaces": "name-with-spaces", "ünï": "uni", "a.b/c": "a-b-c", "@scope/x": "scope-x",
		"x…": "x", "": "server", "日本": "server", strings.Repeat("a", 200): strings.Repeat("a", MaxName),
	} {
		if got := Slug(name); got != want {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

// Whatever the bytes: no panic, and every server has one transport and a name of its own that Copilot takes.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a b": {"command": "x", "env": {"A": "${env:B}"}}, "a/b": {"url": "y", "type": "sse"}, "a-b": 1}}`))
	f.Add([]byte("../mcp-config.json"))
	f.Add([]byte("\ufeff{// c\r\n\"mcpServers\": {\"\\u0061\": {\"tools\": [null]}},}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		servers, diags := Read("f", data)
		labels := map[string]bool{}
		for _, s := range servers {
			if labels[s.Label] || Slug(s.Label) != s.Label && len(s.Label) <= MaxName {
				t.Errorf("label %q", s.Label)
			}
			labels[s.Label] = true
			if (s.Get("command") != nil) == (s.Get("url") != nil) {
				t.Errorf("not one transport: %s", show(s))
			}
		}
		for _, d := range diags {
			if at := d.Subject.Start; at.Byte > len(data) || at.Line < 1 || d.Summary == "" {
				t.Errorf("diagnostic %+v", d)
			}
		}
	})
}
