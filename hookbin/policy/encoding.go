package policy

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Version is the newest version of the encoding that this package writes and reads. Version 2 has sections at its end. A
// policy without any is written as version 1, so that the trees of those who use none stay as they are.
const Version = 2

// MaxSize bounds an encoded policy, in bytes. Decode refuses more, and a reader need not read further.
const MaxSize = 16 << 20

// ErrNewer is the error of Decode for a policy of a later version than this package knows.
var ErrNewer = errors.New("made by a newer agentihooks")

// magic opens every policy, so that another file in its place is told from a damaged policy.
const magic = "ahpolicy"

// headerSize is magic, version, length of the body and CRC-32 of the body; all numbers are 4 bytes, big endian.
const headerSize = len(magic) + 4 + 4 + 4

// The sources of a secret, as they are encoded. Numbers are appended, never reused.
const (
	sourceEnv     = 1
	sourceFile    = 2
	sourceCommand = 3
)

// The sections. Numbers are appended, never reused.
const (
	sectionReminders    = 1
	sectionProjectRules = 2 // empty
)

// Encode is the policy's canonical encoding: equal policies give equal bytes, whatever the order of their guards, secrets
// and reminders. It panics on a policy that no compiler may make: two guards of one kind, two secrets of one name, a
// secret without exactly one source, a reminder for no call, text that is not UTF-8 or holds NUL.
func Encode(p Policy) []byte {
	guards, secrets := slices.Clone(p.Guards), slices.Clone(p.Secrets)
	slices.SortFunc(guards, func(a, b Guard) int { return strings.Compare(a.Kind, b.Kind) })
	slices.SortFunc(secrets, func(a, b Secret) int { return strings.Compare(a.Name, b.Name) })

	w := writer(make([]byte, headerSize, 4096))
	w.text(p.Host)
	w.text(p.StateDir)
	w.texts(p.Channels)
	w.number(len(guards))
	for _, g := range guards {
		w.text(g.Kind)
		w.bytes(g.Data)
	}
	w.number(len(secrets))
	for _, s := range secrets {
		w.secret(s)
	}
	version := uint32(1)
	if w.sections(p) {
		version = 2
	}
	body := w[headerSize:]
	copy(w, magic)
	binary.BigEndian.PutUint32(w[8:], version)
	binary.BigEndian.PutUint32(w[12:], uint32(len(body)))
	binary.BigEndian.PutUint32(w[16:], crc32.ChecksumIEEE(body))
	if _, err := Decode(w); err != nil {
		panic("policy: encoding an invalid policy: " + err.Error())
	}
	return w
}

// Decode reads an encoded policy. It accepts exactly what Encode makes: the version first, then the checksum, then
// every field in its bounds and order. The Data of the guards shares the given bytes.
func Decode(data []byte) (Policy, error) {
	body, version, err := checkedBody(data)
	if err != nil {
		return Policy{}, err
	}
	r := reader{rest: body}
	p := Policy{Host: r.text(), StateDir: r.text(), Channels: r.texts()}
	last := ""
	for i, n := 0, r.count(); i < n && r.fault == ""; i++ {
		g := Guard{Kind: r.text(), Data: r.bytes()}
		r.check(g.Kind > last, "its guards are not in order")
		last = g.Kind
		p.Guards = append(p.Guards, g)
	}
	last = ""
	for i, n := 0, r.count(); i < n && r.fault == ""; i++ {
		s := r.secret()
		r.check(s.Name > last, "its secrets are not in order")
		last = s.Name
		p.Secrets = append(p.Secrets, s)
	}
	if version > 1 {
		r.sections(&p)
	}
	r.check(len(r.rest) == 0, "it goes on after its end")
	if r.fault != "" {
		return Policy{}, errors.New("the policy is malformed: " + r.fault)
	}
	return p, nil
}

// checkedBody is what follows the header, once version, length and checksum are right.
func checkedBody(data []byte) (body []byte, version uint32, err error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, 0, errors.New("this is no policy, or the beginning of one only")
	}
	if version = binary.BigEndian.Uint32(data[8:]); version > Version {
		return nil, 0, ErrNewer
	} else if version == 0 {
		return nil, 0, errors.New("the policy has the unknown version " + strconv.FormatUint(uint64(version), 10))
	}
	body = data[headerSize:]
	if len(data) > MaxSize || int64(binary.BigEndian.Uint32(data[12:])) != int64(len(body)) {
		return nil, 0, errors.New("the policy is cut short, or too long")
	}
	if binary.BigEndian.Uint32(data[16:]) != crc32.ChecksumIEEE(body) {
		return nil, 0, errors.New("the policy is damaged: its checksum is wrong")
	}
	return body, version, nil
}

// writer appends fields: numbers as 4 bytes, text and bytes behind their length, lists behind their count.
type writer []byte

func (w *writer) number(n int) { *w = binary.BigEndian.AppendUint32(*w, uint32(n)) }

func (w *writer) bytes(b []byte) {
	w.number(len(b))
	*w = append(*w, b...)
}

func (w *writer) text(s string) {
	w.number(len(s))
	*w = append(*w, s...)
}

func (w *writer) texts(list []string) {
	w.number(len(list))
	for _, s := range list {
		w.text(s)
	}
}

func (w *writer) secret(s Secret) {
	w.text(s.Name)
	w.text(s.Doc)
	switch {
	case s.Env != "" && s.File == "" && s.Command == nil:
		w.number(sourceEnv)
		w.text(s.Env)
	case s.File != "" && s.Env == "" && s.Command == nil:
		w.number(sourceFile)
		w.text(s.File)
	case len(s.Command) > 0 && s.Env == "" && s.File == "":
		w.number(sourceCommand)
		w.texts(s.Command)
	default:
		panic("policy: secret " + s.Name + " needs exactly one source")
	}
}

// reader takes fields off the front of rest. After the first fault it gives zero values only.
type reader struct {
	rest  []byte
	fault string
}

func (r *reader) check(ok bool, fault string) {
	if !ok && r.fault == "" {
		r.fault, r.rest = fault, nil
	}
}

func (r *reader) number() uint32 {
	if r.check(len(r.rest) >= 4, "a number is cut short"); r.fault != "" {
		return 0
	}
	n := binary.BigEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return n
}

// count is the length of a list. Every element takes at least 4 bytes, so no count can ask for more memory than the
// policy has bytes.
func (r *reader) count() int {
	n := r.number()
	if r.check(uint64(n) <= uint64(len(r.rest)/4), "a list is longer than the policy"); r.fault != "" {
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.number()
	if r.check(uint64(n) <= uint64(len(r.rest)), "a text is longer than the policy"); r.fault != "" {
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) text() string {
	s := string(r.bytes())
	r.check(utf8.ValidString(s) && strings.IndexByte(s, 0) < 0, "a text is not plain UTF-8")
	return s
}

func (r *reader) texts() []string {
	var list []string
	for i, n := 0, r.count(); i < n && r.fault == ""; i++ {
		list = append(list, r.text())
	}
	return list
}

func (r *reader) secret() Secret {
	s := Secret{Name: r.text(), Doc: r.text()}
	ok := false
	switch r.number() {
	case sourceEnv:
		s.Env = r.text()
		ok = s.Env != ""
	case sourceFile:
		s.File = r.text()
		ok = s.File != ""
	case sourceCommand:
		s.Command = r.texts()
		ok = len(s.Command) > 0
	}
	r.check(ok, "a secret has no source")
	return s
}
