package compiler

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// choose finds the type that a value is to be checked against: itself, or the alternative that fits. It does not
// look below the top: what is in a list or object is checked one by one.
func choose(t model.Type, got cty.Type) (model.Type, bool) {
	switch t.Kind {
	case model.TypeAny:
		return t, true
	case model.TypeBool:
		return t, got == cty.Bool
	case model.TypeNumber:
		return t, got == cty.Number
	case model.TypeString:
		return t, got == cty.String
	case model.TypeList:
		return t, got.IsListType() || got.IsSetType() || got.IsTupleType()
	case model.TypeMap:
		return t, got.IsMapType() || got.IsObjectType()
	case model.TypeOneOf:
		for _, one := range t.Of {
			if found, ok := choose(one, got); ok {
				return found, true
			}
		}
	}
	return t, false
}

// describe is a type in words: "a list of strings".
func describe(t model.Type) string {
	switch t.Kind {
	case model.TypeBool:
		return "true or false"
	case model.TypeNumber:
		return "a number"
	case model.TypeString:
		if len(t.Enum) > 0 {
			words := make([]string, len(t.Enum))
			for i, e := range t.Enum {
				words[i] = `"` + e + `"`
			}
			return listed(words, "or")
		}
		return "a string"
	case model.TypeList:
		return "a list" + ofMany(t.Elem)
	case model.TypeMap:
		return "an object" + ofMany(t.Elem)
	case model.TypeOneOf:
		words := make([]string, len(t.Of))
		for i, one := range t.Of {
			words[i] = describe(one)
		}
		return listed(words, "or")
	}
	return "any value"
}

func ofMany(t *model.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind {
	case model.TypeString:
		return " of strings"
	case model.TypeNumber:
		return " of numbers"
	case model.TypeBool:
		return " of bools"
	case model.TypeList:
		return " of lists"
	case model.TypeMap:
		return " of objects"
	}
	return ""
}
