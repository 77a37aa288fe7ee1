package activate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Names of what stands beside a destination while something takes another's place.
const (
	tempLink  = "link"  // a link that is about to be renamed
	tempPrior = "prior" // what a link took the place of, until it is known to be in the backups; before, the link itself
	tempGone  = "gone"  // a folder that is in the backups, half removed
	tempBack  = "back"  // what is put back; after, our link
)

// displace puts a link in the place of the user's file, folder or link. The two are exchanged, and only what is known to
// be in the backups is then removed: what was changed at the last moment goes back.
func (a *applier) displace(dir *os.Root, name string, l linkStep) error {
	aside, gone := tempName(name, tempPrior), tempName(name, tempGone)
	if err := removeAll(dir, gone); err != nil {
		return err
	}
	if err := a.home.mend(dir, aside, name); err != nil {
		return err
	}
	linked, err := isLink(dir, name, l.Text)
	if err != nil {
		return err
	}
	if !linked {
		ok, err := matches(dir, name, *l.Prior)
		if errors.Is(err, fs.ErrNotExist) { // the user removed it, and it is in the backups
			return dir.Symlink(l.Text, name)
		}
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("what stands there was changed meanwhile")
		}
		if err := removeLinkTo(dir, aside, l.Text); err != nil { // of a crash
			return err
		}
		if err := dir.Symlink(l.Text, aside); err != nil {
			return err
		}
		a.home.forget(l.Path)
		if err := a.home.exchange(dir, aside, name); err != nil {
			return errors.Join(err, removeLinkTo(dir, aside, l.Text))
		}
	}
	if left, err := isLink(dir, aside, l.Text); err != nil {
		return err
	} else if left { // a crash came before the exchange, and somebody made our link
		return dir.Remove(aside)
	}
	ok, err := matches(dir, aside, *l.Prior)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !ok:
		err = errors.New("what stands there was changed meanwhile")
		fallthrough
	case err != nil:
		return errors.Join(err, a.home.exchange(dir, aside, name), removeLinkTo(dir, aside, l.Text))
	case !l.Prior.Folder:
		return dir.Remove(aside)
	}
	if err := dir.Rename(aside, gone); err != nil {
		return err
	}
	return removeAll(dir, gone)
}

// putBack puts what a link of ours took the place of back there.
func (a *applier) putBack(dir *os.Root, name string, r removeStep) error {
	fresh := tempName(name, tempBack)
	if err := a.home.mend(dir, fresh, name); err != nil {
		return err
	}
	ours, err := a.isOurLink(dir, name)
	if err != nil {
		return err
	}
	if !ours { // done, or the user's by now
		left, err := a.isOurLink(dir, fresh)
		if err == nil && !left {
			left, err = matches(dir, fresh, *r.Prior)
		}
		if err != nil || !left {
			return ignoreAbsent(err)
		}
		return removeAll(dir, fresh)
	}
	if err := removeAll(dir, fresh); err != nil { // of a crash
		return err
	}
	if err := a.makePrior(dir, fresh, *r.Prior); err != nil {
		return errors.Join(err, removeAll(dir, fresh))
	}
	if err := a.home.exchange(dir, fresh, name); err != nil {
		return errors.Join(err, removeAll(dir, fresh))
	}
	ours, err = a.isOurLink(dir, fresh)
	if ours {
		return dir.Remove(fresh)
	}
	// Something took our link's place at the last moment, or nobody can say: it stays.
	if err2 := a.home.exchange(dir, fresh, name); err2 != nil {
		return errors.Join(err, err2)
	}
	return errors.Join(err, removeAll(dir, fresh))
}

func (a *applier) makePrior(dir *os.Root, name string, p PriorFile) error {
	if p.Link != "" {
		return dir.Symlink(p.Link, name)
	}
	data, err := loadBackup(a.state.Dir(), p)
	if err != nil {
		return err
	}
	return p.write(dir, name, data)
}

// write makes the file or folder at a name that is free.
func (p PriorFile) write(dir *os.Root, name string, data []byte) error {
	if p.Folder {
		return unpack(dir, name, data)
	}
	return writeNew(dir, name, data, fs.FileMode(p.Mode))
}

// matches reports whether what stands at a name is what the record says, by content.
func matches(dir *os.Root, name string, p PriorFile) (bool, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return false, err
	}
	switch {
	case p.Link != "":
		return isLink(dir, name, p.Link)
	case p.Folder:
		if !info.IsDir() {
			return false, nil
		}
		data, err := pack(dir, name)
		var odd *oddError
		if errors.As(err, &odd) {
			return false, nil
		}
		return err == nil && digestOf(data) == p.Digest, err
	}
	data, _, err := readRegular(dir, name)
	if errors.Is(err, fs.ErrInvalid) {
		return false, nil
	}
	return err == nil && digestOf(data) == p.Digest, err
}

// linkText is the text of a link; ok is false where nothing stands, or something else. Any other error is one: what
// cannot be read is not known to be somebody else's.
func linkText(dir *os.Root, name string) (text string, ok bool, err error) {
	text, err = dir.Readlink(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EINVAL) {
		return "", false, nil
	}
	return text, err == nil, err
}

func isLink(dir *os.Root, name, text string) (bool, error) {
	got, ok, err := linkText(dir, name)
	return ok && got == text, err
}

func (a *applier) isOurLink(dir *os.Root, name string) (bool, error) {
	text, ok, err := linkText(dir, name)
	return ok && beneath(text, a.Live), err
}

func removeLinkTo(dir *os.Root, name, text string) error {
	linked, err := isLink(dir, name, text)
	if err != nil || !linked {
		return err
	}
	return dir.Remove(name)
}

// backUp copies what is replaced, removed or changed into the backups. It reads it again: it must still be what was planned on.
func (a *applier) backUp() error {
	for _, s := range a.saved() {
		dir, name, err := a.home.at(s.Path)
		if err != nil {
			return err
		}
		ok, err := matches(dir, name, *s.Prior)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !ok {
			return &changedError{s.Path}
		}
		if err != nil {
			return err
		}
		if s.Prior.Link != "" {
			continue
		}
		if err := a.copyAway(dir, name, s); err != nil {
			return fmt.Errorf("backing up %s: %w", s.Path, err)
		}
	}
	return nil
}

func (a *applier) copyAway(dir *os.Root, name string, s savedPlace) error {
	rec := backupRecord{
		Version: backupVersion, Path: s.Path, Kind: kindFile, Mode: s.Prior.Mode, Digest: s.Prior.Digest,
		Generation: a.Next, CreatedAt: a.now, Of: a.formerly(s.Path),
	}
	var data []byte
	var err error
	if s.Prior.Folder {
		rec.Kind = kindFolder
		data, err = pack(dir, name)
	} else {
		data, _, err = readRegular(dir, name)
	}
	if err != nil {
		return err
	}
	if digestOf(data) != s.Prior.Digest {
		return &changedError{s.Path}
	}
	rec.Size = int64(len(data))
	return saveBackup(a.state.Dir(), *s.Prior, data, rec)
}

// dropBackups removes the backups of what is back in its place.
func (a *applier) dropBackups() {
	for _, r := range a.Removes {
		if r.Prior == nil || r.Prior.Link != "" || a.Applied.needsContent(*r.Prior) {
			continue
		}
		dir, name, err := a.home.at(r.Path)
		if err != nil {
			continue
		}
		if back, err := matches(dir, name, *r.Prior); err == nil && back {
			_ = dropBackup(a.state.Dir(), *r.Prior) // a leftover costs only space
		}
	}
}

// needsContent reports whether a path is to get this very backup back.
func (a Applied) needsContent(p PriorFile) bool {
	for _, q := range a.Paths {
		if q.Prior != nil && q.Prior.Backup == p.Backup && q.Prior.Digest == p.Digest {
			return true
		}
	}
	return false
}

// restored reports whether something was put back, so that it has to be on disk before its backup goes.
func (a *applier) restored() []string {
	var out []string
	for _, r := range a.Removes {
		if r.Prior != nil {
			out = append(out, filepath.Dir(r.Path))
		}
	}
	return out
}
