// Package e2e tests agentihooks against the real GitHub Copilot CLI, offline, with a scripted model in its place.
package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// cases are the tests, each run once for every version of the CLI, in a home of its own.
var cases = []struct {
	name string
	run  func(*home)
}{
	{"bare home", bareHome},
	{"faults are seen", faultsAreSeen},
	{"model gets the machine", modelGetsTheMachine},
	{"agents have their tools", agentsHaveTheirTools},
	{"guard denies", guardDenies},
	{"guard denies in an odd home", guardDeniesInAnOddHome},
	{"guard sees swapped arguments", guardSeesSwappedArguments},
	{"swapped result is hidden", swappedResultIsHidden},
	{"results are shown", resultsAreShown},
	{"messages reach the model", messagesReachTheModel},
	{"session is told", sessionIsTold},
	{"own hook runs", ownHookRuns},
	{"own hooks of every kind", ownHooksOfEveryKind},
	{"secret from a file", secretFromFile},
	{"secret from a command", secretFromCommand},
	{"secret from a variable", secretFromVariable},
	{"copilot lists the machine", copilotListsTheMachine},
	{"copilot changes settings", copilotChangesSettings},
	{"copilot adds a server", copilotAddsAServer},
	{"everything loads", everythingLoads},
	{"bundle moves over", bundleMovesOver},
	{"moves in", movesIn},
	{"shell loads the environment", shellLoadsTheEnvironment},
	{"status line is on the screen", statusLineIsOnTheScreen},
	{"doctor asks copilot", doctorAsksCopilot},
	{"doctor rehearses", doctorRehearses},
}

func TestCopilot(t *testing.T) {
	clis := findCopilot(t)
	b := build(t)
	for _, c := range clis {
		t.Run(c.version, func(t *testing.T) {
			t.Parallel()
			for _, tt := range cases {
				t.Run(tt.name, func(t *testing.T) {
					t.Parallel()
					tt.run(newHome(t, c, b))
				})
			}
		})
	}
}

// tools are the programs of ours that the tests run.
type tools struct {
	agentihooks string
	mcpserver   string
}

// build builds them as they stand in this checkout. The hook lies beside agentihooks, where a build without embedded
// hooks looks for it.
func build(t *testing.T) tools {
	t.Helper()
	dir := t.TempDir()
	for _, pkg := range []string{"cmd/agentihooks", "hookbin/agentihooks-hook", "internal/e2e/mcpserver"} {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, filepath.Base(pkg)), "./"+pkg)
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", pkg, err, out)
		}
	}
	return tools{agentihooks: filepath.Join(dir, "agentihooks"), mcpserver: filepath.Join(dir, "mcpserver")}
}
