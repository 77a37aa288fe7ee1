// Package main is the agentihooks command: it reads flags and facts, calls the stages, prints what they say.
package main

import (
	"os"
	"time"
)

func main() {
	a := &app{
		stdout:     &output{Writer: os.Stdout},
		stderr:     os.Stderr,
		env:        os.Getenv,
		now:        time.Now,
		executable: os.Executable,
		hooks:      map[string][]byte{},
	}
	os.Exit(a.run(os.Args[1:]))
}
