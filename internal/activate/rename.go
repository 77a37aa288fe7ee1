package activate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// tempName is the name under which something stands beside name for a moment. A long name is cut to its digest, so that
// the whole fits a file name.
func tempName(name, kind string) string {
	if len(name) > 180 {
		name = digestOf([]byte(name))[:16]
	}
	return "." + name + ".agentihooks-" + kind
}

// inFolder calls f with the descriptor of a folder, again after a signal.
func inFolder(dir *os.Root, f func(fd int) error) error {
	open, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer open.Close()
	for {
		if err = f(int(open.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// unsupported reports whether a file system has no such rename: network and user-space ones say so in different words.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

// renameFree gives something a name that must be free; fs.ErrExist if it is not.
func (h *home) renameFree(dir *os.Root, from, to string) error {
	if !h.plainRename {
		err := inFolder(dir, func(fd int) error { return renameNew(fd, from, to) })
		if err == nil || !unsupported(err) {
			return err
		}
	}
	info, err := dir.Lstat(from)
	if err != nil {
		return err
	}
	switch { // these refuse to overwrite
	case info.Mode().IsRegular():
		if err := dir.Link(from, to); err != nil {
			return err
		}
		return dir.Remove(from)
	case info.Mode()&fs.ModeSymlink != 0:
		text, err := dir.Readlink(from)
		if err != nil {
			return err
		}
		if err := dir.Symlink(text, to); err != nil {
			return err
		}
		return dir.Remove(from)
	}
	if _, err := dir.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s: %w", to, fs.ErrExist))
	}
	return dir.Rename(from, to)
}

// exchange swaps two names, so that nothing is lost whatever stands there by now. Where that takes more than one step, a
// crash in between is put right by mend.
func (h *home) exchange(dir *os.Root, a, b string) error {
	if !h.plainRename {
		err := inFolder(dir, func(fd int) error { return exchangeNames(fd, a, b) })
		if err == nil || !unsupported(err) {
			return err
		}
	}
	third := a + "-x"
	if err := h.renameFree(dir, b, third); err != nil {
		return err
	}
	if err := h.renameFree(dir, a, b); err != nil {
		return errors.Join(err, h.renameFree(dir, third, b))
	}
	return h.renameFree(dir, third, a)
}

// mend ends an exchange that a crash stopped: it is undone, or finished.
func (h *home) mend(dir *os.Root, a, b string) error {
	third := a + "-x"
	if _, err := dir.Lstat(third); err != nil {
		return ignoreAbsent(err)
	}
	err := h.renameFree(dir, third, b)
	if errors.Is(err, fs.ErrExist) {
		err = h.renameFree(dir, third, a)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	switch { // all three are there: one of them has two names, and was about to lose the first
	case sameItem(dir, third, a), sameItem(dir, third, b):
		return dir.Remove(third)
	case sameItem(dir, a, b):
		if err := dir.Remove(a); err != nil {
			return err
		}
		return h.renameFree(dir, third, a)
	}
	return err
}

// sameItem reports whether two names are one file, or two links with one text.
func sameItem(dir *os.Root, a, b string) bool {
	one, err := dir.Lstat(a)
	two, err2 := dir.Lstat(b)
	if err != nil || err2 != nil || one.Mode().Type() != two.Mode().Type() {
		return false
	}
	if one.Mode()&fs.ModeSymlink == 0 {
		return os.SameFile(one, two) && one.Mode().IsRegular()
	}
	s, err := dir.Readlink(a)
	t, err2 := dir.Readlink(b)
	return err == nil && err2 == nil && s == t
}

// removeAll removes what stands at a name, folders that may not be written included; nothing there is no error.
func removeAll(dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	if err != nil {
		return ignoreAbsent(err)
	}
	if !info.IsDir() {
		return ignoreAbsent(dir.Remove(name))
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		if err := dir.Chmod(name, 0o700); err != nil {
			return err
		}
	}
	sub, err := enter(dir, name)
	if err != nil {
		return err
	}
	defer sub.Close()
	names, err := readNames(sub)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := removeAll(sub, n); err != nil {
			return err
		}
	}
	return ignoreAbsent(dir.Remove(name))
}
