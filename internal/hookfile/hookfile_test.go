package hookfile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// show is a hook as one line: what is not empty.
func show(h Hook) string {
	b := strings.Builder{}
	fmt.Fprint(&b, h.Event)
	v := reflect.ValueOf(h)
	for i := 1; i < v.NumField()-1; i++ {
		if !v.Field(i).IsZero() {
			fmt.Fprintf(&b, " %s=%v", v.Type().Field(i).Name, v.Field(i))
		}
	}
	return b.String()
}

// said is the place and code of each diagnostic.
func said(t *testing.T, file string, l diag.List) []string {
	var out []string
	for _, d := range l {
		out = append(out, fmt.Sprint(d.Subject.Start.Line, " ", d.Code))
		if d.Detail == "" || !strings.HasSuffix(d.Detail, ".") || d.Subject.File != file {
			t.Errorf("diagnostic %+v", d)
		}
	}
	return out
}

func TestRead(t *testing.T) {
	entry := func(s string) string { return "{\"hooks\": {\"preToolUse\": [\n" + s + "]}}" }
	tests := []struct {
		name, text string
		hooks      []string
		diags      []string // line, code
	}{
		{
			"complete", `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "exec": "/bin/x", "args": ["a b"], "matcher": "bash|edit", "timeoutSec": 0.5, "env": {"A": "$B"}, "cwd": "t"}]}}`,
			[]string{"preToolUse Exec=/bin/x Args=[a b] Matcher=bash|edit TimeoutSec=0.5 Env=map[A:$B] Cwd=t"},
			nil,
		},
		{
			"order", `{"hooks": {"sessionEnd": [{"command": "c"}], "agentStop": [{"command": "b"}, {"command": "a"}]}}`,
			[]string{"agentStop Command=b", "agentStop Command=a", "sessionEnd Command=c"},
			nil,
		},
		{
			"http and prompt", `{"hooks": {"sessionStart": [{"type": "prompt", "prompt": "p"}], "postToolUse": [{"type": "http", "url": "https://e", "headers": {"A": "b"}}]}}`,
			[]string{"postToolUse URL=https://e Headers=map[A:b]", "sessionStart Prompt=p"},
			nil,
		},
		{"bash before command", entry(`{"command": "c", "bash": "b"}`), []string{"preToolUse Command=b"}, nil},
		{"of this system", entry(`{"linux": "l", "darwin": "d", "bash": "b"}`), []string{"preToolUse Command=l"}, nil},
		{"of another system", entry(`{"darwin": "d", "bash": "b"}`), []string{"preToolUse Command=b"}, nil},
		{
			"groups", entry(`{"matcher": "bash", "hooks": [{"command": "a"},` + "\n" + `{"command": "b", "timeoutSec": 0}, {"command": "c", "matcher": "edit"}]}`),
			[]string{"preToolUse Command=a Matcher=bash", "preToolUse Command=c Matcher=edit"},
			[]string{"3 wrong-type"},
		},
		{"groups in groups", entry(`{"matcher": "b", "hooks": [{"hooks": [{"command": "a"}]}]}`), nil, []string{"2 wrong-type"}},
		{"comments and a BOM", "\ufeff{// c\r\n\"hooks\": {\"agentStop\": [{\"command\": \"x\"},]}}", []string{"agentStop Command=x"}, []string{"1 hooks-not-read"}},
		{
			"timeouts", entry("{\"command\": \"a\", \"timeoutSeconds\": 5},\n{\"command\": \"b\", \"timeoutSec\": 1, \"timeout\": 2},\n{\"command\": \"c\", \"timeoutSec\": \"5\"},\n{\"command\": \"d\", \"timeout\": -1}"),
			[]string{"preToolUse Command=a TimeoutSec=5", "preToolUse Command=b TimeoutSec=1"},
			[]string{"2 timeout-spelling", "4 wrong-type", "5 wrong-type"},
		},
		{
			"matchers", entry("{\"command\": \"a\", \"matcher\": \"\"},\n{\"command\": \"a\", \"matcher\": \"*\"},\n{\"command\": \"a\", \"matcher\": null},\n{\"command\": \"a\", \"matcher\": \"(\"}"),
			nil,
			[]string{"2 invalid-value", "3 invalid-value", "4 invalid-value", "5 invalid-value"},
		},
		{"a matcher that is ignored", `{"hooks": {"agentStop": [{"command": "x", "matcher": "bash"}]}}`, []string{"agentStop Command=x"}, []string{"1 no-effect"}},
		{
			"wrong types", entry("{\"command\": 1},\n{\"command\": \"a\", \"env\": {\"A\": 1}},\n{\"exec\": \"a\", \"args\": \"b\"},\n3,\n{\"type\": \"http\"},\n{\"type\": \"x\"}"),
			nil,
			[]string{"2 wrong-type", "3 wrong-type", "4 wrong-type", "5 wrong-type", "6 missing-attribute", "7 wrong-type"},
		},
		{"a prompt elsewhere", entry(`{"type": "prompt", "prompt": "p"}`), nil, []string{"2 invalid-value"}},
		{"only PowerShell", entry(`{"powershell": "x"}`), nil, []string{"2 missing-attribute"}},
		{
			"homes", entry(`{"command": "/home/me/a /Users/me/b --x=/home/me/c"}, {"command": "echo '/home/me/a'"}`),
			[]string{"preToolUse Command=~/a ~/b --x=/home/me/c", "preToolUse Command=echo '/home/me/a'"},
			[]string{"2 home-path"},
		},
		{"a missing program", entry("{\"command\": \"which g && g\"},\n{\"command\": \"command -v g && g || true\"}"), []string{"preToolUse Command=which g && g", "preToolUse Command=command -v g && g || true"}, []string{"2 hook-fails"}},
		{"off", `{"disableAllHooks": true, "hooks": {"agentStop": [{"command": "x"}]}}`, nil, []string{"1 hooks-off"}},
		{"version", `{"version": 2, "hooks": {}}`, nil, []string{"1 hooks-version"}},
		{"version as text", `{"version": "1", "hooks": {}}`, nil, []string{"1 hooks-version"}},
		{"no list", "{\"hooks\": {\n\"agentStop\": {\"command\": \"x\"}}}", nil, []string{"2 invalid-json"}},
		{"no event", "{\"hooks\": {\"Stop\": [],\n\"postResult\": [], \"pre_tool_use\": []}}", nil, []string{"1 unknown-event", "2 unknown-event", "2 unknown-event"}},
		{"twice", "{\"hooks\": {\"agentStop\": [{\"command\": \"x\",\n\"command\": \"y\"}]}}", nil, []string{"2 invalid-json"}},
		{"no hooks", `{"version": 1}`, nil, []string{"1 no-hooks"}},
		{"hooks is none", "{\n\"hooks\": []}", nil, []string{"2 no-hooks"}},
		{"empty", "", nil, []string{"1 invalid-json"}},
		{"a git link as text", "../hooks/all.json", nil, []string{"1 git-link"}},
		{"deep", strings.Repeat("[", 5000), nil, []string{"1 invalid-json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hooks, diags := Read("h.json", []byte(tt.text), "linux")
			var got []string
			for _, h := range hooks {
				got = append(got, show(h))
			}
			if !reflect.DeepEqual(got, tt.hooks) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.hooks, "\n"))
			}
			if got := said(t, "h.json", diags); !reflect.DeepEqual(got, tt.diags) {
				t.Errorf("said %q, want %q", got, tt.diags)
			}
		})
	}
}

// Files as they are in public repositories, each with what becomes of it.
func TestShapes(t *testing.T) {
	for file, want := range map[string]struct{ hooks, diags []string }{
		"01-copilot-v1":       {[]string{"sessionEnd Command=~/.copilot/hooks/scan/scan.sh TimeoutSec=30 Env=map[MODE:block] Cwd=."}, []string{"5 home-path"}},
		"02-no-version":       {[]string{"preToolUse Command=echo check TimeoutSec=5"}, nil},
		"03-matcher-command":  {[]string{"agentStop Command=$HOME/dot/hooks/t.sh done # t TimeoutSec=30", "preToolUse Command=$HOME/dot/hooks/guard.sh Matcher=bash|shell|Bash TimeoutSec=5"}, nil},
		"04-timeout-spelling": {[]string{"preToolUse Command=command -v g >/dev/null 2>&1 && g TimeoutSec=5"}, []string{"5 hook-fails", "8 timeout-spelling"}},
		"05-miscased":         {nil, []string{"4 unknown-event", "10 unknown-event"}},
		"07-powershell":       {[]string{"preToolUse Command=bin/hook TimeoutSec=15 Cwd=src"}, nil},
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "shapes", file+".json"))
			if err != nil {
				t.Fatal(err)
			}
			hooks, diags := Read(file, data, "darwin")
			var got []string
			for _, h := range hooks {
				got = append(got, show(h))
			}
			if said := said(t, file, diags); !reflect.DeepEqual(got, want.hooks) || !reflect.DeepEqual(said, want.diags) {
				t.Errorf("got %q\nand %q", got, said)
			}
		})
	}
}

func TestNearestEvent(t *testing.T) {
	for name, want := range map[string]string{
		"PreToolUse": "preToolUse", "postTooluse": "postToolUse", "pre_tool_use": "preToolUse", "Stop": "agentStop",
		"UserPromptSubmit": "userPromptSubmitted", "preToolUze": "preToolUse", "postResult": "", "": "",
	} {
		if got := NearestEvent(name); got != want {
			t.Errorf("NearestEvent(%q) = %q, want %q", name, got, want)
		}
	}
}

// Whatever the bytes: no panic, every hook does exactly one thing at an event that there is, and every place is in the file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version": 1, "hooks": {"preToolUse": [{"bash": "x", "timeout": 1e400}, {"matcher": "a", "hooks": [{"type": "http", "url": "y"}, 1]}], "stop": []}}`))
	f.Add([]byte("\ufeff{// c\r\n\"hooks\": {\"\\u0061gentStop\": [{\"exec\": \"x\", \"command\": \"y\"}]},}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		hooks, diags := Read("f", data, "linux")
		places := make([]diag.Range, 0, len(hooks)+len(diags))
		for _, h := range hooks {
			does := 0
			for _, s := range []string{h.Exec, h.Command, h.URL, h.Prompt} {
				if s != "" {
					does++
				}
			}
			if _, known := Events[h.Event]; !known || does != 1 {
				t.Errorf("hook %s", show(h))
			}
			if h.TimeoutSec != "" && !json.Valid([]byte(h.TimeoutSec)) {
				t.Errorf("timeout %q", h.TimeoutSec)
			}
			places = append(places, h.Origin)
		}
		for _, d := range diags {
			places = append(places, d.Subject)
		}
		for _, at := range places {
			if at.Start.Byte > len(data) || at.Start.Line < 1 {
				t.Errorf("place %+v", at)
			}
		}
	})
}
