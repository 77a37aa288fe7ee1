// Package hookfile reads the files in which people register hooks of the Copilot CLI, as they are found in the wild.
package hookfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/jsonplace"
)

// Hook is one hook of a file. Exactly one of Exec, Command, URL and Prompt is set. What the file left to Copilot's
// default is empty.
type Hook struct {
	Event      string // one of Events
	Exec       string // started without a shell, with Args
	Args       []string
	Command    string // a command line for bash
	URL        string
	Headers    map[string]string
	Prompt     string
	Matcher    string
	TimeoutSec json.Number // above 0, or ""
	Env        map[string]string
	Cwd        string
	Origin     diag.Range // its entry
}

// Read reads a file as Copilot 1.0.80 to 1.0.102 do on a system (linux or darwin), but tells what these skip without a
// word. name is the file as the reader knows it. The hooks are in the order of the events' names, those of one event as
// they stand; one with an error is left out.
func Read(name string, data []byte, os string) ([]Hook, diag.List) {
	r := reader{os: os}
	file, ok := jsonplace.Parse(&r.diags, name, data, "Copilot would read no hook of it.")
	if !ok {
		return nil, r.diags
	}
	r.file = file
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(text) < len(data) || !json.Valid(text) {
		r.diags.Warnf(file.Place(1, 1), "hooks-not-read", "Copilot reads no hook of "+name,
			"It has a byte order mark, comments or trailing commas, and Copilot takes strict JSON here. Its hooks are read all the same: look whether they are wanted.")
	}
	r.hooks()
	return r.out, r.diags
}

type reader struct {
	file  jsonplace.File
	os    string
	out   []Hook
	diags diag.List
}

func (r *reader) hooks() {
	before := len(r.diags)
	all, at, ok := r.file.Get(&r.diags, "hooks")
	events, isObject := all.(map[string]any)
	if !ok || !isObject {
		if !ok {
			at = r.file.Place(1, 1)
		}
		if len(r.diags) == before {
			r.diags.Errorf(at, "no-hooks", r.file.Name+" has no object hooks", "Copilot reads no hook of it. Put the events into that object.")
		}
		return
	}
	if v, at, ok := r.file.Get(&r.diags, "version"); ok && v != json.Number("1") {
		r.diags.Errorf(at, "hooks-version", r.file.Name+" has a version that Copilot does not read", "It is the number 1. Correct it, or leave it out.")
		return
	}
	if v, at, _ := r.file.Get(&r.diags, "disableAllHooks"); v == true {
		r.diags.Warnf(at, "hooks-off", "the hooks of "+r.file.Name+" are switched off", "disableAllHooks is true in it. They are left out.")
		return
	}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		r.event(event)
	}
}

func (r *reader) event(event string) {
	_, at, ok := r.file.Get(&r.diags, "hooks", event)
	if !ok {
		return
	}
	if _, known := Events[event]; !known {
		r.unknownEvent(event, at)
		return
	}
	elements, ok := r.file.Elements(&r.diags, "hooks", event)
	if !ok {
		return
	}
	for _, e := range elements {
		r.entry(event, e, nil)
	}
}

// unknownEvent refuses an event, also one in Claude's spelling, which Copilot loads: its hook gets other names of fields
// and tools on its input, and would misread the ones that it got here.
func (r *reader) unknownEvent(event string, at diag.Range) {
	if meant := NearestEvent(event); meant != "" {
		r.diags.Errorf(at, "unknown-event", fmt.Sprintf("the event %q is not read", event),
			"Did you mean %q? A name that Copilot does not know is dropped without a word; under one in Claude's spelling the hook gets Claude's fields. Correct it, and look at what the hook reads.", meant)
		return
	}
	r.diags.Errorf(at, "unknown-event", fmt.Sprintf("Copilot knows no event %q", event), "It drops these hooks without a word. Remove them.")
}

// entry reads one entry, or the group of entries that it is. group is the matcher of the group that it stands in.
func (r *reader) entry(event string, e jsonplace.Element, group *string) {
	members, isObject := e.Value.(map[string]any)
	if !isObject {
		r.diags.Errorf(e.At, "wrong-type", "a hook at "+event+" is no object", "Copilot skips it. Write one with `command`.")
		return
	}
	h := entryReader{r: r, e: e, event: event, before: len(r.diags), hook: Hook{Event: event, Origin: e.At}}
	if group != nil {
		h.hook.Matcher = *group
	}
	if _, isGroup := members["hooks"]; isGroup {
		if group != nil {
			r.diags.Errorf(e.At, "wrong-type", "a group of hooks at "+event+" stands in another one", "Copilot drops the whole file for it. Take it out.")
			return
		}
		h.matcher()
		elements, ok := e.Part.Elements(&r.diags, "hooks")
		if ok && !r.diags[h.before:].HasErrors() {
			for _, inner := range elements {
				r.entry(event, inner, &h.hook.Matcher)
			}
		}
		return
	}
	h.read(members)
	if !r.diags[h.before:].HasErrors() {
		r.out = append(r.out, h.hook)
	}
}
