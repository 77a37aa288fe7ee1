// Package ostest gives tests what they need of the operating system: folders that are removed although they hold
// read-only trees, and an ordinary user where the tests run as root.
package ostest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TempDir is t.TempDir for what gets read-only folders in it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { Writable(dir) })
	return dir
}

// Writable makes every folder below dir writable by its owner, so that the whole can be removed.
func Writable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
}

// OrdinaryUser is the user and group number that AsOrdinaryUser gives a test started by root.
const OrdinaryUser = 65534

const marker = "OSTEST_ORDINARY_USER"

// AsOrdinaryUser makes a test meet real permissions, which root does not. Call it first:
//
//	if ostest.AsOrdinaryUser(t) {
//		return // it ran in a process of its own
//	}
//
// Started by root, it runs this very test again as user 65534, in a folder of its own that is HOME, TMPDIR and working
// folder, and reports that process's result. The environment is otherwise empty but for PATH and prepare's additions.
// Prepare, which root runs before, gets that folder.
func AsOrdinaryUser(t *testing.T, prepare ...func(dir string) (env []string)) bool {
	t.Helper()
	if os.Geteuid() != 0 || os.Getenv(marker) != "" {
		return false
	}
	dir, err := os.MkdirTemp("", "ostest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Writable(dir)
		os.RemoveAll(dir)
	})
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, OrdinaryUser, OrdinaryUser); err != nil {
		t.Fatal(err)
	}
	// The test binary lies in a 0700 folder of root.
	binary := filepath.Join(dir, "test")
	if err := copyBinary(binary); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = home
	cmd.Env = []string{marker + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}
	for _, p := range prepare {
		cmd.Env = append(cmd.Env, p(dir)...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: OrdinaryUser, Gid: OrdinaryUser}}
	out, err := cmd.CombinedOutput()
	report(t, string(out), err)
	return true
}

func report(t *testing.T, out string, err error) {
	t.Helper()
	switch {
	case err != nil:
		t.Errorf("as an ordinary user: %v\n%s", err, out)
	case strings.Contains(out, "--- SKIP: "+t.Name()):
		t.Skipf("as an ordinary user:\n%s", out)
	case !strings.Contains(out, "--- PASS: "+t.Name()):
		t.Errorf("as an ordinary user the test did not run:\n%s", out)
	default:
		t.Logf("as an ordinary user:\n%s", out) // what it measured
	}
}

func copyBinary(to string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	in, err := os.Open(self)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return fmt.Errorf("copying the test binary: %w", err)
	}
	return out.Close()
}
