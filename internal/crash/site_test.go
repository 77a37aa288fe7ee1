package crash

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/ostest"
)

// binaryEnv names the command under test for a test that runs again as an ordinary user, who cannot build it.
const binaryEnv = "CRASH_TEST_BINARY"

// pythonEnv likewise names the files of a home that the Python agentihooks was installed in.
const pythonEnv = "CRASH_TEST_PYTHON"

// asOrdinaryUser is ostest.AsOrdinaryUser with the command built beforehand.
func asOrdinaryUser(t *testing.T) (elsewhere bool) {
	t.Helper()
	return ostest.AsOrdinaryUser(t, func(dir string) []string {
		python := filepath.Join(dir, "pythonhome")
		if err := os.CopyFS(python, os.DirFS(pythonFiles(t, "."))); err != nil {
			t.Fatal(err)
		}
		env := []string{binaryEnv + "=" + build(t, dir), pythonEnv + "=" + python}
		for _, name := range []string{"AGENTIHOOKS_CRASH", "AGENTIHOOKS_HISTORIES"} {
			env = append(env, name+"="+os.Getenv(name))
		}
		return env
	})
}

func build(t testing.TB, dir string) string {
	t.Helper()
	for name, pkg := range map[string]string{"agentihooks": "../../cmd/agentihooks", "agentihooks-hook": "../../hookbin/agentihooks-hook"} {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", name, err, text)
		}
	}
	return filepath.Join(dir, "agentihooks")
}

// full reports whether every point is to be tried.
func full() bool { return os.Getenv("AGENTIHOOKS_CRASH") == "full" }

// site is a home, its state folder and the manifests "a" and "b", with the command that works on them.
type site struct {
	testing.TB
	base, binary string
	home, state  string
	env          []string
}

// command is the command under test, built once a test.
func command(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(binaryEnv); path != "" {
		return path
	}
	return build(t, t.TempDir())
}

// memory is a folder in memory where there is one: a matrix makes some hundred thousand files.
func memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "crash")
	if err != nil {
		return ostest.TempDir(t)
	}
	t.Cleanup(func() {
		ostest.Writable(dir)
		os.RemoveAll(dir)
	})
	return dir
}

func newSite(t testing.TB, base, binary string) *site {
	t.Helper()
	s := &site{TB: t, base: base, binary: binary, home: filepath.Join(base, "home"), state: filepath.Join(base, "state")}
	s.env = []string{"HOME=" + s.home, "AGENTIHOOKS_STATE_DIR=" + s.state, "PATH=/nonexistent", "TMPDIR=" + base}
	if err := os.MkdirAll(s.home, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, files := range manifests {
		for path, text := range files {
			s.write(filepath.Join("src", name, path), text)
		}
	}
	return s
}

func (s *site) manifest(name string) string { return filepath.Join(s.base, "src", name, "machine.hcl") }

// switchTo is the command line of a switch to a manifest.
func (s *site) switchTo(name string) []string { return []string{"switch", "-f", s.manifest(name)} }

func (s *site) write(rel, text string) {
	s.Helper()
	path := filepath.Join(s.base, rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		s.Fatal(err)
	}
}

// result is how a command ended.
type result struct {
	exit           int
	stdout, stderr string
}

func (s *site) run(args ...string) result {
	s.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(s.binary, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.env, s.base, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (s *site) must(args ...string) result {
	s.Helper()
	res := s.run(args...)
	if res.exit != 0 {
		s.Fatalf("%q: exit code %d\n%s%s", args, res.exit, res.stdout, res.stderr)
	}
	return res
}

// recover runs a command that writes, but has nothing to do of its own: it ends what was interrupted, then finds that
// there is no such generation.
func (s *site) recover() result { return s.run(recoverArgs...) }

var recoverArgs = []string{"rollback", "999999"}

// snapshot is what a folder holds: path, type, mode, link text, digest of the content, in the order of the paths.
func snapshot(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v", strings.TrimPrefix(path, dir), info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %x", len(data), sha256.Sum256(data))
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += " -> " + text
		}
		out = append(out, line)
		return nil
	})
	return out, err
}

// save copies home and state into a folder that does not exist.
func (s *site) save(dir string) {
	s.Helper()
	for _, name := range []string{"home", "state"} {
		if err := copyTree(filepath.Join(s.base, name), filepath.Join(dir, name)); err != nil {
			s.Fatal(err)
		}
	}
}

// restore makes home and state what they were when dir was saved.
func (s *site) restore(dir string) {
	s.Helper()
	for _, path := range []string{s.home, s.state} {
		ostest.Writable(path)
		if err := os.RemoveAll(path); err != nil {
			s.Fatal(err)
		}
		if err := copyTree(filepath.Join(dir, filepath.Base(path)), path); err != nil {
			s.Fatal(err)
		}
	}
}

// copyTree copies a folder with its modes; one that is missing is no error. Files that nobody may write are linked: a
// store is made of them, and a program that wrote one would show in its digest.
func copyTree(from, to string) error {
	type folder struct {
		path string
		mode fs.FileMode
	}
	var folders []folder
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		dest := to + strings.TrimPrefix(path, from)
		switch {
		case d.IsDir():
			folders = append(folders, folder{dest, info.Mode().Perm()})
			return os.MkdirAll(dest, 0o700)
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(text, dest)
		case info.Mode().Perm()&0o222 == 0:
			return os.Link(path, dest)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(dest, data, 0o600); err != nil {
			return err
		}
		return os.Chmod(dest, info.Mode().Perm())
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for i := len(folders) - 1; i >= 0 && err == nil; i-- {
		err = os.Chmod(folders[i].path, folders[i].mode)
	}
	return err
}
