package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestTwoSwitchesAtOnce starts two switches to two manifests together, fifty times: both end well, one after the other.
func TestTwoSwitchesAtOnce(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	rounds := 50
	if testing.Short() {
		rounds = 10
	}
	s := newSite(t, memory(t), command(t))
	s.userFiles()
	s.write("src/a2/machine.hcl", "persona = [\"me.md\"]\ntarget \"copilot\" {}\n")
	s.write("src/b2/machine.hcl", "persona = [\"me.md\"]\ntarget \"copilot\" {}\n")
	for round := range rounds {
		// New content each time: a switch to what is live makes no generation.
		for _, name := range []string{"a2", "b2"} {
			s.write(filepath.Join("src", name, "me.md"), fmt.Sprintf("%s %d\n", name, round))
		}
		var group sync.WaitGroup
		results := make([]result, 2)
		for i, name := range []string{"a2", "b2"} {
			group.Go(func() { results[i] = s.run(s.switchTo(name)...) })
		}
		group.Wait()
		for _, res := range results {
			if res.exit != 0 {
				t.Fatalf("round %d: exit code %d, %s%s", round, res.exit, res.stdout, res.stderr)
			}
		}
		want := fmt.Sprintf("generations/%d", 2*(round+1))
		if got, err := os.Readlink(filepath.Join(s.state, "current")); err != nil || got != want {
			t.Fatalf("round %d: current is %q, %v, want %q", round, got, err, want)
		}
	}
	s.must("status", "--exit-code")
	for n := 2*rounds - 3; n <= 2*rounds; n++ { // older ones may be freed by now
		if _, err := os.Stat(filepath.Join(s.state, "generations", fmt.Sprint(n), "tree", "index.json")); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d times two switches at once: all ended well, generations 1 to %d", rounds, 2*rounds)
}
