package tree

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// narWriter writes the Nix archive of a folder: the form that `nix hash path` hashes. It is told of files and folders
// in the order of ComparePaths and keeps the folder that it is in. The format is in figure 5.2 of Eelco Dolstra, The
// Purely Functional Software Deployment Model (2006): strings, each behind its length in eight bytes and padded to eight.
// The writer of go-nix, which the tests compare with, hands every string to a goroutine, which took longer than sha256.
type narWriter struct {
	out *bufio.Writer // keeps the first error
	in  []string      // names of the folders that are open, below the outermost
}

func newNAR(out *bufio.Writer) *narWriter {
	w := &narWriter{out: out}
	w.strings("nix-archive-1", "(", "type", "directory")
	return w
}

func (w *narWriter) strings(all ...string) {
	for _, s := range all {
		w.length(int64(len(s)))
		w.out.WriteString(s)
		w.pad(int64(len(s)))
	}
}

func (w *narWriter) length(n int64) {
	w.out.Write(binary.LittleEndian.AppendUint64(w.out.AvailableBuffer(), uint64(n)))
}

func (w *narWriter) pad(n int64) {
	var zero [8]byte
	w.out.Write(zero[:-n&7])
}

// folder goes to a folder, "" or "a/b": it closes what is open beside its path and opens what is not on it.
func (w *narWriter) folder(path string) {
	at := 0 // names of path that are open
	for name := range strings.SplitSeq(path, "/") {
		if at == len(w.in) || w.in[at] != name {
			break
		}
		at++
	}
	w.leave(at)
	for name := range strings.SplitSeq(path, "/") {
		if at--; at >= 0 || name == "" {
			continue
		}
		w.strings("entry", "(", "name", name, "node", "(", "type", "directory")
		w.in = append(w.in, name)
	}
}

// leave closes folders until n are open below the outermost.
func (w *narWriter) leave(n int) {
	for ; len(w.in) > n; w.in = w.in[:len(w.in)-1] {
		w.strings(")", ")")
	}
}

// file writes a file of that many bytes, which data has.
func (w *narWriter) file(path string, exec bool, size int64, data io.Reader, buf []byte) error {
	w.begin(path, exec, size)
	n, err := io.CopyBuffer(struct{ io.Writer }{w.out}, struct{ io.Reader }{io.LimitReader(data, size+1)}, buf)
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("%q changed while it was read", path)
	}
	w.end(size)
	return nil
}

func (w *narWriter) text(path string, exec bool, data []byte) {
	w.begin(path, exec, int64(len(data)))
	w.out.Write(data)
	w.end(int64(len(data)))
}

func (w *narWriter) begin(path string, exec bool, size int64) {
	folder, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, name = path[:i], path[i+1:]
	}
	w.folder(folder)
	w.strings("entry", "(", "name", name, "node", "(", "type", "regular")
	if exec {
		w.strings("executable", "")
	}
	w.strings("contents")
	w.length(size)
}

func (w *narWriter) end(size int64) {
	w.pad(size)
	w.strings(")", ")")
}

// close ends the archive. An error is of the output.
func (w *narWriter) close() error {
	w.leave(0)
	w.strings(")")
	return w.out.Flush()
}
