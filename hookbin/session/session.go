// Package session is the hook's folder of one agent session in the state folder: which generation it began with, and
// whether it still runs.
package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/process"
)

// Version is the version of a session's record that this package writes and reads.
const Version = 1

const (
	folder     = "sessions"     // in the state folder
	recordFile = "session.json" // in the folder of one session

	maxRecord   = 4 << 10 // bytes
	maxSessions = 4096    // of which a record is kept
	nameLength  = 2 * sha256.Size
)

// Names of what others keep in the folder of a session. It goes with the session.
const (
	MemoryFile = "memory"
	TempPrefix = ".tmp-" // of a file that is being made
)

// keepUnknown is how long a session of another machine or container counts as running after it was last seen: nobody
// here can look at its process. keepRunning is the same where a process is known by its number only, which another may
// have by now.
const (
	keepUnknown = 7 * 24 * time.Hour
	keepRunning = 30 * 24 * time.Hour
)

// Record is what is kept of one session.
type Record struct {
	Version    int        `json:"version"`    // Version; any other is refused
	Generation int        `json:"generation"` // live when the session began; 0: none
	Process    process.ID `json:"process"`    // the agent
	Seen       time.Time  `json:"seen"`       // UTC, whole seconds
}

// ErrNewer is in the chain of the error about a record that a newer release wrote.
var ErrNewer = errors.New("written by a newer agentihooks")

func (r Record) encode() ([]byte, error) {
	data, err := json.Marshal(r)
	return append(data, '\n'), err
}

// decode takes nothing but what encode writes.
func decode(data []byte) (Record, error) {
	if len(data) > maxRecord {
		return Record{}, errors.New("the record is too long")
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, err
	}
	if r.Version > Version {
		return Record{}, errors.Join(ErrNewer, errors.New("version "+strconv.Itoa(r.Version)+", this release reads "+strconv.Itoa(Version)))
	}
	again, err := r.encode()
	if err != nil {
		return Record{}, err
	}
	if r.Version != Version || r.Generation < 0 || r.Seen.IsZero() || !bytes.Equal(again, data) {
		return Record{}, errors.New("not a session record of version " + strconv.Itoa(Version))
	}
	return r, nil
}

// Folder is the folder of one session, whether or not it exists.
func Folder(state, id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(state, folder, hex.EncodeToString(sum[:]))
}

// Write records a session, in one step that a reader sees whole or not at all. The state folder must be there: after
// `agentihooks uninstall` nothing makes it again.
func Write(state, id string, generation int, agent process.ID, now time.Time) error {
	r := Record{Version: Version, Generation: generation, Process: agent, Seen: now.UTC().Truncate(time.Second)}
	data, err := r.encode()
	if err != nil {
		return err
	}
	if len(data) > maxRecord {
		return errors.New("the record would be too long")
	}
	if err := MakeFolder(state, id); err != nil {
		return err
	}
	return replace(filepath.Join(Folder(state, id), recordFile), data)
}

// MakeFolder makes the folder of a session, unless there are too many. The state folder must be there.
func MakeFolder(state, id string) error {
	dir := Folder(state, id)
	if err := makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	names, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return err
	}
	if len(names) >= maxSessions && sweep(filepath.Dir(dir), names) == 0 {
		return errors.New("there are " + strconv.Itoa(len(names)) + " sessions on record already; agentihooks gc removes those that ended")
	}
	return makeFolder(dir)
}

// keepSubagent is how long the folder of a subagent stays: Copilot 1.0.80 to 1.0.92 has a session of its own for each, of
// which no event tells the end.
const keepSubagent = 24 * time.Hour

// sweep removes the folders of subagents that ended, and reports how many.
func sweep(parent string, names []fs.DirEntry) (removed int) {
	for _, name := range names {
		dir := filepath.Join(parent, name.Name())
		_, err := os.Lstat(filepath.Join(dir, recordFile))
		info, infoErr := os.Lstat(filepath.Join(dir, MemoryFile))
		if errors.Is(err, fs.ErrNotExist) && infoErr == nil && time.Since(info.ModTime()) > keepSubagent && remove(dir) == nil {
			removed++
		}
	}
	return removed
}

// makeFolder makes a private folder, and refuses to go through anything else that stands there.
func makeFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		err = errors.New(path + " is not a folder")
	}
	return err
}

// replace does not sync: a power cut ends the session, too.
func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), TempPrefix+"*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // what stays, gc removes
	}
	return err
}

// Remove forgets a session that ended; none is no error.
func Remove(state, id string) error { return remove(Folder(state, id)) }

// remove removes the record and what a crash left of one. The folder goes if nothing else is in it.
func remove(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return ignoreAbsent(err)
	}
	var all error
	for _, name := range names {
		if name.Name() == recordFile || name.Name() == callsFile || name.Name() == MemoryFile || strings.HasPrefix(name.Name(), TempPrefix) {
			all = errors.Join(all, ignoreAbsent(os.Remove(filepath.Join(dir, name.Name()))))
		}
	}
	_ = os.Remove(dir) // refused while it holds something
	return all
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Began is the generation that a session began with, 0 if that is not on record.
func Began(state, id string) int {
	data, err := os.ReadFile(filepath.Join(Folder(state, id), recordFile))
	if err != nil {
		return 0
	}
	r, err := decode(data)
	if err != nil {
		return 0
	}
	return r.Generation
}

// Session is one session on record.
type Session struct {
	Name   string // of its folder: the sha256 of its id, in hex
	Record Record // zero if there is none that can be read
	dir    string
}

// List is every session on record, by name. A record that is damaged is a session of which nothing is known. One of a
// newer release is an error (ErrNewer): it may run, and what it needs is not known.
func List(state string) ([]Session, error) {
	items, err := os.ReadDir(filepath.Join(state, folder))
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	var out []Session
	for _, item := range items {
		if len(item.Name()) != nameLength || !item.IsDir() {
			continue
		}
		s := Session{Name: item.Name(), dir: filepath.Join(state, folder, item.Name())}
		path := filepath.Join(s.dir, recordFile)
		data, err := os.ReadFile(path)
		if err == nil {
			s.Record, err = decode(data)
		}
		if errors.Is(err, ErrNewer) {
			return nil, errors.Join(errors.New("reading "+path), err)
		}
		out = append(out, s)
	}
	return out, nil
}

// Live reports whether the session still runs, as far as can be told.
func (s Session) Live(now time.Time) bool {
	age := now.Sub(s.Record.Seen)
	switch s.Record.Process.State() {
	case process.Running:
		return s.Record.Process.Start != "" || age < keepRunning
	case process.Unknown:
		return s.Record.Process.PID > 0 && age < keepUnknown
	}
	return false
}

// Started reports whether the agent of a running session on record started the process of that number, by whatever steps.
// The environment can be cleared, the line of parents cannot.
func Started(state string, pid int) (bool, error) {
	list, err := List(state)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list, func(s Session) bool {
		id := s.Record.Process
		return id.State() == process.Running && process.IsAncestor(id.PID, id.Start, pid)
	}), nil
}

// Subagent reports whether nothing is known of the session but what its hook remembers: it has no record because no
// sessionStart is told of a subagent. What runs it has a session of its own.
func (s Session) Subagent() bool {
	_, err := os.Lstat(filepath.Join(s.dir, MemoryFile))
	return err == nil && s.Record.Version == 0
}

// Fresh reports whether the session's folder changed a moment ago: its hook may be writing the record now. A subagent's
// is fresh for as long as its calls may run.
func (s Session) Fresh(now time.Time) bool {
	if info, err := os.Lstat(filepath.Join(s.dir, MemoryFile)); err == nil && s.Subagent() {
		return now.Sub(info.ModTime()) < keepSubagent
	}
	info, err := os.Lstat(s.dir)
	return err == nil && now.Sub(info.ModTime()).Abs() < time.Minute
}

// Remove forgets a session that ended.
func (s Session) Remove() error { return remove(s.dir) }
