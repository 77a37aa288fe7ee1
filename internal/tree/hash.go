package tree

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/nix-community/go-nix/pkg/nar"
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
	sum, err := newHasher().sum(func(w *nar.Writer) error {
		return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return writeEntry(w, fsys, name, d)
		})
	})
	if err != nil {
		return "", err
	}
	return hashOf(sum), nil
}

func writeEntry(w *nar.Writer, fsys fs.FS, name string, d fs.DirEntry) error {
	if name == "." {
		return w.WriteHeader(&nar.Header{Path: "/", Type: nar.TypeDirectory})
	}
	if problem := pathProblem(name); problem != "" {
		return fmt.Errorf("%q %s", name, problem)
	}
	switch d.Type() {
	case fs.ModeDir:
		return w.WriteHeader(&nar.Header{Path: "/" + name, Type: nar.TypeDirectory})
	case 0:
		return writeRegular(w, fsys, name)
	default:
		return fmt.Errorf("%q is neither a file nor a folder (%s)", name, d.Type())
	}
}

func writeRegular(w *nar.Writer, fsys fs.FS, name string) error {
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
	exec := info.Mode()&0o100 != 0
	err = w.WriteHeader(&nar.Header{Path: "/" + name, Type: nar.TypeRegular, Size: info.Size(), Executable: exec})
	if err != nil {
		return err
	}
	n, err := io.Copy(w, f)
	if err == nil && n != info.Size() {
		err = fmt.Errorf("%q changed while it was read", name)
	}
	return err
}

// writeFiles writes the files of a tree that lie below a folder ("" or "a/b/"): all of them, sorted.
func writeFiles(w *nar.Writer, files []File, below string) error {
	if err := w.WriteHeader(&nar.Header{Path: "/", Type: nar.TypeDirectory}); err != nil {
		return err
	}
	last := "/" // the folder of the last file, with a slash at the end
	for _, f := range files {
		name := "/" + f.Path[len(below):]
		for i := 1; i < len(name); i++ {
			if name[i] != '/' || strings.HasPrefix(last, name[:i+1]) {
				continue
			}
			if err := w.WriteHeader(&nar.Header{Path: name[:i], Type: nar.TypeDirectory}); err != nil {
				return err
			}
		}
		last, _ = path.Split(name)
		err := w.WriteHeader(&nar.Header{Path: name, Type: nar.TypeRegular, Size: int64(len(f.Data)), Executable: f.Exec})
		if err != nil {
			return err
		}
		if _, err := w.Write(f.Data); err != nil {
			return err
		}
	}
	return nil
}

// hasher computes the sha256 of NAR serialisations, one after the other. The buffer halves the calls into sha256,
// which would otherwise get every eight-byte length alone.
type hasher struct {
	sha hash.Hash
	buf *bufio.Writer
}

func newHasher() *hasher {
	sha := sha256.New()
	return &hasher{sha, bufio.NewWriterSize(sha, 64<<10)}
}

func (h *hasher) sum(emit func(*nar.Writer) error) ([]byte, error) {
	h.sha.Reset()
	h.buf.Reset(h.sha)
	w, err := nar.NewWriter(h.buf)
	if err != nil {
		return nil, err
	}
	err = emit(w)
	// Close also after an error: it ends the writer's goroutine.
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = h.buf.Flush()
	}
	if err != nil {
		return nil, err
	}
	return h.sha.Sum(nil), nil
}

func (h *hasher) files(files []File, below string) []byte {
	sum, err := h.sum(func(w *nar.Writer) error { return writeFiles(w, files, below) })
	if err != nil {
		panic("serialising checked files: " + err.Error()) // the checks on paths and their order have a hole
	}
	return sum
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
