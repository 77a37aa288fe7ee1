package frontmatter

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// firstLine is the line of the file on which the header's own first line stands.
const firstLine = 2

// fields reads a header, as it stands or repaired.
func (s source) fields(header string) ([]Field, []diag.Range, error) {
	if err := s.bound(header); err != nil {
		return nil, nil, err
	}
	fields, err := s.parse(header)
	if err == nil {
		return fields, nil, nil
	}
	repaired, lines := repair(header)
	if len(lines) == 0 {
		return nil, nil, err
	}
	fields, again := s.parse(repaired)
	if again != nil {
		return nil, nil, err // the first error speaks of what the user wrote
	}
	var places []diag.Range
	for _, n := range lines {
		places = append(places, s.line(firstLine+n))
	}
	return fields, places, nil
}

// bound refuses what would take the parser too long or too deep. Brackets are counted without regard to quotes: a
// header that holds sixty-five unclosed ones in prose is refused with the rest.
func (s source) bound(header string) error {
	if len(header) > maxHeader {
		return &Error{s.line(1), fmt.Sprintf("the header is larger than %d KiB", maxHeader>>10)}
	}
	depth := 0
	for n, line := range strings.Split(header, "\n") {
		indicators := 0
		for rest := strings.TrimLeft(line, " "); len(rest) > 1 && strings.ContainsRune("-?:", rune(rest[0])) && strings.ContainsRune(" \t", rune(rest[1])); {
			indicators++
			rest = strings.TrimLeft(rest[1:], " \t")
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
			if depth+indicators > maxNesting {
				return &Error{s.line(firstLine + n), fmt.Sprintf("the header is nested deeper than %d levels", maxNesting)}
			}
		}
		if indent := len(line) - len(strings.TrimLeft(line, " ")); indicators > maxNesting || indent > 4*maxNesting {
			return &Error{s.line(firstLine + n), fmt.Sprintf("the header is nested deeper than %d levels", maxNesting)}
		}
	}
	return nil
}

// parse reads a header as YAML. It keeps the positions of header, whose lines are the file's from firstLine on.
func (s source) parse(header string) (fields []Field, err error) {
	defer func() {
		if r := recover(); r != nil {
			fields, err = nil, &Error{s.line(1), fmt.Sprintf("the header is no YAML that can be read (%v)", r)}
		}
	}()
	file, err := parser.ParseBytes([]byte(header), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, s.yamlError(err)
	}
	var body ast.Node
	for _, d := range file.Docs {
		if d.Body == nil {
			continue
		}
		if body != nil {
			return nil, &Error{s.node(d.Body), "the header holds more than one YAML document"}
		}
		body = d.Body
	}
	if body == nil {
		return nil, nil
	}
	v, err := s.value(body)
	if err != nil {
		return nil, err
	}
	if v.Kind != KindMap {
		return nil, &Error{v.At, fmt.Sprintf("the header is %v, not a list of \"name: value\" lines", v.Kind)}
	}
	lines := strings.Split(header, "\n")
	for i, f := range v.Fields {
		v.Fields[i].Raw = raw(lines[f.At.Start.Line-firstLine], f.Name)
	}
	return v.Fields, nil
}

// raw is what a line holds behind its name.
func raw(line, name string) string {
	for _, q := range []string{"", `"`, "'"} {
		if rest, ok := strings.CutPrefix(line, q+name+q); ok {
			if rest, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), ":"); ok {
				return strings.TrimSpace(rest)
			}
		}
	}
	return ""
}

func (s source) yamlError(err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil || at.GetToken().Position == nil {
		return &Error{s.line(1), "the header is no valid YAML: " + err.Error()}
	}
	p := at.GetToken().Position
	return &Error{s.at(p.Line+firstLine-1, p.Column, ""), "the header is no valid YAML: " + at.GetMessage()}
}

// node is the place of a node's first token.
func (s source) node(n ast.Node) diag.Range {
	for {
		m, ok := n.(*ast.MappingValueNode)
		if !ok {
			break
		}
		n = m.Key
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && m.Start.Value != "{" {
		return s.node(m.Values[0])
	}
	t := n.GetToken()
	return s.at(t.Position.Line+firstLine-1, t.Position.Column, strings.TrimSpace(t.Origin))
}

// value turns a node into a Value.
func (s source) value(n ast.Node) (Value, error) {
	v := Value{At: s.node(n)}
	switch n := n.(type) {
	case *ast.NullNode:
		v.Kind = KindNull
	case *ast.BoolNode:
		v.Kind, v.Bool = KindBool, n.Value
	case *ast.StringNode:
		v.Kind, v.Text = KindString, n.Value
	case *ast.LiteralNode:
		v.Kind, v.Text = KindString, n.Value.Value
	case *ast.IntegerNode:
		v.Kind, v.Text, v.Number = KindNumber, n.GetToken().Value, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
			return v, &Error{v.At, "a number is too large"}
		}
		v.Kind, v.Text, v.Number = KindNumber, n.GetToken().Value, strconv.FormatFloat(n.Value, 'g', -1, 64)
	case *ast.SequenceNode:
		v.Kind = KindList
		for _, e := range n.Values {
			x, err := s.value(e)
			if err != nil {
				return v, err
			}
			v.List = append(v.List, x)
		}
	case *ast.MappingNode:
		return s.mapping(v, n.Values)
	case *ast.MappingValueNode:
		return s.mapping(v, []*ast.MappingValueNode{n})
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return v, &Error{v.At, "the header uses a YAML anchor, alias, tag or merge key, where only plain values are read"}
	default:
		return v, &Error{v.At, "the header holds a value that is not read"}
	}
	return v, nil
}

func (s source) mapping(v Value, values []*ast.MappingValueNode) (Value, error) {
	v.Kind = KindMap
	for _, m := range values {
		key, err := s.value(m.Key)
		if err != nil {
			return v, err
		}
		switch key.Kind {
		case KindString, KindNumber:
		case KindBool, KindNull:
			key.Text = m.Key.GetToken().Value
		default:
			return v, &Error{key.At, "a name in the header is no string"}
		}
		for _, f := range v.Fields {
			if f.Name == key.Text {
				return v, &Error{key.At, fmt.Sprintf("%q stands here for the second time, first on line %d", key.Text, f.At.Start.Line)}
			}
		}
		x, err := s.value(m.Value)
		if err != nil {
			return v, err
		}
		v.Fields = append(v.Fields, Field{Name: key.Text, Value: x, At: key.At})
	}
	return v, nil
}
