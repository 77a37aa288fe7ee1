package compiler

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/hookfile"
)

func hookBlock() blockType {
	text := kind(model.TypeString)
	key := "hooks/agentihooks.json: "
	return blockType{
		name: "hook", label: "name", in: everywhere(),
		doc:       "A hook of your own, beside the one that runs the guards. Give exactly one of `exec`, `command`, `url` and `prompt`. A second one of the same event has a name of its own and `event`.",
		exclusive: []string{"exec", "command", "url", "prompt"},
		check:     checkHook,
		specs: []model.BlockSpec{{Type: "hook", Attributes: []model.AttrSpec{
			{Name: "event", Type: text, Key: key + "the event", Doc: "When it runs. Default: the block's own name.", Example: `"postToolUse"`},
			{Name: "exec", Type: text, Key: key + "exec", Doc: "The program that runs, without a shell: an absolute path, or a name in PATH.", Example: `"/usr/local/bin/lint"`},
			{Name: "args", Type: listOf(model.TypeString), Key: key + "args", Doc: "Its arguments. Default: none.", Example: `["--quick"]`},
			{Name: "command", Type: text, Key: key + "command", Doc: "A command line that bash runs.", Example: `"make lint >&2"`},
			{Name: "url", Type: text, Key: key + "url", Doc: "An address that the event is sent to.", Example: `"https://hooks.example.net/audit"`},
			{Name: "headers", Type: mapOf(model.TypeString), Merge: model.MergeDeep, Secret: true, Key: key + "headers, allowedEnvVars", Doc: "Headers that are sent to it.", Example: `{ Authorization = "Bearer ${secret.TOKEN}" }`},
			{Name: "prompt", Type: text, Key: key + "prompt", Doc: "What an interactive session begins with, as if it were typed.", Example: `"Read NOTES.md."`},
			{Name: "matcher", Type: text, Key: key + "matcher", Doc: "A regular expression that the whole name of the tool has to match. Default: every tool.", Example: `"bash|edit"`},
			{Name: "timeoutSec", Type: kind(model.TypeNumber), Key: key + "timeoutSec", Doc: "After how many seconds it is ended; a tool call goes on then. Default: 30.", Example: "10"},
			{Name: "env", Type: mapOf(model.TypeString), Merge: model.MergeDeep, Secret: true, Key: key + "env", Doc: "Variables for it. Nothing in them is expanded; secrets are read when it starts.", Example: `{ MODE = "fast" }`},
			{Name: "cwd", Type: text, Key: key + "cwd", Doc: "The folder that it runs in, relative to the project. Default: the project's.", Example: `"tools"`},
			enabledAttr(),
		}}},
	}
}

// hookEvent is the event of a resolved hook block.
func hookEvent(b model.Block) (name string, at diag.Range) {
	if e := b.Attrs.Get("event"); e.Kind == model.KindString {
		return e.Text, e.Origin
	}
	return b.Label, b.Origin
}

// checkHook checks what only the merged hook shows: Copilot skips an entry that it does not like without a word (1.0.80 to
// 1.0.102, only in its log), so nothing of the kind may get there.
func checkHook(l *diag.List, b model.Block) {
	title := "The hook `" + b.Label + "`"
	event, at := hookEvent(b)
	matched, known := hookfile.Events[event]
	if !known {
		detail := "Known here: " + quoted(hookfile.EventNames()) + "."
		if n := hookfile.NearestEvent(event); n != "" {
			detail = "Did you mean `" + n + "`?"
		} else if b.Attrs.Get("event").Kind == model.KindAbsent {
			detail = "Name it with `event`, or call the block like the event. " + detail
		}
		l.Errorf(at, "unknown-event", title+" has no event that Copilot knows: `"+event+"`", "%s", detail)
	}
	var given []model.Field
	for _, name := range []string{"exec", "command", "url", "prompt"} {
		if v := b.Attrs.Get(name); v.Kind != model.KindAbsent {
			given = append(given, model.Field{Name: name, Value: v})
		}
	}
	switch {
	case len(given) == 0:
		l.Errorf(b.Origin, "missing-attribute", title+" does nothing", "Add one of `exec`, `command`, `url` and `prompt`.")
		return
	case len(given) > 1:
		l.Errorf(given[1].Value.Origin, "conflict", title+" does two things", "Keep one of `exec`, `command`, `url` and `prompt`.")
		also(*l, "the other is set here", given[0].Value.Origin)
		return
	case given[0].Value.Text == "":
		l.Errorf(given[0].Value.Origin, "invalid-value", title+" has an empty `"+given[0].Name+"`", "Write one, or remove the hook.")
	}
	checkHookAction(l, title, event, given[0], b)
	if m := b.Attrs.Get("matcher"); m.Kind == model.KindString {
		if _, err := regexp.Compile(m.Text); err != nil || m.Text == "" {
			l.Errorf(m.Origin, "invalid-value", title+" has a matcher that is no regular expression",
				"Copilot skips such a hook. Write one such as `bash|edit`, or leave it out for every tool.")
		} else if known && !matched {
			l.Errorf(m.Origin, "invalid-value", title+" has a matcher, but `"+event+"` has no tools", "Copilot ignores it there. Remove it.")
		}
	}
	if v := b.Attrs.Get("timeoutSec"); v.Kind == model.KindNumber && !positive(v.Number) {
		l.Errorf(v.Origin, "invalid-value", title+" has no time to run", "`timeoutSec` is a number of seconds above 0; with another Copilot skips the hook. Correct it.")
	}
	for _, f := range b.Attrs.Get("env").Fields {
		if f.Name == "" || strings.ContainsAny(f.Name, "=\n") {
			l.Errorf(f.Value.Origin, "invalid-value", title+" sets a variable that cannot exist",
				"The name of an environment variable is not empty and holds no `=`. Correct it.")
		}
	}
}

// checkHookAction checks what goes with each way to run.
func checkHookAction(l *diag.List, title, event string, action model.Field, b model.Block) {
	takes := map[string][]string{
		"exec": {"args", "env", "cwd"}, "command": {"env", "cwd"}, "url": {"headers"}, "prompt": nil,
	}[action.Name]
	for _, name := range []string{"args", "env", "cwd", "headers"} {
		if v := b.Attrs.Get(name); v.Kind != model.KindAbsent && !slices.Contains(takes, name) {
			l.Errorf(v.Origin, "invalid-value", title+" takes no `"+name+"`", "A hook with `%s` has none. Remove it.", action.Name)
		}
	}
	switch action.Name {
	case "url":
		checkURL(l, title, action.Value)
	case "prompt":
		if event != "sessionStart" {
			l.Errorf(action.Value.Origin, "invalid-value", title+" has a prompt, but runs at `"+event+"`",
				"Copilot takes prompts at `sessionStart` only. Correct one of the two.")
		}
	}
}

func positive(number string) bool {
	return !strings.HasPrefix(number, "-") && strings.ContainsAny(number, "123456789")
}
