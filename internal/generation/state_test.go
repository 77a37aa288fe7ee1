package generation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/ostest"
)

// childDir makes this binary a process that holds the lock of that state folder until its stdin ends.
const (
	childDir   = "GENERATION_TEST_STATE"
	childOwner = "GENERATION_TEST_OWNER"
	childNests = "GENERATION_TEST_NESTS"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	s := State{dir}
	_, err := s.Lock(context.Background())
	if err == nil && os.Getenv(childOwner) != "" {
		err = s.WriteOwner()
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	if os.Getenv(childNests) != "" { // it waits for a process of its own that wants the lock too
		nested := exec.Command(os.Args[0])
		nested.Env = append(os.Environ(), childNests+"=")
		out, err := nested.CombinedOutput()
		os.Stdout.WriteString(string(out))
		if err == nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Stdout.WriteString("locked\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // ends without unlocking, as a crash does
}

func TestOpenStateMakesAPrivateFolder(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "a/b/state")
	if s, err := LookState(dir, home); err != nil {
		t.Error(err)
	} else if list, err := s.List(); err != nil || len(list) > 0 {
		t.Errorf("a missing state lists %v, %v", list, err)
	}
	if _, err := os.Lstat(filepath.Join(home, "a")); err == nil {
		t.Error("looking made a folder")
	}
	for range 2 {
		if _, err := OpenState(dir, home); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", d, info.Mode(), err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(dir, home); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

func TestOpenStateRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(dir string) error
		want    string
	}{
		"group may write":  {func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)) }, "may be written by other users"},
		"others may write": {func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o702)) }, "may be written by other users"},
		"a file":           {func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, "not a folder"},
		"a dangling link":  {func(dir string) error { return os.Symlink("nowhere", dir) }, "no such file"},
		"link to an open folder": {func(dir string) error {
			return errors.Join(os.Mkdir(dir+"2", 0o700), os.Chmod(dir+"2", 0o777), os.Symlink(dir+"2", dir))
		}, "may be written by other users"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, "state")
			if err := tt.prepare(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenState(dir, home); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("OpenState: %v, want %q", err, tt.want)
			}
			if _, err := LookState(dir, home); name != "a dangling link" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("LookState: %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := OpenState(filepath.Join(t.TempDir(), "s"), "/no/such/home"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing home: %v", err)
	}
}

func TestStateMayBeALinkOfOurs(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "state")
	if err := errors.Join(os.Mkdir(dir+"2", 0o700), os.Symlink("state2", dir)); err != nil {
		t.Fatal(err)
	}
	if s, err := OpenState(dir, home); err != nil || s.Dir() != dir {
		t.Errorf("%v, %v", s, err)
	}
}

func TestOtherOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make the folders of another user")
	}
	home := t.TempDir()
	theirs := filepath.Join(home, "theirs")
	link := filepath.Join(home, "link")
	ours := filepath.Join(home, "ours")
	if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, ostest.OrdinaryUser, ostest.OrdinaryUser), os.Mkdir(ours, 0o700),
		os.Symlink("ours", link), os.Lchown(link, ostest.OrdinaryUser, ostest.OrdinaryUser)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ dir, home, want string }{
		{theirs, home, "belongs to user 65534"},
		{link, home, "belongs to user 65534"},
		{ours, theirs, "root would act on"},
		{filepath.Join(theirs, "state"), theirs, "root would act on"},
	} {
		for name, open := range map[string]func(string, string) (State, error){"OpenState": OpenState, "LookState": LookState} {
			if _, err := open(tt.dir, tt.home); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s(%s, %s): %v, want %q", name, tt.dir, tt.home, err, tt.want)
			}
		}
	}
	if items, _ := os.ReadDir(theirs); len(items) > 0 {
		t.Errorf("made in somebody else's folder: %v", items)
	}
}

func TestOpenStateAsOrdinaryUser(t *testing.T) {
	if ostest.AsOrdinaryUser(t) {
		return
	}
	home := t.TempDir()
	if _, err := OpenState(filepath.Join(home, "x/state"), home); err != nil {
		t.Error(err)
	}
	if _, err := OpenState("/", home); err == nil || !strings.Contains(err.Error(), "belongs to user 0") {
		t.Errorf("root's folder: %v", err)
	}
	closed := filepath.Join(home, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(filepath.Join(closed, "state"), home); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("in a read-only folder: %v", err)
	}
}

// holder starts a process that holds the lock.
func holder(t *testing.T, s State, env ...string) (pid int, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, childDir+"="+s.Dir())...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

func lockFor(s State, d time.Duration) (func(), error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return s.Lock(ctx)
}

func TestLock(t *testing.T) {
	s := newState(t)
	unlock, err := lockFor(s, 0) // tries once although the time is over
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockFor(s, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	if info, err := os.Stat(filepath.Join(s.Dir(), "lock")); err != nil || info.Size() != 0 || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	unlock()
	unlock()
	again, err := lockFor(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	unlock() // not its own any more
	if _, err := lockFor(s, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("an old unlock let go of a new lock: %v", err)
	}
	again()
}

func TestLockNamesTheHolder(t *testing.T) {
	s := newState(t)
	pid, end := holder(t, s, childOwner+"=1")
	_, err := lockFor(s, 60*time.Millisecond)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "process "+strconv.Itoa(pid)+";") {
		t.Errorf("got %v, want process %d", err, pid)
	}
	end() // without unlocking: its number stays in the file
	_, end = holder(t, s)
	defer end()
	if _, err := lockFor(s, 0); !errors.Is(err, ErrLocked) || strings.Contains(err.Error(), strconv.Itoa(pid)) {
		t.Errorf("got %v, which should not name the dead process %d", err, pid)
	}
}

// TestACallInsideASwitchDoesNotWaitForIt: the outer one waits for the inner one, so the inner one must not wait.
// See https://github.com/twpayne/chezmoi/issues/4340.
func TestACallInsideASwitchDoesNotWaitForIt(t *testing.T) {
	s := newState(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+s.Dir(), childOwner+"=1", childNests+"=1")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), ErrNested.Error()) {
		t.Errorf("%v, %q", err, out)
	}
}

func TestPin(t *testing.T) {
	s := newState(t)
	n := mustCreate(t, s, "one")
	pinned := func(n Number) bool {
		ok, err := s.Pinned(n)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	for range 2 {
		if err := s.Pin(n); err != nil || !pinned(n) {
			t.Fatalf("%v, %v", err, pinned(n))
		}
	}
	if _, err := s.Read(n); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := s.Unpin(n); err != nil || pinned(n) {
			t.Fatalf("%v, %v", err, pinned(n))
		}
	}
	for _, change := range []func(Number) error{s.Pin, s.Unpin} {
		if err := change(n + 1); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a generation that is not there: %v", err)
		}
	}
}

func TestLockIsFreeAfterACrashAndWaits(t *testing.T) {
	s := newState(t)
	_, end := holder(t, s, childOwner+"=1")
	time.AfterFunc(100*time.Millisecond, end)
	unlock, err := lockFor(s, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.WriteOwner(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir(), "lock")
	if data, _ := os.ReadFile(path); !strings.HasPrefix(string(data), strconv.Itoa(os.Getpid())+" ") {
		t.Errorf("the lock says %q", data)
	}
	if _, err := lockFor(s, 0); err == nil || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())+";") {
		t.Errorf("got %v", err)
	}
	unlock()
	if data, err := os.ReadFile(path); err != nil || len(data) > 0 {
		t.Errorf("after unlock the lock says %q, %v", data, err)
	}
}

func TestLockOfARemovedFileIsNoLock(t *testing.T) {
	s := newState(t)
	_, end := holder(t, s)
	time.AfterFunc(120*time.Millisecond, func() {
		if err := os.Remove(filepath.Join(s.Dir(), "lock")); err != nil {
			t.Error(err)
		}
		end()
	})
	unlock, err := lockFor(s, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := lockFor(s, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("two hold the lock: %v", err)
	}
}
