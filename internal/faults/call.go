//go:build linux && amd64

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Call is one file-system call, as it was about to be made. Path is what it works on: where a call takes two names, the
// one that it makes; From is the other. A descriptor stands for what it was opened as.
type Call struct {
	Name    string
	Path    string
	From    string
	Changes bool // it may change names, content, modes, or who holds a lock; else it only reads
}

// String is the call as a listing shows it.
func (c Call) String() string {
	if c.From == "" {
		return c.Name + " " + c.Path
	}
	return c.Name + " " + c.From + " -> " + c.Path
}

// shape says which registers hold the names of a call.
type shape uint8

const (
	byDescriptor shape = iota // fd
	byPath                    // path
	byPathAt                  // dirfd, path
	byTwoPaths                // from, to
	byTwoPathsAt              // from dirfd, from, to dirfd, to
	byText                    // text, to
	byTextAt                  // text, to dirfd, to
)

type kind struct {
	name    string
	shape   shape
	changes bool
}

// calls are the system calls that reach a file system, by their number on amd64.
var calls = map[uint64]kind{
	unix.SYS_OPEN:            {"open", byPath, false}, // with O_CREAT or O_TRUNC it changes, see changes
	unix.SYS_OPENAT:          {"openat", byPathAt, false},
	unix.SYS_OPENAT2:         {"openat2", byPathAt, false},
	unix.SYS_READ:            {"read", byDescriptor, false},
	unix.SYS_PREAD64:         {"pread64", byDescriptor, false},
	unix.SYS_GETDENTS64:      {"getdents64", byDescriptor, false},
	unix.SYS_FSTAT:           {"fstat", byDescriptor, false},
	unix.SYS_NEWFSTATAT:      {"newfstatat", byPathAt, false},
	unix.SYS_STATX:           {"statx", byPathAt, false},
	unix.SYS_READLINKAT:      {"readlinkat", byPathAt, false},
	unix.SYS_CLOSE:           {"close", byDescriptor, false},
	unix.SYS_WRITE:           {"write", byDescriptor, true},
	unix.SYS_PWRITE64:        {"pwrite64", byDescriptor, true},
	unix.SYS_COPY_FILE_RANGE: {"copy_file_range", byDescriptor, true},
	unix.SYS_SENDFILE:        {"sendfile", byDescriptor, true},
	unix.SYS_TRUNCATE:        {"truncate", byPath, true},
	unix.SYS_FTRUNCATE:       {"ftruncate", byDescriptor, true},
	unix.SYS_FALLOCATE:       {"fallocate", byDescriptor, true},
	unix.SYS_RENAME:          {"rename", byTwoPaths, true},
	unix.SYS_RENAMEAT:        {"renameat", byTwoPathsAt, true},
	unix.SYS_RENAMEAT2:       {"renameat2", byTwoPathsAt, true},
	unix.SYS_LINK:            {"link", byTwoPaths, true},
	unix.SYS_LINKAT:          {"linkat", byTwoPathsAt, true},
	unix.SYS_SYMLINK:         {"symlink", byText, true},
	unix.SYS_SYMLINKAT:       {"symlinkat", byTextAt, true},
	unix.SYS_MKDIR:           {"mkdir", byPath, true},
	unix.SYS_MKDIRAT:         {"mkdirat", byPathAt, true},
	unix.SYS_UNLINK:          {"unlink", byPath, true},
	unix.SYS_UNLINKAT:        {"unlinkat", byPathAt, true},
	unix.SYS_RMDIR:           {"rmdir", byPath, true},
	unix.SYS_CHMOD:           {"chmod", byPath, true},
	unix.SYS_FCHMOD:          {"fchmod", byDescriptor, true},
	unix.SYS_FCHMODAT:        {"fchmodat", byPathAt, true},
	unix.SYS_FCHMODAT2:       {"fchmodat2", byPathAt, true},
	unix.SYS_FCHOWNAT:        {"fchownat", byPathAt, true},
	unix.SYS_UTIMENSAT:       {"utimensat", byPathAt, true},
	unix.SYS_FSYNC:           {"fsync", byDescriptor, true},
	unix.SYS_FDATASYNC:       {"fdatasync", byDescriptor, true},
	unix.SYS_SYNCFS:          {"syncfs", byDescriptor, true},
	unix.SYS_FLOCK:           {"flock", byDescriptor, true},
}

// callOf is the call that a thread is about to make; ok is false if it is none of ours. Names are read now, for they may
// be gone afterwards.
func callOf(thread int, r *unix.PtraceRegs) (c Call, ok bool) {
	k, ok := calls[r.Orig_rax]
	if !ok {
		return Call{}, false
	}
	c = Call{Name: k.name, Changes: k.changes || opensForChange(thread, r)}
	switch k.shape {
	case byDescriptor:
		c.Path = descriptor(thread, r.Rdi)
	case byPath:
		c.Path = resolve(thread, atCwd, r.Rdi)
	case byPathAt:
		c.Path = resolve(thread, r.Rdi, r.Rsi)
	case byTwoPaths:
		c.From, c.Path = resolve(thread, atCwd, r.Rdi), resolve(thread, atCwd, r.Rsi)
	case byTwoPathsAt:
		c.From, c.Path = resolve(thread, r.Rdi, r.Rsi), resolve(thread, r.Rdx, r.R10)
	case byText:
		c.Path = resolve(thread, atCwd, r.Rsi)
	case byTextAt:
		c.Path = resolve(thread, r.Rsi, r.Rdx)
	}
	return c, true
}

const atCwd = uint64(0xffffffffffffff9c) // AT_FDCWD

func opensForChange(thread int, r *unix.PtraceRegs) bool {
	var flags uint64
	switch r.Orig_rax {
	case unix.SYS_OPEN:
		flags = r.Rsi
	case unix.SYS_OPENAT:
		flags = r.Rdx
	case unix.SYS_OPENAT2:
		flags = firstWord(thread, r.Rdx)
	}
	return flags&(unix.O_CREAT|unix.O_TRUNC) != 0
}

// beneath reports whether the call works on something in one of the folders.
func (c Call) beneath(folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		in := func(path string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
		return in(c.Path) || in(c.From)
	})
}

func resolve(thread int, dir, name uint64) string {
	text := stringAt(thread, name)
	switch {
	case strings.HasPrefix(text, "/"):
		return filepath.Clean(text)
	case text == "": // AT_EMPTY_PATH
		return descriptor(thread, dir)
	}
	return filepath.Join(descriptor(thread, dir), text)
}

// descriptor is what a descriptor was opened as, "" if it is not open.
func descriptor(thread int, fd uint64) string {
	path := fmt.Sprintf("/proc/%d/fd/%d", thread, int32(fd))
	if int32(fd) == unix.AT_FDCWD {
		path = fmt.Sprintf("/proc/%d/cwd", thread)
	}
	text, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(text, " (deleted)")
}

// stringAt reads a name out of the thread's memory, page by page: the end of a mapping may be near.
func stringAt(thread int, at uint64) string {
	var out []byte
	for len(out) < unix.PathMax {
		buf := make([]byte, min(256, 4096-at%4096))
		n, err := unix.PtracePeekData(thread, uintptr(at), buf)
		if end := slices.Index(buf[:max(n, 0)], 0); end >= 0 {
			return string(append(out, buf[:end]...))
		}
		if err != nil {
			break
		}
		out, at = append(out, buf[:n]...), at+uint64(n)
	}
	return string(out)
}

func firstWord(thread int, at uint64) uint64 {
	var buf [8]byte
	if _, err := unix.PtracePeekData(thread, uintptr(at), buf[:]); err != nil {
		return 0
	}
	var v uint64
	for i := range buf {
		v |= uint64(buf[i]) << (8 * i)
	}
	return v
}
