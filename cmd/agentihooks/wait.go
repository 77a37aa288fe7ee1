package main

import (
	"time"

	"github.com/spf13/cobra"
)

// lockWait is how long a command that writes waits for another one, if --wait does not say otherwise.
const lockWait = 30 * time.Second

// waitFlag adds --wait to a command that writes.
func waitFlag(c *cobra.Command, value *time.Duration) {
	c.Flags().DurationVar(value, "wait", lockWait, "how long to wait for another agentihooks that writes")
}
