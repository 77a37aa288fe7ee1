package doctor

import (
	"fmt"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/pythonhome"
)

// python looks for an installation of our predecessor: its hooks would run beside ours, and what both write is a collision.
func (d *doctor) python() {
	found, list := pythonhome.Read(d.Home, d.CopilotHome)
	for _, fault := range list.Sorted() {
		if fault.Severity == diag.Error {
			d.fail("python", fmt.Sprintf("%s: %s, in a home of %s", fault.Subject, fault.Summary, pythonhome.Name),
				"Correct the file or move it away, then run `agentihooks adopt --from-python`.")
			return
		}
	}
	if !found.Found() {
		d.pass("python", "nothing of %s is here", pythonhome.Name)
		return
	}
	what := fmt.Sprintf("%d files and links", len(found.Legacy.Whole)+len(found.Legacy.Shared))
	for _, f := range found.Legacy.Keys {
		what += fmt.Sprintf(", %d keys of %s", len(f.Keys), f.Dest)
	}
	d.fail("python", fmt.Sprintf("%s is still installed here: %s", pythonhome.Name, what),
		"Run `agentihooks adopt --from-python`; with --dry-run it lists what it would take over.")
}
