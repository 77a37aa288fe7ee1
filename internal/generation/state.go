// Package generation is the state folder: numbered records of switches, the one link that says which is live, the lock.
package generation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// State is the state folder of one user. Methods that only read take no lock and treat what is missing as empty;
// methods that write are called under Lock, if not said otherwise.
type State struct {
	dir string
}

// OpenState makes the state folder if it is missing (mode 0700, its parents too) and checks it. Refused are a folder
// or link of another owner, a folder that others may write, and root acting on somebody else's home. Both paths are
// absolute.
func OpenState(dir, home string) (State, error) {
	if err := checkHome(home); err != nil {
		return State{}, err
	}
	s := State{dir}
	return s, s.Make()
}

// Make makes the state folder and checks it, as OpenState does.
func (s State) Make() error {
	if err := os.MkdirAll(filepath.Dir(s.dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := checkState(s.dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm() != 0o700 { // made by hand; what was in the user's files before may lie in it
		return os.Chmod(s.dir, 0o700)
	}
	return nil
}

// Exists reports whether the state folder is there.
func (s State) Exists() (bool, error) {
	_, err := os.Lstat(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// LookState is OpenState for a command that only reads: it makes and changes nothing. A missing folder is an empty
// state.
func LookState(dir, home string) (State, error) {
	if err := checkHome(home); err != nil {
		return State{}, err
	}
	if _, err := checkState(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return State{}, err
	}
	return State{dir}, nil
}

// Dir is the state folder itself.
func (s State) Dir() string { return s.dir }

// LeadsHere reports whether path is a link into the live tree, whether or not there is one any more.
func (s State) LeadsHere(path string) bool {
	text, err := os.Readlink(path)
	return err == nil && strings.HasPrefix(text, s.LiveTree()+"/")
}

// LiveTree is the path of the live tree through `current`: what every link into the tree begins with.
func (s State) LiveTree() string { return filepath.Join(s.dir, "current", "tree") }

// checkHome refuses root in the home of another user: everything made there would belong to root.
func checkHome(home string) error {
	info, err := os.Stat(home)
	if err != nil {
		return fmt.Errorf("looking at the home: %w", err)
	}
	if uid := ownerOf(info); os.Geteuid() == 0 && uid != 0 {
		return fmt.Errorf("root would act on %s, the home of user %d: run the command as that user, or set HOME to root's own home", home, uid)
	}
	return nil
}

// checkState looks at the folder and, if its last component is a link, at the link too: a link of ours to a folder of
// ours is how a user keeps the state on another disk.
func checkState(dir string) (fs.FileInfo, error) {
	link, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(dir, link); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("the state folder %s is not a folder: move it away", dir)
	}
	if err := checkOwner(dir, info); err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("the state folder %s may be written by other users (mode %04o): look at what is in it, then run chmod 700 on it", dir, info.Mode().Perm())
	}
	return info, nil
}

func checkOwner(dir string, info fs.FileInfo) error {
	if uid := ownerOf(info); uid != os.Geteuid() {
		return fmt.Errorf("the state folder %s belongs to user %d, not to user %d: run the command as its owner, or set AGENTIHOOKS_STATE_DIR to a folder of your own", dir, uid, os.Geteuid())
	}
	return nil
}

func ownerOf(info fs.FileInfo) int {
	return int(info.Sys().(*syscall.Stat_t).Uid) // always this type on the systems we run on
}
