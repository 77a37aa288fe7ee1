package policy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"
)

// full is a policy that has every kind of field.
func full() Policy {
	return Policy{
		Host:     "wl-0431",
		StateDir: "/home/dev/.local/state/agentihooks",
		Channels: []string{"brain", "a b\n'", "amygdala"},
		Guards:   []Guard{{Kind: "commands", Data: []byte{0, 1, 2, 255}}, {Kind: "self", Data: []byte("x")}},
		Secrets: []Secret{
			{Name: "A", Env: "A_TOKEN"},
			{Name: "B", File: "~/secrets/b"},
			{Name: "C", Command: []string{"pass", "show", "", "ü"}},
		},
		Reminders:    []Reminder{{Name: "small steps", Every: 20, Text: "one\ntwo"}, {Name: "tests", Every: 1, Text: "x"}},
		ProjectRules: true,
	}
}

func TestRoundTrip(t *testing.T) {
	for name, p := range map[string]Policy{"empty": {}, "full": full()} {
		got, err := Decode(Encode(p))
		if err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%s: got %#v, %v", name, got, err)
		}
	}
}

func TestEncodeIsCanonical(t *testing.T) {
	want := Encode(full())
	p := full()
	p.Guards[0], p.Guards[1] = p.Guards[1], p.Guards[0]
	p.Secrets[0], p.Secrets[2] = p.Secrets[2], p.Secrets[0]
	p.Reminders[0], p.Reminders[1] = p.Reminders[1], p.Reminders[0]
	if !bytes.Equal(Encode(p), want) {
		t.Error("the order of guards, secrets or reminders changes the encoding")
	}
	if p.Guards[0].Kind != "self" || p.Secrets[0].Name != "C" {
		t.Error("Encode sorted the caller's slices")
	}
}

// TestEncodeGolden holds the format still: a policy written by one release is read by the next.
func TestEncodeGolden(t *testing.T) {
	p := Policy{Host: "h", Channels: []string{"c"}, Guards: []Guard{{"g", []byte{7}}}, Secrets: []Secret{{Name: "S", Doc: "D", Env: "E"}}}
	want := "ahpolicy" + "\x00\x00\x00\x01" + "\x00\x00\x00\x37" + "\xa40VI" +
		"\x00\x00\x00\x01h" + "\x00\x00\x00\x00" + "\x00\x00\x00\x01\x00\x00\x00\x01c" +
		"\x00\x00\x00\x01\x00\x00\x00\x01g\x00\x00\x00\x01\x07" +
		"\x00\x00\x00\x01\x00\x00\x00\x01S\x00\x00\x00\x01D\x00\x00\x00\x01\x00\x00\x00\x01E"
	if got := string(Encode(p)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	p.Reminders, p.ProjectRules = []Reminder{{"r", 3, "t"}}, true
	want = "ahpolicy" + "\x00\x00\x00\x02" + "\x00\x00\x00\x59" + "\xfe \xa54" + want[headerSize:] +
		"\x00\x00\x00\x01" + "\x00\x00\x00\x12" + "\x00\x00\x00\x01\x00\x00\x00\x01r\x00\x00\x00\x03\x00\x00\x00\x01t" +
		"\x00\x00\x00\x02" + "\x00\x00\x00\x00"
	if got := string(Encode(p)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestEncodePanics(t *testing.T) {
	for name, p := range map[string]Policy{
		"two guards of a kind": {Guards: []Guard{{Kind: "a"}, {Kind: "a"}}},
		"guard without kind":   {Guards: []Guard{{}}},
		"two secrets":          {Secrets: []Secret{{Name: "A", Env: "A"}, {Name: "A", Env: "B"}}},
		"no source":            {Secrets: []Secret{{Name: "A"}}},
		"two sources":          {Secrets: []Secret{{Name: "A", Env: "A", File: "/a"}}},
		"two reminders":        {Reminders: []Reminder{{"a", 1, "x"}, {"a", 2, "y"}}},
		"reminder for no call": {Reminders: []Reminder{{"a", 0, "x"}}},
		"NUL":                  {Host: "a\x00"},
		"not UTF-8":            {Channels: []string{"\xff"}},
		"too big":              {Guards: []Guard{{Kind: "a", Data: make([]byte, MaxSize)}}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Encode(p)
		})
	}
}

// TestDecodeDamage: no cut and no changed bit gets through.
func TestDecodeDamage(t *testing.T) {
	good := Encode(full())
	for n := range good {
		if _, err := Decode(good[:n]); err == nil {
			t.Fatalf("cut at %d of %d: accepted", n, len(good))
		}
	}
	for i := range len(good) * 8 {
		bad := bytes.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := Decode(bad); err == nil {
			t.Fatalf("bit %d changed: accepted", i)
		}
	}
	if _, err := Decode(append(bytes.Clone(good), 0)); err == nil {
		t.Error("a byte too many: accepted")
	}
}

func TestDecodeVersions(t *testing.T) {
	data := Encode(full())
	binary.BigEndian.PutUint32(data[8:], Version+1)
	if _, err := Decode(data); !errors.Is(err, ErrNewer) {
		t.Errorf("newer version: %v", err)
	}
	binary.BigEndian.PutUint32(data[8:], 0)
	if _, err := Decode(data); err == nil || !strings.Contains(err.Error(), "unknown version 0") {
		t.Errorf("version 0: %v", err)
	}
}

// sealed puts a right header before any body, as the fuzzer needs it to get past the checksum.
func sealed(version uint32, body []byte) []byte {
	data := append([]byte(magic), make([]byte, headerSize-len(magic))...)
	binary.BigEndian.PutUint32(data[8:], version)
	binary.BigEndian.PutUint32(data[12:], uint32(len(body)))
	binary.BigEndian.PutUint32(data[16:], crc32.ChecksumIEEE(body))
	return append(data, body...)
}

func TestDecodeMalformed(t *testing.T) {
	zero := "\x00\x00\x00\x00"
	one := "\x00\x00\x00\x01"
	for name, body := range map[string]string{
		"empty":                 "",
		"huge count":            zero + zero + "\xff\xff\xff\xff",
		"huge text":             "\xff\xff\xff\xffab",
		"guards out of order":   zero + zero + zero + "\x00\x00\x00\x02" + one + "b" + zero + one + "a" + zero + zero,
		"guard without a kind":  zero + zero + zero + one + zero + zero + zero,
		"secret without source": zero + zero + zero + zero + one + one + "A" + zero,
		"secret of new source":  zero + zero + zero + zero + one + one + "A" + "\x00\x00\x00\x04" + one + "B",
		"empty command":         zero + zero + zero + zero + one + one + "A" + "\x00\x00\x00\x03" + zero,
		"NUL in a text":         one + "\x00" + zero + zero + zero + zero,
		"trailing bytes":        zero + zero + zero + zero + zero + "x",
	} {
		if p, err := Decode(sealed(1, []byte(body))); err == nil {
			t.Errorf("%s: accepted as %#v", name, p)
		}
	}
	rules := "\x00\x00\x00\x02" + zero
	for name, sections := range map[string]string{
		"no sections":             "",
		"unknown section":         "\x00\x00\x00\x63" + zero,
		"a section twice":         rules + rules,
		"sections out of order":   rules + one + "\x00\x00\x00\x12" + one + one + "r" + one + one + "t",
		"a section with too much": "\x00\x00\x00\x02" + one + "x",
		"no reminders":            one + "\x00\x00\x00\x04" + zero,
		"cut":                     one + "\x00\x00\x00\x12" + one,
	} {
		if p, err := Decode(sealed(2, []byte(zero+zero+zero+zero+zero+sections))); err == nil {
			t.Errorf("%s: accepted as %#v", name, p)
		}
	}
	if _, err := Decode(sealed(1, []byte(zero+zero+zero+zero+zero+rules))); err == nil {
		t.Error("version 1 has sections")
	}
}

// FuzzPolicyDecode: nothing makes Decode panic, and whatever it accepts encodes to the same bytes.
func FuzzPolicyDecode(f *testing.F) {
	f.Add(Encode(Policy{})[headerSize:])
	f.Add(Encode(full())[headerSize:])
	f.Fuzz(func(t *testing.T, body []byte) {
		version := uint32(1 + len(body)%2)
		if _, err := Decode(body); err == nil && !bytes.HasPrefix(body, []byte(magic)) {
			t.Fatal("accepted without a header")
		}
		data := sealed(version, body)
		p, err := Decode(data)
		if err != nil {
			return
		}
		if got := Encode(p); !bytes.Equal(got, data) {
			t.Fatalf("decoded as %#v, encoded as %q", p, got)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := Encode(full())
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
