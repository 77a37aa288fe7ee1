package activate

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/generation"
)

// sweepHome removes what stands beside our destinations because a step that failed could not remove it either: links
// into our tree, what was staged for a merged file, and what is in the backups. Nothing else: it might be the user's last
// copy. What cannot be looked at or removed waits for the next time.
func sweepHome(state generation.State) {
	applied, err := loadApplied(state.Dir())
	if err != nil || len(applied.Paths)+len(applied.Staged)+len(applied.Left) == 0 {
		return // nothing, or the command itself will tell
	}
	h, err := openHome(applied.Home)
	if err != nil {
		return
	}
	defer h.close()
	for _, path := range applied.Staged {
		if dir, name, err := h.at(path); err == nil {
			if info, err := dir.Lstat(name); err == nil && info.Mode().IsRegular() {
				_ = dir.Remove(name)
			}
		}
	}
	folders := map[string]bool{}
	for _, p := range applied.Paths {
		folders[filepath.Dir(p.Path)] = true
	}
	for _, s := range applied.Left {
		folders[filepath.Dir(s.Path)] = true
	}
	for folder := range folders {
		names, err := namesIn(h, folder)
		if err != nil {
			continue
		}
		for _, name := range names {
			at := strings.LastIndex(name, stageMark) // what stands there may have the mark in its own name
			if at < 1 || name[0] != '.' || at+len(stageMark) == len(name) {
				continue
			}
			base, kind := name[:at], name[at+len(stageMark):]
			dir, _, err := h.at(filepath.Join(folder, name))
			if err == nil && isLeftover(dir, name, kind, filepath.Join(folder, base[1:]), applied, state.LiveTree()) {
				_ = removeAll(dir, name)
			}
		}
	}
}

// stageMark is in the name of everything that stands beside a destination for a moment.
const stageMark = ".agentihooks-"

// stagesLeft is the staged files that are still there, for sweepHome. Without a failure there are none.
func (a *applier) stagesLeft() []string {
	var out []string
	for _, m := range a.Merges {
		if m.Stage == "" || len(a.warnings) == 0 {
			continue
		}
		dir, _, err := a.home.at(m.Dest)
		if err != nil {
			continue
		}
		if _, err := dir.Lstat(m.Stage); err == nil {
			out = append(out, filepath.Join(filepath.Dir(m.Dest), m.Stage))
		}
	}
	return out
}

// isLeftover reports whether what stands beside dest under one of our temporary names is known to be ours, or to be in
// the backups.
func isLeftover(dir *os.Root, name, kind, dest string, applied Applied, live string) bool {
	text, linked, err := linkText(dir, name)
	if err != nil {
		return false
	}
	if linked && beneath(text, live) {
		return true
	}
	prior := applied.left(dest)
	if p, known := applied.path(dest); known && p.Prior != nil {
		prior = p.Prior
	}
	if prior == nil {
		return false
	}
	if kind == tempGone {
		return prior.Folder
	}
	same, err := matches(dir, name, *prior)
	return err == nil && same
}

func (a Applied) left(dest string) *PriorFile {
	for _, s := range a.Left {
		if s.Path == dest {
			return s.Prior
		}
	}
	return nil
}

// placesLeft is what of another program still stands beside its place, for sweepHome. Without a failure there is nothing.
func (a *applier) placesLeft() []savedPlace {
	var out []savedPlace
	for _, s := range a.saved() {
		if len(a.warnings) == 0 || a.formerly(s.Path) == "" {
			continue
		}
		dir, name, err := a.home.at(s.Path)
		if err != nil {
			continue
		}
		for _, kind := range []string{tempPrior, tempGone} {
			if _, err := dir.Lstat(tempName(name, kind)); err == nil {
				out = append(out, s)
				break
			}
		}
	}
	return out
}
