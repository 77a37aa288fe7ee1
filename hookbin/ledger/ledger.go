// Package ledger is what the hook said in each session, one line a verdict, in a file of its own in the state folder. It
// never holds what was judged: a command may have a password in it.
package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/hookbin/session"
)

// Version is the version of the lines that this package writes and reads.
const Version = 1

const (
	folder = "ledger" // in the state folder
	suffix = ".jsonl"

	maxSize  = 1 << 20 // bytes of one ledger: about 5,000 verdicts. What comes after is not recorded
	maxFiles = 4096

	// The longest texts, in bytes. JSON makes at most six bytes of one, so that a line has less than 4 KB.
	maxName   = 96
	maxReason = 256
)

// Entry is one verdict. Texts are cut when they are written.
type Entry struct {
	Version int       `json:"version"`
	Time    time.Time `json:"time"` // UTC, whole milliseconds
	Session string    `json:"session"`
	Event   string    `json:"event"`   // Copilot's camelCase name
	Tool    string    `json:"tool"`    // in Copilot's vocabulary; empty if the payload names several, or cannot be read
	Guard   string    `json:"guard"`   // its kind; empty if the hook itself denied
	Verdict string    `json:"verdict"` // note, warn, ask or deny
	Reason  string    `json:"reason"`  // the rule of the guard, as the manifest has it; or why the hook itself denied
}

// Append adds entries to the ledger of their session, each in one write: what another process writes at the same time
// comes before or after it. The state folder must be there: after `agentihooks uninstall` nothing makes it again.
func Append(state, id string, entries ...Entry) error {
	file, err := open(state, id)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New(file.Name() + " is not a regular file")
	}
	size := info.Size()
	for _, e := range entries {
		line := e.line(id)
		if size += int64(len(line)); size > maxSize {
			return errors.New(file.Name() + " is full")
		}
		if _, err := file.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// open opens the ledger of a session to append to, and makes it if it is the first verdict. It goes through no link, and
// does not wait for the reader of a pipe that somebody put there.
func open(state, id string) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_APPEND | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	path := pathOf(state, id)
	dir := filepath.Dir(path)
	if err := isFolder(dir); err == nil {
		file, err := os.OpenFile(path, flags, 0)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(names) >= maxFiles {
		return nil, errors.New("there are " + strconv.Itoa(len(names)) + " ledgers already; agentihooks gc removes the old ones")
	}
	return os.OpenFile(path, flags|os.O_CREATE, 0o600)
}

func isFolder(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		err = errors.New(path + " is not a folder")
	}
	return err
}

// pathOf is the ledger of a session, whether or not it exists. It is called as the session's folder is: an id may hold
// anything.
func pathOf(state, id string) string {
	return filepath.Join(state, folder, filepath.Base(session.Folder(state, id))+suffix)
}

// line is the entry as it is written, its end included. It is put together by hand: the first use of encoding/json on a
// type costs the process more than all the rest here.
func (e Entry) line(id string) []byte {
	out := append(make([]byte, 0, 512), `{"version":`...)
	out = strconv.AppendInt(out, Version, 10)
	out = e.Time.UTC().AppendFormat(append(out, `,"time":"`...), "2006-01-02T15:04:05.000Z")
	out = appendText(append(out, `","session":`...), id, maxName)
	out = appendText(append(out, `,"event":`...), e.Event, maxName)
	out = appendText(append(out, `,"tool":`...), e.Tool, maxName)
	out = appendText(append(out, `,"guard":`...), e.Guard, maxName)
	out = appendText(append(out, `,"verdict":`...), e.Verdict, maxName)
	out = appendText(append(out, `,"reason":`...), e.Reason, maxReason)
	return append(out, "}\n"...)
}

// appendText appends a JSON string of at most limit bytes of text.
func appendText(out []byte, text string, limit int) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for _, r := range cut(text, limit) {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r < ' ':
			out = append(out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}

// cut is text within limit bytes, with a mark where its end is missing.
func cut(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	n := limit - len(mark)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + mark
}
