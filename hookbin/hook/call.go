package hook

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// guardCall is a tool call of an event as the guards see it.
func guardCall(w World, p policy.Policy, e event.Event, c event.Call) *guard.Call {
	out := &guard.Call{
		Tool: c.Tool, Command: c.Command, StateDir: p.StateDir, Disk: w.Disk,
		Home: absolute(lookup(w.Environ(), "HOME")), Cwd: absolute(e.Cwd),
		Failures: func() int { return failures(p, e, c) },
	}
	out.Sources = func() []string { return sources(p, out.Home) }
	switch path := c.String("path"); c.Tool {
	case "bash":
	case "view":
		out.Files = files(path, access.Read, false)
	case "grep":
		out.Files = files(path, access.Read, true)
		if path == "" {
			out.Files = files(".", access.Read, true)
		}
	case "glob":
	case "create", "edit":
		out.Files = files(path, access.Write, false)
		for i := range out.Files {
			out.Files[i].Grows = growth(c.Args)
		}
		out.Texts = written(path, c.Args)
		for _, change := range event.Patch(c.Text) {
			mode := access.Write
			if change.Deletes || change.To != "" {
				mode |= access.Delete
			}
			out.Files = append(out.Files, guard.File{Path: change.Path, Mode: mode, Grows: change.Grows})
			out.Files = append(out.Files, files(change.To, access.Write, false)...)
			out.Texts = append(out.Texts, guard.Text{Where: "the file " + change.Path, Path: change.Path, Text: change.Added})
		}
	case "web_fetch":
		out.URL = c.String("url")
		out.Texts = sent(c.Tool, c.Args)
	default:
		out.Texts = sent(c.Tool, c.Args)
		if c.Text != "" {
			out.Texts = append(out.Texts, guard.Text{Where: "the text for " + c.Tool, Text: c.Text})
		}
	}
	return out
}

func absolute(name string) string {
	if !filepath.IsAbs(name) {
		return ""
	}
	return filepath.Clean(name)
}

func files(name string, mode access.Mode, tree bool) []guard.File {
	if name == "" {
		return nil
	}
	return []guard.File{{Path: name, Mode: mode, Tree: tree}}
}

// written is what an edit writes to a file: every string in the arguments, but for what names the place and what is replaced.
func written(name string, args map[string]json.RawMessage) []guard.Text {
	var out []guard.Text
	for _, arg := range slices.Sorted(maps.Keys(args)) {
		var value any
		if replaced(arg) || arg == "path" || arg == "command" || json.Unmarshal(args[arg], &value) != nil {
			continue
		}
		if text := strings.Join(stringsIn(value), "\n"); text != "" {
			out = append(out, guard.Text{Where: "the file " + name, Path: name, Text: text})
		}
	}
	return out
}

// replaced reports whether a member of an edit is the text that goes.
func replaced(name string) bool {
	return name == "old_str" || name == "old_string" || name == "oldString"
}

// growth is how many lines more a file has after an edit with these arguments, or how many create gives it.
func growth(args map[string]json.RawMessage) int {
	grows := 0
	for name, raw := range args {
		var value any
		if json.Unmarshal(raw, &value) == nil {
			grows += grown(name, value)
		}
	}
	return grows
}

func grown(name string, value any) int {
	grows := 0
	switch v := value.(type) {
	case string:
		ends := strings.Count(v, "\n")
		switch name {
		case "new_str", "new_string", "newString":
			return ends
		case "file_text", "insert_text", "new_source": // whole lines, the last of which may have no end
			if v != "" && !strings.HasSuffix(v, "\n") {
				ends++
			}
			return ends
		}
		if replaced(name) {
			return -ends
		}
	case []any: // several edits in one
		for _, e := range v {
			grows += grown(name, e)
		}
	case map[string]any:
		for member, e := range v {
			grows += grown(member, e)
		}
	}
	return grows
}

// sent is every string in the arguments of a tool, each after its name.
func sent(tool string, args map[string]json.RawMessage) []guard.Text {
	var out []guard.Text
	for _, arg := range slices.Sorted(maps.Keys(args)) {
		var value any
		if json.Unmarshal(args[arg], &value) != nil {
			continue
		}
		if texts := stringsIn(map[string]any{arg: value}); len(texts) > 0 {
			out = append(out, guard.Text{Where: "the argument " + arg + " of " + tool, Text: strings.Join(texts, "\n")})
		}
	}
	return out
}

// stringsIn is the strings of a JSON value at any depth, those of an object as "name: value".
func stringsIn(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, stringsIn(e)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[name].(string); ok {
				if !replaced(name) {
					out = append(out, name+": "+text)
				}
				continue
			}
			out = append(append(out, name), stringsIn(v[name])...)
		}
		return out
	}
	return nil
}

// sources is the manifest of the generation in force and the folder that it stands in, unless that is the home or a folder
// around it. The record of the generation is JSON, of which only the one member is of interest here.
func sources(p policy.Policy, home string) []string {
	if p.StateDir == "" {
		return nil
	}
	data, ok := readBeginning(filepath.Join(p.StateDir, "current", "generation.json"), 64<<10)
	var record struct {
		Manifest string `json:"manifest"`
	}
	if !ok || json.Unmarshal(data, &record) != nil || !filepath.IsAbs(record.Manifest) {
		return nil
	}
	folder := filepath.Dir(record.Manifest)
	if folder == home || folder == "/" || strings.HasPrefix(home, folder+"/") {
		return []string{record.Manifest}
	}
	return []string{record.Manifest, folder}
}
