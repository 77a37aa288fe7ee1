package activate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// finish is all that happens after the flip. Every step may be done already, for a crash may have come in between. A
// step that cannot be done is a warning and drift, never an error: the generation is live, and the next switch or
// rollback plans anew. Only our own records are errors; then the journal stays and finish runs again. busy says why
// merged files cannot be written now; nil if they can.
func (a *applier) finish(busy error) error {
	old, err := loadApplied(a.state.Dir())
	if err != nil {
		return err
	}
	old = old.inheriting(a.Inherited)
	a.writeMerges(old, busy, false)
	for _, r := range a.Removes {
		if err := a.takeAway(r); err != nil {
			a.fail(r.Path, err)
			a.keepOwned(Path{Path: r.Path, Prior: r.Prior})
		}
	}
	for _, path := range a.Rmdirs {
		if err := a.rmdir(path); err != nil {
			if !errors.Is(err, fs.ErrExist) { // else something appeared in it since
				a.fail(path, err)
			}
			a.keepOwned(Path{Path: path, Folder: true})
		}
	}
	a.writeMerges(old, busy, true)
	for _, l := range a.Late {
		if err := a.linkLate(l); err != nil {
			a.fail(l.Path, err)
			if !a.made(l) {
				a.keepRecord(old, l.Path)
			}
		}
	}
	a.takeAll()
	a.syncHome()
	if dirs := a.restored(); len(dirs) > 0 { // before their backups go
		_ = durable.Sync(slices.DeleteFunc(dirs, func(dir string) bool { _, err := os.Stat(dir); return err != nil })...)
	}
	a.Applied.Staged, a.Applied.Left = a.stagesLeft(), a.placesLeft()
	if err := a.Applied.save(a.state.Dir()); err != nil {
		return fmt.Errorf("recording what is ours: %w", err)
	}
	a.dropBackups()
	return dropJournal(a.state.Dir())
}

func (a *applier) fail(path string, err error) {
	text := err.Error()
	if !strings.Contains(text, path) {
		text = path + ": " + text
	}
	a.warnings = append(a.warnings, text+"; it stays as it is until the next switch")
}

// keepOwned records what is still ours because it could not be removed, in the place of what was to come there.
func (a *applier) keepOwned(p Path) {
	at, found := slices.BinarySearchFunc(a.Applied.Paths, p.Path, func(x Path, s string) int { return strings.Compare(x.Path, s) })
	a.Applied.Paths = slices.Clone(a.Applied.Paths)
	if found {
		a.Applied.Paths[at] = p
	} else {
		a.Applied.Paths = slices.Insert(a.Applied.Paths, at, p)
	}
}

// keepRecord leaves what was on record of a link that could not be made.
func (a *applier) keepRecord(old Applied, path string) {
	a.Applied.Paths = slices.DeleteFunc(slices.Clone(a.Applied.Paths), func(p Path) bool { return p.Path == path && !p.Folder })
	if p, ok := old.path(path); ok && !p.Folder {
		a.keepOwned(p)
	}
}

// made reports whether a link stands although the step failed: then what it took the place of stays on record.
func (a *applier) made(l linkStep) bool {
	dir, name, err := a.home.at(l.Path)
	if err != nil {
		return false
	}
	linked, err := isLink(dir, name, l.Text)
	return err == nil && linked
}

// takeAway removes a link of ours and puts back what it took the place of.
func (a *applier) takeAway(r removeStep) error {
	if r.Prior == nil {
		return a.removeLink(r.Path, func(text string) bool { return beneath(text, a.Live) })
	}
	dir, name, err := a.home.at(r.Path)
	if err != nil {
		return ignoreAbsent(err)
	}
	return a.putBack(dir, name, r)
}

// linkLate makes a link where something of ours stood, or a file with our content, or nothing.
func (a *applier) linkLate(l linkStep) error {
	if err := a.mkdirs(l.Path); err != nil {
		return err
	}
	dir, name, err := a.home.at(l.Path)
	if err != nil {
		return err
	}
	if l.Prior != nil {
		return a.displace(dir, name, l)
	}
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir.Symlink(l.Text, name)
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		if text, err := dir.Readlink(name); err != nil || text == l.Text {
			return err
		}
	case info.Mode().IsRegular():
		if err := a.isOurContent(l); err != nil {
			return err
		}
	default:
		return errors.New("something else stands there by now")
	}
	temp := tempName(name, tempLink)
	if err := ignoreAbsent(dir.Remove(temp)); err != nil { // of a crash
		return err
	}
	if err := dir.Symlink(l.Text, temp); err != nil {
		return err
	}
	return dir.Rename(temp, name)
}

// isOurContent makes sure that the file at a link's place holds what the link leads to, so that nothing is lost.
func (a *applier) isOurContent(l linkStep) error {
	data, ok, err := a.current(l.Path)
	if err != nil {
		return err
	}
	ours, err := os.ReadFile(l.Text)
	if err != nil {
		return err
	}
	if !ok || digestOf(data) != digestOf(ours) {
		return errors.New("the file that stands there has other content by now")
	}
	return nil
}

// syncHome flushes the folders in which names changed after the flip. An error only means that a power cut may undo
// some of it, which is drift.
func (a *applier) syncHome() {
	done := map[string]bool{}
	sync := func(path string) {
		if dir := filepath.Dir(path); !done[dir] {
			done[dir] = true
			_ = a.home.sync(dir)
		}
	}
	for _, m := range a.Merges {
		sync(m.Dest)
	}
	for _, r := range a.Removes {
		sync(r.Path)
	}
	for _, path := range a.Rmdirs {
		sync(path)
	}
	for _, l := range a.Late {
		sync(l.Path)
	}
	for _, t := range a.Takes {
		sync(t.Path)
	}
	for _, path := range a.fresh {
		sync(path)
	}
}

// writeMerges brings the merged files to their new content. Where one cannot be, the record of it stays the old one.
func (a *applier) writeMerges(old Applied, busy error, late bool) {
	failed := map[string]bool{}
	for i, m := range a.Merges {
		if failed[m.Dest] || m.Late != late {
			continue
		}
		err := busy
		if err == nil {
			err = a.writeMerge(m, a.Merges[i+1:], old)
		}
		if err != nil {
			failed[m.Dest] = true
			a.fail(m.Dest, err)
			a.recordFailed(m, old)
		}
	}
	for _, m := range a.Merges {
		if m.Late != late {
			continue
		}
		if err := a.removeStage(m); err != nil {
			a.fail(m.Dest, err)
		}
	}
}

// recordFailed records of a file that could not be written what it holds now. Where the first of two writes was made
// that is the new values and, of what they replaced, all that is still there: none of it is the user's.
func (a *applier) recordFailed(m mergeStep, old Applied) {
	data, ok, err := a.current(m.Dest)
	switch now := digestIf(data, ok); {
	case err == nil && ok && now == m.After && !m.Interim:
		return // it was written after all
	case err == nil && ok && slices.ContainsFunc(a.Merges, func(s mergeStep) bool { return s.Dest == m.Dest && s.Interim && s.After == now }):
		a.Applied.replaceFile(a.Applied.file(m.Dest).with(old.file(m.Dest)))
		return
	}
	if m.Block {
		b, ok := old.block(m.Dest)
		a.Applied.replaceBlock(m.Dest, b, ok)
		return
	}
	a.Applied.replaceFile(old.file(m.Dest))
}

// mergeTries bounds how often we start over because another program rewrote the file in between.
const mergeTries = 5

func (a *applier) writeMerge(m mergeStep, later []mergeStep, old Applied) error {
	if m.Late {
		if err := a.mkdirs(m.Dest); err != nil {
			return err
		}
	}
	data, ok, err := a.current(m.Dest)
	if err != nil {
		return err
	}
	now := digestIf(data, ok)
	done := slices.ContainsFunc(later, func(l mergeStep) bool { return l.Dest == m.Dest && l.After == now })
	if now == m.After || done {
		return nil
	}
	if now == m.Before {
		if m.After == "" {
			return a.removeFile(m)
		}
		err := a.publish(m.Dest, m.Stage, m.Before, m.After)
		if !isChanged(err) {
			return err
		}
	}
	anew := a.mergeAnew
	switch {
	case m.Block:
		anew = a.blockAnew
	case m.Add != "":
		anew = func(m mergeStep, _ Applied) error { return a.addAnew(m) }
	}
	for range mergeTries {
		if err = anew(m, old); !isChanged(err) {
			return err
		}
	}
	return &BusyError{m.Dest}
}

// publish renames a staged file into its place, if the place still holds what it was made for. A changedError if not, or if
// the staged file is not there.
func (a *applier) publish(dest, stage, before, after string) error {
	dir, name, err := a.home.at(dest)
	if err != nil {
		return err
	}
	staged, _, err := readRegular(dir, stage)
	if errors.Is(err, fs.ErrNotExist) || err == nil && digestOf(staged) != after {
		return &changedError{dest}
	}
	if err != nil {
		return err
	}
	data, ok, err := a.current(dest)
	if err != nil {
		return err
	}
	if digestIf(data, ok) != before {
		return &changedError{dest}
	}
	if before == "" {
		// Nothing is there, and what appeared since is not replaced. A link of ours may be, though.
		err := a.home.renameFree(dir, stage, name)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
		if ours, err := a.isOurLink(dir, name); err != nil {
			return err
		} else if !ours {
			return &changedError{dest}
		}
		return dir.Rename(stage, name)
	}
	return a.swapIn(dir, dest, stage, name, before, after)
}

// removeFile removes a merged file that we made and that holds nothing any more.
func (a *applier) removeFile(m mergeStep) error {
	dir, name, err := a.home.at(m.Dest)
	if err != nil {
		return err
	}
	return ignoreAbsent(dir.Remove(name))
}

// mergeAnew merges into a file that is not what the plan saw: it was changed since, or its staged content is lost.
func (a *applier) mergeAnew(m mergeStep, old Applied) error {
	in := mergeInput{dest: m.Dest, base: old.file(m.Dest), hint: a.journal.Applied.file(m.Dest)}
	if err := a.declared(&in); err != nil {
		return err
	}
	data, ok, err := a.current(m.Dest)
	if err != nil {
		return err
	}
	if ok {
		in.text = data[:len(data):len(data)]
	}
	out, err := merge(in)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Dest, err)
	}
	if len(out.clashes) > 0 {
		return errors.New(out.clashes[0].String())
	}
	text := out.text
	if m.Interim && out.interim != nil {
		text = out.interim
	}
	switch {
	case text == nil && ok:
		err = a.removeFile(m)
	case text != nil && string(text) != string(in.text):
		err = a.replaceNow(m, digestIf(data, ok), text)
	}
	if err == nil && !m.Interim {
		a.Applied.replaceFile(out.applied)
	}
	return err
}

func (a *applier) replaceNow(m mergeStep, before string, text []byte) error {
	if err := a.mkdirs(m.Dest); err != nil {
		return err
	}
	dir, name, err := a.home.at(m.Dest)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := dir.Lstat(name); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	stage := cmp.Or(m.Stage, tempName(name, "merge"))
	if err := ignoreAbsent(dir.Remove(stage)); err != nil {
		return err
	}
	if err := writeNew(dir, stage, text, mode); err != nil {
		return err
	}
	err = a.publish(m.Dest, stage, before, digestOf(text))
	return errors.Join(err, ignoreAbsent(dir.Remove(stage)))
}

// declared reads from the store what the live generation declares for a merged file.
func (a *applier) declared(in *mergeInput) error {
	rec, err := a.state.Read(a.Next)
	if err != nil {
		return err
	}
	path := a.store.PathOf(rec.Store)
	idx, err := a.store.ReadIndex(path)
	if err != nil {
		return err
	}
	for _, e := range idx.Entries {
		if string(e.Dest) == in.dest && e.Placement == tree.Merge {
			in.keys = e.Keys
			in.want, err = a.store.ReadFile(path, e.Path)
			return err
		}
	}
	return nil
}
