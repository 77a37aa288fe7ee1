package channel

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	folder   = "channels" // in the state folder: a file for each message
	suffix   = ".json"
	tempName = ".tmp" // written by who holds the lock only, so that no crash leaves more than one

	// maxMessages bounds how many are live. maxNames bounds what is read of the folder, whoever filled it.
	maxMessages = 50
	maxNames    = 256
)

// ErrFull is in the chain of Publish's error where only messages that matter more are live.
var ErrFull = errors.New("there are too many messages")

// Any reports whether there may be a message. It is the one look that an event without messages costs.
func Any(state string) bool {
	names, err := ids(state)
	return err == nil && len(names) > 0
}

// ids is the ids of the messages that there are, the newest first. No folder is no message.
func ids(state string) ([]string, error) {
	dir, err := os.Open(filepath.Join(state, folder))
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxNames)
	if err != nil && err != io.EOF {
		return nil, err
	}
	var out []string
	for _, name := range names {
		if id, ok := strings.CutSuffix(name, suffix); ok && isID(id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out, nil
}

// Live is the messages that are live, the most important first. It removes those that ended. One that cannot be read is
// left out: a session has no use for a complaint about it.
func Live(state string, now time.Time) ([]Message, error) {
	names, err := ids(state)
	if err != nil {
		return nil, fmt.Errorf("looking for messages: %w", err)
	}
	var out []Message
	for _, id := range names[:min(len(names), maxMessages)] {
		path := file(state, id)
		data, err := readFile(path)
		if err != nil {
			continue
		}
		switch m, err := decode(data); {
		case err != nil || m.ID != id:
		case !m.live(now):
			_ = os.Remove(path) // what stays is not live either
		default:
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, byImportance)
	return out, nil
}

// byImportance puts the urgent first; of equal ones those of persons, for an agent can publish any number; then the
// newest.
func byImportance(a, b Message) int {
	if a.Severity != b.Severity {
		return a.Severity.rank() - b.Severity.rank()
	}
	if a.From.Agent != b.From.Agent {
		if b.From.Agent {
			return -1
		}
		return 1
	}
	return strings.Compare(b.ID, a.ID)
}

// Publish makes a message live, in one step that a reader sees whole or not at all, and returns it with its id. Where too
// many are live, the least important gives way; that of a person never to that of an agent. The state folder must be
// there.
func Publish(state string, m Message, now time.Time) (Message, error) {
	m.Version, m.Created, m.Expires = Version, m.Created.UTC().Truncate(time.Second), m.Expires.UTC().Truncate(time.Second)
	if err := m.Check(); err != nil {
		return Message{}, err
	}
	m.ID = fmt.Sprintf("%0*x-%0*x", idTime, uint32(m.Created.Unix()), idChance, rand.N(1<<(4*idChance)))
	data, err := m.encode()
	if err != nil {
		return Message{}, err
	}
	dir := filepath.Join(state, folder)
	unlock, err := lock(dir, commandPatience)
	if err != nil {
		return Message{}, fmt.Errorf("opening the folder of the messages: %w", err)
	}
	defer unlock()
	if err := makeRoom(state, m, now); err != nil {
		return Message{}, err
	}
	forgetReaders(state, now)
	if err := replace(file(state, m.ID), data); err != nil {
		return Message{}, fmt.Errorf("writing the message: %w", err)
	}
	return m, nil
}

// makeRoom removes the least important messages until there is a place for m.
func makeRoom(state string, m Message, now time.Time) error {
	live, err := Live(state, now)
	if err != nil {
		return err
	}
	var agents, persons []Message
	for _, l := range live {
		if l.From.Agent {
			agents = append(agents, l)
		} else {
			persons = append(persons, l)
		}
	}
	order := append(persons, agents...) // the last gives way first
	for ; len(order) >= maxMessages; order = order[:len(order)-1] {
		last := order[len(order)-1]
		if !last.yields(m) {
			return fmt.Errorf("%w: the %d that are live all matter more than this one; `agentihooks channel clear` takes some back", ErrFull, len(order))
		}
		if err := ignoreAbsent(os.Remove(file(state, last.ID))); err != nil {
			return fmt.Errorf("removing the message %s: %w", last.ID, err)
		}
	}
	return nil
}

// yields reports whether the message, which is live, gives way to a new one.
func (m Message) yields(to Message) bool {
	if m.From.Agent != to.From.Agent {
		return m.From.Agent
	}
	return m.Severity.rank() >= to.Severity.rank()
}

// Clear takes messages back and returns those that were there. Another id is an error (fs.ErrNotExist), once the others
// are taken back.
func Clear(state string, list []string) (gone []string, err error) {
	for _, id := range list {
		problem := fs.ErrNotExist
		if isID(id) {
			problem = os.Remove(file(state, id))
		}
		switch {
		case problem == nil:
			gone = append(gone, id)
		case errors.Is(problem, fs.ErrNotExist):
			err = errors.Join(err, noMessage(id))
		default:
			err = errors.Join(err, fmt.Errorf("removing the message %s: %w", id, problem))
		}
	}
	return gone, err
}

// noMessage is the error about a message that is not there.
func noMessage(id string) error {
	return fmt.Errorf("there is no message %q, see `agentihooks channel list`: %w", id, fs.ErrNotExist)
}

func file(state, id string) string { return filepath.Join(state, folder, id+suffix) }

// readFile reads a small regular file. Nothing else that may stand there can make it wait.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, errors.New(path + " is no file of ours")
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// replace writes a file by another name first. Its caller holds the lock of the folder. It does not sync: what a power
// cut leaves of a message is no message.
func replace(path string, data []byte) error {
	tmp := filepath.Join(filepath.Dir(path), tempName)
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp) // what stays, the next writer overwrites
	}
	return err
}

// How long lock waits for another process. Who holds it is done in well under a millisecond, but for a hook whose agent
// does not read what it says.
const (
	hookPatience    = time.Second // below the deadline of the hook
	commandPatience = 10 * time.Second
)

// lock makes a private folder, if it is missing, and locks it. The lock ends with the process, too.
func lock(dir string, patience time.Duration) (unlock func(), err error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if err != syscall.EINTR && err != syscall.EWOULDBLOCK || time.Now().After(until) {
			_ = f.Close()
			return nil, fmt.Errorf("locking %s: %w", dir, err)
		}
	}
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
