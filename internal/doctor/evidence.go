package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// evidence is what a rehearsal showed. It is what the model was told and what the CLI logged, never what the CLI prints.
type evidence struct {
	asked  bool     // the session came to its model
	told   string   // all messages to the model
	result string   // what the model was told of its canary; "" if nothing
	faults []string // what the CLI's log says of hooks that could not be run
}

// observe reads the requests of a rehearsal.
func observe(requests []modelserver.Request, faults []string) evidence {
	seen := evidence{asked: len(requests) > 0, faults: faults}
	var told strings.Builder
	for _, r := range requests {
		for _, m := range r.Messages {
			told.WriteString(m.Text + "\n")
		}
		if text, ok := r.Result(0, 0); ok {
			seen.result = text
		}
	}
	seen.told = told.String()
	return seen
}

// rehearsal proves with a session of the real CLI that our hook runs in it and that a denied command does not.
func (d *doctor) rehearsal(ctx context.Context, scratch string) {
	canary, reason := d.canary()
	seen, err := d.rehearse(ctx, scratch, canary)
	if err != nil {
		d.fail("probe-hook", fmt.Sprintf("a session of %s proves nothing: %v", d.Copilot, err),
			"Run `copilot --version` in this folder; if that works, try again.")
		return
	}
	d.judgeHook(seen)
	d.judgeGuard(seen, canary, reason)
}

// canary is a command that a guard of the live generation denies, and with what reason; "" if no guard denies one. Were it
// let through, its first word would keep the rest from running. The guard "self" denies the last, whatever the manifest has.
func (d *doctor) canary() (command, reason string) {
	var candidates []string
	for _, g := range d.compiled.Guards {
		denied, _, _ := guard.Denied(g.Kind, g.Data)
		candidates = append(candidates, denied...)
	}
	for _, what := range append(candidates, "agentihooks rollback") {
		command := "false && " + what
		if reason := d.denies(command); reason != "" {
			return command, reason
		}
	}
	return "", ""
}

// denies is the reason of the first guard that denies a command, as the hook asks them; "" if none does.
func (d *doctor) denies(command string) string {
	for _, g := range d.compiled.Guards {
		if v, err := guard.Judge(g.Kind, g.Data, &guard.Call{Tool: "bash", Command: command}); err == nil && v.Kind == guard.Deny {
			return v.Reason
		}
	}
	return ""
}

// banner is how the hook's words at the start of a session begin, before the number of the generation.
const banner = "agentihooks: generation "

// judgeHook looks for what the hook says to the model at the start of a session.
func (d *doctor) judgeHook(seen evidence) {
	switch {
	case strings.Contains(seen.told, fmt.Sprintf("%s%d, ", banner, d.record.Number)):
		d.pass("probe-hook", "in a session of Copilot's the hook of generation %d spoke to the model", d.record.Number)
	case strings.Contains(seen.told, banner):
		d.fail("probe-hook", "in a session of Copilot's a hook of ours spoke to the model, but not that of the live generation: it belongs to another state folder",
			"Run `agentihooks switch` in this shell, so that the hooks file names this state folder.")
	default:
		cause, fix := d.silence(seen)
		d.fail("probe-hook", "in a session of Copilot's no hook of ours spoke to the model: "+cause, fix)
	}
}

// judgeGuard looks at what became of the canary.
func (d *doctor) judgeGuard(seen evidence, canary, reason string) {
	const denied = "Denied by preToolUse hook" // so Copilot 1.0.80 to 1.0.102 tell the model
	switch {
	case canary == "" && len(d.compiled.Guards) == 0:
		d.pass("probe-guard", "no guard is declared: there is nothing to prove")
	case canary == "":
		d.pass("probe-guard", "no guard denies a command: there is nothing to prove")
	case strings.HasPrefix(seen.result, denied) && strings.Contains(seen.result, reason):
		d.pass("probe-guard", "in that session the command `%s` was denied, and the model was told why", canary)
	case strings.Contains(seen.told, banner) && strings.HasPrefix(seen.result, denied):
		d.fail("probe-guard", fmt.Sprintf("in that session not the guard denied the command `%s`, which it should have: the model was told %q", canary, cutLine([]byte(seen.result))),
			"Another hook answers first. Look at the `hook` blocks of the manifest and at the other files in "+filepath.Join(d.CopilotHome, "hooks")+".")
	default:
		cause, fix := d.silence(seen)
		d.fail("probe-guard", fmt.Sprintf("in that session the guard did not deny the command `%s`; the model was told %q: %s", canary, cutLine([]byte(seen.result)), cause), fix)
	}
}

// silence is why nothing was heard of the hook, as far as can be told, and what to do.
func (d *doctor) silence(seen evidence) (cause, fix string) {
	var failed []string
	for _, c := range d.checks {
		if !c.OK && slices.Contains([]string{"tree", "links", "hook", "policy", "home", "repository", "probe"}, c.ID) {
			failed = append(failed, "`"+c.ID+"`")
		}
	}
	switch checks := strings.Join(failed, ", "); {
	case len(seen.faults) > 0 && checks != "":
		return "Copilot could not run it: " + strings.Join(seen.faults, "; "), "Do what the failed checks say: " + checks + "."
	case len(seen.faults) > 0:
		return "Copilot could not run it: " + strings.Join(seen.faults, "; "), "Run `agentihooks switch`, then probe again."
	case checks != "":
		return "the failed checks say why: " + checks, "Do what they say, then probe again."
	}
	return "Copilot did not say why", "Run `agentihooks switch`, then probe again. If nothing changes, look at `copilot --log-level all` and its log folder."
}

// hookFault is how Copilot 1.0.80 to 1.0.102 say in their log that a hook could not be run or a file of hooks not be read.
var hookFault = regexp.MustCompile(`(?i)\[ERROR\] (?:\[rust:hooks\] )?(.*\bhook\b.*)`)

// hookFaults are the first faults that the log of a rehearsal names, each once, with the paths of the user's own home.
func hookFaults(scratch, home string) []string {
	var out []string
	files, _ := filepath.Glob(filepath.Join(escapeGlob(scratch), "logs", "*.log"))
	for _, file := range files {
		text, _ := readSome(file)
		for _, m := range hookFault.FindAllSubmatch(text, -1) {
			line := strings.ReplaceAll(cutLine(m[1]), scratch, home)
			if len(out) < maxLogLines && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}
