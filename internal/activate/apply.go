package activate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
)

// applier carries out one journal.
type applier struct {
	state generation.State
	store store.Store
	home  *home
	journal
	now      time.Time // when backups are made
	locked   []string  // merged files whose program's locks the caller holds
	fresh    []string  // folders made since the last sync
	warnings []string
}

// changedError says that a path changed between the plan and the step: everything is to be undone and planned anew.
type changedError struct{ path string }

func (e *changedError) Error() string { return e.path + " changed meanwhile" }

func isChanged(err error) bool {
	var changed *changedError
	return errors.As(err, &changed)
}

// run carries out the journal. On an error everything is as before, or the journal is left for the next command that
// writes. Once the generation is live there are only warnings.
func (a *applier) run(ctx context.Context) error {
	if err := a.save(a.state.Dir()); err != nil {
		return errors.Join(fmt.Errorf("writing the journal: %w", err), a.undo())
	}
	unlock, err := a.commit(ctx)
	if err != nil {
		return errors.Join(err, a.undo())
	}
	defer unlock()
	return a.finish(nil)
}

// commit goes up to the flip. It returns with the program's locks held, so that the merged files are written at once.
func (a *applier) commit(ctx context.Context) (unlock func(), err error) {
	if err := a.prepare(); err != nil {
		return nil, err
	}
	free := slices.DeleteFunc(a.dests(), func(dest string) bool { return slices.Contains(a.locked, dest) })
	if unlock, err = lockPrograms(ctx, a.home, free); err != nil {
		return nil, err
	}
	err = a.unchanged()
	if err == nil {
		err = ctx.Err() // the last moment to be interrupted
	}
	if err == nil && a.Previous != a.Next {
		err = a.flip()
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// flip makes the generation live. An error after the rename itself is none: there is no way back from it.
func (a *applier) flip() error {
	err := a.state.Flip(a.Next)
	if err == nil {
		return nil
	}
	if live, ok, err2 := a.state.Current(); err2 == nil && ok && live == a.Next {
		a.warnings = append(a.warnings, fmt.Sprintf("generation %s is live, but a power cut may undo that: %v", a.Next, err))
		return nil
	}
	return err
}

// prepare is all that happens before the flip, in an order in which an interruption can be undone: folders, staged
// merges, links, which dangle or lead to the old tree until the flip.
func (a *applier) prepare() error {
	if err := a.backUp(); err != nil {
		return err
	}
	for _, dir := range a.Folders {
		if err := a.mkdir(dir); err != nil {
			return err
		}
	}
	for _, m := range a.Merges {
		if err := a.stage(m); err != nil {
			return err
		}
	}
	for _, l := range a.Early {
		if err := a.symlink(l); err != nil {
			return err
		}
	}
	if err := durable.Sync(a.syncPaths()...); err != nil {
		return err
	}
	a.fresh = nil
	return nil
}

// mkdir makes one folder in a real folder. One that is there already is fine: somebody else was faster.
func (a *applier) mkdir(path string) error {
	dir, name, err := a.home.at(path)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o755)
	if name == ".agentihooks" { // only ours, and it may say what is exported into a shell
		mode = 0o700
	}
	err = dir.Mkdir(name, mode)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return fmt.Errorf("making %s: %w", path, err)
	}
	a.fresh = append(a.fresh, path)
	return nil
}

// mkdirs makes the folders above a path that are missing.
func (a *applier) mkdirs(path string) error {
	parents, err := a.home.parents(path)
	if err != nil {
		return err
	}
	for _, dir := range parents {
		if err := a.mkdir(dir); err != nil {
			return err
		}
	}
	return nil
}

// stage writes what a merged file is to hold beside it. Where its folder cannot be there yet (a link of ours goes
// first) it is written after the flip.
func (a *applier) stage(m mergeStep) error {
	if m.Stage == "" {
		return nil
	}
	if a.Previous == a.Next {
		if err := a.mkdirs(m.Dest); err != nil {
			return err
		}
	}
	dir, _, err := a.home.at(m.Dest)
	if err != nil {
		return ignoreAbsent(err)
	}
	if err := writeNew(dir, m.Stage, m.data, fs.FileMode(m.Mode)); err != nil {
		return fmt.Errorf("staging %s: %w", m.Dest, err)
	}
	return nil
}

// writeNew makes a file that must not exist, with exactly that mode. A file that could not be written whole is removed.
func writeNew(dir *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL also refuses a link
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = durable.Flush(f)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return errors.Join(err, dir.Remove(name))
	}
	return nil
}

// symlink makes a link where nothing is. symlink(2) never replaces.
func (a *applier) symlink(l linkStep) error {
	dir, name, err := a.home.at(l.Path)
	if err != nil {
		return err
	}
	err = dir.Symlink(l.Text, name)
	if errors.Is(err, fs.ErrExist) {
		return &changedError{l.Path}
	}
	if err != nil {
		return fmt.Errorf("linking %s: %w", l.Path, err)
	}
	return nil
}

// syncPaths are the folders in which names changed before the flip, and the backups.
func (a *applier) syncPaths() []string {
	paths := []string{a.state.Dir(), filepath.Dir(a.state.Folder(a.Next))}
	add := func(path string) {
		if info, err := os.Lstat(path); err == nil && info.IsDir() && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	add(a.store.Dir())
	add(filepath.Join(a.state.Dir(), backups))
	for _, dir := range a.Folders {
		add(filepath.Dir(dir))
		add(dir)
	}
	for _, m := range a.Merges {
		add(filepath.Dir(m.Dest))
	}
	for _, l := range a.Early {
		add(filepath.Dir(l.Path))
	}
	return paths
}

// current is the content of a regular file; ok is false where there is none, or a link of ours.
func (a *applier) current(path string) (data []byte, ok bool, err error) {
	dir, name, err := a.home.at(path)
	if err != nil {
		return nil, false, ignoreAbsent(err)
	}
	if text, err := dir.Readlink(name); err == nil && beneath(text, a.Live) {
		return nil, false, nil
	}
	data, _, err = readRegular(dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case errors.Is(err, fs.ErrInvalid):
		return nil, false, fmt.Errorf("%s is no longer a regular file", path)
	}
	return data, err == nil, err
}

// unchanged makes sure that every merged file still is what its step was planned on.
func (a *applier) unchanged() error {
	seen := map[string]bool{}
	for _, m := range a.Merges {
		if seen[m.Dest] || m.Late {
			continue // its second write, or its place is not free yet
		}
		seen[m.Dest] = true
		data, ok, err := a.current(m.Dest)
		if err != nil {
			return err
		}
		if got := digestIf(data, ok); got != m.Before {
			return &changedError{m.Dest}
		}
	}
	return nil
}

func digestIf(data []byte, ok bool) string {
	if !ok {
		return ""
	}
	return digestOf(data)
}

// undo takes back what prepare did, as far as it got. It is safe to run twice.
func (a *applier) undo() error {
	var all error
	for _, l := range a.Early {
		all = errors.Join(all, a.removeLink(l.Path, func(text string) bool { return text == l.Text }))
	}
	for _, m := range a.Merges {
		all = errors.Join(all, a.removeStage(m))
	}
	for _, path := range slices.Backward(a.Folders) {
		_ = a.rmdir(path) // one that holds something by now stays
	}
	for _, s := range a.saved() { // all of it still stands
		if s.Prior.Backup != "" {
			all = errors.Join(all, dropBackup(a.state.Dir(), *s.Prior))
		}
	}
	if a.Created {
		all = errors.Join(all, a.state.Delete(a.Next))
	}
	if all != nil {
		return fmt.Errorf("undoing the switch: %w", all)
	}
	return dropJournal(a.state.Dir())
}

// removeLink removes a link whose text fits. Anything else that stands there stays, without error.
func (a *applier) removeLink(path string, fits func(text string) bool) error {
	dir, name, err := a.home.at(path)
	if err != nil {
		return ignoreAbsent(err)
	}
	text, ok, err := linkText(dir, name)
	if err != nil {
		return fmt.Errorf("reading the link %s: %w", path, err)
	}
	if !ok || !fits(text) {
		return nil
	}
	if err := dir.Remove(name); err != nil {
		return fmt.Errorf("removing %s: %w", path, err)
	}
	return nil
}

func (a *applier) removeStage(m mergeStep) error {
	if m.Stage == "" {
		return nil
	}
	dir, _, err := a.home.at(m.Dest)
	if err != nil {
		return ignoreAbsent(err)
	}
	return ignoreAbsent(dir.Remove(m.Stage))
}

// rmdir removes an empty folder.
func (a *applier) rmdir(path string) error {
	dir, name, err := a.home.at(path)
	if err != nil {
		return ignoreAbsent(err)
	}
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() {
		return ignoreAbsent(err)
	}
	a.home.forget(path)
	if err := dir.Remove(name); err != nil {
		return fmt.Errorf("removing %s: %w", path, err)
	}
	return nil
}
