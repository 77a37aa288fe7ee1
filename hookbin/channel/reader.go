package channel

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
	"time"
)

const (
	readersFolder = "readers"   // in the folder of the messages: a folder for each session that was handed one
	seenFile      = "seen.json" // in it

	// Window is how long a persistent message is not handed to the same session again.
	Window = 2 * time.Minute
	// perEvent bounds how many messages are handed over at once.
	perEvent = 8
)

// Reader is a session that may be handed messages. A session of its own is also what an agent starts within its session.
type Reader struct {
	Session  string
	Channels []string
	Urgent   bool // it is at a tool call, where only urgent messages disturb
}

// Delivery is what a session is to be handed now. While it is open, no other event of the session can hand over the
// same. A nil Delivery is one without messages.
type Delivery struct {
	Messages []Message // the most important first; more may wait for another event

	state, path string
	now         time.Time
	seen        seen
	unlock      func()
}

// Next is what the session is to be handed now, nil if there is nothing. It has to be closed.
func Next(state string, r Reader, now time.Time) (*Delivery, error) {
	if state == "" || r.Session == "" {
		return nil, nil
	}
	live, err := Live(state, now)
	if err != nil {
		return nil, err
	}
	meant := slices.DeleteFunc(live, func(m Message) bool {
		return !m.For(r.Session, r.Channels) || r.Urgent && !m.urgent()
	})
	if len(meant) == 0 {
		return nil, nil
	}
	d, err := open(state, r.Session, now, hookPatience)
	if err != nil {
		return nil, err
	}
	d.Messages = slices.DeleteFunc(meant, func(m Message) bool { return !d.seen.due(m, now) })
	if len(d.Messages) == 0 {
		d.Close()
		return nil, nil
	}
	d.Messages = d.Messages[:min(perEvent, len(d.Messages))]
	return d, nil
}

// open locks what is known of a session.
func open(state, session string, now time.Time, patience time.Duration) (*Delivery, error) {
	dir := readerFolder(state, session)
	if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	unlock, err := lock(dir, patience)
	if err != nil {
		return nil, err
	}
	d := &Delivery{state: state, path: filepath.Join(dir, seenFile), now: now.UTC().Truncate(time.Second), unlock: unlock}
	data, err := readFile(d.path)
	if err == nil {
		d.seen, err = decodeSeen(data)
	}
	if errors.Is(err, ErrNewer) {
		d.Close()
		return nil, err
	}
	return d, nil // with none, or a damaged one, all is new: better twice than never
}

// Done remembers that the first n messages were handed over.
func (d *Delivery) Done(n int) error {
	if d == nil || n == 0 {
		return nil
	}
	for _, m := range d.Messages[:n] {
		d.seen.note(m.ID, d.now, false)
	}
	return d.save()
}

// Close lets other events of the session go on.
func (d *Delivery) Close() {
	if d != nil {
		d.unlock()
	}
}

// Acknowledge remembers that the session needs no more of a message, which is an error if it is not live.
func Acknowledge(state, session, id string, now time.Time) error {
	live, err := Live(state, now)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(live, func(m Message) bool { return m.ID == id }) {
		return noMessage(id)
	}
	d, err := open(state, session, now, commandPatience)
	if err != nil {
		return err
	}
	defer d.Close()
	d.seen.note(id, d.now, true)
	return d.save()
}

// save writes what is known of the session, of messages that there still are only: that bounds the file.
func (d *Delivery) save() error {
	there, err := ids(d.state)
	if err != nil {
		return err
	}
	d.seen.Messages = slices.DeleteFunc(d.seen.Messages, func(s sight) bool { return !slices.Contains(there, s.ID) })
	data, err := d.seen.encode()
	if err != nil {
		return err
	}
	return replace(d.path, data)
}

// seen is what a session was handed.
type seen struct {
	Version  int     `json:"version"`  // Version; any other is refused
	Messages []sight `json:"messages"` // sorted by id
}

type sight struct {
	ID           string    `json:"id"`
	At           time.Time `json:"at"` // when last; UTC, whole seconds
	Acknowledged bool      `json:"acknowledged"`
}

func (s *seen) find(id string) (int, bool) {
	return slices.BinarySearchFunc(s.Messages, id, func(s sight, id string) int { return bytes.Compare([]byte(s.ID), []byte(id)) })
}

// due reports whether a message is to be handed over. A clock that was set back makes it due.
func (s *seen) due(m Message, now time.Time) bool {
	i, ok := s.find(m.ID)
	if !ok {
		return true
	}
	last := s.Messages[i]
	return m.Persistent && !last.Acknowledged && now.Sub(last.At).Abs() >= Window
}

func (s *seen) note(id string, at time.Time, acknowledged bool) {
	i, ok := s.find(id)
	if !ok {
		s.Messages = slices.Insert(s.Messages, i, sight{ID: id})
	}
	s.Messages[i].At = at
	s.Messages[i].Acknowledged = s.Messages[i].Acknowledged || acknowledged
}

func (s seen) encode() ([]byte, error) {
	s.Version = Version
	data, err := json.Marshal(s)
	return append(data, '\n'), err
}

// decodeSeen takes nothing but what encode writes.
func decodeSeen(data []byte) (seen, error) {
	var s seen
	if err := json.Unmarshal(data, &s); err != nil {
		return seen{}, err
	}
	if s.Version > Version {
		return seen{}, ErrNewer
	}
	again, err := s.encode()
	if err != nil {
		return seen{}, err
	}
	sorted := slices.IsSortedFunc(s.Messages, func(a, b sight) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) })
	if s.Version != Version || !sorted || !bytes.Equal(again, data) {
		return seen{}, errors.New("not of version " + strconv.Itoa(Version))
	}
	return s, nil
}

func readerFolder(state, session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(state, folder, readersFolder, hex.EncodeToString(sum[:]))
}

// forgetReaders removes what is known of sessions that were handed nothing for so long that no message of then is live.
// One that is handed something right now loses at most the memory of that.
func forgetReaders(state string, now time.Time) {
	dir := filepath.Join(state, folder, readersFolder)
	items, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, item := range items {
		if info, err := item.Info(); err == nil && item.IsDir() && now.Sub(info.ModTime()) > 2*MaxLife {
			_ = os.RemoveAll(filepath.Join(dir, item.Name())) // what stays is tried again
		}
	}
}
