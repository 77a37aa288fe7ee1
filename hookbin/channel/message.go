// Package channel is messages to agent sessions: one file each in the state folder, and what each session was handed.
package channel

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is the version of the files that this package writes and reads.
const Version = 1

const (
	// MaxText bounds the text of a message, MaxName the name of a channel and the id of a session, in bytes.
	MaxText = 2 << 10
	MaxName = 128
	// MaxLife is how long a message may be live.
	MaxLife = 24 * time.Hour

	maxFile = 16 << 10 // bytes of a message in JSON, where an escape takes six for one
)

// Everything is the name with which a session listens to all channels.
const Everything = "*"

// Severity says how urgent a message is.
type Severity string

// severity is what a Severity stands for. Persistent messages are handed over again until they are acknowledged or end.
type severity struct {
	name       Severity
	life       time.Duration
	persistent bool
	urgent     bool // also handed over at a tool call
}

// severities is the table of severities, the most urgent first.
func severities() []severity {
	return []severity{
		{"nuclear", 30 * time.Minute, true, true},
		{"critical", 30 * time.Minute, true, true},
		{"alert", time.Hour, true, false},
		{"warning", time.Hour, true, false},
		{"info", 4 * time.Hour, false, false},
		{"resolved", 30 * time.Minute, false, false},
	}
}

// Severities is their names, the most urgent first.
func Severities() []string {
	var out []string
	for _, s := range severities() {
		out = append(out, string(s.name))
	}
	return out
}

func (s Severity) rank() int {
	return slices.IndexFunc(severities(), func(o severity) bool { return o.name == s })
}

// Defaults is how long a message of that severity is live, and whether it is handed over again, if its sender does not
// say. ok is false for what is no severity.
func (s Severity) Defaults() (life time.Duration, persistent, ok bool) {
	i := s.rank()
	if i < 0 {
		return 0, false, false
	}
	return severities()[i].life, severities()[i].persistent, true
}

// Sender is who published a message, as far as is known.
type Sender struct {
	Agent   bool   `json:"agent"`   // it came from an agent's shell
	Session string `json:"session"` // the agent's session, if it is known
}

// Message is one message. It never changes.
type Message struct {
	Version    int       `json:"version"` // Version; any other is refused
	ID         string    `json:"id"`      // Publish gives it
	Severity   Severity  `json:"severity"`
	Channel    string    `json:"channel"` // who listens to it gets the message; empty: everybody
	Session    string    `json:"session"` // if it is set, nobody but this session gets the message
	Text       string    `json:"text"`
	From       Sender    `json:"from"`
	Persistent bool      `json:"persistent"` // handed over again until it is acknowledged
	Created    time.Time `json:"created"`    // UTC, whole seconds
	Expires    time.Time `json:"expires"`    // UTC, whole seconds
}

// ErrNewer is in the chain of the error about a file that a newer release wrote.
var ErrNewer = errors.New("written by a newer agentihooks")

// Check says what keeps a message from being published.
func (m Message) Check() error {
	switch {
	case strings.TrimSpace(m.Text) == "":
		return errors.New("the message is empty")
	case !utf8.ValidString(m.Text + m.Channel + m.Session + m.From.Session):
		return errors.New("the message is not UTF-8")
	case len(m.Text) > MaxText:
		return errors.New("the message has " + strconv.Itoa(len(m.Text)) + " bytes, and may have " + strconv.Itoa(MaxText) +
			": write the text to a file, and name that in the message")
	case max(len(m.Channel), len(m.Session), len(m.From.Session)) > MaxName:
		return errors.New("a name is longer than " + strconv.Itoa(MaxName) + " bytes")
	case m.Channel != "" && m.Session != "":
		return errors.New("a message goes to a channel or to a session, not to both")
	case m.Channel == Everything || strings.Contains(m.Channel, ","):
		return errors.New("no channel can have the name " + strconv.Quote(m.Channel))
	case m.Severity.rank() < 0:
		return errors.New("the severity is one of " + strings.Join(Severities(), ", "))
	case !m.Expires.After(m.Created) || m.Expires.Sub(m.Created) > MaxLife:
		return errors.New("a message is live for a second at least and for " + MaxLife.String() + " at most")
	}
	return nil
}

// For reports whether a session that listens to those channels is meant.
func (m Message) For(session string, channels []string) bool {
	if m.Session != "" {
		return m.Session == session
	}
	return m.Channel == "" || slices.Contains(channels, m.Channel) || slices.Contains(channels, Everything)
}

// urgent reports whether the message is handed over at a tool call too: what is meant for one session always is.
func (m Message) urgent() bool { return m.Session != "" || severities()[m.Severity.rank()].urgent }

func (m Message) live(now time.Time) bool { return now.Before(m.Expires) }

func (m Message) encode() ([]byte, error) {
	data, err := json.Marshal(m)
	return append(data, '\n'), err
}

// decode takes nothing but what encode writes, and nothing that Check minds.
func decode(data []byte) (Message, error) {
	var m Message
	if err := json.Unmarshal(data, &m); err != nil {
		return Message{}, err
	}
	if m.Version > Version {
		return Message{}, ErrNewer
	}
	again, err := m.encode()
	if err != nil {
		return Message{}, err
	}
	if m.Version != Version || !isID(m.ID) || !bytes.Equal(again, data) {
		return Message{}, errors.New("not a message of version " + strconv.Itoa(Version))
	}
	return m, m.Check()
}

// An id is the second of publishing, in 8 hexadecimal digits, and chance, so that ids sort by age.
const (
	idTime   = 8
	idChance = 6
)

func isID(id string) bool {
	if len(id) != idTime+1+idChance || id[idTime] != '-' {
		return false
	}
	return strings.Trim(id[:idTime]+id[idTime+1:], "0123456789abcdef") == ""
}
