package tree

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"

	"github.com/nix-community/go-nix/pkg/nixbase32"
)

const hashLen = 52 // 256 bits, five a character

// ParseHash checks that s is a hash in the one form that we write.
func ParseHash(s string) (Hash, error) {
	if !Hash(s).Valid() {
		return "", fmt.Errorf("%q is not a tree hash: expected %d characters of Nix's base 32", s, hashLen)
	}
	return Hash(s), nil
}

// Valid reports whether h is 52 characters of Nix's base 32 that stand for 256 bits.
func (h Hash) Valid() bool {
	return len(h) == hashLen && nixbase32.ValidateString(string(h)) == nil
}

// HashDir is the hash of a real folder, as New would give it for the same files. Of a file's mode only the owner's x
// bit counts. Anything but files and folders is an error, and so is a name that no tree holds.
func HashDir(fsys fs.FS) (Hash, error) {
	h := newHasher()
	w := h.start()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if problem := pathProblem(name); problem != "" {
			return fmt.Errorf("%q %s", name, problem)
		}
		switch d.Type() {
		case fs.ModeDir:
			w.folder(name)
			return nil
		case 0:
			return h.regular(w, fsys, name)
		default:
			return fmt.Errorf("%q is neither a file nor a folder (%s)", name, d.Type())
		}
	})
	if err != nil {
		return "", err
	}
	return hashOf(h.end(w)), nil
}

// hasher computes the sha256 of Nix archives, one after the other. The buffer halves the calls into sha256, which
// would otherwise get every eight-byte length alone.
type hasher struct {
	sha  hash.Hash
	buf  *bufio.Writer
	read []byte // for files
}

func newHasher() *hasher {
	sha := sha256.New()
	return &hasher{sha: sha, buf: bufio.NewWriterSize(sha, 64<<10)}
}

func (h *hasher) start() *narWriter {
	h.sha.Reset()
	h.buf.Reset(h.sha)
	return newNAR(h.buf)
}

func (h *hasher) end(w *narWriter) []byte {
	if err := w.close(); err != nil {
		panic("writing to a hash: " + err.Error()) // it never fails
	}
	return h.sha.Sum(nil)
}

func (h *hasher) regular(w *narWriter, fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%q is no longer a file", name)
	}
	if h.read == nil {
		h.read = make([]byte, 32<<10)
	}
	return w.file(name, info.Mode()&0o100 != 0, info.Size(), f, h.read)
}

// files is the sha256 of the files of a tree that lie below a folder ("" or "a/b/"): all of them, sorted.
func (h *hasher) files(files []File, below string) []byte {
	w := h.start()
	for _, f := range files {
		w.text(f.Path[len(below):], f.Exec, f.Data)
	}
	return h.end(w)
}

func hashOf(sum []byte) Hash { return Hash(nixbase32.EncodeToString(sum)) }

// digest is the digest of what the tree holds at name: a file, or a folder with all below it.
func (h *hasher) digest(files []File, name string) string {
	if i, ok := findFile(files, name); ok {
		sum := sha256.Sum256(files[i].Data)
		return hex.EncodeToString(sum[:])
	}
	return hex.EncodeToString(h.files(filesBelow(files, name), name+"/"))
}
