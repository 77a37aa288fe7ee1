package event

import (
	"encoding/json"
	"errors"
	"strings"
)

// Call is one tool call. Tool and the keys of Args are of one vocabulary, Copilot's own: bash, view, create, edit,
// grep, glob, task, skill, `server-tool` for a tool of an MCP server; path, file_text, old_str, new_str.
type Call struct {
	Tool    string
	Given   string                     // the tool's name as the payload has it
	Args    map[string]json.RawMessage // nil if the arguments are no object
	Command string                     // bash: what the shell will read
	Text    string                     // arguments that are no object, as text; for edit a patch in apply_patch's format
	hidden  bool                       // a shell call without a command that we can read
}

// String is a string argument, or "" if there is none of that name or it is no string.
func (c Call) String(key string) string {
	s, _ := stringOf(c.Args[key])
	return s
}

// newCall reads the arguments from the first of the named fields that is not empty. They may be an object, an object
// encoded as a string (Copilot 1.0.80), or plain text (apply_patch).
func newCall(given string, fields map[string]json.RawMessage, keys ...string) (Call, error) {
	c := Call{Given: given}
	for _, key := range keys {
		args, text, err := arguments(fields[key])
		if err != nil {
			return Call{}, err
		}
		if c.Args, c.Text = args, text; len(args) > 0 || text != "" {
			break
		}
	}
	c.Tool = toolName(given, c.String("command"))
	switch c.Tool {
	case "bash":
		c.shell()
	case "edit":
		c.patch()
		fallthrough
	case "view", "create", "grep", "glob":
		c.rename("path", "file_path", "filePath", "notebook_path")
		c.rename("file_text", "content")
		c.rename("old_str", "old_string")
		c.rename("new_str", "new_string")
	}
	return c, nil
}

// arguments is raw as an object or, if it is none, as text.
func arguments(raw json.RawMessage) (map[string]json.RawMessage, string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, "", nil
	}
	source, isText := stringOf(raw)
	if isText {
		raw = []byte(source)
	}
	var args map[string]json.RawMessage
	if isObject(source) || !isText {
		if json.Unmarshal(raw, &args) == nil {
			return args, "", nil
		}
	}
	if !isText {
		return nil, "", errors.New("the payload has a tool call whose arguments are neither an object nor text")
	}
	return nil, source, nil
}

// isObject reports whether text looks like a JSON object.
func isObject(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") }

// toolName is the tool in our vocabulary. Command is what str_replace_editor names its operation by.
func toolName(given, command string) string {
	switch given {
	case "Bash", "shell", "Shell", "write_bash": // write_bash types into a shell that bash left running
		return "bash"
	case "Read", "read":
		return "view"
	case "Write", "write":
		return "create"
	case "Edit", "MultiEdit", "NotebookEdit", "apply_patch":
		return "edit"
	case "Grep", "rg":
		return "grep"
	case "Glob":
		return "glob"
	case "Task", "Agent", "agent":
		return "task"
	case "Skill":
		return "skill"
	case "WebFetch":
		return "web_fetch"
	case "WebSearch":
		return "web_search"
	case "str_replace_editor":
		if command == "create" || command == "view" {
			return command
		}
		return "edit"
	}
	if rest, ok := strings.CutPrefix(given, "mcp__"); ok { // Claude Code
		return strings.Replace(rest, "__", "-", 1)
	}
	return strings.Replace(given, "/", "-", 1) // server/tool, of permissionRequest
}

// shell takes the command out of a shell call. One in a form that we do not know is hidden: the shell would read
// something that no guard has seen.
func (c *Call) shell() {
	key := "command"
	if c.Given == "write_bash" {
		key = "input"
	}
	readable := false
	if raw, ok := c.Args[key]; ok {
		c.Command, readable = stringOf(raw)
	} else if len(c.Args) == 0 && c.Text != "" && !isObject(c.Text) {
		c.Command, readable = c.Text, true
	}
	c.hidden = !readable
}

// patch moves the text of a patch to Text. It comes as plain text, or as a member (1.0.80: "input").
func (c *Call) patch() {
	for _, key := range []string{"input", "patch"} {
		if s := c.String(key); s != "" && c.Text == "" {
			c.Text = s
			delete(c.Args, key)
		}
	}
}

// rename moves the first full of the other spellings to the key of our vocabulary, unless that is full itself.
func (c Call) rename(key string, others ...string) {
	for _, other := range others {
		if raw, ok := c.Args[other]; ok && empty(c.Args[key]) && !empty(raw) {
			c.Args[key] = raw
			delete(c.Args, other)
		}
	}
}

func empty(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == `""`
}
