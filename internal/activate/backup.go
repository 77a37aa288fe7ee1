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
	"time"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/generation"
)

// Backup is something of the user's that a link of ours took the place of. It lies in $STATE/backups under its ID, a
// folder as one archive, and is never overwritten.
type Backup struct {
	ID     string // "<generation>-<first 16 of the digest>", with a number where that is taken
	Needed bool   // a path of ours is to get it back
	backupRecord
}

// backupRecord is what is written beside the content, in <id>.json.
type backupRecord struct {
	Version    int               `json:"version"` // backupVersion; any other is refused
	Path       string            `json:"path"`    // where it stood
	Kind       string            `json:"kind"`    // "file" or "folder"
	Mode       uint32            `json:"mode"`    // permission bits
	Digest     string            `json:"digest"`  // sha256 in hex of the content: of a folder, of its archive
	Size       int64             `json:"size"`    // bytes of the content
	Generation generation.Number `json:"generation"`
	CreatedAt  time.Time         `json:"createdAt"` // UTC, whole seconds

	Of string `json:"of,omitempty"` // the other program that it was of, in part or all: nothing puts it back
}

const (
	backupVersion = 1
	backupSuffix  = ".json"
	kindFile      = "file"
	kindFolder    = "folder"
)

func (r backupRecord) check() error {
	if !cleanAbs(r.Path) || !isDigest(r.Digest) || r.Mode > 0o777 || r.Kind != kindFile && r.Kind != kindFolder || r.Size < 0 {
		return errors.New("it is not the record of a backup")
	}
	return nil
}

func decodeBackup(data []byte) (backupRecord, error) {
	r, err := decodeState[backupRecord](data, backupVersion)
	if err != nil {
		return backupRecord{}, err
	}
	return r, r.check()
}

// isBackupID guards the path that an ID becomes part of.
func isBackupID(s string) bool {
	return s != "" && len(s) <= 80 && strings.Trim(s, "0123456789abcdef-") == "" && !strings.HasPrefix(s, "-")
}

// backupPath is where the content lies. The first releases had no ID: there it is the digest.
func backupPath(stateDir string, p PriorFile) string {
	return filepath.Join(stateDir, backups, cmp.Or(p.Backup, p.Digest))
}

// nameBackups chooses the IDs of what is going to be taken over, none of which was ever given.
func nameBackups(stateDir string, next generation.Number, places []savedPlace) error {
	given := map[string]bool{}
	for _, l := range places {
		if l.Prior.Link != "" {
			continue
		}
		base := next.String() + "-" + l.Prior.Digest[:16]
		id := base
		for n := 2; ; n++ {
			taken := given[id]
			for _, suffix := range []string{"", backupSuffix} {
				_, err := os.Lstat(filepath.Join(stateDir, backups, id+suffix))
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				taken = taken || err == nil
			}
			if !taken {
				break
			}
			id = fmt.Sprintf("%s-%d", base, n)
		}
		given[id] = true
		l.Prior.Backup = id
	}
	return nil
}

// saveBackup writes content and record. They are on disk after the next durable.Sync.
func saveBackup(stateDir string, p PriorFile, content []byte, r backupRecord) error {
	path := backupPath(stateDir, p)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := durable.Replace(path, content, 0o600); err != nil {
		return err
	}
	return durable.Replace(path+backupSuffix, encodeState(r), 0o600)
}

// loadBackup reads the content of what was taken over.
func loadBackup(stateDir string, p PriorFile) ([]byte, error) {
	path := backupPath(stateDir, p)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if digestOf(data) != p.Digest {
		return nil, fmt.Errorf("the backup %s is damaged", path)
	}
	return data, nil
}

func dropBackup(stateDir string, p PriorFile) error {
	path := backupPath(stateDir, p)
	return errors.Join(ignoreAbsent(os.Remove(path+backupSuffix)), ignoreAbsent(os.Remove(path)))
}

// Backups lists them, the oldest first. Of damaged records the error tells; the others are listed all the same.
func Backups(state generation.State) ([]Backup, error) {
	applied, err := loadApplied(state.Dir())
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(state.Dir(), backups)
	items, err := os.ReadDir(dir)
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	var out []Backup
	var all error
	for _, item := range items {
		id, ok := strings.CutSuffix(item.Name(), backupSuffix)
		if !ok || !isBackupID(id) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, item.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // put back while we read
		}
		var rec backupRecord
		if err == nil {
			rec, err = decodeBackup(data)
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("reading %s: %w", filepath.Join(dir, item.Name()), err))
			continue
		}
		out = append(out, Backup{ID: id, Needed: applied.needs(id), backupRecord: rec})
	}
	slices.SortFunc(out, func(a, b Backup) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), strings.Compare(a.Path, b.Path), strings.Compare(a.ID, b.ID))
	})
	return out, all
}

func (a Applied) needs(id string) bool {
	return slices.ContainsFunc(a.Paths, func(p Path) bool { return p.Prior != nil && p.Prior.Backup == id })
}

func (b Backup) prior() PriorFile {
	return PriorFile{Digest: b.Digest, Mode: b.Mode, Backup: b.ID, Folder: b.Kind == kindFolder}
}

// RestoreBackup writes a backup to a path where nothing is, the place it came from if to is "". It stays a backup. to is
// absolute and clean.
func RestoreBackup(state generation.State, id, to string) (string, error) {
	b, err := findBackup(state, id)
	if err != nil {
		return "", err
	}
	data, err := loadBackup(state.Dir(), b.prior())
	if err != nil {
		return "", err
	}
	to = cmp.Or(to, b.Path)
	dir, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return "", err
	}
	defer dir.Close()
	name := filepath.Base(to)
	if _, err := dir.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return "", err
		}
		return "", fmt.Errorf("something stands at %s and is not replaced; name another place with --to", to)
	}
	temp := tempName(name, tempBack)
	if err := removeAll(dir, temp); err != nil { // of a crash
		return "", err
	}
	if err := b.prior().write(dir, temp, data); err != nil {
		return "", errors.Join(fmt.Errorf("writing %s: %w", to, err), removeAll(dir, temp))
	}
	if err := (&home{}).renameFree(dir, temp, name); err != nil {
		return "", errors.Join(fmt.Errorf("writing %s: %w", to, err), removeAll(dir, temp))
	}
	return to, durable.Sync(filepath.Dir(to))
}

func findBackup(state generation.State, id string) (Backup, error) {
	all, err := Backups(state)
	for _, b := range all {
		if b.ID == id {
			return b, nil
		}
	}
	if err != nil {
		return Backup{}, err
	}
	return Backup{}, fmt.Errorf("there is no backup %q; `agentihooks backups list` lists them", id)
}

// PruneBackups removes the backups that no path of ours needs, or of those the given ones, and returns them. It is called
// under the lock, after Recover.
func PruneBackups(state generation.State, ids []string, dryRun bool) ([]Backup, error) {
	all, err := Backups(state)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(all, func(b Backup) bool { return b.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("there is no backup %q; `agentihooks backups list` lists them", id)
		}
		if all[i].Needed {
			return nil, fmt.Errorf("backup %s is to come back to %s when our link there goes, and is kept", id, all[i].Path)
		}
	}
	var out []Backup
	for _, b := range all {
		if b.Needed || len(ids) > 0 && !slices.Contains(ids, b.ID) {
			continue
		}
		if !dryRun {
			if err := dropBackup(state.Dir(), b.prior()); err != nil {
				return out, err
			}
		}
		out = append(out, b)
	}
	return out, nil
}
