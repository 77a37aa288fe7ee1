// Package faults runs a program under ptrace, counts the file-system calls of all its threads, and kills it at the N-th
// or makes that one fail.
//
// Only Linux on amd64 has it: registers and call numbers are that machine's. It needs no privilege, for a process may
// always trace its own children. strace cannot do this: its when=N counts each thread for itself, and goroutines move.
package faults
