package compiler

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxYAMLNodes bounds what aliases may blow a YAML text up to.
const maxYAMLNodes = 100_000

// yamlDecodeFunction decodes one YAML document. Only what JSON has comes out: strings, numbers, bools, null, lists
// and objects.
func yamlDecodeFunction() function.Function {
	decode := func(args []cty.Value) (cty.Value, error) {
		if !args[0].IsKnown() {
			return cty.DynamicVal, nil
		}
		v, err := decodeYAML(args[0].AsString())
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		return v, nil
	}
	return function.New(&function.Spec{
		Description: "The value of a YAML text.",
		Params:      []function.Parameter{{Name: "text", Type: cty.String}},
		Type: func(args []cty.Value) (cty.Type, error) {
			v, err := decode(args)
			if err != nil {
				return cty.NilType, err
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return decode(args) },
	})
}

func decodeYAML(text string) (cty.Value, error) {
	if len(text) > MaxFile {
		return cty.NilVal, fmt.Errorf("the text has more than %d bytes", MaxFile)
	}
	tokens := lexer.Tokenize(text)
	if err := checkYAMLDepth(tokens); err != nil {
		return cty.NilVal, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return cty.NilVal, errors.New(yaml.FormatError(err, false, false))
	}
	switch len(file.Docs) {
	case 0:
		return cty.NullVal(cty.DynamicPseudoType), nil
	case 1:
	default:
		return cty.NilVal, errors.New("the text holds several documents")
	}
	d := yamlDecoder{anchors: map[string]ast.Node{}}
	v, err := d.value(file.Docs[0].Body, 0)
	if err != nil {
		return cty.NilVal, err
	}
	return v, saneNumbers(v)
}

// checkYAMLDepth bounds nesting before the parser, which recurses: brackets, and dashes and question marks in a row
// on one line. Indentation alone cannot nest deeply in a text of this size.
func checkYAMLDepth(tokens token.Tokens) error {
	depth, run, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position != nil && t.Position.Line != line {
			run, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType, token.MappingValueType:
			run++
		}
		if depth > maxNesting || run > maxNesting {
			return fmt.Errorf("it is nested deeper than %d levels", maxNesting)
		}
	}
	return nil
}

// yamlDecoder turns a syntax tree into a value.
type yamlDecoder struct {
	anchors map[string]ast.Node
	nodes   int
}

func (d *yamlDecoder) value(n ast.Node, depth int) (cty.Value, error) {
	if d.nodes++; d.nodes > maxYAMLNodes || depth > 2*maxNesting {
		return cty.NilVal, errors.New("the text is nested too deeply, or its aliases hold too much")
	}
	switch n := n.(type) {
	case nil:
		return cty.NullVal(cty.DynamicPseudoType), nil
	case *ast.StringNode:
		if t := n.Token.Type; t == token.SingleQuoteType || t == token.DoubleQuoteType {
			return cty.StringVal(n.Value), nil
		}
		return plainYAML(n.Value)
	case *ast.LiteralNode:
		return cty.StringVal(n.Value.Value), nil
	case *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return plainYAML(n.GetToken().Value)
	case *ast.AnchorNode:
		d.anchors[n.Name.String()] = n.Value
		return d.value(n.Value, depth+1)
	case *ast.AliasNode:
		target, ok := d.anchors[n.Value.String()]
		if !ok {
			return cty.NilVal, fmt.Errorf("the alias *%s has no anchor before it", n.Value.String())
		}
		return d.value(target, depth+1)
	case *ast.SequenceNode:
		return d.sequence(n, depth)
	case *ast.MappingNode:
		return d.mapping(n.Values, depth)
	case *ast.MappingValueNode:
		return d.mapping([]*ast.MappingValueNode{n}, depth)
	case *ast.CommentGroupNode:
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	return cty.NilVal, fmt.Errorf("line %d: %s is not supported", n.GetToken().Position.Line, n.Type())
}

// maxYAMLNumber bounds the characters of a number, since reading one costs the square of its length.
const maxYAMLNumber = 1000

// yamlNumber matches what is a number, in the groups: infinite or none, with a base, decimal.
var yamlNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))|(0o[0-7]+|0x[0-9a-fA-F]+)|([-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?))$`)
})

// plainYAML resolves an unquoted scalar by the core schema of YAML 1.2, section 10.3.2. The library has rules of its
// own (goccy/go-yaml 1.19.2: 1e5 and an integer of 65 bits are strings, 017 is fifteen).
func plainYAML(text string) (cty.Value, error) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return cty.NullVal(cty.DynamicPseudoType), nil
	case "true", "True", "TRUE":
		return cty.True, nil
	case "false", "False", "FALSE":
		return cty.False, nil
	}
	number := yamlNumber().FindStringSubmatch(text)
	switch {
	case number == nil:
		return cty.StringVal(text), nil
	case number[1] != "":
		return cty.NilVal, fmt.Errorf("%q is not a number that JSON has", text)
	case len(text) > maxYAMLNumber:
		return cty.NilVal, fmt.Errorf("a number has more than %d digits", maxYAMLNumber)
	case number[2] != "":
		n, _ := new(big.Int).SetString(text, 0)
		return cty.NumberVal(new(big.Float).SetInt(n)), nil
	}
	v, err := cty.ParseNumberVal(text)
	if err != nil {
		return cty.NilVal, fmt.Errorf("%q is not a number that JSON has", text)
	}
	return v, nil
}

func (d *yamlDecoder) sequence(n *ast.SequenceNode, depth int) (cty.Value, error) {
	out := make([]cty.Value, 0, len(n.Values))
	for _, item := range n.Values {
		v, err := d.value(item, depth+1)
		if err != nil {
			return v, err
		}
		out = append(out, v)
	}
	return cty.TupleVal(out), nil
}

func (d *yamlDecoder) mapping(values []*ast.MappingValueNode, depth int) (cty.Value, error) {
	out, merged := map[string]cty.Value{}, map[string]cty.Value{}
	for _, m := range values {
		v, err := d.value(m.Value, depth+1)
		if err != nil {
			return v, err
		}
		if m.Key.IsMergeKey() {
			if !v.Type().IsObjectType() {
				return cty.NilVal, errors.New("<< needs an object")
			}
			for k, inner := range v.AsValueMap() {
				merged[k] = inner
			}
			continue
		}
		key, err := d.value(m.Key, depth+1)
		if err != nil {
			return key, err
		}
		name := m.Key.GetToken().Value
		if key.Type() == cty.String && !key.IsNull() {
			name = key.AsString()
		}
		if _, twice := out[name]; twice {
			return cty.NilVal, fmt.Errorf("line %d: the key %q stands twice", m.Key.GetToken().Position.Line, name)
		}
		out[name] = v
	}
	for k, v := range merged {
		if _, own := out[k]; !own {
			out[k] = v
		}
	}
	return cty.ObjectVal(out), nil
}
