package compiler

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// pureFunctions is the functions that need nothing but their arguments.
func pureFunctions() map[string]function.Function {
	return map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "log": stdlib.LogFunc,
		"max": stdlib.MaxFunc, "min": stdlib.MinFunc, "parseint": stdlib.ParseIntFunc, "pow": stdlib.PowFunc,
		"signum": stdlib.SignumFunc,

		"format": widths(stdlib.FormatFunc), "formatlist": widths(stdlib.FormatListFunc), "join": stdlib.JoinFunc,
		"chomp": changing(stdlib.ChompFunc), "endswith": changing(affix(strings.HasSuffix)),
		"indent": changing(indentFunction()), "lower": changing(stdlib.LowerFunc), "regex": changing(stdlib.RegexFunc),
		"regexall": changing(stdlib.RegexAllFunc), "regexreplace": changing(stdlib.RegexReplaceFunc),
		"replace": changing(stdlib.ReplaceFunc), "split": changing(stdlib.SplitFunc),
		"startswith": changing(affix(strings.HasPrefix)), "strrev": changing(stdlib.ReverseFunc),
		"substr": changing(stdlib.SubstrFunc), "title": changing(stdlib.TitleFunc), "trim": changing(stdlib.TrimFunc),
		"trimprefix": changing(stdlib.TrimPrefixFunc), "trimspace": changing(stdlib.TrimSpaceFunc),
		"trimsuffix": changing(stdlib.TrimSuffixFunc), "upper": changing(stdlib.UpperFunc),

		"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
		"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc,
		"distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc,
		"index": stdlib.IndexFunc, "keys": stdlib.KeysFunc, "length": lengthFunction(), "lookup": stdlib.LookupFunc,
		"merge": stdlib.MergeFunc, "range": stdlib.RangeFunc, "reverse": stdlib.ReverseListFunc,
		"setintersection": stdlib.SetIntersectionFunc, "setsubtract": stdlib.SetSubtractFunc,
		"setunion": stdlib.SetUnionFunc, "slice": stdlib.SliceFunc, "sort": stdlib.SortFunc,
		"values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,

		"can": tryfunc.CanFunc, "try": tryfunc.TryFunc,
		"tobool": stdlib.MakeToFunc(cty.Bool), "tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)), "tonumber": inRange(stdlib.MakeToFunc(cty.Number)),
		"toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), "tostring": stdlib.MakeToFunc(cty.String),

		"jsondecode": jsonDecodeFunction(), "jsonencode": stdlib.JSONEncodeFunc, "yamldecode": yamlDecodeFunction(),
	}
}

// functionNames is every function that a manifest may call.
func functionNames() []string {
	return slices.Sorted(maps.Keys(functionDocs()))
}

// functionDocs is every function with its description, for the reference.
func functionDocs() map[string]string {
	docs := map[string]string{}
	for name, f := range pureFunctions() {
		docs[name] = f.Description()
	}
	for name, f := range newSource(nil, nil, ".", ".", 0).functions(0) {
		docs[name] = f.Description()
	}
	docs["which"] = whichFunction(nil).Description()
	docs["only"] = onlyFunction().Description()
	docs["try"] = "The first of its arguments that can be evaluated."
	docs["can"] = "Whether its argument can be evaluated."
	return docs
}

// onlyFunction marks a list, so that it replaces what earlier layers say. A mark goes through conditionals and
// locals, where the call itself could not be seen.
func onlyFunction() function.Function {
	return function.New(&function.Spec{
		Description: "A list that replaces what earlier layers say, where lists are otherwise joined.",
		Params: []function.Parameter{{
			Name: "list", Type: cty.DynamicPseudoType,
			AllowMarked: true, AllowUnknown: true, AllowDynamicType: true,
		}},
		Type: func(args []cty.Value) (cty.Type, error) {
			t := args[0].Type()
			if t != cty.DynamicPseudoType && !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
				return t, function.NewArgErrorf(0, "only takes a list, as in only([\"a\"])")
			}
			return t, nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return args[0].Mark(onlyMark{}), nil },
	})
}

// lengthFunction is the number of elements of a collection, or of characters of a string.
func lengthFunction() function.Function {
	return function.New(&function.Spec{
		Description: "The number of elements of a list or object, or of characters of a string.",
		Params: []function.Parameter{{
			Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true, AllowUnknown: true, AllowMarked: true,
		}},
		Type: function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, marks := args[0].Unmark()
			switch t := v.Type(); {
			case t == cty.DynamicPseudoType:
				return cty.UnknownVal(cty.Number).WithMarks(marks), nil
			case t == cty.String:
				n, err := stdlib.Strlen(v)
				return n.WithMarks(marks), err
			case t.IsTupleType(), t.IsObjectType(), t.IsListType(), t.IsSetType(), t.IsMapType():
				if v.IsKnown() && v.IsNull() {
					return cty.NilVal, function.NewArgErrorf(0, "there is no value to take the length of")
				}
				return v.Length().WithMarks(marks), nil
			}
			return cty.NilVal, function.NewArgErrorf(0, "a list, object or string is needed")
		},
	})
}

func affix(test func(s, part string) bool) function.Function {
	return function.New(&function.Spec{
		Description: "Whether a string begins (startswith) or ends (endswith) with another.",
		Params:      []function.Parameter{{Name: "string", Type: cty.String}, {Name: "part", Type: cty.String}},
		Type:        function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(test(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

// changing marks the result of a function that changes texts, if a secret went into it.
func changing(f function.Function) function.Function {
	params := f.Params()
	for i := range params {
		params[i].AllowMarked = true
	}
	return function.New(&function.Spec{
		Description: f.Description(), Params: params, VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			plain := make([]cty.Value, len(args))
			for i, a := range args {
				plain[i], _ = a.UnmarkDeep()
			}
			return f.ReturnTypeForValues(plain)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			out, err := f.Call(args)
			if err != nil {
				return out, err
			}
			for _, a := range args {
				if _, marks := a.UnmarkDeep(); len(secretsOf(marks)) > 0 {
					out = out.Mark(changedMark{})
				}
			}
			return out, nil
		},
	})
}

// widths refuses formats such as %1000000000d, which would make a string of a gigabyte.
func widths(f function.Function) function.Function {
	return guarded(f, func(args []cty.Value) error {
		v, _ := args[0].Unmark()
		if v.Type() != cty.String || !v.IsKnown() || v.IsNull() {
			return nil
		}
		for _, n := range regexp.MustCompile(`[0-9]{4,}`).FindAllString(v.AsString(), -1) {
			if at := strings.Index(v.AsString(), n); strings.Contains(v.AsString()[:at], "%") {
				return function.NewArgErrorf(0, "a width or precision has at most three digits")
			}
		}
		return nil
	})
}

// indentFunction is stdlib's, with a bound.
func indentFunction() function.Function {
	return guarded(stdlib.IndentFunc, func(args []cty.Value) error {
		v, _ := args[0].Unmark()
		if !v.IsKnown() || v.IsNull() || v.Type() != cty.Number {
			return nil
		}
		if n, _ := v.AsBigFloat().Int64(); n < 0 || n > 200 {
			return function.NewArgErrorf(0, "0 to 200 spaces can be given")
		}
		return nil
	})
}

// inRange refuses results that are numbers out of range.
func inRange(f function.Function) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(), Params: f.Params(), VarParam: f.VarParam(),
		Type: f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			out, err := f.Call(args)
			if err != nil {
				return out, err
			}
			return out, saneNumbers(out)
		},
	})
}

// guarded is a function with a check of its arguments before it.
func guarded(f function.Function, check func([]cty.Value) error) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(), Params: f.Params(), VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := check(args); err != nil {
				return cty.DynamicPseudoType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(args) },
	})
}

// saneNumbers reports a number out of range anywhere in a value.
func saneNumbers(v cty.Value) error {
	return cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		v, _ = v.Unmark()
		if v.Type() == cty.Number && v.IsKnown() && !v.IsNull() && !sane(v.AsBigFloat()) {
			return false, errors.New("a number is out of range")
		}
		return true, nil
	})
}

// jsonDecodeFunction is stdlib's, bounded: it recurses, and a deep text would end the process.
func jsonDecodeFunction() function.Function {
	return inRange(guarded(stdlib.JSONDecodeFunc, func(args []cty.Value) error {
		v, _ := args[0].Unmark()
		if v.Type() != cty.String || !v.IsKnown() || v.IsNull() {
			return nil
		}
		return checkJSONDepth(v.AsString())
	}))
}

// checkJSONDepth counts brackets outside of strings, and digits of exponents.
func checkJSONDepth(s string) error {
	depth, inside := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return function.NewArgError(0, fmt.Errorf("it is nested deeper than %s levels", strconv.Itoa(maxNesting)))
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}
