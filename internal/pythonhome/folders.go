package pythonhome

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/activate"
)

// The files of the program, in the folder of Copilot unless it says otherwise.
const (
	wrapperName   = "agentihooks-hook.sh"
	hooksName     = "agentihooks.json"
	managedName   = ".agentihooks-managed.json"          // what it wrote into settings.json
	agentsRecord  = ".agentihooks-manifest.json"         // in agents
	commandRecord = ".agentihooks-copilot-commands.json" // in the folder of skills
)

// ledger reads state.json.
func (r *reader) ledger() ledger {
	path := filepath.Join(r.state, "state.json")
	data, ok := r.read(path)
	if !ok {
		return ledger{}
	}
	out, _ := decodeLedger(&r.list, path, data)
	if out.copilot && out.path != "" && out.path != r.copilot && !sameFile(out.path, r.copilot) {
		r.keepf(path, "what it says of Copilot is about %s, not %s; run this with COPILOT_HOME set to take that over", out.path, r.copilot)
		out.copilot, out.others, out.servers, out.recorded = false, append(out.others, "Copilot in "+out.path), nil, false
	}
	return out
}

// environment takes the file of variables for Copilot.
func (r *reader) environment() {
	path := filepath.Join(r.state, "copilot.env")
	data, ok := r.read(path)
	switch {
	case ok && marked(data):
		r.whole(path)
		r.folder(r.state)
	case ok:
		r.keepf(path, "no comment in it says that %s made it", Name)
	}
}

// agents takes the agents that it translated. Its record has their names alone, not what it wrote into them.
func (r *reader) agents() {
	dir := filepath.Join(r.copilot, "agents")
	for _, name := range r.recorded(filepath.Join(dir, agentsRecord)) {
		path := filepath.Join(dir, name)
		if isLink(path) {
			r.keepf(path, "it is a link, and %s makes files", Name)
		} else if _, ok := r.read(path); ok {
			r.whole(path)
		}
	}
}

// commands takes the commands that it translated to skills: folders with one file.
func (r *reader) commands() {
	for _, name := range r.recorded(filepath.Join(r.skills, commandRecord)) {
		path := filepath.Join(r.skills, name)
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() {
			continue // a link is of a skill that has the name now
		}
		items, err := os.ReadDir(path)
		if err != nil || len(items) > 1 || len(items) == 1 && (items[0].Name() != "SKILL.md" || !items[0].Type().IsRegular()) {
			r.keepf(path, "it holds more than the SKILL.md that %s wrote", Name)
			continue
		}
		r.whole(path)
	}
}

// recorded is what a record in a folder names. The record itself goes too.
func (r *reader) recorded(path string) []string {
	data, ok := r.read(path)
	if !ok {
		return nil
	}
	names, _ := decodeNames(&r.list, path, data)
	r.pending = append(r.pending, path)
	r.folder(filepath.Dir(path))
	if parent := filepath.Dir(r.skills); filepath.Dir(path) == r.skills {
		r.folder(parent)
	}
	return names
}

// links takes the links to skills. Codex reads the same folder: with it on record, what the manifest does not put another in
// the place of would be missed there.
func (r *reader) links(st ledger) {
	for _, l := range st.links {
		if !r.isSkill(l) {
			continue
		}
		text, err := os.Readlink(l.path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone
		case err != nil:
			r.keepf(l.path, "%s made a link there, which you replaced", Name)
		case !sameTarget(l.path, text, l.target):
			r.keepf(l.path, "%s made a link to %q there, which leads to %q now", Name, l.target, text)
		case slices.Contains(st.others, "codex"):
			r.out.Legacy.Shared = append(r.out.Legacy.Shared, r.skillPath(l))
		default:
			r.whole(r.skillPath(l))
			r.folder(r.skills)
			r.folder(filepath.Dir(r.skills))
		}
	}
}

// isSkill reports whether a link on record stands in the folder of skills; others are of other agents.
func (r *reader) isSkill(l managedLink) bool {
	dir := filepath.Dir(l.path)
	return dir == r.skills || sameFile(dir, r.skills)
}

// skillPath is a link's path as this home is spelled now.
func (r *reader) skillPath(l managedLink) string {
	return filepath.Join(r.skills, filepath.Base(l.path))
}

// sameTarget reports whether a link's text leads to what is on record, spelled so or otherwise.
func sameTarget(link, text, target string) bool {
	if strings.TrimRight(text, "/") == strings.TrimRight(target, "/") {
		return true
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(link), text)
	}
	return sameFile(text, target)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// records are removed last: without them nobody knows what is left. state.json stays for the other agents in it.
func (r *reader) records(st ledger) {
	r.whole(r.pending...)
	path := filepath.Join(r.state, "state.json")
	switch {
	case !st.there:
	case st.copilot && len(st.others) == 0:
		if _, ok := r.read(path + ".bak"); ok {
			r.whole(path + ".bak") // the generation before
		}
		r.whole(path)
		r.folder(r.state)
	case st.copilot:
		r.share(st, path)
	}
}

// share takes what is about Copilot out of state.json.
func (r *reader) share(st ledger, path string) {
	f := activate.File{Dest: path}
	data, _ := r.read(path)
	doc, ok := parse(&r.list, path, data)
	if !ok {
		return
	}
	if text, ok := doc.text("targets", "global", "copilot"); ok {
		f.Keys = append(f.Keys, activate.Key{Path: []string{"targets", "global", "copilot"}, Value: text})
	}
	var taken []activate.Element
	for _, l := range st.links {
		if r.isSkill(l) && slices.Contains(r.out.Legacy.Whole, r.skillPath(l)) {
			taken = append(taken, activate.Element{Value: l.text})
		}
	}
	if len(taken) > 0 {
		f.Keys = append(f.Keys, activate.Key{Path: []string{"managed_links"}, Set: true, Elements: taken})
	}
	if len(f.Keys) > 0 {
		r.out.Legacy.Keys = append(r.out.Legacy.Keys, f)
	}
	r.keepf(path, "what it says of %s stays", strings.Join(st.others, " and "))
}
