package compiler

import (
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// maxTemplateDepth bounds templates that use templates, themselves too.
const maxTemplateDepth = 16

// context holds the functions for expressions in this folder's HCL files.
func (s *source) context() *hcl.EvalContext {
	s.once.Do(func() {
		functions := s.functions(0)
		for name, f := range pureFunctions() {
			functions[name] = f
		}
		functions["only"] = onlyFunction()
		s.ctx = &hcl.EvalContext{Functions: functions}
	})
	return s.ctx
}

// functions is those that read this folder. depth counts templates around.
func (s *source) functions(depth int) map[string]function.Function {
	return map[string]function.Function{
		"file":         s.fileFunction(),
		"fileset":      s.filesetFunction(),
		"templatefile": s.templateFunction(depth),
	}
}

// text is a file as a string: valid UTF-8 with \n at line ends.
func (s *source) text(name string) (string, error) {
	clean, p := s.validPath(name)
	if p == nil {
		var data []byte
		if data, p = s.read(clean, MaxFile); p == nil {
			if !utf8.Valid(data) {
				return "", function.NewArgErrorf(0, "`%s` is no UTF-8 text", s.show(clean))
			}
			return strings.ReplaceAll(string(data), "\r\n", "\n"), nil
		}
	}
	return "", function.NewArgError(0, errors.New(p.summary+". "+p.detail))
}

func (s *source) fileFunction() function.Function {
	return function.New(&function.Spec{
		Description: "The text of a file, relative to the folder of the file that calls it.",
		Params:      []function.Parameter{{Name: "path", Type: cty.String}},
		Type:        function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			text, err := s.text(args[0].AsString())
			if err != nil {
				return cty.NilVal, err
			}
			return cty.StringVal(text), nil
		},
	})
}

func (s *source) filesetFunction() function.Function {
	return function.New(&function.Spec{
		Description: "The names of the files in a folder that match a pattern, relative to that folder.",
		Params:      []function.Parameter{{Name: "folder", Type: cty.String}, {Name: "pattern", Type: cty.String}},
		Type:        function.StaticReturnType(cty.Set(cty.String)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			dir, p := s.validPath(args[0].AsString())
			if p != nil {
				return cty.NilVal, function.NewArgError(0, errors.New(p.summary+". "+p.detail))
			}
			pattern, p := s.validPath(args[1].AsString())
			if p != nil {
				return cty.NilVal, function.NewArgError(1, errors.New(p.summary+". "+p.detail))
			}
			full := path.Join(dir, pattern)
			base, _ := doublestar.SplitPattern(full)
			names, p := s.glob(full, base, globKey{kind: filePath})
			if p != nil && p.code != "no-match" {
				return cty.NilVal, function.NewArgError(1, errors.New(p.summary+". "+p.detail))
			}
			var out []cty.Value
			for _, n := range names {
				out = append(out, cty.StringVal(strings.TrimPrefix(n, dir+"/")))
			}
			if len(out) == 0 {
				return cty.SetValEmpty(cty.String), nil
			}
			return cty.SetVal(out), nil
		},
	})
}

func (s *source) templateFunction(depth int) function.Function {
	return function.New(&function.Spec{
		Description: "A file with its ${…} and %{…} filled from an object.",
		Params: []function.Parameter{
			{Name: "path", Type: cty.String},
			{Name: "values", Type: cty.DynamicPseudoType, AllowMarked: true},
		},
		Type: function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if depth >= maxTemplateDepth {
				return cty.NilVal, function.NewArgErrorf(0, "templates nest deeper than %d levels", maxTemplateDepth)
			}
			return s.render(args[0].AsString(), args[1], depth)
		},
	})
}

// render evaluates a template with the given values only. Its faults are hcl diagnostics with ranges in the template.
func (s *source) render(name string, values cty.Value, depth int) (cty.Value, error) {
	values, marks := values.Unmark()
	if t := values.Type(); !t.IsObjectType() && !t.IsMapType() {
		return cty.NilVal, function.NewArgErrorf(1, "the values are an object, as in { name = \"x\" }")
	}
	text, err := s.text(name)
	if err != nil {
		return cty.NilVal, err
	}
	shown := s.show(path.Clean(name))
	s.m.addText(shown, []byte(text))
	if ds := checkTemplateBounds([]byte(text), shown); len(ds) > 0 {
		return cty.NilVal, function.NewArgErrorf(0, "%s: %s", ds[0].Subject, ds[0].Detail)
	}
	tmpl, ds := hclsyntax.ParseTemplate([]byte(text), shown, hcl.InitialPos)
	if ds.HasErrors() {
		return cty.NilVal, ds
	}
	ctx := s.context().NewChild()
	ctx.Functions = s.functions(depth + 1)
	for _, hidden := range []string{"only", "which"} {
		ctx.Functions[hidden] = notInTemplates(hidden)
	}
	ctx.Variables = values.AsValueMap()
	if ctx.Variables == nil {
		// Without any variable hcl says that none are allowed, in place of which one is unknown.
		ctx.Variables = map[string]cty.Value{}
	}
	v, ds := tmpl.Value(ctx)
	if ds.HasErrors() {
		return cty.NilVal, ds
	}
	out, err := convert.Convert(v, cty.String)
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(0, "the template makes no text: %s", err)
	}
	return out.WithMarks(marks), nil
}

// notInTemplates stands for a function whose uses must be seen before anything is evaluated.
func notInTemplates(name string) function.Function {
	return function.New(&function.Spec{
		VarParam: &function.Parameter{Name: "any", Type: cty.DynamicPseudoType, AllowMarked: true, AllowUnknown: true, AllowNull: true, AllowDynamicType: true},
		Type:     function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func([]cty.Value, cty.Type) (cty.Value, error) {
			return cty.NilVal, errors.New("`" + name + "` cannot be used in a template: pass its result as a value")
		},
	})
}
