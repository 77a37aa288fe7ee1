package event

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// payloads is the folder of captured payloads: <version of Copilot>/<event>[-<tool>][.pascal].json.
const payloads = "../../testdata/payloads"

// captured gives every captured payload with the event that its file is named for.
func captured(t testing.TB, visit func(file string, name Name, data []byte)) {
	t.Helper()
	files, err := filepath.Glob(payloads + "/*/*.json")
	if err != nil || len(files) < 300 {
		t.Fatalf("%d payloads found, %v", len(files), err)
	}
	slices.Sort(files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base, _, _ := strings.Cut(filepath.Base(file), ".")
		base, _, _ = strings.Cut(base, "-")
		name, _ := Parse(base)
		visit(strings.TrimPrefix(filepath.ToSlash(file), payloads+"/"), name, bytes.TrimSpace(data))
	}
}

// TestCaptured decodes what Copilot 1.0.80, 1.0.83, 1.0.92 and 1.0.102 really send, in both spellings.
func TestCaptured(t *testing.T) {
	var out strings.Builder
	captured(t, func(file string, name Name, data []byte) {
		e, err := Decode(name, data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		if e.SessionID == "" || e.Cwd == "" {
			t.Errorf("%s: session %q, cwd %q", file, e.SessionID, e.Cwd)
		}
		if name == PreToolUse && len(e.Calls) != 1 {
			t.Errorf("%s: %d calls", file, len(e.Calls))
		}
		for _, c := range e.Calls {
			fmt.Fprintf(&out, "%s: %s", file, describe(t, c))
		}
	})
	golden(t, "testdata/captured.golden", out.String())
}

// TestCapturedAgree: a call is the same call, whichever spelling and version told of it.
func TestCapturedAgree(t *testing.T) {
	calls := map[string]string{}
	captured(t, func(file string, name Name, data []byte) {
		e, err := Decode(name, data)
		if err != nil || name != PreToolUse || e.Calls[0].Tool == "bash" || e.Calls[0].Given == "rg" {
			return
		}
		c := e.Calls[0]
		key := c.Tool
		if c.Text != "" {
			key += " with a patch"
		}
		c.Given = ""
		if had, got := calls[key], describe(t, c); had == "" {
			calls[key] = got
		} else if had != got {
			t.Errorf("%s:\n got %s had %s", file, got, had)
		}
	})
	if len(calls) < 9 {
		t.Errorf("only %d different calls seen", len(calls))
	}
}

func describe(t *testing.T, c Call) string {
	args, err := json.Marshal(c.Args)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s (%s) args=%s command=%q text=%q\n", c.Tool, c.Given, args, c.Command, c.Text)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update and read the diff):\n%s", file, got)
	}
}

func TestParse(t *testing.T) {
	for given, want := range map[string]struct {
		name   Name
		pascal bool
	}{
		"preToolUse":        {PreToolUse, false},
		"PreToolUse":        {PreToolUse, true},
		"PermissionRequest": {PermissionRequest, true},
		"Stop":              {"agentStop", true},
		"UserPromptSubmit":  {"userPromptSubmitted", true},
		"statusLine":        {StatusLine, false},
		"pretooluse":        {"pretooluse", false},
		"":                  {"", false},
	} {
		if name, pascal := Parse(given); name != want.name || pascal != want.pascal {
			t.Errorf("Parse(%q) = %q, %v", given, name, pascal)
		}
	}
}

func TestCalls(t *testing.T) {
	for _, test := range []struct{ name, payload, want string }{
		{"object", `{"toolName":"bash","toolArgs":{"command":"ls"}}`, `bash (bash) args={"command":"ls"} command="ls" text=""`},
		{"encoded object", `{"toolName":"bash","toolArgs":" {\"command\":\"ls\"}"}`, `bash (bash) args={"command":"ls"} command="ls" text=""`},
		{"text for a shell", `{"toolName":"bash","toolArgs":"git push"}`, `bash (bash) args=null command="git push" text="git push"`},
		{"other spelling", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, `bash (Bash) args={"command":"ls"} command="ls" text=""`},
		{
			"typing into a shell", `{"toolName":"write_bash","toolArgs":{"shellId":"1","input":"git push"}}`,
			`bash (write_bash) args={"input":"git push","shellId":"1"} command="git push" text=""`,
		},
		{"empty name does not shadow", `{"toolName":" ","tool_name":"view","toolArgs":{}}`, `view (view) args=null command="" text=""`},
		{
			"empty arguments do not shadow", `{"toolName":"bash","toolArgs":{ },"tool_input":{"command":"ls"}}`,
			`bash (bash) args={"command":"ls"} command="ls" text=""`,
		},
		{
			"null does not shadow", `{"toolName":null,"tool_name":"bash","toolArgs":null,"toolInput":{"command":"ls"}}`,
			`bash (bash) args={"command":"ls"} command="ls" text=""`,
		},
		{
			"names are exact", `{"toolName":"bash","TOOLNAME":"view","toolArgs":{"command":"ls","COMMAND":"x"}}`,
			`bash (bash) args={"COMMAND":"x","command":"ls"} command="ls" text=""`,
		},
		{"no arguments", `{"toolName":"list_bash"}`, `list_bash (list_bash) args=null command="" text=""`},
		{
			"keys of Claude Code", `{"toolName":"Edit","toolArgs":{"file_path":"/a","old_string":"x","new_string":"y"}}`,
			`edit (Edit) args={"new_str":"y","old_str":"x","path":"/a"} command="" text=""`,
		},
		{
			"both keys", `{"toolName":"create","toolArgs":{"path":"","file_path":"/a","file_text":"b","content":"c"}}`,
			`create (create) args={"content":"c","file_text":"b","path":"/a"} command="" text=""`,
		},
		{"patch as text", `{"toolName":"apply_patch","toolArgs":"*** Begin Patch\n"}`, `edit (apply_patch) args=null command="" text="*** Begin Patch\n"`},
		{"patch as member", `{"tool_name":"Edit","tool_input":{"input":"*** Begin Patch\n"}}`, `edit (Edit) args={} command="" text="*** Begin Patch\n"`},
		{"text that looks like an object", `{"toolName":"apply_patch","toolArgs":"{ not json"}`, `edit (apply_patch) args=null command="" text="{ not json"`},
		{
			"str_replace_editor", `{"toolName":"str_replace_editor","toolArgs":{"command":"view","path":"/a"}}`,
			`view (str_replace_editor) args={"command":"view","path":"/a"} command="" text=""`,
		},
		{
			"str_replace_editor, else", `{"toolName":"str_replace_editor","toolArgs":{"command":"undo_edit"}}`,
			`edit (str_replace_editor) args={"command":"undo_edit"} command="" text=""`,
		},
		{"MCP at permissionRequest", `{"toolName":"gateway/fetch","toolInput":{"file_path":"x"}}`, `gateway-fetch (gateway/fetch) args={"file_path":"x"} command="" text=""`},
		{"MCP at preMcpToolCall", `{"serverName":"gateway","toolName":"bash","arguments":{}}`, `gateway-bash (gateway/bash) args={} command="" text=""`},
		{"MCP of Claude Code", `{"tool_name":"mcp__gateway__fetch"}`, `gateway-fetch (mcp__gateway__fetch) args=null command="" text=""`},
		{"unknown tool", `{"toolName":"nosuchtool","toolArgs":"x"}`, `nosuchtool (nosuchtool) args=null command="" text="x"`},
		{"batch", `{"toolCalls":[{"id":"1","name":"bash","args":"{\"command\":\"ls\"}"}]}`, `bash (bash) args={"command":"ls"} command="ls" text=""`},
	} {
		e, err := Decode(PreToolUse, []byte(test.payload))
		if err != nil || len(e.Calls) != 1 {
			t.Errorf("%s: %d calls, %v", test.name, len(e.Calls), err)
		} else if got := strings.TrimSpace(describe(t, e.Calls[0])); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestBatchAddsToTheCall(t *testing.T) {
	e, err := Decode(PreToolUse, []byte(`{"toolName":"view","toolCalls":[{"name":"bash","args":{"command":"a"}},{"name":"bash","args":{"command":"b"}}]}`))
	if err != nil || len(e.Calls) != 3 || e.Calls[2].Command != "b" {
		t.Errorf("got %+v, %v", e.Calls, err)
	}
}

func TestUnreadable(t *testing.T) {
	for name, payload := range map[string]string{
		"empty":                    ``,
		"blank":                    ` `,
		"null":                     `null`,
		"array":                    `[{"toolName":"bash"}]`,
		"text":                     `"bash"`,
		"cut":                      `{"toolName":"bash","toolArgs":{"comm`,
		"two documents":            `{"toolName":"view"}{"toolName":"view"}`,
		"trailing text":            `{"toolName":"view"} x`,
		"not UTF-8":                "{\"toolName\":\"bash\",\"toolArgs\":{\"command\":\"\xff\"}}",
		"no tool":                  `{"sessionId":"x"}`,
		"empty tool":               `{"toolName":"","tool_name":" "}`,
		"tool is a number":         `{"toolName":7}`,
		"shell without command":    `{"toolName":"bash","toolArgs":{}}`,
		"shell without arguments":  `{"toolName":"bash"}`,
		"shell with a list":        `{"toolName":"bash","toolArgs":{"command":["git","push"]}}`,
		"shell with another key":   `{"toolName":"bash","toolArgs":{"COMMAND":"git push"}}`,
		"shell with a bad string":  `{"toolName":"bash","toolArgs":"{\"command\":\"git push\""}`,
		"arguments are a list":     `{"toolName":"bash","toolArgs":["git push"]}`,
		"arguments are a number":   `{"toolName":"view","toolArgs":7}`,
		"batch is no list":         `{"toolName":"view","toolCalls":{}}`,
		"batch with a text":        `{"toolCalls":["bash"]}`,
		"batch without a name":     `{"toolName":"view","toolCalls":[{"args":{}}]}`,
		"batch of a shell, hidden": `{"toolName":"view","toolCalls":[{"name":"bash"}]}`,
		"deep":                     `{"toolName":"view","toolArgs":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
	} {
		if e, err := Decode(PreToolUse, []byte(payload)); err == nil {
			t.Errorf("%s: accepted as %+v", name, e)
		}
	}
}

// FuzzPayload: nothing makes Decode panic, and a shell call never comes out without the command that was in it.
func FuzzPayload(f *testing.F) {
	captured(f, func(_ string, _ Name, data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode(PreToolUse, data)
		if err != nil {
			return
		}
		if len(e.Calls) == 0 {
			t.Fatal("no call, no error")
		}
		for _, c := range e.Calls {
			if c.Tool == "" || c.Given == "" {
				t.Fatalf("a call without a tool: %+v", c)
			}
			if command := c.String("command"); c.Tool == "bash" && c.Given != "write_bash" && c.Args != nil && c.Command != command {
				t.Fatalf("command %q became %q", command, c.Command)
			}
		}
	})
}
