package catalogue

import (
	"fmt"
	"slices"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func obj(pairs ...any) model.Value {
	v := model.Value{Kind: model.KindObject}
	for i := 0; i < len(pairs); i += 2 {
		v.Fields = append(v.Fields, model.Field{Name: pairs[i].(string), Value: val(pairs[i+1])})
	}
	return v
}

func val(v any) model.Value {
	switch v := v.(type) {
	case bool:
		return model.Value{Kind: model.KindBool, Bool: v}
	case int:
		return model.Value{Kind: model.KindNumber, Number: fmt.Sprint(v)}
	case string:
		return model.Value{Kind: model.KindString, Text: v}
	case []any:
		out := model.Value{Kind: model.KindList}
		for _, e := range v {
			out.List = append(out.List, val(e))
		}
		return out
	}
	return v.(model.Value)
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		version string
		setting model.Value
		want    string // code and a part of the detail; empty: nothing
	}{
		{"", obj("theme", "dim"), ""},
		{"", obj("theme", "pink"), "invalid-value: Copilot 1.0.102 takes one of default, github, dim, high-contrast, colorblind. It would ignore the key."},
		{"", obj("theme", true), "invalid-value: Copilot 1.0.102 takes one of default, github, dim, high-contrast, colorblind. One value of the wrong type makes it ignore the whole settings.json."},
		{"", obj("beep", true), ""},
		{"", obj("beep", "notabool"), "invalid-value: Copilot 1.0.102 takes true or false. One value of the wrong type makes it ignore the whole settings.json."},
		{"", obj("beeep", true), "unknown-setting: Perhaps `beep` is meant."},
		{"", obj("zzUnknown", 1), "unknown-setting: Copilot would ignore it."},
		{"", obj("footer", obj("showQuota", true)), ""},
		{"", obj("footer", obj("showQuotas", true)), "unknown-setting: Perhaps `showQuota` is meant."},
		{"", obj("footer", true), "invalid-value: Copilot 1.0.102 takes an object. One value of the wrong type makes it ignore the whole settings.json."},
		{"", obj("footer.showQuota", true), "unknown-setting: A dot does not lead into an object here. Write the object."},
		{"", obj("commandHistoryMaxSize", 10), ""},
		{"", obj("commandHistoryMaxSize", "10"), "invalid-value: Copilot 1.0.102 takes a number. One value of the wrong type makes it ignore the whole settings.json."},
		{"", obj("skillDirectories", []any{"/a"}), ""},
		{"", obj("skillDirectories", []any{"/a", 1}), "invalid-value: Copilot 1.0.102 takes a list of strings. One value of the wrong type makes it ignore the whole settings.json."},
		{"", obj("enabledPlugins", obj("a@b", true)), ""},
		{"", obj("enabledPlugins", obj("a@b", 1)), "invalid-value: Copilot 1.0.102 takes an object of true and false. One value of the wrong type makes it ignore the whole settings.json."},
		{"", obj("strictKnownMarketplaces", []any{obj("x", 1)}), ""},
		{"", obj("sandbox", obj("userPolicy", obj("network", obj("allowedHosts", []any{"a"})))), ""},
		{"1.0.83", obj("sandbox", obj("userPolicy", obj("network", obj("allowedHosts", []any{"a"})))), "unknown-setting: Copilot 1.0.102 knows it."},
		{"1.0.102", obj("factories", obj("logPhaseNames", true)), "unknown-setting: Copilot 1.0.83 knows it."},
		{"", obj("reasoning_effort", "high"), "old-setting: Write `effortLevel`."},
		{"", obj("trustedFolders", []any{"/"}), "refused-setting: " + refusals["elsewhere"]},
		{"", obj("permissions", obj("allow", []any{"x"})), "refused-setting: " + refusals["organisation"]},
		{"", obj("hooks", obj()), "refused-setting: " + refusals["here-twice"]},
		{"", obj("agentDirectories", []any{"x"}), "refused-setting: " + refusals["repository"]},
		{"", model.Value{}, ""},
	} {
		got := ""
		for _, d := range For(c.version).Check(c.setting) {
			got += d.Code + ": " + d.Detail
		}
		if got != c.want {
			t.Errorf("%s %v:\n got %s\nwant %s", c.version, c.setting.Fields, got, c.want)
		}
	}
}

func TestFor(t *testing.T) {
	for found, want := range map[string]string{
		"": "1.0.102", "1.0.102": "1.0.102", "1.0.103": "1.0.102", "2.0.0": "1.0.102", "1.0.92": "1.0.83", "1.0.83": "1.0.83",
		"1.0.80": "1.0.83", "1.0.102-1": "1.0.102", "1.0.9": "1.0.83",
	} {
		if got := For(found).Version; got != want {
			t.Errorf("%q: %s, want %s", found, got, want)
		}
	}
}

// TestData: every line is of a kind that the checker knows, and no catalogue is empty.
func TestData(t *testing.T) {
	kinds := []string{"alias", "boolean", "enum", "json", "number", "object", "record-of-boolean", "record-of-object", "string", "string-array"}
	for _, v := range Versions() {
		c := For(v)
		if len(c.kinds) < 150 {
			t.Errorf("%s has %d settings", v, len(c.kinds))
		}
		for path, k := range c.kinds {
			if refusals[k.name] == "" && !slices.Contains(kinds, k.name) {
				t.Errorf("%s: %s is of kind %q", v, path, k.name)
			}
			if (k.name == "enum") != (len(k.rest) > 1) && k.name != "alias" && path != "statusLine.type" {
				t.Errorf("%s: %s has the values %q", v, path, k.rest)
			}
		}
	}
}
