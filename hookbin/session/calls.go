package session

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

const (
	callsFile = "calls" // in the folder of one session: a byte for each tool call
	// maxCalls bounds that file. The count then begins anew.
	maxCalls = 1 << 20
)

// Count counts a tool call of a session on record and returns its number, from 1. Each call appends one byte: the place
// where it comes to stand is its number, so that two calls at once have two, without a lock, and a process that is killed
// leaves nothing half done. A session that is not on record, which a subagent's is not, has no calls.
func Count(state, id string) (int, error) {
	if _, err := os.Lstat(filepath.Join(Folder(state, id), recordFile)); err != nil {
		return 0, err
	}
	path := filepath.Join(Folder(state, id), callsFile)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, errors.Join(err, errors.New(strconv.Quote(path)+" is no file of ours"))
	}
	if _, err := f.Write([]byte{'.'}); err != nil {
		return 0, err
	}
	n, err := f.Seek(0, io.SeekCurrent)
	if n >= maxCalls {
		err = errors.Join(err, f.Truncate(0))
	}
	return int(n), err
}
