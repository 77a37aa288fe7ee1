package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentihooks/agentihooks/hookbin"
)

var update = flag.Bool("update", false, "write what the scripts print into their expected files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agentihooks": main})
}

// TestScript runs the scripts: each starts with an empty home and a hook of its own beside the command.
func TestScript(t *testing.T) {
	buildHook(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("STATE", filepath.Join(home, ".local", "state", "agentihooks"))
			e.Setenv("REPO", root)
			e.Setenv("GOOS", runtime.GOOS)
			e.Setenv("GOARCH", runtime.GOARCH)
			return os.Mkdir(home, 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name != "hooks" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return !hookbin.Development(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"linksto":  linksTo,
			"snapshot": snapshot,
			"hold":     hold,
			"errors":   expectedErrors,
		},
	})
}

// exits CODE CMD ARGS… runs a command that has to end with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// linksto PATH TARGET checks the text of a link.
func linksTo(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: linksto PATH TARGET")
	}
	got, err := os.Readlink(ts.MkAbs(args[0]))
	ts.Check(err)
	if (got == args[1]) == neg {
		ts.Fatalf("%s links to %s", args[0], got)
	}
}

// snapshot FILE DIR… writes what the folders hold into FILE: path, type, mode, link text, content and, unless the first argument
// is -content, inode and times too, so that two snapshots are equal only if nothing was written in between.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	strict := true
	if len(args) > 0 && args[0] == "-content" {
		strict, args = false, args[1:]
	}
	if neg || len(args) < 2 {
		ts.Fatalf("usage: snapshot [-content] FILE DIR...")
	}
	var lines []string
	for _, dir := range args[1:] {
		err := filepath.WalkDir(ts.MkAbs(dir), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			line, err := describe(path, d, strict)
			lines = append(lines, line)
			return err
		})
		ts.Check(err)
	}
	sort.Strings(lines)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

func describe(path string, d fs.DirEntry, strict bool) (string, error) {
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	line := fmt.Sprintf("%s %v", path, info.Mode())
	if strict {
		line += fmt.Sprintf(" %s %d", info.ModTime().Format("15:04:05.000000000"), inode(info))
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		text, err := os.Readlink(path)
		return line + " -> " + text, err
	case info.Mode().IsRegular():
		data, err := os.ReadFile(path)
		return line + fmt.Sprintf(" %q", data), err
	}
	return line, nil
}

// hold FILE takes the writer's lock until the script ends, as another agentihooks would.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold FILE")
	}
	lock := flock.New(ts.MkAbs(args[0]))
	if ok, err := lock.TryLock(); err != nil || !ok {
		ts.Fatalf("locking %s: %v, %v", args[0], ok, err)
	}
	ts.Defer(func() { ts.Check(lock.Unlock()) })
}

var errorComment = regexp.MustCompile(`# ERROR: (.*)`)

// errors FILE compares the lines marked `# ERROR: text` in a manifest with the errors that the last command printed:
// each mark needs an error at its line whose message holds the text, and there must be no other error.
func expectedErrors(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: errors FILE")
	}
	printed := ts.ReadFile("stderr")
	// One block an error: "error: summary", then the places, then the detail.
	blocks := strings.Split("\n"+printed, "\nerror: ")[1:]
	used := make([]bool, len(blocks))
	for i, line := range strings.Split(ts.ReadFile(args[0]), "\n") {
		mark := errorComment.FindStringSubmatch(line)
		if mark == nil {
			continue
		}
		place := regexp.MustCompile(fmt.Sprintf(`--> \S*%s:%d:`, regexp.QuoteMeta(filepath.Base(args[0])), i+1))
		found := false
		for j, b := range blocks {
			if !used[j] && place.MatchString(b) && strings.Contains(b, strings.TrimSpace(mark[1])) {
				used[j], found = true, true
				break
			}
		}
		if !found {
			ts.Fatalf("%s:%d: no error that says %q in\n%s", args[0], i+1, mark[1], printed)
		}
	}
	for j, b := range blocks {
		if !used[j] {
			ts.Fatalf("an error that no line expects: %s", b)
		}
	}
}

// buildHook builds the hook beside the command, where a build without embedded hooks looks for it.
func buildHook(t *testing.T) {
	t.Helper()
	command, err := exec.LookPath("agentihooks")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Dir(command), "../../hookbin/agentihooks-hook")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the hook: %v\n%s", err, bytes.TrimSpace(text))
	}
}

func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }
