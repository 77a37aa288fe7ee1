package sessionlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Log is the log of one session on disk. Its folder is named by the session's id.
type Log struct {
	ID      string
	Started time.Time
	path    string
}

// List is the logs below a Copilot home, the newest first, and an error a log that cannot be read. Folders without a log
// are passed over; so are links.
func List(copilotHome string) ([]Log, []error) {
	ids, err := folders(copilotHome)
	if err != nil {
		return nil, []error{err}
	}
	var all []Log
	var faults []error
	for _, id := range ids {
		l := Log{ID: id, path: logPath(copilotHome, id)}
		err := l.open(func(file *os.File) (err error) {
			l.Started, err = Started(file)
			return err
		})
		switch {
		case err == nil:
			all = append(all, l)
		case !errors.Is(err, fs.ErrNotExist):
			faults = append(faults, err)
		}
	}
	slices.SortStableFunc(all, func(a, b Log) int { return b.Started.Compare(a.Started) })
	return all, faults
}

// Find is the log of the session whose id is given, or the only one whose id begins so.
func Find(copilotHome, id string) (Log, error) {
	ids, err := folders(copilotHome)
	if err != nil {
		return Log{}, err
	}
	ids = slices.DeleteFunc(ids, func(name string) bool {
		_, err := os.Lstat(logPath(copilotHome, name))
		return !strings.HasPrefix(name, id) || err != nil
	})
	if slices.Contains(ids, id) {
		ids = []string{id}
	}
	switch len(ids) {
	case 1:
		return Log{ID: ids[0], path: logPath(copilotHome, ids[0])}, nil
	case 0:
		return Log{}, fmt.Errorf("there is no session %q in %s; agentihooks sessions lists them", id, folderOf(copilotHome))
	}
	const shown = 10
	more := ""
	if len(ids) > shown {
		more = fmt.Sprintf(" and %d more", len(ids)-shown)
		ids = ids[:shown]
	}
	return Log{}, fmt.Errorf("several sessions begin with %q: %s%s; give more of the id", id, strings.Join(ids, ", "), more)
}

// Read is the session, with so many of its newest turns, calls and faults.
func (l Log) Read(keep int) (Session, error) {
	var s Session
	err := l.open(func(file *os.File) (err error) {
		s, err = Read(file, keep)
		return err
	})
	return s, err
}

// open goes through no link below the folder of sessions, and waits for nobody who would write into a pipe.
func (l Log) open(read func(*os.File) error) error {
	file, err := os.OpenFile(l.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", l.path)
	}
	if err := read(file); err != nil {
		return fmt.Errorf("reading %s: %w", l.path, err)
	}
	return nil
}

func folderOf(copilotHome string) string { return filepath.Join(copilotHome, "session-state") }

func logPath(copilotHome, id string) string {
	return filepath.Join(folderOf(copilotHome), id, "events.jsonl")
}

// folders is the ids of all sessions, by name. What begins with a dot is Copilot's own (.session-operation-locks).
func folders(copilotHome string) ([]string, error) {
	items, err := os.ReadDir(folderOf(copilotHome))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, item := range items {
		if item.IsDir() && !strings.HasPrefix(item.Name(), ".") {
			ids = append(ids, item.Name())
		}
	}
	return ids, err
}
