package generation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/strictjson"
)

// Names in the state folder and in the folder of one generation.
const (
	folder      = "generations"
	recordFile  = "generation.json"
	treeLink    = "tree"
	activeMark  = "activated"    // empty file: this generation was live once
	highestFile = "highest.json" // written when the highest generation is deleted
	tempPrefix  = ".tmp-"
	gravePrefix = ".gc-"
)

// Folder is the folder of a generation, whether or not it exists.
func (s State) Folder(n Number) string { return filepath.Join(s.dir, folder, n.String()) }

// Create records a generation and returns its number: one above the highest that ever was. Of rec the caller gives
// all but Version and Number; the tree must be in the store. It is not live before Flip, and not on disk before a
// durable.Sync. The live generation is marked as activated, so that the same Sync covers the mark.
func (s State) Create(rec Record) (Number, error) {
	if live, ok, err := s.Current(); err != nil {
		return 0, err
	} else if ok {
		if err := s.MarkActivated(live); err != nil {
			return 0, err
		}
	}
	highest, err := s.highest()
	if err != nil {
		return 0, err
	}
	rec.Version, rec.Number = RecordVersion, highest+1
	data, err := rec.encode()
	if err != nil {
		return 0, fmt.Errorf("recording generation %s: %w", rec.Number, err)
	}
	parent := filepath.Join(s.dir, folder)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return 0, err
	}
	tmp, err := os.MkdirTemp(parent, tempPrefix)
	if err != nil {
		return 0, err
	}
	if err := s.fill(tmp, rec, data); err != nil {
		return 0, errors.Join(fmt.Errorf("recording generation %s: %w", rec.Number, err), os.RemoveAll(tmp))
	}
	return rec.Number, nil
}

func (s State) fill(tmp string, rec Record, data []byte) error {
	if err := writeNew(filepath.Join(tmp, recordFile), data); err != nil {
		return err
	}
	if err := os.Symlink(treeTarget(rec), filepath.Join(tmp, treeLink)); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(tmp, treeLink)); err != nil {
		return err
	}
	if err := durable.FlushFolder(tmp); err != nil {
		return err
	}
	return os.Rename(tmp, s.Folder(rec.Number))
}

// treeTarget is relative, so that the state folder can move. From a folder of generations or from a temporary one
// beside it the way is the same.
func treeTarget(rec Record) string { return "../../store/" + string(rec.Store) }

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = durable.Flush(f)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Read reads the record of one generation. An error is fs.ErrNotExist if there is none of that number.
func (s State) Read(n Number) (Record, error) {
	dir := s.Folder(n)
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		return Record{}, err
	}
	rec, err := decodeRecord(data)
	if err != nil {
		return Record{}, fmt.Errorf("reading %s: %w", filepath.Join(dir, recordFile), err)
	}
	if rec.Number != n {
		return Record{}, fmt.Errorf("reading %s: it is the record of generation %s", filepath.Join(dir, recordFile), rec.Number)
	}
	target, err := os.Readlink(filepath.Join(dir, treeLink))
	if err != nil {
		return Record{}, err
	}
	if target != treeTarget(rec) {
		return Record{}, fmt.Errorf("generation %s is damaged: its link leads to %q, its record says %q", n, target, treeTarget(rec))
	}
	return rec, nil
}

// List is the records of all generations, by number. Of damaged ones the error tells; the others are listed all the
// same.
func (s State) List() ([]Record, error) {
	numbers, err := s.numbers()
	if err != nil {
		return nil, err
	}
	var out []Record
	var all error
	for _, n := range numbers {
		switch rec, err := s.Read(n); {
		case err == nil:
			out = append(out, rec)
		case errors.Is(err, fs.ErrNotExist) && isGone(s.Folder(n)): // deleted while we read
		default:
			all = errors.Join(all, err)
		}
	}
	return out, all
}

// exists reports whether something has that name. What cannot be looked at may be there: that is an error.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func isGone(path string) bool {
	there, err := exists(path)
	return err == nil && !there
}

// numbers is every number that is taken, ascending.
func (s State) numbers() ([]Number, error) {
	items, err := os.ReadDir(filepath.Join(s.dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Number
	for _, item := range items {
		if n, ok := parseNumber(item.Name()); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Delete removes the record of a generation, not its tree. The live one is refused; none of that number is no error.
func (s State) Delete(n Number) error {
	if live, ok, err := s.Current(); err != nil {
		return err
	} else if ok && live == n {
		return fmt.Errorf("generation %s is live and cannot be deleted", n)
	}
	if err := s.rememberHighest(n); err != nil {
		return err
	}
	grave := filepath.Join(s.dir, folder, gravePrefix+n.String())
	if err := os.RemoveAll(grave); err != nil { // of a crash
		return err
	}
	if err := os.Rename(s.Folder(n), grave); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(grave)
}

// CleanTemp removes what a crash left: records half written or half deleted, the link of a flip that did not come,
// origins half written.
func (s State) CleanTemp() error {
	err := os.Remove(filepath.Join(s.dir, newCurrent))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, cleanFolder(filepath.Join(s.dir, folder)), cleanFolder(filepath.Join(s.dir, originsFolder)))
}

func cleanFolder(dir string) error {
	items, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, item := range items {
		if strings.HasPrefix(item.Name(), tempPrefix) || strings.HasPrefix(item.Name(), gravePrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, item.Name())))
		}
	}
	return err
}

// highestRecord is the highest number ever given, kept when the generation that shows it is deleted.
type highestRecord struct {
	Version int    `json:"version"`
	Highest Number `json:"highest"`
}

func (s State) highest() (Number, error) {
	numbers, err := s.numbers()
	if err != nil {
		return 0, err
	}
	var highest Number
	if len(numbers) > 0 {
		highest = numbers[len(numbers)-1]
	}
	path := filepath.Join(s.dir, folder, highestFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return highest, nil
	}
	if err != nil {
		return 0, err
	}
	var kept highestRecord
	if err := strictjson.Decode(data, &kept); err != nil {
		return 0, fmt.Errorf("reading %s: %w", path, err)
	}
	if kept.Version != 1 {
		return 0, fmt.Errorf("reading %s: version %d, this release reads 1", path, kept.Version)
	}
	return max(highest, kept.Highest), nil
}

// rememberHighest keeps the highest number before the generation that shows it goes.
func (s State) rememberHighest(n Number) error {
	highest, err := s.highest()
	if err != nil || n != highest {
		return err
	}
	data, err := json.Marshal(highestRecord{1, n})
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(s.dir, folder, highestFile), append(data, '\n'), 0o600)
}
