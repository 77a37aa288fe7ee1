package catalogue

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestFor(t *testing.T) {
	if got, want := Versions(), []string{"1.0.83", "1.0.102"}; !slices.Equal(got, want) {
		t.Fatalf("Versions() = %q, want %q", got, want)
	}
	for version, want := range map[string]string{
		"": "1.0.102", "1.0.102": "1.0.102", "1.0.102-3": "1.0.102", "1.0.200": "1.0.102", "2.0.0": "1.0.102",
		"1.0.101": "1.0.83", "1.0.83": "1.0.83", "1.0.80": "1.0.83", "0.9": "1.0.83", "nonsense": "1.0.83",
	} {
		if got := For(version).Version; got != want {
			t.Errorf("For(%q) is %s, want %s", version, got, want)
		}
	}
	for version, want := range map[string]bool{
		"1.0.102": true, "1.0.102-0": true, "1.0": false, "": false, "v1.0.102": false, "1.0.x": false, "1.0.-1": false,
	} {
		if Valid(version) != want {
			t.Errorf("Valid(%q) is not %v", version, want)
		}
	}
}

// Every line is of a kind that exists, and says what that kind needs.
func TestLines(t *testing.T) {
	needs := map[string]int{"integer": 2, "positive": 1, "match": 1, "renamed": 1}
	for _, version := range Versions() {
		data, err := files.ReadFile("data/settings-" + version + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		if !slices.IsSorted(lines) || len(slices.Compact(slices.Clone(lines))) != len(lines) {
			t.Errorf("%s: the lines are not sorted, each once", version)
		}
		for _, line := range lines {
			words := strings.Fields(line)
			kind, isKind := kinds[words[1]]
			if _, refused := refusals[words[1]]; isKind == refused {
				t.Errorf("%s: no kind in %q", version, line)
			}
			if n := needs[words[1]]; n != 0 && len(words) != 2+n || words[1] == "enum" && len(words) < 3 {
				t.Errorf("%s: %q lacks what its kind needs", version, line)
			}
			if _, ok := kinds[kind.each]; kind.each != "" && !ok {
				t.Errorf("%s has elements of no kind", words[1])
			}
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		version, text string
		want          []string // path, code and the beginning of the advice
	}{
		{"1.0.102", `{}`, nil},
		{"1.0.102", `{"theme":"dim","footer":{"showBranch":true},"subagents":{"maxDepth":3,"agents":{"a":{"model":"x"}}},"enabledPlugins":{"a@b":false}}`, nil},
		{"1.0.102", `{"strictKnownMarketplaces":[{"any":"thing"}],"telemetry":{"headersProvider":false},"ahpEnvironment":{"computeId":"7b0b7f0a-3a0e-4e0c-8a3e-0d8b8f0d8b8f"}}`, nil},
		{"1.0.102", `{"disableAllHooks":true}`, nil},
		{"1.0.102", `{"thme":1}`, []string{"thme unknown-setting Did you mean `theme`?"}},
		{"1.0.102", `{"footer":{"showBrnch":true}}`, []string{"footer.showBrnch unknown-setting Did you mean `footer.showBranch`?"}},
		{"1.0.102", `{"footer.showBranch":true}`, []string{"footer.showBranch unknown-setting A dot does not lead into an object here."}},
		{"1.0.102", `{"noSuchThing":1}`, []string{"noSuchThing unknown-setting It would have no effect."}},
		{"1.0.102", `{"ide":{"zzzzzz":1}}`, []string{"ide.zzzzzz unknown-setting Known here: `autoConnect`, `openDiffOnEdit`."}},
		{"1.0.102", `{"factories":{}}`, []string{"factories unknown-setting Copilot 1.0.83 has it."}},
		{"1.0.83", `{"telemetry":{}}`, []string{"telemetry unknown-setting Copilot 1.0.102 has it."}},
		{"1.0.102", `{"beep":"true"}`, []string{"beep wrong-type One wrong value"}},
		{"1.0.102", `{"beep":null}`, []string{"beep wrong-type One wrong value"}},
		{"1.0.102", `{"footer":true}`, []string{"footer wrong-type One wrong value"}},
		{"1.0.102", `{"sandbox":{"userPolicy":[]}}`, []string{"sandbox.userPolicy wrong-type One wrong value"}},
		{"1.0.102", `{"tabs":{"sort":["a",1]}}`, []string{"tabs.sort.1 wrong-type One wrong value"}},
		{"1.0.102", `{"enabledPlugins":{"a@b":1}}`, []string{"enabledPlugins.a@b wrong-type One wrong value"}},
		{"1.0.102", `{"subagents":{"agents":{"a":true}}}`, []string{"subagents.agents.a wrong-type One wrong value"}},
		{"1.0.102", `{"theme":"dark"}`, []string{"theme invalid-value One wrong value"}},
		{"1.0.102", `{"theme":"dimm"}`, []string{"theme invalid-value Did you mean `dim`?"}},
		{"1.0.102", `{"subagents":{"maxDepth":0}}`, []string{"subagents.maxDepth invalid-value One wrong value"}},
		{"1.0.102", `{"subagents":{"maxDepth":1.5}}`, []string{"subagents.maxDepth invalid-value One wrong value"}},
		{"1.0.102", `{"subagents":{"maxDepth":"1"}}`, []string{"subagents.maxDepth wrong-type One wrong value"}},
		{"1.0.102", `{"workflows":{"defaultLimits":{"maxAiCredits":0}}}`, []string{"workflows.defaultLimits.maxAiCredits invalid-value One wrong value"}},
		{"1.0.102", `{"worktreePathTemplate":"x"}`, []string{"worktreePathTemplate invalid-value One wrong value"}},
		{"1.0.102", `{"statusLine":{"type":"command"}}`, []string{"statusLine invalid-value Copilot ignores all"}},
		{"1.0.102", `{"extraKnownMarketplaces":{"a":{}}}`, []string{"extraKnownMarketplaces.a invalid-value Copilot ignores all"}},
		{"1.0.102", `{"permissions":{"allow":["x"]},"hooks":{},"trustedFolders":[],"hookDirectories":[]}`, []string{
			"hookDirectories refused-setting Copilot takes it in a repository's", "hooks refused-setting What stands in settings.json",
			"permissions refused-setting Copilot takes it from an organisation only", "trustedFolders refused-setting Copilot keeps it in its own config.json",
		}},
		{"1.0.102", `{"color_mode":"dim"}`, []string{"color_mode refused-setting It is the old name of `theme`."}},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range For(tt.version).Check(decode(t, tt.text)) {
			got = append(got, fmt.Sprint(f.Key(), " ", f.Code, " ", f.Advice))
		}
		ok := len(got) == len(tt.want)
		for i := range got {
			ok = ok && strings.HasPrefix(got[i], tt.want[i])
		}
		if !ok {
			t.Errorf("%s %s:\ngot  %q\nwant %q", tt.version, tt.text, got, tt.want)
		}
	}
}

// A valid value of every setting passes, and one of another type does not, at whatever depth.
func TestEverySetting(t *testing.T) {
	good := map[string]any{
		"any": json.Number("1"), "boolean": true, "string": "x", "number": json.Number("1.5"), "integer": json.Number("1"),
		"positive": json.Number("0.5"), "list": []any{}, "strings": []any{"x"}, "booleans": map[string]any{"x": true},
		"objects": map[string]any{}, "object-or-false": false,
	}
	for _, version := range Versions() {
		c := For(version)
		var walk func(path []string, s *setting)
		walk = func(path []string, s *setting) {
			for name, m := range s.members {
				walk(append(slices.Clip(path), name), m)
			}
			v, ok := good[s.kind]
			if s.kind == "enum" {
				v, ok = s.args[0], true
			}
			if !ok {
				return
			}
			if f := c.Check(nest(path, v)); len(f) > 0 && !reflect.DeepEqual(f[0].Path, path[:1]) {
				t.Errorf("%s: %q: %+v", version, path, f)
			}
			for _, bad := range []any{nil, struct{}{}} {
				f := c.Check(nest(path, bad))
				if s.kind != "any" && (len(f) == 0 || !f[len(f)-1].Voids() || !slices.Equal(f[len(f)-1].Path, path)) {
					t.Errorf("%s: %q = %v: %+v", version, path, bad, f)
				}
			}
		}
		walk(nil, c.root)
	}
}

func nest(path []string, v any) map[string]any {
	for i := len(path) - 1; i >= 0; i-- {
		v = map[string]any{path[i]: v}
	}
	return v.(map[string]any)
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"theme": "dim", "footer": {"showBranch": 1}, "tabs": {"sort": [[]]}, "extraKnownMarketplaces": {"": {"source": null}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v map[string]any
		if d.Decode(&v) != nil {
			return
		}
		for _, version := range Versions() {
			a, b := For(version).Check(v), For(version).Check(v)
			if !reflect.DeepEqual(a, b) {
				t.Errorf("two answers: %v, %v", a, b)
			}
			for _, fault := range a {
				if fault.Code == "" || fault.What == "" || fault.Advice == "" || len(fault.Path) == 0 {
					t.Errorf("an empty fault: %+v", fault)
				}
			}
		}
	})
}
