package crash

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// userDests are the places at which the user writes files too.
var userDests = append(slices.Clone(dests[:6]), "own/file", ".copilot/agents/own.md")

// userWrites makes or changes a file: new content, or by chance just what a manifest has. Our link there is replaced.
func (h *history) userWrites() {
	dest := rapid.SampledFrom(userDests).Draw(h.T, "dest")
	text := rapid.SampledFrom([]string{"", "", "one"}).Draw(h.T, "content")
	h.gone(dest)
	if text == "" {
		h.count++
		text = fmt.Sprintf("the user's %d", h.count)
		h.written[text] = true // what a manifest has too is never lost
	}
	path := filepath.Join(h.home, dest)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.Fatal(err)
	}
	h.replace(path, text)
	p := h.files[dest]
	h.files[dest] = place{file: text, is: userFile, ours: p.ours, prior: p.prior, shared: p.shared}
}

// userEdits changes a file that is shared: below our part, or in it.
func (h *history) userEdits() {
	p := h.files[sharedDest]
	if p.is != userFile || p.block == "" {
		return
	}
	path := filepath.Join(h.home, sharedDest)
	data, err := os.ReadFile(path)
	if err != nil {
		h.Fatal(err)
	}
	text := string(data)
	h.gone(sharedDest)
	if rapid.IntRange(0, 3).Draw(h.T, "in our part") == 0 {
		text = strings.Replace(text, p.block+"\n", p.block+", said the user\n", 1)
		p = place{file: text, is: userFile, shared: true, broken: true}
	} else {
		text += "\nand more"
		p.file += "\nand more"
	}
	h.written[p.file] = true
	h.replace(path, text)
	h.files[sharedDest] = p
}

// replace is how programs save: a temporary name, then a rename.
func (h *history) replace(path, text string) {
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		h.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		h.Fatal(err)
	}
}

// gone forgets the user's content at a place that the user changes.
func (h *history) gone(dest string) {
	if p := h.files[dest]; p.is == userFile {
		delete(h.written, p.file)
	}
}

func (h *history) userRemoves() {
	dest := rapid.SampledFrom(userDests).Draw(h.T, "dest")
	p := h.files[dest]
	if p.is == nothing {
		return
	}
	h.gone(dest)
	if err := os.Remove(filepath.Join(h.home, dest)); err != nil {
		h.Fatal(err)
	}
	h.files[dest] = place{ours: p.ours, prior: p.prior, shared: p.shared}
}

func (h *history) userSetsKey() {
	if h.noFile {
		return
	}
	name := rapid.SampledFrom(names).Draw(h.T, "name")
	v := h.keys[name]
	v.now = nil
	if text := rapid.SampledFrom([]string{"", "one", "two", "mine"}).Draw(h.T, "value"); text != "" {
		v.now = &text
	}
	h.keys[name] = v
	h.writeDoc(false)
}

func (h *history) userSetsElement() {
	if h.noFile {
		return
	}
	name := rapid.SampledFrom(items).Draw(h.T, "item")
	e := h.elements[name]
	e.there = !e.there
	h.elements[name] = e
	h.writeDoc(false)
}

func (h *history) userDropsDoc() {
	if h.noFile {
		return
	}
	if err := os.Remove(filepath.Join(h.home, mergedFile)); err != nil && !os.IsNotExist(err) {
		h.Fatal(err)
	}
	h.noFile, h.doc = true, map[string]any{}
	for name, v := range h.keys {
		v.now = nil
		h.keys[name] = v
	}
	for name, e := range h.elements {
		e.there = false
		h.elements[name] = e
	}
}

// writeDoc writes the merged file with what is in it now: as the user does, with a comment, or as Copilot 1.0.102 does,
// which sorts nothing, indents by two blanks and drops comments (seen by comparing the file before and after).
func (h *history) writeDoc(program bool) {
	if h.noFile {
		return
	}
	values := map[string]any{}
	for name, v := range h.doc {
		values[name] = v
	}
	for name, v := range h.keys {
		if v.now != nil {
			values[name] = *v.now
		}
	}
	if set := h.set(); len(set) > 0 {
		values["set"] = set
	}
	data, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		h.Fatal(err)
	}
	text := string(data)
	if !program {
		text = "// a comment\n" + text + "\n"
	}
	path := filepath.Join(h.home, mergedFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.Fatal(err)
	}
	h.replace(path, text)
}

func (h *history) set() []string {
	out := []string{}
	for _, name := range items {
		if h.elements[name].there {
			out = append(out, name)
		}
	}
	return out
}

// check compares the home with the model, and looks for what must not be there.
func (h *history) check() {
	for dest, p := range h.files {
		h.checkPlace(dest, p)
	}
	h.checkDoc()
	backups := h.backups()
	for text := range h.written {
		found := slices.Contains(backups, text)
		for dest, p := range h.files {
			data, err := os.ReadFile(filepath.Join(h.home, dest))
			_, own := apart(string(data), p)
			found = found || err == nil && p.is == userFile && own == text
		}
		if !found {
			h.Fatalf("%q of the user's is nowhere", text)
		}
	}
	for _, dir := range []string{h.home, h.state} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if name := d.Name(); err == nil && (strings.Contains(name, ".agentihooks-") || strings.HasPrefix(name, ".tmp-") || strings.HasPrefix(name, ".gc-") || name == "journal") {
				h.Fatalf("left over: %s", path)
			}
			return err
		})
		if err != nil {
			h.Fatal(err)
		}
	}
}

func (h *history) checkPlace(dest string, p place) {
	path := filepath.Join(h.home, dest)
	info, err := os.Lstat(path)
	got := nothing
	switch {
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		got = ourLink
	case info.Mode().IsRegular():
		got = userFile
	case info.IsDir() && p.is == nothing: // a folder of another destination
		return
	}
	if got != p.is {
		h.Fatalf("%s is %v (%v), want %v", dest, got, info, p.is)
	}
	if got == nothing {
		return
	}
	data, err := os.ReadFile(path)
	if block, own := apart(string(data), p); err != nil || block != p.block || own != p.file {
		h.Fatalf("%s holds %q, %v, want %q and our %q", dest, data, err, p.file, p.block)
	}
}

// apart takes our text out of a file that is shared.
func apart(text string, p place) (block, rest string) {
	if p.block == "" {
		return "", text
	}
	begin, text, _ := strings.Cut(text, "\n")
	block, text, _ = strings.Cut(text, "\n<!-- agentihooks: end ")
	if _, text, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(begin, "<!-- agentihooks: begin ") {
		return block, text
	}
	return "", text
}

// checkDoc compares the merged file by value. No file is as good as an empty one, no set as good as an empty one.
func (h *history) checkDoc() {
	got := map[string]any{}
	data, err := os.ReadFile(filepath.Join(h.home, mergedFile))
	if err == nil {
		text := strings.TrimPrefix(string(data), "// a comment\n")
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			h.Fatalf("%s: %v in %q", mergedFile, err, data)
		}
	}
	want := map[string]any{}
	for name, v := range h.doc {
		want[name] = v
	}
	for name, v := range h.keys {
		if v.now != nil {
			want[name] = *v.now
		}
	}
	have := []string{}
	if list, ok := got["set"].([]any); ok {
		for _, item := range list {
			have = append(have, item.(string))
		}
		slices.Sort(have)
	}
	delete(got, "set")
	if fmt.Sprint(got) != fmt.Sprint(want) || !slices.Equal(have, h.set()) {
		h.Fatalf("%s holds %v and the set %v, want %v and %v", mergedFile, got, have, want, h.set())
	}
}

func (h *history) backups() []string {
	var out []string
	files, err := filepath.Glob(filepath.Join(h.state, "backups", "*"))
	if err != nil {
		h.Fatal(err)
	}
	for _, path := range files {
		if data, err := os.ReadFile(path); err == nil {
			out = append(out, string(data))
		}
	}
	return out
}
