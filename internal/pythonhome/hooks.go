package pythonhome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/activate"
)

// wrapper finds the script that its hooks run, and the folder of the program that this changes to. Sessions that run call
// it until they end, so it is removed as late as can be.
func (r *reader) wrapper() (path []string, root string) {
	at := filepath.Join(r.copilot, wrapperName)
	data, ok := r.read(at)
	switch {
	case !ok:
		return nil, ""
	case !marked(data):
		r.keepf(at, "no comment in it says that %s made it", Name)
		return nil, ""
	}
	for _, line := range strings.Split(string(data), "\n") {
		if word, ok := strings.CutPrefix(line, "cd "); ok {
			root = unquote(word)
		}
	}
	r.out.Notes = append(r.out.Notes, "Copilot sessions that run now call "+at+", which goes: their tool calls are denied until they are started again")
	return []string{at}, root
}

// unquote is a word as Python's shlex.quote writes it: bare, or in single quotes with each quote in it as '"'"'.
func unquote(word string) string {
	if len(word) < 2 || word[0] != '\'' {
		return word
	}
	return strings.ReplaceAll(word[1:len(word)-1], `'"'"'`, "'")
}

// hooks takes the program's file of hooks. Entries and members in it that are not the program's go to a file of the user's.
func (r *reader) hooks(wrapper []string) {
	dir := filepath.Join(r.copilot, "hooks")
	path := filepath.Join(dir, hooksName)
	data, ok := r.read(path)
	if !ok {
		return
	}
	doc, ok := parse(&r.list, path, data)
	if !ok {
		return
	}
	before := len(r.list)
	if v, at, ok := doc.Get(&r.list, "version"); ok && fmt.Sprint(v) != "1" {
		bad(&r.list, at, "version %v is not one that is known (1 is)", v)
	}
	rest, ours := r.foreign(doc)
	if len(r.list) > before {
		return
	}
	if ours == 0 {
		if len(wrapper) > 0 {
			r.keepf(path, "no hook in it is of %s", Name)
		}
		return
	}
	r.whole(path)
	r.folder(dir)
	if rest == nil {
		return
	}
	free := filepath.Join(dir, "kept.json")
	for n := 2; exists(free); n++ {
		free = filepath.Join(dir, fmt.Sprintf("kept-%d.json", n))
	}
	r.out.Legacy.Adds = append(r.out.Legacy.Adds, activate.Add{Path: free, Text: string(rest)})
	r.out.Notes = append(r.out.Notes, fmt.Sprintf("your own hooks in %s are in %s now, for the whole of the first file is replaced", path, free))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// foreign is the file of hooks without the program's entries, nil if nothing is left, and how many these are.
func (r *reader) foreign(doc document) (rest []byte, ours int) {
	events := map[string][]json.RawMessage{}
	for _, event := range doc.object(&r.list, "hooks") {
		v, at, _ := doc.Get(&r.list, "hooks", event)
		entries, isArray := v.([]any)
		if !isArray {
			bad(&r.list, at, "hooks.%s is no array", event)
			continue
		}
		texts := doc.elements("hooks", event)
		for i, e := range entries {
			members, _ := e.(map[string]any)
			if command, _ := members["command"].(string); r.isWrapper(command) {
				ours++
			} else if i < len(texts) {
				events[event] = append(events[event], json.RawMessage(texts[i]))
			}
		}
	}
	out := map[string]any{"version": 1, "hooks": events}
	for _, name := range doc.object(&r.list) {
		if text, ok := doc.text(name); ok && out[name] == nil {
			out[name] = json.RawMessage(text)
		}
	}
	if len(out) == 2 && len(events) == 0 {
		return nil, ours
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return nil, ours // values that were parsed
	}
	return buf.Bytes(), ours
}

// isWrapper reports whether a command is the wrapper with an event, the wrapper's path being spelled as this home or
// otherwise. The program does not quote it, whatever is in it.
func (r *reader) isWrapper(command string) bool {
	end := strings.Index(command, "/"+wrapperName)
	if end < 0 {
		return false
	}
	end += len("/" + wrapperName)
	path, rest := command[:end], command[end:]
	if rest != "" && !slices.Contains([]byte(" \t\n"), rest[0]) {
		return false
	}
	return path == filepath.Join(r.copilot, wrapperName) || sameFile(filepath.Dir(path), r.copilot)
}
