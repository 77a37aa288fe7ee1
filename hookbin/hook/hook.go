// Package hook is the program that agents call: it answers their events from the policy beside itself.
package hook

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// Exit codes. Copilot 1.0.80 to 1.0.102 takes code 2 for a denial and reads the reason from stdout; any other code
// than 0 denies too, but the reason is lost.
const (
	exitDone    = 0
	exitFailed  = 1
	exitDenied  = 2
	exitUsage   = 2
	exitNoExec  = 126
	exitNoFound = 127
)

// World is what the hook has of the machine. Guards get what they need of it, and nothing below reads a clock or the
// environment by itself.
type World struct {
	Args       []string // without the program's own name
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Environ    func() []string
	Executable func() (string, error) // our own path with no link left in it
	Exit       func(code int)         // ends the process at once
	Exec       func(path string, argv, env []string) error
	Parent     func() int // number of the process that started us
	Now        func() time.Time
	Judge      func(kind string, data []byte, call *guard.Call) (guard.Verdict, error)
	Disk       guard.Disk
	Record     func(state, session string, entries ...ledger.Entry) error
	Deadline   time.Duration // until a verdict that is not there is a denial
	Grace      time.Duration // until a verdict that cannot be delivered ends the process
	Command    time.Duration // how long the command of a secret may run
}

// maxStack bounds the stack, in bytes: input that nests without end then ends the process (exit 2, a denial) in a
// quarter of a second, not after filling a gigabyte.
const maxStack = 32 << 20

// deadline is below the 30 seconds that the hook is registered with, because Copilot lets a call through whose hook
// ran out of time.
const deadline = 5 * time.Second

// Main runs the hook on the real machine and returns its exit code.
func Main() int {
	debug.SetMaxStack(maxStack)
	return Run(machine())
}

// machine is the real world.
func machine() World {
	return World{
		Args:       os.Args[1:],
		Stdin:      os.Stdin,
		Stdout:     descriptor(syscall.Stdout),
		Stderr:     descriptor(syscall.Stderr),
		Environ:    os.Environ,
		Executable: executable,
		Exit:       os.Exit,
		Exec:       syscall.Exec,
		Parent:     os.Getppid,
		Now:        time.Now,
		Judge:      guard.Judge,
		Record:     ledger.Append,
		Disk:       disk(),
		Deadline:   deadline,
		Grace:      time.Second,
		Command:    10 * time.Second,
	}
}

const usage = `usage: agentihooks-hook copilot EVENT              answer an event; the payload comes on stdin
       agentihooks-hook copilot statusLine         print the status line
       agentihooks-hook secret-exec NAME[=TEMPLATE]... -- COMMAND [ARG]...
                                                   run a command with secrets in its environment
       agentihooks-hook version
`

// Run does what the arguments say and returns the exit code.
func Run(w World) int {
	if len(w.Args) > 0 {
		switch rest := w.Args[1:]; {
		case w.Args[0] == "copilot" && len(rest) == 1:
			return answerEvent(w, rest[0])
		case w.Args[0] == "secret-exec":
			return secretExec(w, rest)
		case w.Args[0] == "version" && len(rest) == 0:
			return printVersion(w)
		}
	}
	io.WriteString(w.Stderr, usage)
	return exitUsage
}

func printVersion(w World) int {
	line := "agentihooks-hook, policy format " + strconv.Itoa(policy.Version) +
		", " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	if _, err := io.WriteString(w.Stdout, line); err != nil {
		return exitFailed
	}
	return exitDone
}

// loadPolicy reads the policy of the tree that the running binary is part of: <tree>/bin/<us>, <tree>/policy/policy.bin.
func loadPolicy(w World) (policy.Policy, error) {
	self, err := w.Executable()
	if err != nil {
		return policy.Policy{}, err
	}
	file, err := os.Open(filepath.Join(filepath.Dir(filepath.Dir(self)), "policy", "policy.bin"))
	if err != nil {
		return policy.Policy{}, err
	}
	defer file.Close()
	data, err := readAll(file, policy.MaxSize)
	if err != nil {
		return policy.Policy{}, err
	}
	return policy.Decode(data)
}

// executable is our own path. On linux it is what /proc/self/exe resolves to, elsewhere it may be a link.
func executable() (string, error) {
	path, err := os.Executable()
	if err != nil || runtime.GOOS == "linux" {
		return path, err
	}
	return filepath.EvalSymlinks(path)
}

// tooLong is the error of readAll.
type tooLong struct{}

func (tooLong) Error() string { return "the input is too long" }

// readAll reads to the end. More than limit bytes are an error: a cut payload is another payload.
func readAll(r io.Reader, limit int) ([]byte, error) {
	buf := make([]byte, 0, 8<<10)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), limit+1)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > limit:
			return nil, tooLong{}
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, err
		}
	}
}

// descriptor writes to a file descriptor without package os, which ends the process with SIGPIPE where stdout has no
// reader any more: a denial must still end with its own exit code then.
type descriptor int

func (d descriptor) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := syscall.Write(int(d), p[done:])
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			time.Sleep(time.Millisecond)
		case err != nil:
			return done, err
		default:
			done += n
		}
	}
	return done, nil
}
