package durable

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// childPath makes this binary a process that writes there, for a look with strace.
const childPath = "DURABLE_TEST_PATH"

func TestMain(m *testing.M) {
	path := os.Getenv(childPath)
	if path == "" {
		os.Exit(m.Run())
	}
	err := errors.Join(WriteFile(path, []byte("new"), 0o600), Sync(path, filepath.Dir(path)))
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

func TestWriteFile(t *testing.T) {
	for name, write := range map[string]func(string, []byte, fs.FileMode) error{"WriteFile": WriteFile, "Replace": Replace} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, other := filepath.Join(dir, "f"), filepath.Join(dir, "other")
			if err := os.WriteFile(other, []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, prepare := range []func() error{
				func() error { return nil },
				func() error { return os.Chmod(path, 0o400) },
				func() error { return errors.Join(os.Remove(path), os.Symlink("other", path)) },
				func() error { return errors.Join(os.Remove(path), os.Symlink("nowhere", path)) },
			} {
				if err := prepare(); err != nil {
					t.Fatal(err)
				}
				if err := write(path, []byte("new"), 0o644); err != nil {
					t.Fatal(err)
				}
				info, err := os.Lstat(path)
				if err != nil || info.Mode() != 0o644 {
					t.Errorf("%v, %v", info, err)
				}
				if data, _ := os.ReadFile(path); string(data) != "new" {
					t.Errorf("content %q", data)
				}
			}
			if data, _ := os.ReadFile(other); string(data) != "theirs" {
				t.Errorf("what the link led to is now %q", data)
			}
			if items, _ := os.ReadDir(dir); len(items) != 2 {
				t.Errorf("the folder holds %v", items)
			}
		})
	}
}

func TestAFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, nil, 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if items, _ := os.ReadDir(dir); len(items) != 1 {
		t.Errorf("the folder holds %v", items)
	}
	if err := WriteFile(filepath.Join(dir, "no/f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("writing into a missing folder: %v", err)
	}
}

func TestSync(t *testing.T) {
	dir := t.TempDir()
	if err := Sync(dir, dir, filepath.Join(dir, "..")); err != nil {
		t.Error(err)
	}
	if err := Sync(); err != nil {
		t.Error(err)
	}
	if err := Sync(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing path: %v", err)
	}
}

// TestOrderOfCalls looks with strace: content before the name, the folder after it, one syncfs for a file system.
func TestOrderOfCalls(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no strace here")
	}
	dir := t.TempDir()
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(strace, "-f", "-o", log, "-e", "trace=fsync,syncfs,rename,renameat,renameat2", os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+filepath.Join(dir, "f"))
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "ptrace") {
			t.Skipf("strace may not trace here: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for line := range strings.Lines(string(data)) {
		for _, call := range []string{"fsync", "syncfs", "rename"} {
			if strings.Contains(line, " "+call) && !strings.Contains(line, "resumed") {
				calls = append(calls, call)
			}
		}
	}
	if got, want := strings.Join(calls, " "), "fsync rename fsync syncfs"; got != want {
		t.Errorf("calls %q, want %q\n%s", got, want, data)
	}
}
