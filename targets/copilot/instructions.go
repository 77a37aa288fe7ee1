package copilot

import (
	"fmt"
	"strings"

	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

const instructionsSuffix = ".instructions.md"

// instructions links each file, in real folders: Copilot 1.0.83 and 1.0.102 do not look into a linked folder there.
// The files stay as they are. Both versions take `applyTo: **/*.ts` without quotes, a BOM and CRLF, so nothing in the
// header is an error.
func (r *renderer) instructions() {
	for _, f := range r.in.Machine.Instructions {
		if !strings.HasSuffix(f.Name, instructionsSuffix) {
			r.diags.Errorf(f.Origin, "instructions-name", fmt.Sprintf("instructions file %s has the wrong ending", f.Source),
				"Copilot reads only names that end in %s. Rename it to %s.", instructionsSuffix,
				strings.TrimSuffix(f.Name, ".md")+instructionsSuffix)
			continue
		}
		if _, err := frontmatter.Text(f.Source, f.Data); err != nil {
			r.unreadable(f, err)
			continue
		}
		name := "copilot/instructions/" + f.Rel
		r.file(name, f.Data, false, f.Origin)
		r.link(r.home("instructions", f.Rel), name, f.Origin)
	}
}
