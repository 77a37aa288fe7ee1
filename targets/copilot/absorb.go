package copilot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/targets/copilot/catalogue"
	"github.com/agentihooks/agentihooks/targets/target"
)

// absorb is the way back of settings and servers: what in the manifest makes the value that the program or the user
// gave a key.
func absorb(in target.Input, changes []target.KeyChange) ([]model.Edit, []target.Unabsorbed) {
	a := &absorber{renderer: renderer{in: in}}
	for _, c := range changes {
		a.change = c
		switch string(c.Dest) {
		case a.home("settings.json"):
			a.setting()
		case a.home("mcp-config.json"):
			a.server()
		}
	}
	return a.edits, a.left
}

type absorber struct {
	renderer
	change target.KeyChange
	edits  []model.Edit
	left   []target.Unabsorbed
}

func (a *absorber) leave(at diag.Range, why string) {
	a.left = append(a.left, target.Unabsorbed{Dest: a.change.Dest, Key: a.change.Path, Why: why, At: at})
}

// edit notes one edit, once: several keys may be gone with one object.
func (a *absorber) edit(e model.Edit) {
	same := func(o model.Edit) bool {
		return o.Op == model.Unset && e.Op == model.Unset && o.Type == e.Type && o.Label == e.Label && slices.Equal(o.Path, e.Path)
	}
	if !slices.ContainsFunc(a.edits, same) {
		a.edits = append(a.edits, e)
	}
}

func (a *absorber) target(op model.EditOp, path []string, v model.Value) {
	a.edit(model.Edit{Type: "target", Label: a.in.Block.Label, Path: path, Op: op, Value: v})
}

// notFollowed is said where the file no longer has the shape that the key needs.
const notFollowed = "Its place in the file is no longer an object or list of its own. Correct that in the file, or take the key out of the manifest."

func (a *absorber) setting() {
	c := a.change
	switch {
	case c.Depth < 0:
		a.leave(a.attr("settings").Origin, notFollowed)
	case c.Path[0] == "statusLine" && a.on("statusLine"):
		a.leave(a.attr("statusLine").Origin, "The attribute `statusLine` makes it. Set that to false, and write your own into `settings`.")
	case c.Set:
		a.disabledServers()
	case c.Theirs == nil:
		a.target(model.Unset, slices.Concat([]string{"settings"}, c.Path[:c.Depth+1]), model.Value{})
	default:
		if v, ok := a.value(c.Theirs, a.attr("settings").Origin); ok && a.takes(v) {
			a.target(model.Set, slices.Concat([]string{"settings"}, c.Path), v)
		}
	}
}

// takes reports whether Copilot takes a value that the home has. One that it does not take would only make the manifest
// one that is refused.
func (a *absorber) takes(v model.Value) bool {
	all := object{}
	set(all, a.change.Path, plain(v))
	for _, f := range catalogue.For(a.version()).Check(all) {
		if f.Voids() {
			a.leave(a.attr("settings").Origin, fmt.Sprintf("The value of %s %s. %s", f.Key(), f.What, f.Advice))
			return false
		}
	}
	return true
}

// disabledServers brings back who is in disabledMcpServers. Under mcpDefaultDisabled the list is all declared servers but
// those of mcpAlwaysEnabled; others in it are the user's own affair.
func (a *absorber) disabledServers() {
	path, in, out := []string{"settings", disabledServers}, model.AddElement, model.RemoveElement
	exempt := a.on("mcpDefaultDisabled")
	if exempt {
		path, in, out = []string{"mcpAlwaysEnabled"}, model.RemoveElement, model.AddElement
	}
	for _, el := range a.change.Removed {
		if v, ok := a.value(el, a.attr(path[0]).Origin); ok {
			a.target(out, path, v)
		}
	}
	for _, el := range a.change.Added {
		v, ok := a.value(el, a.attr(path[0]).Origin)
		if ok && (!exempt || slices.Contains(texts(a.attr("mcpAlwaysEnabled")), v.Text)) {
			a.target(in, path, v)
		}
	}
}

func (a *absorber) server() {
	label := a.change.Path[len(a.change.Path)-1]
	block := model.Block{}
	for _, b := range a.in.Machine.MCP {
		if b.Label == label {
			block = b
		}
	}
	if a.change.Depth < 0 {
		a.leave(block.Origin, notFollowed)
		return
	}
	if a.change.Theirs == nil {
		a.edit(model.Edit{Type: "mcp", Label: label, Path: []string{"enabled"}, Value: model.Value{Kind: model.KindBool}})
		return
	}
	ours, theirs := members(a.change.Ours), members(a.change.Theirs)
	if theirs == nil {
		a.leave(block.Origin, "It is no object any more. Correct it in the file.")
		return
	}
	ours, theirs, ok := a.unwrapped(block, ours, theirs)
	if !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(union(ours, theirs))) {
		if !sameJSON(ours[name], theirs[name]) {
			a.member(block, name, ours[name], theirs[name])
		}
	}
}

// unwrapped gives the entries as they were before secret-exec came before the command. A changed prefix cannot be told.
func (a *absorber) unwrapped(b model.Block, ours, theirs map[string]json.RawMessage) (map[string]json.RawMessage, map[string]json.RawMessage, bool) {
	hook, _ := json.Marshal(a.in.Hook)
	if !sameJSON(ours["command"], hook) || b.Attrs.Get("command").Text == a.in.Hook {
		return ours, theirs, true
	}
	var have, want []string
	_ = json.Unmarshal(ours["args"], &want)
	err := json.Unmarshal(theirs["args"], &have)
	n := slices.Index(want, "--") + 2 // secrets, --, the command
	if err != nil || n > len(want) || len(have) < n || !slices.Equal(have[:n], want[:n]) || !sameJSON(theirs["command"], hook) {
		a.leave(b.Attrs.Get("env").Origin, "The server is started through the hook, which gives it its secrets, and that was changed. Put it back in the file, or change `env`.")
		return nil, nil, false
	}
	ours, theirs = maps.Clone(ours), maps.Clone(theirs)
	ours["args"], _ = json.Marshal(want[n:])
	theirs["args"], _ = json.Marshal(have[n:])
	return ours, theirs, true
}

// member brings one member of an entry back.
func (a *absorber) member(b model.Block, name string, ours, theirs json.RawMessage) {
	edit := model.Edit{Type: "mcp", Label: b.Label, Path: []string{name}}
	known := slices.Contains(serverMembers, name)
	switch {
	case !known:
		a.leave(b.Origin, fmt.Sprintf("It has a member %q, which an `mcp` block cannot set. Take it out of the file, or the server out of the manifest.", name))
	case name == "env" || name == "headers":
		a.variables(b, name, members(ours), theirs)
	case theirs == nil && name == "disabled":
		edit.Value = model.Value{Kind: model.KindBool}
		a.edit(edit)
	case theirs == nil:
		edit.Op = model.Unset
		a.edit(edit)
	default:
		v, ok := a.value(theirs, b.Attrs.Get(name).Origin)
		if ok {
			edit.Value = v
			a.edit(edit)
		}
	}
}

// serverMembers are the members of an entry that an `mcp` block makes.
var serverMembers = []string{
	"args", "auth", "command", "cwd", "deferTools", "disabled", "displayName", "env", "excludeTools", "headers",
	"headersRefreshTtlMs", "oauthClientId", "oauthGrantType", "oauthPublicClient", "oauthScopes", "oidc", "timeout",
	"tools", "type", "url",
}

// variables brings an object back name by name, so that references in its other values stay.
func (a *absorber) variables(b model.Block, attr string, ours map[string]json.RawMessage, text json.RawMessage) {
	theirs := members(text)
	if text != nil && theirs == nil {
		a.leave(b.Attrs.Get(attr).Origin, fmt.Sprintf("%q is no object any more. Correct it in the file.", attr))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(union(ours, theirs))) {
		edit := model.Edit{Type: "mcp", Label: b.Label, Path: []string{attr, name}}
		switch {
		case sameJSON(ours[name], theirs[name]):
		case theirs[name] == nil:
			edit.Op = model.Unset
			a.edit(edit)
		default:
			if v, ok := a.value(theirs[name], b.Attrs.Get(attr).Origin); ok {
				edit.Value = v
				a.edit(edit)
			}
		}
	}
}

func union(a, b map[string]json.RawMessage) map[string]bool {
	out := map[string]bool{}
	for name := range a {
		out[name] = true
	}
	for name := range b {
		out[name] = true
	}
	return out
}

// members is the members of a JSON object, nil of anything else.
func members(text json.RawMessage) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

// sameJSON compares values; both absent are the same.
func sameJSON(a, b json.RawMessage) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	va, errA := decoded(a)
	vb, errB := decoded(b)
	if errA != nil || errB != nil {
		return bytes.Equal(a, b)
	}
	ta, errA := json.Marshal(va)
	tb, errB := json.Marshal(vb)
	return errA == nil && errB == nil && bytes.Equal(ta, tb)
}

func decoded(text json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

// value is a JSON text as a value of the manifest. null has no place there.
func (a *absorber) value(text json.RawMessage, at diag.Range) (model.Value, bool) {
	v, err := decoded(text)
	out, ok := model.FromJSON(v)
	if err != nil || !ok {
		a.leave(at, "The value is or holds null, or too much of anything, which the manifest cannot say. Give it another value in the file.")
		return model.Value{}, false
	}
	return out, true
}
