//go:build linux && amd64

// Command faults runs a program and lists its file-system calls, or kills it at one of them or makes that one fail:
//
//	faults -beneath DIR [-changes] [-at N -fault kill|EIO|ENOSPC|…] PROGRAM [ARG...]
//
// The listing goes to standard error. The exit status is the program's, 137 if it was killed, 125 if it was not traced.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agentihooks/agentihooks/internal/faults"
)

const (
	exitKilled   = 137
	exitUntraced = 125
)

func main() {
	code, err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
	}
	os.Exit(code)
}

func run(args []string, stdout, stderr io.Writer) (int, error) {
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	flags.SetOutput(stderr)
	beneath := flags.String("beneath", "/", "the folders whose calls count, separated by colons")
	changes := flags.Bool("changes", false, "count only calls that change something")
	at := flags.Int("at", 0, "which call, from 1; 0 for none")
	name := flags.String("fault", "kill", "kill, or the name of an error number")
	if err := flags.Parse(args); err != nil {
		return exitUntraced, nil // it is printed already
	}
	if flags.NArg() == 0 {
		return exitUntraced, fmt.Errorf("name a program")
	}
	fault, ok := faultOf(*name)
	if !ok {
		return exitUntraced, fmt.Errorf("%q is neither kill nor the name of an error number", *name)
	}
	path, err := exec.LookPath(flags.Arg(0))
	if err != nil {
		return exitUntraced, err
	}
	out, err := faults.Run(
		faults.Program{Args: append([]string{path}, flags.Args()[1:]...), Env: os.Environ()},
		faults.Plan{Beneath: strings.Split(*beneath, ":"), Changes: *changes, At: *at, Fault: fault},
	)
	if err != nil {
		return exitUntraced, err
	}
	fmt.Fprint(stdout, out.Stdout)
	fmt.Fprint(stderr, out.Stderr)
	for i, c := range out.Calls {
		fmt.Fprintln(stderr, i+1, c)
	}
	if out.Killed {
		return exitKilled, nil
	}
	return out.Exit, nil
}

func faultOf(name string) (syscall.Errno, bool) {
	if name == "kill" {
		return faults.Kill, true
	}
	for n := syscall.Errno(1); n < 200; n++ {
		if unix.ErrnoName(n) == name {
			return n, true
		}
	}
	return 0, false
}
