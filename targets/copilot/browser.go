package copilot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// windowsBrowsers are what `browserCommand = "auto"` looks for under WSL, in this order. explorer.exe is none of
// them: it opens a folder for an address that it does not understand.
var windowsBrowsers = []string{
	"wslview",
	"/mnt/c/Program Files/Google/Chrome/Application/chrome.exe",
	"/mnt/c/Program Files (x86)/Google/Chrome/Application/chrome.exe",
	"/mnt/c/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
	"/mnt/c/Program Files/Microsoft/Edge/Application/msedge.exe",
}

// sinkScript appends its first argument to a file that only the user can read. Copilot appends the address to the
// command's arguments.
const sinkScript = `umask 077 && mkdir -p "$HOME/.copilot" && f="$HOME/.copilot/pending-oauth-urls.txt" && printf '%s\n' "$1" >>"$f" && chmod 600 "$f"`

// Probes is the names that the facts of the machine have to answer before it is rendered: for each, Facts.Which holds
// the absolute path of the program, or "" if there is none. A name with a slash in it is a path, and its answer is the
// path itself if it is a file that can be run. Sorted, each once.
func Probes(m model.Machine, block model.Block) []string {
	command := block.Attrs.Get("browserCommand")
	if isAuto(command) {
		if m.Facts.WSL != nil && !*m.Facts.WSL {
			return nil
		}
		names := slices.Clone(windowsBrowsers)
		slices.Sort(names)
		return names
	}
	if argv, err := commandWords(command); err == nil && len(argv) > 0 {
		return []string{argv[0]}
	}
	return nil
}

func isAuto(v model.Value) bool {
	return v.Kind == model.KindString && strings.EqualFold(strings.TrimSpace(v.Text), "auto")
}

// commandWords is a command as a list: a list as it is, a string split like a shell's words.
func commandWords(v model.Value) ([]string, error) {
	if v.Kind == model.KindList {
		return texts(v), nil
	}
	return shellWords(v.Text)
}

// browser is the command that opens a page, with the attribute that asks for it and where that stands; nil for
// Copilot's own choice.
func (r *renderer) browser() (argv []string, because string, at diag.Range) {
	command := r.attr("browserCommand")
	if argv = r.browserCommand(command); argv != nil {
		return argv, "browserCommand", command.Origin
	}
	if suppress := r.attr("suppressBrowserLaunch"); suppress.Bool {
		return []string{"sh", "-c", sinkScript, "agentihooks-oauth"}, "suppressBrowserLaunch", suppress.Origin
	}
	return nil, "", diag.Range{}
}

func (r *renderer) browserCommand(command model.Value) []string {
	if isAuto(command) {
		return r.autoBrowser(command.Origin)
	}
	argv, err := commandWords(command)
	if err != nil {
		r.diags.Errorf(command.Origin, "invalid-command", "browserCommand cannot be split into words",
			"It has %s. Close the quote, or write the command as a list.", err)
		return nil
	}
	for _, word := range argv {
		if !r.text(command.Origin, "browserCommand", word) {
			return nil
		}
	}
	if len(argv) == 0 {
		return nil
	}
	switch path, ok := r.which(command.Origin, argv[0]); {
	case !ok:
		return nil
	case path == "":
		r.diags.Warnf(command.Origin, "command-not-found", fmt.Sprintf("browserCommand: there is no %q", argv[0]),
			"Copilot keeps its own way to open a page. Install the program, or correct the command.")
		return nil
	}
	return argv
}

// autoBrowser is the first Windows browser that is there. Elsewhere Copilot's own choice is right.
func (r *renderer) autoBrowser(at diag.Range) []string {
	wsl := r.in.Machine.Facts.WSL
	if wsl == nil {
		r.diags.Errorf(at, "unknown-fact", "browserCommand = \"auto\" depends on the fact wsl, which is not known",
			"Add \"wsl\" to the facts of this host.")
		return nil
	}
	if !*wsl {
		return nil
	}
	for _, name := range windowsBrowsers {
		path, ok := r.which(at, name)
		if !ok {
			return nil
		}
		if path != "" {
			return []string{path}
		}
	}
	r.diags.Warnf(at, "command-not-found", "browserCommand = \"auto\" found no Windows browser",
		"Copilot keeps its own way to open a page. Install wslu (it has wslview), or name a command.")
	return nil
}

// which is the answer of the facts for a program: "" if it is not there, not ok if nobody asked.
func (r *renderer) which(at diag.Range, name string) (path string, ok bool) {
	path, ok = r.in.Machine.Facts.Which[name]
	if !ok {
		r.diags.Errorf(at, "unknown-fact", fmt.Sprintf("browserCommand: the facts do not say whether there is a %q", name),
			"Add its answer to \"which\" in the facts of this host: the absolute path, or an empty string.")
	}
	return path, ok
}
