// Package process names a process so that a later one of the same number is not taken for it.
package process

import (
	"os"
	"syscall"
)

// ID is one process. What the system does not tell is empty.
type ID struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // when it began, in the system's own unit; only good for comparison
	Host  string `json:"host"`  // the machine that it runs on
	Boot  string `json:"boot"`  // which run of that machine's kernel
	Space string `json:"space"` // the space of process numbers, for containers share a kernel
}

// State is what can be told of a process.
type State uint8

// The states. Unknown is a process of another machine or container.
const (
	Unknown State = iota
	Running
	Ended
)

// Of is the running process of that number.
func Of(pid int) ID {
	id := ID{PID: pid, Boot: boot(), Space: space()}
	id.Host, _ = os.Hostname()
	id.Start, _, _ = look(pid)
	return id
}

// State looks whether the process still runs.
func (id ID) State() State {
	if id.PID <= 0 {
		return Ended
	}
	host, _ := os.Hostname()
	switch {
	case id.Host != host:
		return Unknown
	case id.Boot != boot():
		return Ended
	case id.Space != space():
		return Unknown
	}
	if id.Start != "" && Start(os.Getpid()) != "" { // the system tells when processes began
		if Start(id.PID) == id.Start {
			return Running
		}
		return Ended
	}
	if err := syscall.Kill(id.PID, 0); err == nil || err == syscall.EPERM {
		return Running
	}
	return Ended
}

// maxDepth bounds how far up IsAncestor looks.
const maxDepth = 64

// IsAncestor reports whether the process of that number and start is the parent of process pid, or a parent of that
// one, and so on.
func IsAncestor(ancestor int, start string, pid int) bool {
	for range maxDepth {
		_, parent, ok := look(pid)
		if !ok || parent <= 0 {
			return false
		}
		if parent == ancestor {
			began, _, ok := look(parent)
			return ok && began == start
		}
		pid = parent
	}
	return false
}

// Start is when the process of that number began, "" if that cannot be told.
func Start(pid int) string {
	start, _, _ := look(pid)
	return start
}
