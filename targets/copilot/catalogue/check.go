package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/nearest"
)

// Check looks at the settings of a user: an object with the names and values of settings.json. Every fault is an error at
// the value's own place.
func (c Catalogue) Check(settings model.Value) diag.List {
	k := checker{Catalogue: c}
	k.object("", settings)
	return k.diags
}

type checker struct {
	Catalogue
	diags diag.List
}

func (c *checker) object(at string, v model.Value) {
	for _, f := range v.Fields {
		full := f.Name
		if at != "" {
			full = at + "." + f.Name
		}
		k, known := c.kinds[full]
		if strings.Contains(f.Name, ".") {
			known = false
		}
		switch why := refusals[k.name]; {
		case f.Value.Kind == model.KindTemplate: // a secret, which the target refuses
		case !known:
			c.unknown(at, full, f)
		case why != "":
			c.diags.Errorf(f.Value.Origin, "refused-setting", fmt.Sprintf("settings: %q cannot be set here", full), "%s", why)
		case k.name == "alias":
			c.diags.Errorf(f.Value.Origin, "old-setting", fmt.Sprintf("settings: %q is an old name", full), "Write `%s`.", k.rest[0])
		case k.name == "object" && f.Value.Kind == model.KindObject:
			c.object(full, f.Value)
		case !fits(k, f.Value):
			aspect, then := "type", "One value of the wrong type makes it ignore the whole settings.json."
			if k.name == "enum" && f.Value.Kind == model.KindString {
				aspect, then = "value", "It would ignore the key."
			}
			c.diags.Errorf(f.Value.Origin, "invalid-value", fmt.Sprintf("settings: %q has the wrong %s", full, aspect),
				"Copilot %s takes %s. %s", c.Version, k.takes(), then)
		}
	}
}

func (c *checker) unknown(at, full string, f model.Field) {
	detail := "Copilot would ignore it."
	if n := nearest.Name(f.Name, c.names(at)); n != "" {
		detail = fmt.Sprintf("Perhaps `%s` is meant.", n)
	}
	if strings.Contains(f.Name, ".") {
		detail = "A dot does not lead into an object here. Write the object."
	}
	for _, v := range Versions() {
		if _, ok := load(v).kinds[full]; ok && v != c.Version && !strings.Contains(f.Name, ".") {
			detail = fmt.Sprintf("Copilot %s knows it.", v)
		}
	}
	c.diags.Errorf(f.Value.Origin, "unknown-setting", fmt.Sprintf("settings: Copilot %s has no %q", c.Version, full), "%s", detail)
}

func fits(k kind, v model.Value) bool {
	switch k.name {
	case "boolean":
		return v.Kind == model.KindBool
	case "number":
		return v.Kind == model.KindNumber
	case "string":
		return v.Kind == model.KindString
	case "enum":
		return v.Kind == model.KindString && slices.Contains(k.rest, v.Text)
	case "string-array":
		return v.Kind == model.KindList && !slices.ContainsFunc(v.List, func(e model.Value) bool { return e.Kind != model.KindString })
	case "record-of-boolean":
		return record(v, model.KindBool)
	case "record-of-object":
		return record(v, model.KindObject)
	case "json":
		return true
	}
	return false // an object, which it is not
}

func record(v model.Value, of model.Kind) bool {
	return v.Kind == model.KindObject && !slices.ContainsFunc(v.Fields, func(f model.Field) bool { return f.Value.Kind != of })
}
