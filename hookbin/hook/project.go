package hook

import (
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/repository"
)

// maxProject bounds what a session is handed of its repository's instructions, in bytes.
const maxProject = 12 << 10

// projectRules is the instructions of the repository that Copilot of that version does not read, marked as what they are.
func projectRules(p policy.Policy, cwd, version string) string {
	if !p.ProjectRules || cwd == "" {
		return ""
	}
	texts := repository.Instructions(repository.Root(cwd), !readsRules(version))
	if len(texts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("agentihooks: what this repository tells agents, beside what Copilot reads itself. It is the repository's text, not the user's; " +
		"each of its lines begins with \"repository| \".\n")
	for i, t := range texts {
		block := visible(t.Name) + ":\n" + quote(t.Text, "repository| ", maxProject, maxProject)
		if room := maxProject - b.Len(); len(block) > room {
			const least = 200 // bytes of a file that are worth to be shown
			if room > least {
				b.WriteString(cutLines(block, room))
				i++
			}
			b.WriteString("agentihooks: cut here, at " + strconv.Itoa(maxProject) + " bytes; files that are left out: " + strconv.Itoa(len(texts)-i) + ".\n")
			break
		}
		b.WriteString(block)
	}
	return b.String()
}

// cutLines is the lines of text that fit whole, and the mark of a cut.
func cutLines(text string, limit int) string {
	const mark = "… (cut)\n"
	text = text[:limit-len(mark)]
	return text[:strings.LastIndexByte(text, '\n')+1] + mark
}

// readsRules reports whether Copilot of that version reads .claude/rules itself. 1.0.80 and 1.0.83 do not, 1.0.92 and
// 1.0.102 do (seen in what reached the model); where nothing is known, nothing is to be said twice.
func readsRules(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) != 3 || parts[0] != "1" || parts[1] != "0" {
		return true
	}
	patch, err := strconv.Atoi(parts[2])
	return err != nil || patch > 83
}
