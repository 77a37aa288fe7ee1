//go:build linux && amd64

package faults

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// installFilter makes a process that has just been exec'd stop at our calls only. Stopping at every system call makes a
// Go program five times slower, for most of them are its scheduler's. The process installs the filter itself: nothing
// else can, so its first instruction is replaced by a system call for a moment.
func installFilter(pid int) error {
	var saved unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &saved); err != nil {
		return err
	}
	text := make([]byte, 2)
	if _, err := unix.PtracePeekText(pid, uintptr(saved.Rip), text); err != nil {
		return err
	}
	if _, err := unix.PtracePokeText(pid, uintptr(saved.Rip), []byte{0x0f, 0x05}); err != nil { // syscall
		return err
	}
	filter := filterProgram()
	at := (saved.Rsp - 4096) &^ 15 // the kernel maps far more below the first stack pointer
	header := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(len(filter)/8)), at+16)
	if _, err := unix.PtracePokeData(pid, uintptr(at), append(header, filter...)); err != nil {
		return err
	}
	for _, call := range []struct {
		name string
		args [6]uint64 // the number first
	}{
		{"prctl", [6]uint64{unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1}}, // without it only root may
		{"seccomp", [6]uint64{unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, at}},
	} {
		if err := inject(pid, saved, call.args); err != nil {
			return fmt.Errorf("%s in the traced process: %w", call.name, err)
		}
	}
	if _, err := unix.PtracePokeText(pid, uintptr(saved.Rip), text); err != nil {
		return err
	}
	return unix.PtraceSetRegs(pid, &saved)
}

// inject makes the process make one system call, whose instruction stands at its program counter.
func inject(pid int, r unix.PtraceRegs, args [6]uint64) error {
	r.Orig_rax = ^uint64(0) // no call is under way that could be restarted
	r.Rax, r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8 = args[0], args[1], args[2], args[3], args[4], args[5]
	if err := unix.PtraceSetRegs(pid, &r); err != nil {
		return err
	}
	if err := unix.PtraceSingleStep(pid); err != nil {
		return err
	}
	if _, ws, err := wait(pid); err != nil || !ws.Stopped() {
		return fmt.Errorf("it did not stop after it: %v, %w", ws, err)
	}
	if err := unix.PtraceGetRegs(pid, &r); err != nil {
		return err
	}
	if result := int64(r.Rax); result < 0 {
		return syscall.Errno(-result)
	}
	return nil
}

// filterProgram is the filter as the kernel takes it: 8 bytes an instruction (code, jumps if true and false, operand).
func filterProgram() []byte {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		result = unix.BPF_RET | unix.BPF_K
	)
	var out []byte
	add := func(code uint16, yes, no byte, operand uint32) {
		out = binary.LittleEndian.AppendUint16(out, code)
		out = append(out, yes, no)
		out = binary.LittleEndian.AppendUint32(out, operand)
	}
	numbers := slices.Sorted(maps.Keys(calls))
	add(load, 0, 0, 0) // the number
	for i, number := range numbers {
		add(equal, byte(len(numbers)-i), 0, uint32(number)) // over the rest and the next one
	}
	add(result, 0, 0, unix.SECCOMP_RET_ALLOW)
	add(result, 0, 0, unix.SECCOMP_RET_TRACE)
	return out
}
