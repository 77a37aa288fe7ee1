package hookfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonplace"
)

// known are the members of an entry that mean something. `comment` and `description` mean nothing, and nobody thinks so.
var known = []string{
	"args", "bash", "command", "comment", "cwd", "darwin", "description", "env", "exec", "headers", "linux", "matcher", "powershell",
	"prompt", "timeout", "timeoutSec", "timeoutSeconds", "type", "url", "windows",
}

// entryReader reads one entry.
type entryReader struct {
	r      *reader
	e      jsonplace.Element
	event  string
	before int // diagnostics that are not of this entry
	hook   Hook
}

func (h *entryReader) get(name string) (any, diag.Range, bool) {
	return h.e.Part.Get(&h.r.diags, name)
}

func (h *entryReader) wrong(at diag.Range, name, wants string) {
	h.r.diags.Errorf(at, "wrong-type", fmt.Sprintf("%s of a hook at %s must be %s", name, h.event, wants), "Copilot skips such a hook without a word. Correct it.")
}

// text is a member that is a text and not empty, or "".
func (h *entryReader) text(name string) string {
	v, at, ok := h.get(name)
	s, isText := v.(string)
	if ok && (!isText || s == "") {
		h.wrong(at, name, "a string that is not empty")
	}
	return s
}

func (h *entryReader) texts(name string) []string {
	v, at, ok := h.get(name)
	list, isList := v.([]any)
	var out []string
	for _, e := range list {
		s, isText := e.(string)
		out, isList = append(out, s), isList && isText
	}
	if ok && !isList {
		h.wrong(at, name, "a list of strings")
	}
	return out
}

func (h *entryReader) textMap(name string) map[string]string {
	v, at, ok := h.get(name)
	object, isObject := v.(map[string]any)
	var out map[string]string
	for key, e := range object {
		s, isText := e.(string)
		if isObject = isObject && isText; out == nil {
			out = map[string]string{}
		}
		out[key] = s
	}
	if ok && !isObject {
		h.wrong(at, name, "an object of strings")
	}
	return out
}

func (h *entryReader) read(members map[string]any) {
	h.action()
	h.matcher()
	h.timeout()
	h.hook.Env, h.hook.Headers, h.hook.Cwd = h.textMap("env"), h.textMap("headers"), h.text("cwd")
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			_, at, _ := h.get(name)
			h.r.diags.Warnf(at, "unknown-member", fmt.Sprintf("a hook at %s has a member %q that Copilot does not know", h.event, name), "It is left out.")
		}
	}
}

// action is what the hook does. Of two shells the one of this system is taken, and bash before command, as Copilot does.
func (h *entryReader) action() {
	kind := "command"
	if v, at, ok := h.get("type"); ok {
		if kind, _ = v.(string); !slices.Contains([]string{"command", "http", "prompt"}, kind) {
			h.wrong(at, "type", "`command`, `http` or `prompt`")
			return
		}
	}
	switch kind {
	case "http":
		h.hook.URL = h.text("url")
	case "prompt":
		if h.hook.Prompt = h.text("prompt"); h.event != "sessionStart" {
			h.r.diags.Errorf(h.e.At, "invalid-value", "a hook at "+h.event+" has a prompt", "Copilot takes prompts at sessionStart only. Correct one of the two.")
		}
	default:
		h.hook.Exec, h.hook.Args = h.text("exec"), h.texts("args")
		for _, name := range []string{h.r.os, "bash", "command"} {
			if h.hook.Exec == "" && h.hook.Command == "" {
				h.hook.Command = h.text(name)
			}
		}
		h.commandLine()
	}
	if h.hook.Exec+h.hook.Command+h.hook.URL+h.hook.Prompt != "" || h.r.diags[h.before:].HasErrors() {
		return
	}
	detail := "Copilot skips it. Give it `command`, `exec`, `url` or `prompt`."
	if _, _, ok := h.get("powershell"); ok {
		detail = "It has only a line for PowerShell, which Copilot would start here. Add one for bash."
	}
	h.r.diags.Errorf(h.e.At, "missing-attribute", "a hook at "+h.event+" does nothing here", "%s", detail)
}

// matcher overrides the one of the group. "" and "*" make Copilot skip an entry.
func (h *entryReader) matcher() {
	v, at, ok := h.get("matcher")
	if !ok {
		return
	}
	s, _ := v.(string)
	if _, err := regexp.Compile(s); err != nil || s == "" {
		h.r.diags.Errorf(at, "invalid-value", "the matcher of a hook at "+h.event+" is no regular expression",
			"Copilot skips such a hook without a word. Write one such as `bash|edit`, or leave it out for every tool.")
		return
	}
	if !Events[h.event] {
		h.r.diags.Warnf(at, "no-effect", "a hook at "+h.event+" has a matcher", "Nothing is matched there, so Copilot ignores it. It is left out.")
		return
	}
	h.hook.Matcher = s
}

func (h *entryReader) timeout() {
	for _, name := range []string{"timeoutSec", "timeout", "timeoutSeconds"} {
		v, at, ok := h.get(name)
		if !ok {
			continue
		}
		number, isNumber := v.(json.Number)
		if seconds, err := number.Float64(); !isNumber || err != nil || seconds <= 0 {
			h.wrong(at, name, "a number of seconds above 0")
			return
		}
		switch name {
		case "timeout":
			h.r.diags.Warnf(at, "timeout-spelling", "a hook at "+h.event+" says timeout", "Copilot takes it as seconds, and timeoutSec is its name for it. It is read as that.")
		case "timeoutSeconds":
			h.r.diags.Warnf(at, "timeout-spelling", "a hook at "+h.event+" says timeoutSeconds", "Copilot ignores it and waits 30 seconds; timeoutSec is its name for it. It is read as that.")
		}
		h.hook.TimeoutSec = number
		return
	}
}

var (
	homePath  = regexp.MustCompile(`(^|\s)/(?:home|Users)/[A-Za-z0-9._-]+/`)
	probeOnly = regexp.MustCompile(`^\s*(?:command\s+-v|which|type|hash)\s[^|;]*[^|;&]&&[^|;]*$`)
)

// commandLine takes the home of whoever wrote a command line out of it, and warns of one that fails where a program is
// missing: Copilot denies the call then, not the program's verdict.
func (h *entryReader) commandLine() {
	line := h.hook.Command
	if homePath.MatchString(line) && !strings.ContainsAny(line, "'\"\\") {
		h.hook.Command = homePath.ReplaceAllString(line, "$1~/")
		h.r.diags.Warnf(h.e.At, "home-path", "a hook at "+h.event+" names a path below somebody's home", "It is read as `%s`.", h.hook.Command)
	}
	if (h.event == "preToolUse" || h.event == "permissionRequest") && probeOnly.MatchString(line) {
		h.r.diags.Warnf(h.e.At, "hook-fails", "a hook at "+h.event+" fails where its program is missing",
			"Copilot then denies every call that it is asked about. Write `if command -v NAME >/dev/null; then …; fi` to let them through, or install the program.")
	}
}
