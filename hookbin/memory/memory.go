// Package memory is what the hook remembers of a session from one event to the next: digests, in a file whose size never
// changes, so that the ten-thousandth event costs what the first did.
package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/session"
)

// Kind is what a digest stands for. Numbers are appended, never reused.
type Kind uint8

// The kinds.
const (
	Judged Kind = 1 // a call that was let through
	Warned Kind = 2 // a call that was stopped once
	Failed Kind = 3 // a call that failed: of the call, and behind it of how it failed
)

// Digest is the beginning of a SHA-256.
type Digest [27]byte

// The file: the magic, then the slots. A slot is a number that grows with each Add (0: the slot is free), a kind and a
// digest; numbers are big endian. A slot is written in one write, so a process that is killed leaves it as it was, or
// whole.
const (
	magic    = "ahmemory\x00\x00\x00\x01" // with the version
	slotSize = 4 + 1 + len(Digest{})
	slots    = 512
	size     = len(magic) + slots*slotSize
)

// Memory is an open, locked memory.
type Memory struct {
	file *os.File
	data []byte
}

// errLocked is the error where another hook of the session did not let go in time.
var errLocked = errors.New("another hook holds it")

// Open opens the memory of a session and locks it, for at most the given time. A session without one has it made if create
// is set, or else fs.ErrNotExist. The state folder must be there: after `agentihooks uninstall` nothing makes it again.
// A file that is no memory is an error.
func Open(state, id string, create bool, wait time.Duration) (*Memory, error) {
	name := filepath.Join(session.Folder(state, id), session.MemoryFile)
	file, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := makeNew(state, id, name); err != nil {
			return nil, err
		}
		file, err = os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	}
	if err != nil {
		return nil, err
	}
	m := &Memory{file: file}
	err = m.lock(wait)
	if err == nil {
		err = m.read()
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// makeNew makes an empty memory, whole from the moment that it has its name. Who comes second keeps the first's.
func makeNew(state, id, name string) error {
	if err := session.MakeFolder(state, id); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), session.TempPrefix+"*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	data := make([]byte, size)
	copy(data, magic)
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Link(tmp.Name(), name)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (m *Memory) lock(wait time.Duration) error {
	for end := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		err := syscall.Flock(int(m.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err != syscall.EWOULDBLOCK && err != syscall.EINTR:
			return err
		case time.Now().After(end):
			return errLocked
		}
	}
}

func (m *Memory) read() error {
	info, err := m.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != int64(size) {
		return errors.New(m.file.Name() + " is not a memory of a session")
	}
	m.data = make([]byte, size)
	if _, err := m.file.ReadAt(m.data, 0); err != nil {
		return err
	}
	if !bytes.HasPrefix(m.data, []byte(magic)) {
		return errors.New(m.file.Name() + " is not a memory of a session that this release reads")
	}
	return nil
}

// Close lets the next one in.
func (m *Memory) Close() { m.file.Close() }

func (m *Memory) slot(i int) []byte { return m.data[len(magic)+i*slotSize:][:slotSize] }

// Add remembers a digest. Where there is no room, the oldest is forgotten.
func (m *Memory) Add(kind Kind, d Digest) error {
	at, oldest, newest := 0, uint32(1<<32-1), uint32(0)
	for i := range slots {
		n := binary.BigEndian.Uint32(m.slot(i))
		if n < oldest {
			at, oldest = i, n
		}
		newest = max(newest, n)
	}
	if newest == 1<<32-1 {
		return errors.New(m.file.Name() + " has no numbers left")
	}
	s := m.slot(at)
	binary.BigEndian.PutUint32(s, newest+1)
	s[4] = byte(kind)
	copy(s[5:], d[:])
	return m.write(at)
}

// Take forgets a digest, the oldest if there are several that are equal, and reports whether there was one.
func (m *Memory) Take(kind Kind, d Digest) (bool, error) {
	at, oldest := -1, uint32(1<<32-1)
	for i := range slots {
		s := m.slot(i)
		if n := binary.BigEndian.Uint32(s); n > 0 && n <= oldest && s[4] == byte(kind) && bytes.Equal(s[5:], d[:]) {
			at, oldest = i, n
		}
	}
	if at < 0 {
		return false, nil
	}
	clear(m.slot(at))
	return true, m.write(at)
}

// Most is how often the most frequent of the digests is there that begin so.
func (m *Memory) Most(kind Kind, prefix []byte) int {
	most, counts := 0, map[Digest]int{}
	for i := range slots {
		if d, ok := m.at(i, kind); ok && bytes.HasPrefix(d[:], prefix) {
			counts[d]++
			most = max(most, counts[d])
		}
	}
	return most
}

// Thin forgets digests of a kind: all that begin so, and of every other one.
func (m *Memory) Thin(kind Kind, prefix []byte) error {
	thinned := map[Digest]bool{}
	for i := range slots {
		d, ok := m.at(i, kind)
		if !ok || thinned[d] && !bytes.HasPrefix(d[:], prefix) {
			continue
		}
		thinned[d] = true
		clear(m.slot(i))
		if err := m.write(i); err != nil {
			return err
		}
	}
	return nil
}

// at is the digest of a slot, if it is one of that kind.
func (m *Memory) at(i int, kind Kind) (d Digest, ok bool) {
	s := m.slot(i)
	copy(d[:], s[5:])
	return d, binary.BigEndian.Uint32(s) > 0 && s[4] == byte(kind)
}

func (m *Memory) write(i int) error {
	_, err := m.file.WriteAt(m.slot(i), int64(len(magic)+i*slotSize))
	return err
}
