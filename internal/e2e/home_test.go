package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// home is one scratch home with everything that a run of the agent needs around it. Nothing of the tester's own
// environment but PATH reaches the programs.
type home struct {
	t     *testing.T
	cli   cli
	tools tools
	root  string   // holds all of the below
	dir   string   // HOME
	work  string   // the agent's working folder, no repository
	bin   string   // first in PATH
	src   string   // the manifest and its files
	env   []string // added to the agent's environment
	via   []string // runs the agent: a program and its first arguments; empty: run it directly

	mayComplain bool // the agent's log may find fault with the home
}

func newHome(t *testing.T, c cli, b tools) *home {
	t.Helper()
	// Not t.TempDir: its names are long, and the agent makes sockets below TMPDIR.
	root, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(t, root) })
	h := &home{t: t, cli: c, tools: b, root: root}
	h.dir, h.work, h.bin, h.src = h.newDir("home"), h.newDir("work"), h.newDir("bin"), h.newDir("src")
	h.newDir("tmp")
	h.fakeGit()
	return h
}

// newDir makes a folder below the root; a name that exists gets a number.
func (h *home) newDir(name string) string {
	h.t.Helper()
	dir := filepath.Join(h.root, name)
	for n := 2; ; n++ {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			return dir
		}
		if !os.IsExist(err) {
			h.t.Fatal(err)
		}
		dir = filepath.Join(h.root, fmt.Sprintf("%s%d", name, n))
	}
}

// removeAll removes a folder that may hold store paths, whose folders cannot be written to.
func removeAll(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Error(err)
	}
}

func (h *home) baseEnv() []string {
	return []string{
		"HOME=" + h.dir,
		"PATH=" + h.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"TMPDIR=" + filepath.Join(h.root, "tmp"),
		"TERM=dumb",
		"NO_COLOR=1",
	}
}

// fakeGit puts a git into PATH that records the commands it gets. It knows no repository.
func (h *home) fakeGit() {
	h.t.Helper()
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'" + h.gitLog() + "'\n" +
		"case $1 in push | status) echo \"ran git $1\" ;; *) echo 'fatal: not a git repository' >&2; exit 128 ;; esac\n"
	if err := os.WriteFile(filepath.Join(h.bin, "git"), []byte(script), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) gitLog() string { return filepath.Join(h.root, "git.log") }

// gitRan says whether the git in PATH was run with exactly these words.
func (h *home) gitRan(words string) bool {
	h.t.Helper()
	data, err := os.ReadFile(h.gitLog())
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimSuffix(line, "\n") == words {
			return true
		}
	}
	return false
}

// forgetGit empties the record of git's runs.
func (h *home) forgetGit() {
	h.t.Helper()
	if err := os.Remove(h.gitLog()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) read(path string) string {
	h.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

// write makes a file below the manifest's folder.
func (h *home) write(name, text string) {
	h.t.Helper()
	h.writeFile(filepath.Join(h.src, filepath.FromSlash(name)), text)
}

func (h *home) writeFile(path, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// agentihooks runs the tool as its user would.
func (h *home) agentihooks(args ...string) result {
	h.t.Helper()
	return execute(h.t, h.src, h.baseEnv(), h.tools.agentihooks, args...)
}

// switched is the answer of `switch` and `rollback` with --json.
type switched struct {
	Schema     int    `json:"schema"`
	Changed    bool   `json:"changed"`
	Generation int    `json:"generation"`
	StorePath  string `json:"storePath"`
}

// switchTo writes the manifest and switches to it.
func (h *home) switchTo(manifest string) switched {
	h.t.Helper()
	h.write("machine.hcl", manifest)
	return h.moved("switch", "-f", filepath.Join(h.src, "machine.hcl"), "--json")
}

// moved runs a command that changes the generation, and must succeed.
func (h *home) moved(args ...string) switched {
	h.t.Helper()
	r := h.agentihooks(args...)
	if r.code != 0 {
		h.t.Fatalf("agentihooks %q: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
	}
	var s switched
	if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
		h.t.Fatalf("agentihooks %q: %v\n%s", args, err, r.stdout)
	}
	if s.Schema != 1 {
		h.t.Fatalf("agentihooks %q: schema %d, want 1", args, s.Schema)
	}
	return s
}
