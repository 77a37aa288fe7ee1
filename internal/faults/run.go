//go:build linux && amd64

package faults

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Kill is the fault that ends the process: the call is not made. Every other fault is the error number that the call
// returns without being made.
const Kill = syscall.Errno(0)

// Program is what runs. Args begins with its path; the environment is exactly Env.
type Program struct {
	Args []string
	Env  []string
	Dir  string
}

// Plan says which calls count and what happens at one of them.
type Plan struct {
	Beneath []string // folders, real paths; only calls that work on something in them count
	Changes bool     // count only calls that change something
	At      int      // from 1; 0: nothing happens
	Fault   syscall.Errno
}

// Outcome is one run. Calls are those that count, up to the fault if it was Kill.
type Outcome struct {
	Calls          []Call
	Fired          bool // the call of Plan.At was made
	Killed         bool // a signal ended the program
	Exit           int  // its exit status otherwise
	Stdout, Stderr string
}

// Run runs a program to its end. An error is one of the tracing, not of the program.
func Run(program Program, plan Plan) (Outcome, error) {
	var out Outcome
	var readers sync.WaitGroup
	stdout, err := collect(&readers, &out.Stdout)
	if err != nil {
		return Outcome{}, err
	}
	stderr, err := collect(&readers, &out.Stderr)
	if err != nil {
		stdout.Close()
		return Outcome{}, err
	}
	// The thread that starts the process is its tracer, and no other may do anything for it. It is not given back.
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		t := tracer{plan: plan, out: &out}
		err := t.start(program, stdout, stderr)
		stdout.Close()
		stderr.Close()
		if err == nil {
			err = t.loop()
		}
		done <- err
	}()
	err = <-done
	readers.Wait()
	if err != nil {
		return Outcome{}, fmt.Errorf("tracing %s: %w", program.Args[0], err)
	}
	return out, nil
}

// collect is a pipe whose other end is read into text.
func collect(readers *sync.WaitGroup, text *string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	readers.Go(func() {
		defer r.Close()
		data, _ := io.ReadAll(r) // ends when the last process with the pipe does
		*text = string(data)
	})
	return w, nil
}

type tracer struct {
	plan Plan
	out  *Outcome
	main int
}

const options = unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL

func (t *tracer) start(program Program, stdout, stderr *os.File) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	t.main, err = syscall.ForkExec(program.Args[0], program.Args, &syscall.ProcAttr{
		Dir: program.Dir, Env: program.Env, Files: []uintptr{null.Fd(), stdout.Fd(), stderr.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL, Setpgid: true},
	})
	if err != nil {
		return err
	}
	if _, _, err := wait(t.main); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(t.main, options); err != nil {
		return err
	}
	if err := installFilter(t.main); err != nil {
		return errors.Join(err, unix.Kill(t.main, unix.SIGKILL))
	}
	return unix.PtraceCont(t.main, 0)
}

// wait waits for a child of this thread alone: several tracers may work in one process.
func wait(pid int) (int, unix.WaitStatus, error) {
	for {
		var ws unix.WaitStatus
		got, err := unix.Wait4(pid, &ws, unix.WALL|unix.WNOTHREAD, nil)
		if !errors.Is(err, unix.EINTR) {
			return got, ws, err
		}
	}
}

func (t *tracer) loop() error {
	for {
		// A group of its own, because this thread may have other children: from before it was locked.
		thread, ws, err := wait(-t.main)
		if errors.Is(err, unix.ECHILD) {
			return nil // the program and every process that it started have ended
		}
		if err != nil {
			return err
		}
		switch {
		case ws.Exited() || ws.Signaled():
			if thread == t.main {
				t.out.Killed, t.out.Exit = ws.Signaled(), ws.ExitStatus()
			}
		case ws.StopSignal() == unix.SIGTRAP && ws.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
			if err := t.callStop(thread); err != nil {
				return err
			}
			resume(thread, 0)
		case ws.StopSignal() == unix.SIGTRAP, ws.StopSignal() == unix.SIGSTOP:
			resume(thread, 0) // an event, or the first stop of a new thread: no signal of the program's
		default:
			resume(thread, int(ws.StopSignal()))
		}
	}
}

// resume lets a thread run to its next stop. One that was killed meanwhile is told by the next wait.
func resume(thread, signal int) { _ = unix.PtraceCont(thread, signal) }

// callStop is called when one of our calls is about to be made.
func (t *tracer) callStop(thread int) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(thread, &r); err != nil {
		return ignoreGone(err)
	}
	c, ok := callOf(thread, &r)
	if !ok || t.plan.Changes && !c.Changes || !c.beneath(t.plan.Beneath) {
		return nil
	}
	if t.out.Fired && t.plan.Fault == Kill {
		return nil // another thread, not dead yet
	}
	t.out.Calls = append(t.out.Calls, c)
	if len(t.out.Calls) != t.plan.At {
		return nil
	}
	t.out.Fired = true
	// No call is made, also when the process is killed: it might get through before it dies. With the number -1 the
	// kernel returns what is in rax.
	r.Orig_rax = ^uint64(0)
	r.Rax = uint64(-int64(t.plan.Fault))
	if err := unix.PtraceSetRegs(thread, &r); err != nil {
		return ignoreGone(err)
	}
	if t.plan.Fault == Kill {
		return unix.Kill(t.main, unix.SIGKILL)
	}
	return nil
}

// ignoreGone is nil for the error of a thread that was killed.
func ignoreGone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
