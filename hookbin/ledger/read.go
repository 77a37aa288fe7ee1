package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Ledger is the ledger of one session as it is read: each entry once.
type Ledger struct {
	Name    string    // of the session's folder: the sha256 of its id, in hex
	Changed time.Time // when it was last written
	Full    bool      // later verdicts of the session are not in it

	path string
	size int64
	read int64 // so many bytes of it
}

// List is every ledger, by name. None has been read.
func List(state string) ([]*Ledger, error) {
	dir := filepath.Join(state, folder)
	if err := isFolder(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	items, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []*Ledger
	for _, item := range items {
		name, ok := strings.CutSuffix(item.Name(), suffix)
		info, err := item.Info()
		if !ok || err != nil || !info.Mode().IsRegular() { // not ours, or just removed
			continue
		}
		out = append(out, &Ledger{Name: name, Changed: info.ModTime(), Full: full(info), path: filepath.Join(dir, item.Name()), size: info.Size()})
	}
	return out, nil
}

// Of is the ledger of a session, whether or not it exists.
func Of(state, id string) *Ledger {
	path := pathOf(state, id)
	return &Ledger{Name: strings.TrimSuffix(filepath.Base(path), suffix), path: path}
}

// full: the next verdict might not fit.
func full(info fs.FileInfo) bool { return info.Size() > maxSize-4<<10 }

// Next is the entries that were added since the last call, and how many lines there were that no hook of this release
// wrote. A ledger that does not exist has none.
func (l *Ledger) Next() (entries []Entry, odd int, err error) {
	data, info, err := read(l.path, l.read)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	l.Changed, l.Full, l.size = info.ModTime(), full(info), info.Size()
	for {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return entries, odd, nil // its end is still to come
		}
		data, l.read = rest, l.read+int64(len(line))+1
		if e, ok := decode(line); ok {
			entries = append(entries, e)
		} else {
			odd++
		}
	}
}

// read is what a ledger holds from an offset on.
func read(path string, from int64) ([]byte, fs.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New(path + " is not a regular file")
	}
	data, err := io.ReadAll(io.NewSectionReader(file, from, 2*maxSize-from))
	return data, info, err
}

func decode(line []byte) (Entry, bool) {
	var e Entry
	err := json.Unmarshal(line, &e)
	return e, err == nil && e.Version == Version && e.Verdict != "" && !e.Time.IsZero()
}

// denial is how a line says that it is about one. No text in a line can hold it: there a quote is escaped.
var denial = []byte(`,"verdict":"deny",`)

// Denials is how many calls of a session were denied, as far as that is on record.
func Denials(state, id string) int {
	data, _, err := read(pathOf(state, id), 0)
	if err != nil {
		return 0
	}
	return bytes.Count(data, denial)
}

// Remove removes the ledger.
func (l *Ledger) Remove() error {
	if err := os.Remove(l.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Follower reads all ledgers of a state folder as they grow.
type Follower struct {
	state string
	known map[string]*Ledger
}

// Follow begins before the first entry.
func Follow(state string) *Follower { return &Follower{state, map[string]*Ledger{}} }

// Next is the newest of the entries that were added since the last call, in the order of their times, at most limit of
// those that want takes; and how many lines there were that no hook of this release wrote.
func (f *Follower) Next(limit int, want func(Entry) bool) (entries []Entry, odd int, err error) {
	list, err := List(f.state)
	if err != nil {
		return nil, 0, err
	}
	for _, l := range list {
		known := f.known[l.Name]
		if known == nil {
			known = l
			f.known[l.Name] = l
		} else if l.size <= known.read {
			continue
		}
		more, bad, err := known.Next()
		if err != nil {
			return nil, 0, err
		}
		odd += bad
		entries = append(entries, slices.DeleteFunc(more, func(e Entry) bool { return !want(e) })...)
		slices.SortStableFunc(entries, func(a, b Entry) int { return a.Time.Compare(b.Time) })
		entries = slices.Clip(entries[max(0, len(entries)-limit):])
	}
	return entries, odd, nil
}
