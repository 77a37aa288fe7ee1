package process

import (
	"encoding/binary"
	"strconv"
	"syscall"
	"unsafe"
)

// Of struct kinfo_proc in <sys/sysctl.h>, the same on amd64 and arm64: its size, and where p_starttime (two numbers of
// 8 bytes, seconds and microseconds), p_pid and e_ppid stand.
const (
	infoSize  = 648
	atStart   = 0
	atPID     = 40
	atParent  = 560
	ctlKern   = 1
	kernProc  = 14
	kernByPID = 1
)

// look asks the kernel for a process. An answer that is not of the known shape is none: then a process is known by its
// number only.
func look(pid int) (start string, parent int, ok bool) {
	mib := [4]int32{ctlKern, kernProc, kernByPID, int32(pid)}
	var info [infoSize]byte
	size := uintptr(len(info))
	_, _, errno := syscall.Syscall6(syscall.SYS___SYSCTL, uintptr(unsafe.Pointer(&mib[0])), uintptr(len(mib)),
		uintptr(unsafe.Pointer(&info[0])), uintptr(unsafe.Pointer(&size)), 0, 0)
	number := func(at int) int { return int(int32(binary.LittleEndian.Uint32(info[at:]))) }
	if errno != 0 || size != infoSize || number(atPID) != pid {
		return "", 0, false
	}
	seconds := binary.LittleEndian.Uint64(info[atStart:])
	micros := binary.LittleEndian.Uint32(info[atStart+8:])
	return strconv.FormatUint(seconds, 10) + "." + strconv.FormatUint(uint64(micros), 10), number(atParent), true
}

// boot: a start time of macOS is absolute and needs no boot beside it.
func boot() string { return "" }

func space() string { return "" }
