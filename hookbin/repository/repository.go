// Package repository reads what a repository says to agents, which may be anything: in bounds and from regular files; what
// is handed on, through no link that leaves the repository.
package repository

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	maxDepth    = 64      // folders above the one where an agent works
	maxSettings = 1 << 20 // bytes of a file of settings
	maxText     = 64 << 10
	maxTexts    = 64 // files of instructions
	maxFolders  = 64 // below .claude/rules
	maxEntries  = 1024
)

// Root is the nearest folder from dir upwards with a .git, and dir itself where there is none.
func Root(dir string) string {
	at := filepath.Clean(dir)
	for range maxDepth {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return dir
}

// OffSwitches are the files of a repository in which disableAllHooks switches the user's hooks off as well, without a word,
// once the folder is trusted (Copilot CLI 1.0.80 to 1.0.102, seen with a hook that writes a file).
func OffSwitches() []string {
	return []string{
		".claude/settings.json", ".claude/settings.local.json", ".github/copilot/settings.json", ".github/copilot/settings.local.json",
	}
}

// HooksOff is the OffSwitches of a repository that are on. A link is followed wherever it leads: nothing of the file is
// handed on.
func HooksOff(root string) []string {
	var out []string
	for _, name := range OffSwitches() {
		f, err := os.OpenFile(filepath.Join(root, name), openFlags, 0)
		if err != nil {
			continue
		}
		if data, err := content(f, maxSettings); err == nil && switchesOff(data) {
			out = append(out, name)
		}
	}
	return out
}

// switchesOff looks for the switch. Copilot takes comments in such a file, which encoding/json does not: then the words
// alone decide, and may stand in a comment.
func switchesOff(data []byte) bool {
	const key = "disableAllHooks"
	if !bytes.Contains(data, []byte(key)) {
		return false
	}
	var settings map[string]any
	if json.Unmarshal(data, &settings) == nil {
		return settings[key] == true
	}
	_, after, _ := bytes.Cut(data, []byte(`"`+key+`"`))
	after = bytes.TrimLeft(after, " \t\r\n:")
	return bytes.HasPrefix(after, []byte("true"))
}

// Text is one file of instructions.
type Text struct {
	Name string // slash path below the root
	Text string // as far as it was read
}

// Instructions is what a repository tells Claude Code and Copilot does not read: with rules also .claude/rules, a file
// README.md there left out; then the memory of the project. CLAUDE.md, AGENTS.md and GEMINI.md at the root are not among
// them: Copilot 1.0.80 to 1.0.102 reads those (seen in what reached the model).
func Instructions(root string, rules bool) []Text {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer dir.Close()
	var names []string
	if rules {
		names = ruleNames(dir)
	}
	var out []Text
	for _, name := range append(names, ".claude/CLAUDE.md", "CLAUDE.local.md") {
		f, err := dir.OpenFile(name, openFlags, 0)
		if err != nil {
			continue
		}
		data, err := content(f, maxText)
		if text := strings.TrimSpace(strings.ToValidUTF8(string(data), "\uFFFD")); err == nil && text != "" {
			out = append(out, Text{name, text})
		}
	}
	return out
}

// ruleNames is the Markdown files below .claude/rules, sorted.
func ruleNames(dir *os.Root) []string {
	var names []string
	folders := []string{".claude/rules"}
	for i := 0; i < len(folders) && i < maxFolders; i++ {
		items, err := list(dir, folders[i])
		if err != nil {
			continue
		}
		for _, item := range items {
			name := path.Join(folders[i], item.Name())
			switch {
			case item.IsDir():
				folders = append(folders, name)
			case strings.HasSuffix(name, ".md") && !strings.EqualFold(item.Name(), "README.md"):
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxTexts)]
}

func list(dir *os.Root, name string) ([]fs.DirEntry, error) {
	f, err := dir.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	items, err := f.ReadDir(maxEntries)
	if err == io.EOF {
		err = nil
	}
	return items, err
}

// openFlags opens to read. A pipe makes nobody wait.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// content reads a regular file, of one that is too long the beginning, and closes it.
func content(f *os.File, limit int64) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New(f.Name() + " is no file")
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
