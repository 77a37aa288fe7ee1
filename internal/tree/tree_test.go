package tree

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/diag"
)

var head = Index{Host: "wl-0431", OS: "linux", Arch: "amd64", Home: "/home/u", Copilot: "/home/u/.copilot"}

func at(line int) []diag.Range {
	return []diag.Range{{File: "machine.hcl", Start: diag.Pos{Line: line, Column: 3, Byte: line * 10}}}
}

func mustNew(t testing.TB, files []File, entries []Entry) Tree {
	t.Helper()
	tr, diags := New(head, files, entries)
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	return tr
}

func sample() ([]File, []Entry) {
	files := []File{
		{Path: "copilot/instructions.md", Data: []byte("# Hello\n")},
		{Path: "agents/skills/x/SKILL.md", Data: []byte("---\n")},
		{Path: "agents/skills/x/run.sh", Data: []byte("#!/bin/sh\n"), Exec: true},
		{Path: "copilot/settings.json", Data: []byte("{\"theme\":\"dim\"}\n")},
	}
	entries := []Entry{
		{Dest: "/home/u/.copilot/settings.json", Placement: Merge, Path: "copilot/settings.json", Keys: []Key{{Path: []string{"theme"}}}},
		{Dest: "/home/u/.agents/skills/x", Placement: Link, Path: "agents/skills/x"},
		{Dest: "/home/u/.copilot/copilot-instructions.md", Placement: Link, Path: "copilot/instructions.md"},
	}
	return files, entries
}

func TestNew(t *testing.T) {
	files, entries := sample()
	tr := mustNew(t, files, entries)
	var paths []string
	for _, f := range tr.Files {
		paths = append(paths, f.Path)
	}
	want := []string{"agents/skills/x/SKILL.md", "agents/skills/x/run.sh", "copilot/instructions.md", "copilot/settings.json", "index.json"}
	if !slices.Equal(paths, want) {
		t.Errorf("files %q, want %q", paths, want)
	}
	if tr.Index.Entries[0].Dest != "/home/u/.agents/skills/x" {
		t.Errorf("entries are not sorted by destination: %+v", tr.Index.Entries)
	}
	// sha256sum of the file's bytes.
	if got := tr.Index.Entries[1].Digest; got != "90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be" {
		t.Errorf("digest %q", got)
	}
	if f, ok := tr.File("agents/skills/x/run.sh"); !ok || !f.Exec || string(f.Data) != "#!/bin/sh\n" {
		t.Errorf("File gave %+v, %v", f, ok)
	}
	if _, ok := tr.File("agents/skills/x"); ok {
		t.Error("File found a folder")
	}
	// The input is the caller's.
	if files[0].Path != "copilot/instructions.md" || entries[0].Digest != "" {
		t.Error("New changed its input")
	}
}

func TestNewIsPureInTheOrderOfItsInput(t *testing.T) {
	files, entries := sample()
	want := mustNew(t, files, entries)
	for range 50 {
		rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		rand.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		if got := mustNew(t, files, entries); got.Hash != want.Hash {
			t.Fatalf("hash %s, want %s", got.Hash, want.Hash)
		}
	}
}

func TestEverythingThatMattersChangesTheHash(t *testing.T) {
	files, entries := sample()
	base := mustNew(t, files, entries)
	seen := map[Hash]string{base.Hash: "nothing"}
	change := func(what string, do func(idx *Index, files []File, entries []Entry)) {
		files, entries := sample()
		idx := head
		do(&idx, files, entries)
		tr, diags := New(idx, files, entries)
		if diags.HasErrors() {
			t.Fatalf("%s: %+v", what, diags)
		}
		if other, ok := seen[tr.Hash]; ok {
			t.Errorf("changing %s gives the hash of changing %s", what, other)
		}
		seen[tr.Hash] = what
	}
	change("content", func(_ *Index, f []File, _ []Entry) { f[0].Data = []byte("# Hallo\n") })
	change("mode", func(_ *Index, f []File, _ []Entry) { f[0].Exec = true })
	change("name", func(_ *Index, f []File, _ []Entry) { f[1].Path = "agents/skills/x/skill.md" })
	change("destination", func(_ *Index, _ []File, e []Entry) { e[2].Dest = "/home/u/.copilot/x.md" })
	change("placement", func(_ *Index, _ []File, e []Entry) { e[2].Placement = Block })
	change("keys", func(_ *Index, _ []File, e []Entry) { e[0].Keys[0].Set = true })
	change("host", func(x *Index, _ []File, _ []Entry) { x.Host = "other" })

	withOrigins, _ := sample()
	withOrigins[0].Origins = at(7)
	if got := mustNew(t, withOrigins, entries); got.Hash != base.Hash {
		t.Error("origins are part of the hash")
	}
}

func TestNewRefuses(t *testing.T) {
	file := func(p string, line int) File { return File{Path: p, Origins: at(line)} }
	link := func(dest Dest, line int) Entry {
		return Entry{Dest: dest, Placement: Link, Path: "f", Origins: at(line)}
	}
	f := file("f", 1)
	for _, tt := range []struct {
		name    string
		index   func(*Index)
		files   []File
		entries []Entry
		want    string // code, summary fragment; lines of subject and related
		lines   [2]int
	}{
		{name: "absolute path", files: []File{file("/f", 2)}, want: "invalid-path: not a clean relative path", lines: [2]int{2}},
		{name: "path with dots", files: []File{file("a/../f", 2)}, want: "invalid-path: not a clean", lines: [2]int{2}},
		{name: "empty component", files: []File{file("a//f", 2)}, want: "invalid-path: not a clean", lines: [2]int{2}},
		{name: "slash at the end", files: []File{file("a/", 2)}, want: "invalid-path: not a clean", lines: [2]int{2}},
		{name: "empty path", files: []File{file("", 2)}, want: "invalid-path: not a clean", lines: [2]int{2}},
		{name: "dot", files: []File{file(".", 2)}, want: "invalid-path: not a clean", lines: [2]int{2}},
		{name: "two dots in front", files: []File{file("a/..b", 2)}, want: "invalid-path: begins with two dots", lines: [2]int{2}},
		{name: "bad UTF-8", files: []File{file("a\xff", 2)}, want: "invalid-path: not valid UTF-8", lines: [2]int{2}},
		{name: "newline", files: []File{file("a\nb", 2)}, want: "invalid-path: control character", lines: [2]int{2}},
		{name: "nul", files: []File{file("a\x00b", 2)}, want: "invalid-path: control character", lines: [2]int{2}},
		{name: "C1 control", files: []File{file("a\u009bb", 2)}, want: "invalid-path: control character", lines: [2]int{2}},
		{name: "long name", files: []File{file(strings.Repeat("n", 256), 2)}, want: "invalid-path: longer than 255", lines: [2]int{2}},
		{name: "long path", files: []File{file(strings.Repeat("n/", 400)+"f", 2)}, want: "invalid-path: longer than 768", lines: [2]int{2}},
		{name: "the index itself", files: []File{file("index.json", 2)}, want: "invalid-path: is taken", lines: [2]int{2}},
		{name: "same path", files: []File{file("a/f", 2), file("a/f", 3)}, want: "duplicate-path: made twice", lines: [2]int{3, 2}},
		{name: "file and folder", files: []File{file("a", 2), file("a/f", 3)}, want: "duplicate-path: both a file and a folder", lines: [2]int{3, 2}},
		{name: "file and folder apart", files: []File{file("a", 2), file("a/f", 3), file("a-b", 4)}, want: "duplicate-path: both a file and a folder", lines: [2]int{3, 2}},
		{name: "case of a file", files: []File{file("a/F", 2), file("a/f", 3)}, want: "duplicate-path: one name on macOS", lines: [2]int{3, 2}},
		{name: "case of a folder", files: []File{file("A/f", 2), file("a/g", 3)}, want: "duplicate-path: one name on macOS", lines: [2]int{3, 2}},
		{name: "composed and decomposed", files: []File{file("e\u0301", 2), file("\u00e9", 3)}, want: "duplicate-path: one name on macOS", lines: [2]int{3, 2}},
		{name: "case beyond ASCII", files: []File{file("STRASSE", 2), file("straße", 3)}, want: "duplicate-path: one name on macOS", lines: [2]int{3, 2}},
		{name: "index in another case", files: []File{file("Index.json/x", 2)}, want: "duplicate-path: one name on macOS", lines: [2]int{2}},

		{name: "outside", files: []File{f}, entries: []Entry{link("/etc/passwd", 2)}, want: "invalid-destination: lies neither beneath", lines: [2]int{2}},
		{name: "beside the home", files: []File{f}, entries: []Entry{link("/home/u2/x", 2)}, want: "invalid-destination: lies neither beneath", lines: [2]int{2}},
		{name: "the home itself", files: []File{f}, entries: []Entry{link("/home/u", 2)}, want: "invalid-destination: lies neither beneath", lines: [2]int{2}},
		{name: "out by dots", files: []File{f}, entries: []Entry{link("/home/u/../v/x", 2)}, want: "invalid-destination: not a clean absolute", lines: [2]int{2}},
		{name: "relative", files: []File{f}, entries: []Entry{link("x", 2)}, want: "invalid-destination: not a clean absolute", lines: [2]int{2}},
		{name: "control in destination", files: []File{f}, entries: []Entry{link("/home/u/a\tb", 2)}, want: "invalid-destination: not a clean absolute", lines: [2]int{2}},
		{name: "same destination", files: []File{f}, entries: []Entry{link("/home/u/x", 2), link("/home/u/x", 3)}, want: "duplicate-destination: written twice", lines: [2]int{3, 2}},
		{name: "destination in another case", files: []File{f}, entries: []Entry{link("/home/u/X", 2), link("/home/u/x", 3)}, want: "duplicate-destination: one file on macOS", lines: [2]int{3, 2}},
		{name: "inside a link", files: []File{f}, entries: []Entry{link("/home/u/s/x", 2), link("/home/u/s", 3), link("/home/u/s-t", 4)}, want: "nested-destination: lies inside", lines: [2]int{2, 3}},
		{name: "inside a link in another case", files: []File{f}, entries: []Entry{link("/home/u/S/x", 2), link("/home/u/s", 3)}, want: "nested-destination: lies inside", lines: [2]int{2, 3}},
		{name: "no source", files: []File{f}, entries: []Entry{{Dest: "/home/u/x", Placement: Link, Path: "g", Origins: at(2)}}, want: "missing-source: no \"g\"", lines: [2]int{2}},
		{name: "folder merged", files: []File{file("a/f", 1)}, entries: []Entry{{Dest: "/home/u/x", Placement: Merge, Path: "a", Origins: at(2)}}, want: "missing-source: no \"a\"", lines: [2]int{2}},
		{name: "index as source", files: []File{f}, entries: []Entry{{Dest: "/home/u/x", Placement: Link, Path: "index.json", Origins: at(2)}}, want: "invalid-destination: no source", lines: [2]int{2}},
		{name: "whole tree as source", files: []File{f}, entries: []Entry{{Dest: "/home/u/x", Placement: Link, Path: ".", Origins: at(2)}}, want: "invalid-destination: no source", lines: [2]int{2}},
		{name: "unknown placement", files: []File{f}, entries: []Entry{{Dest: "/home/u/x", Placement: "copy", Path: "f", Origins: at(2)}}, want: "invalid-destination: unknown placement", lines: [2]int{2}},
		{name: "keys of a link", files: []File{f}, entries: []Entry{{Dest: "/home/u/x", Placement: Link, Path: "f", Keys: []Key{{Path: []string{"k"}}}, Origins: at(2)}}, want: "invalid-destination: names keys", lines: [2]int{2}},
		{name: "empty key", files: []File{f}, entries: []Entry{{Dest: "/home/u/x", Placement: Merge, Path: "f", Keys: []Key{{}}, Origins: at(2)}}, want: "invalid-destination: key that is empty", lines: [2]int{2}},

		{name: "host", index: func(x *Index) { x.Host = "a/b" }, want: "invalid-host: host name"},
		{name: "no os", index: func(x *Index) { x.OS = "" }, want: "unknown-fact: operating system"},
		{name: "relative home", index: func(x *Index) { x.Home = "home/u" }, want: "invalid-fact: home"},
		{name: "unclean copilot home", index: func(x *Index) { x.Copilot = "/home/u/" }, want: "invalid-fact: copilotHome"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			idx := head
			if tt.index != nil {
				tt.index(&idx)
			}
			tr, diags := New(idx, tt.files, tt.entries)
			if tr.Hash != "" || len(tr.Files) > 0 {
				t.Error("a tree came with the errors")
			}
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics, want one: %+v", len(diags), diags)
			}
			d := diags[0]
			code, fragment, _ := strings.Cut(tt.want, ": ")
			if d.Code != code || !strings.Contains(d.Summary, fragment) || !strings.HasSuffix(d.Detail, ".") {
				t.Errorf("got %s: %s (%s), want %s", d.Code, d.Summary, d.Detail, tt.want)
			}
			related := 0
			if len(d.Related) > 0 {
				related = d.Related[0].Range.Start.Line
			}
			if got := [2]int{d.Subject.Start.Line, related}; got != tt.lines {
				t.Errorf("lines %v, want %v", got, tt.lines)
			}
		})
	}
}

func TestNewReportsEverythingAndEachPairOnce(t *testing.T) {
	// Two skills of one name clash in every file; one more file is bad for itself.
	var files []File
	for _, line := range []int{2, 3} {
		for _, name := range []string{"SKILL.md", "a.md", "b.md"} {
			files = append(files, File{Path: "agents/skills/x/" + name, Origins: at(line)})
		}
	}
	files = append(files, File{Path: "/bad", Origins: at(4)})
	entries := []Entry{
		{Dest: "/home/u/.agents/skills/x", Placement: Link, Path: "agents/skills/x", Origins: at(2)},
		{Dest: "/home/u/.agents/skills/x", Placement: Link, Path: "agents/skills/x", Origins: at(3)},
	}
	_, diags := New(head, files, entries)
	var codes []string
	for _, d := range diags {
		codes = append(codes, d.Code)
	}
	if want := []string{"duplicate-destination", "invalid-path"}; !slices.Equal(codes, want) {
		t.Errorf("codes %q, want %q", codes, want)
	}
}

func TestNewAccepts(t *testing.T) {
	idx := head
	idx.Home, idx.Copilot = "/", "/opt/copilot" // root's home in some containers
	files := []File{{Path: "f"}, {Path: "a/.hidden"}, {Path: "a/ü b'\"$(x)`\\"}, {Path: "a.md"}, {Path: "a-b/c"}}
	entries := []Entry{{Dest: "/opt/copilot/x", Placement: Link, Path: "f"}, {Dest: "/etc/y", Placement: Link, Path: "a"}}
	if _, diags := New(idx, files, entries); len(diags) > 0 {
		t.Errorf("%+v", diags)
	}
	if tr, diags := New(head, nil, nil); len(diags) > 0 || len(tr.Files) != 1 || !tr.Hash.Valid() {
		t.Errorf("the empty tree: %+v, %+v", tr, diags)
	}
}
