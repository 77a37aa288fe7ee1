// Command agentihooks-hook is what the agents call: their hook, their status line, and the starter of servers that
// need a secret.
package main

import (
	"os"

	"github.com/agentihooks/agentihooks/hookbin/hook"
)

func main() { os.Exit(hook.Main()) }
