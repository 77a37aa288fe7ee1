package hook

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/event"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/process"
	"github.com/agentihooks/agentihooks/hookbin/repository"
	"github.com/agentihooks/agentihooks/hookbin/session"
)

// maxLine bounds what the banner says of one guard, in bytes.
const maxLine = 2 << 10

// versionVariable is set by Copilot for its hooks (1.0.80 to 1.0.102).
const versionVariable = "COPILOT_CLI_BINARY_VERSION"

// sessionStart tells the model what is in force: the generation, the host, the channels, the guards, and the secrets that
// are missing, by name only.
func (a *answer) sessionStart(p policy.Policy, e event.Event) int {
	recordErr := a.recordSession(p, e.SessionID)
	var b strings.Builder
	environ := a.world.Environ()
	version := lookup(environ, versionVariable)
	b.WriteString("agentihooks: " + generationText(p) + ", host " + visible(p.Host) + programText(version) + ".\n")
	if len(p.Channels) > 0 {
		b.WriteString("Channels of this session: " + cut(visible(strings.Join(p.Channels, ", ")), maxLine) + ".\n")
	}
	if len(p.Guards) == 0 {
		b.WriteString("No guards are in force.\n")
	} else {
		b.WriteString("Guards in force (a tool call that one of them denies does not run):\n")
	}
	for _, g := range p.Guards {
		b.WriteString("- " + cut(visible(guard.Describe(g.Kind, g.Data)), maxLine) + "\n")
	}
	if names := unsetSecrets(p, environ); len(names) > 0 {
		b.WriteString("Secrets that are not set, so that what needs them will not work: " + strings.Join(names, ", ") + ".\n")
	}
	if off := hooksOff(e.Cwd); off != "" {
		b.WriteString(off)
	}
	if recordErr != nil {
		b.WriteString("Note: this session could not be recorded (" + visible(recordErr.Error()) +
			"), so that `agentihooks gc` may remove its generation.\n")
	}
	return a.tell(p, e, cut(b.String(), maxText)+projectRules(p, e.Cwd, version))
}

// recordSession keeps the generation of a session from gc while the session runs. Copilot 1.0.83 and 1.0.102 start the
// hook themselves (seen by its parent's command line), so our parent is the agent. A policy without a state folder has
// no generations.
func (a *answer) recordSession(p policy.Policy, id string) error {
	if p.StateDir == "" || id == "" {
		return nil
	}
	number, _ := generation(p)
	return session.Write(p.StateDir, id, number, process.Of(a.world.Parent()), a.world.Now())
}

// sessionEnd forgets the session. What cannot be removed now, gc removes: there is nobody to tell.
func (a *answer) sessionEnd(p policy.Policy, e event.Event) int {
	if p.StateDir != "" && e.SessionID != "" {
		_ = session.Remove(p.StateDir, e.SessionID)
	}
	return a.silent()
}

// programText names the program whose session it is, as far as it says so itself.
func programText(version string) string {
	if version == "" {
		return ""
	}
	return ", GitHub Copilot CLI " + cut(visible(version), 40)
}

// hooksOff is a warning where a repository switches the user's hooks off. That we run shows that the folder is not
// trusted yet: Copilot does not heed the switch before.
func hooksOff(cwd string) string {
	if cwd == "" {
		return ""
	}
	files := repository.HooksOff(repository.Root(cwd))
	if len(files) == 0 {
		return ""
	}
	return "disableAllHooks is true in this repository's " + strings.Join(files, ", ") + ": once the folder is trusted, Copilot runs " +
		"none of the user's hooks in it, and no guard. Tell the user.\n"
}

// generationText names the generation in force.
func generationText(p policy.Policy) string {
	if number, ok := generation(p); ok {
		return "generation " + strconv.Itoa(number)
	}
	return "generation unknown"
}

// generation is the number of the generation that $STATE/current points to: its link text is "generations/7".
func generation(p policy.Policy) (number int, ok bool) {
	link, err := os.Readlink(filepath.Join(p.StateDir, "current"))
	if err != nil || p.StateDir == "" {
		return 0, false
	}
	number, err = strconv.Atoi(filepath.Base(link))
	return number, err == nil && number > 0
}

// unsetSecrets is the secrets that should come from the environment and do not, sorted by name.
func unsetSecrets(p policy.Policy, environ []string) []string {
	var names []string
	for _, s := range p.Secrets {
		if s.Env == "" || lookup(environ, s.Env) != "" {
			continue
		}
		name := visible(s.Name)
		if s.Env != s.Name {
			name += " (environment variable " + visible(s.Env) + ")"
		}
		if s.Doc != "" {
			name += " (" + cut(visible(s.Doc), maxLine) + ")"
		}
		names = append(names, name)
	}
	return names
}

// lookup is the value of a variable in environ, "" if it is not set. The first assignment counts, as in libc.
func lookup(environ []string, name string) string {
	for _, entry := range environ {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}
