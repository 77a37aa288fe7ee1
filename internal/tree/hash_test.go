package tree

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write puts a tree on disk the plain way, with folders that can be removed.
func write(t testing.TB, tr Tree) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range tr.Files {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o444)
		if f.Exec {
			mode = 0o555
		}
		if err := os.WriteFile(path, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// oddFiles has every name that sorts, encodes or escapes in an unusual way.
func oddFiles() []File {
	var files []File
	for i, p := range []string{
		"a", "a.md", "a-b/c", "a b/c", "aa/b", "Ä/ö ü/ß.md", "日本/語", "e\u0301", "-", "-n", "$(x)", "`y`", "q'\"", "back\\slash", "~", "#", ".dot/.dot", "z/z/z/z/z/z",
		"c/a", "c/a.md", "c/a-", "c+/x", "c,/x", "c./x", "c0/x", "emoji 🙂",
	} {
		files = append(files, File{Path: p, Exec: i%3 == 0, Data: bytes.Repeat([]byte{byte(i)}, i)})
	}
	return files
}

func TestHashDirEqualsNew(t *testing.T) {
	tr := mustNew(t, oddFiles(), nil)
	dir := write(t, tr)
	got, err := HashDir(os.DirFS(dir))
	if err != nil || got != tr.Hash {
		t.Errorf("HashDir gave %s, %v; New gave %s", got, err, tr.Hash)
	}
	// Of the mode only the owner's x bit counts.
	for _, tt := range []struct {
		mode os.FileMode
		same bool
	}{{0o654, true}, {0o611, true}, {0o744, false}, {0o644, true}} {
		if err := os.Chmod(filepath.Join(dir, "a.md"), tt.mode); err != nil {
			t.Fatal(err)
		}
		if got, err := HashDir(os.DirFS(dir)); err != nil || (got == tr.Hash) != tt.same {
			t.Errorf("mode %o: %s, %v; want the same hash: %v", tt.mode, got, err, tt.same)
		}
	}
}

func TestHashDirRefuses(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"a link":          func(dir string) error { return os.Symlink("f", filepath.Join(dir, "l")) },
		"a dangling link": func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "l")) },
		"two dots":        func(dir string) error { return os.WriteFile(filepath.Join(dir, "..x"), nil, 0o600) },
		"bad UTF-8":       func(dir string) error { return os.WriteFile(filepath.Join(dir, "x\xff"), nil, 0o600) },
		"a newline":       func(dir string) error { return os.WriteFile(filepath.Join(dir, "x\ny"), nil, 0o600) },
		"a fifo":          func(dir string) error { return exec.Command("mkfifo", filepath.Join(dir, "p")).Run() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, mustNew(t, []File{{Path: "f"}}, nil))
			if err := make(dir); err != nil {
				t.Skip(err)
			}
			if got, err := HashDir(os.DirFS(dir)); err == nil {
				t.Errorf("hash %s and no error", got)
			}
		})
	}
	if _, err := HashDir(os.DirFS(filepath.Join(t.TempDir(), "nothing"))); err == nil {
		t.Error("a missing folder has a hash")
	}
}

// TestHashIsNix compares with a real nix, which must be installed: the new command and the one of older releases.
func TestHashIsNix(t *testing.T) {
	files, entries := sample()
	trees := map[string]Tree{
		"sample": mustNew(t, files, entries),
		"odd":    mustNew(t, oddFiles(), nil),
		"empty":  mustNew(t, nil, nil),
		"big":    mustNew(t, []File{{Path: "bin/big", Exec: true, Data: bytes.Repeat([]byte("0123456"), 1<<18)}}, nil),
	}
	for _, command := range [][]string{
		{"nix", "--extra-experimental-features", "nix-command", "hash", "path", "--base32", "--type", "sha256"},
		{"nix-hash", "--type", "sha256", "--base32"},
	} {
		bin, err := exec.LookPath(command[0])
		if err != nil {
			t.Skipf("no %s here: the hash is not compared with nix", command[0])
		}
		for name, tr := range trees {
			cmd := exec.Command(bin, append(command[1:], write(t, tr))...)
			home := t.TempDir()
			cmd.Env = []string{"HOME=" + home, "NIX_STATE_DIR=" + home, "NIX_CONF_DIR=" + home, "LANG=C.UTF-8"}
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != string(tr.Hash) {
				t.Errorf("%s: %s says %s, %v; we say %s", name, command[0], got, err, tr.Hash)
			}
		}
		// A folder's digest in the index is the same hash of that folder alone, in hex.
		cmd := exec.Command(bin, append(slices.DeleteFunc(slices.Clone(command[1:]), func(s string) bool { return s == "--base32" }),
			write(t, trees["sample"])+"/agents/skills/x")...)
		if command[0] == "nix" {
			cmd.Args = slices.Insert(cmd.Args, len(cmd.Args)-1, "--base16")
		}
		home := t.TempDir()
		cmd.Env = []string{"HOME=" + home, "NIX_STATE_DIR=" + home, "NIX_CONF_DIR=" + home}
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != trees["sample"].Index.Entries[0].Digest {
			t.Errorf("%s says %s, %v for the folder; we say %s", command[0], got, err, trees["sample"].Index.Entries[0].Digest)
		}
	}
}

func TestParseHash(t *testing.T) {
	good := string(mustNew(t, nil, nil).Hash)
	if h, err := ParseHash(good); err != nil || string(h) != good {
		t.Errorf("%s: %v", good, err)
	}
	for _, bad := range []string{"", good[1:], good + "0", "e" + good[1:], strings.ToUpper(good), "z" + good[1:], "/" + good[1:]} {
		if _, err := ParseHash(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestParseName(t *testing.T) {
	tr := mustNew(t, nil, nil)
	n, err := ParseName(string(tr.Name()))
	if err != nil || n.Hash() != tr.Hash || n.Host() != "wl-0431" {
		t.Errorf("%s, %v", n, err)
	}
	h := string(tr.Hash)
	for _, bad := range []string{"", h, h + "-", h + "-a/b", h + "-.x", h + "-" + strings.Repeat("a", 64), "x" + h + "-a", h + "_a", h + "-a\n"} {
		if _, err := ParseName(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestComparePaths(t *testing.T) {
	sorted := []string{"", "a", "a/b", "a/b/c", "a/b-", "a\x01", "a b", "a-b", "a.md", "a0", "ab", "b", "ä"}
	for i := range sorted {
		for j := range sorted {
			want := min(1, max(-1, i-j))
			if got := ComparePaths(sorted[i], sorted[j]); got != want {
				t.Errorf("ComparePaths(%q, %q) = %d, want %d", sorted[i], sorted[j], got, want)
			}
		}
	}
}

// FuzzPaths looks for names that the checks let pass and the serialisation does not take, or that have another hash
// on disk.
func FuzzPaths(f *testing.F) {
	f.Add("a/b", "a-b/c", "a.md")
	f.Add("..", "...", "a/..b")
	f.Add("é", "E\u0301", "\u00c9/x")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		tr, diags := New(head, []File{{Path: a}, {Path: b, Exec: true}, {Path: c, Data: []byte("c")}}, nil)
		if diags.HasErrors() {
			return
		}
		got, err := HashDir(os.DirFS(write(t, tr)))
		if err != nil || got != tr.Hash {
			t.Errorf("%q %q %q: on disk %s, %v; in memory %s", a, b, c, got, err, tr.Hash)
		}
	})
}

// benchFiles is 100 skills of 3 files, 50 agents, settings and servers: 352 files of 2 KB.
func benchFiles() ([]File, []Entry) {
	var files []File
	var entries []Entry
	body := bytes.Repeat([]byte("0123456789abcde\n"), 128)
	for i := range 100 {
		dir := fmt.Sprintf("agents/skills/skill-%03d", i)
		for _, name := range []string{"SKILL.md", "reference.md", "scripts/run.sh"} {
			files = append(files, File{Path: dir + "/" + name, Exec: strings.HasSuffix(name, ".sh"), Data: body})
		}
		entries = append(entries, Entry{Dest: Dest("/home/u/." + dir), Placement: Link, Path: dir})
	}
	for i := range 50 {
		name := fmt.Sprintf("copilot/agents/agent-%02d.md", i)
		files = append(files, File{Path: name, Data: body})
		entries = append(entries, Entry{Dest: Dest("/home/u/." + name), Placement: Link, Path: name})
	}
	for _, name := range []string{"copilot/settings.json", "copilot/mcp-config.json"} {
		files = append(files, File{Path: name, Data: body})
		entries = append(entries, Entry{Dest: Dest("/home/u/." + name), Placement: Merge, Path: name})
	}
	return files, entries
}

func BenchmarkNew(b *testing.B) {
	files, entries := benchFiles()
	for b.Loop() {
		mustNew(b, files, entries)
	}
}

func BenchmarkHash(b *testing.B) {
	files, entries := benchFiles()
	tr := mustNew(b, files, entries)
	h := newHasher()
	for b.Loop() {
		h.files(tr.Files, "")
	}
}
