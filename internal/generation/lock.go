package generation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/agentihooks/agentihooks/hookbin/process"
)

// ErrLocked is in the chain of Lock's error if another process held the lock until the context ended.
var ErrLocked = errors.New("another agentihooks is at work")

// ErrNested is in the chain of Lock's error if the lock is held by a process that started us, directly or not: it waits
// for us, so that waiting for it would never end.
var ErrNested = errors.New("agentihooks was called by an agentihooks that is at work")

// lockRetry is how often a waiting process looks again.
const lockRetry = 50 * time.Millisecond

// Lock takes the one writer's lock. It tries at least once, then waits until ctx ends. Readers take no lock. The file
// stays after unlock: a process that waits holds it open.
func (s State) Lock(ctx context.Context) (unlock func(), err error) {
	path := s.lockPath()
	for {
		lock := flock.New(path)
		ok, err := lock.TryLock()
		if err == nil && !ok {
			if pid, ok := s.owner(); ok && process.IsAncestor(pid, process.Start(pid), os.Getpid()) {
				return nil, fmt.Errorf("%w: %s is held by process %d, which started this one; let that end, and call agentihooks after it", ErrNested, path, pid)
			}
			ok, err = lock.TryLockContext(ctx, lockRetry)
		}
		if !ok {
			return nil, s.lockError(err)
		}
		if sameLock(lock, path) {
			return sync.OnceFunc(func() { s.unlock(lock) }), nil
		}
		// The file was removed while we waited (uninstall, a new state folder): the next holder locks another one.
		if err := lock.Unlock(); err != nil {
			return nil, fmt.Errorf("unlocking %s: %w", path, err)
		}
	}
}

func (s State) lockPath() string { return filepath.Join(s.dir, "lock") }

func sameLock(lock *flock.Flock, path string) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(held, named)
}

// unlock empties the file if an owner was written, so that nobody is later named for a lock of somebody else.
func (s State) unlock(lock *flock.Flock) {
	if info, err := lock.Stat(); err == nil && info.Size() > 0 {
		_ = os.Truncate(s.lockPath(), 0) // only a message gets worse
	}
	_ = lock.Unlock() // the kernel unlocks with the process at the latest
}

func (s State) lockError(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
	case err != nil:
		return fmt.Errorf("locking %s: %w", s.lockPath(), err)
	}
	if pid, ok := s.owner(); ok {
		return fmt.Errorf("%w: %s is held by process %d; wait for it to end", ErrLocked, s.lockPath(), pid)
	}
	return fmt.Errorf("%w: %s is held; wait for it to end", ErrLocked, s.lockPath())
}

// WriteOwner writes our process number and start into the lock, for the message of those who wait. A switch that changes
// nothing does not call it, and so writes nothing. The lock must be held. It is written in place: a rename would leave
// the lock on a file without a name.
func (s State) WriteOwner() error {
	pid := os.Getpid()
	return os.WriteFile(s.lockPath(), []byte(strconv.Itoa(pid)+" "+process.Start(pid)+"\n"), 0o600)
}

// owner is the process that wrote itself into the lock, if it still runs. A process of another container does not: its
// number is not ours to look up, and its start tells it from one of ours with the same number.
func (s State) owner() (int, bool) {
	data, err := os.ReadFile(s.lockPath())
	if err != nil || len(data) > 64 {
		return 0, false
	}
	number, start, _ := strings.Cut(strings.TrimSuffix(string(data), "\n"), " ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || process.Start(pid) != start {
		return 0, false
	}
	err = syscall.Kill(pid, 0)
	return pid, err == nil || errors.Is(err, fs.ErrPermission)
}
