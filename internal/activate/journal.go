package activate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/generation"
)

// journal is the step under way, $STATE/journal: enough to undo it before the flip and to finish it after. It is on disk
// before the first change of the home, and goes when the last one is made. Where Next is live the flip is behind us.
type journal struct {
	Version  int               `json:"version"` // journalVersion; any other is refused
	Roots    []string          `json:"roots"`   // the homes that the paths lie beneath
	Live     string            `json:"live"`
	Previous generation.Number `json:"previous,omitempty"` // live before; 0: none
	Next     generation.Number `json:"next"`               // live after; the same as Previous when a home is healed
	Created  bool              `json:"created,omitempty"`  // the record of Next was made by this switch

	Folders []string     `json:"folders,omitempty"` // made before the flip, parents first
	Early   []linkStep   `json:"early,omitempty"`   // made before the flip
	Late    []linkStep   `json:"late,omitempty"`    // made after it
	Removes []removeStep `json:"removes,omitempty"`
	Rmdirs  []string     `json:"rmdirs,omitempty"` // children first
	Merges  []mergeStep  `json:"merges,omitempty"` // in the order in which they are written
	Applied Applied      `json:"applied"`          // what is ours when all is done

	Of        string       `json:"of,omitempty"`        // whose legacy is taken over
	Inherited []File       `json:"inherited,omitempty"` // keys that were that program's: ours, until they are withdrawn
	Copies    []savedPlace `json:"copies,omitempty"`    // files that go to the backups and are changed
	Takes     []savedPlace `json:"takes,omitempty"`     // what goes to the backups and is removed, last of all
	Hollow    []string     `json:"hollow,omitempty"`    // folders that are removed if they are empty then, children first
}

const (
	journalVersion = 1
	journalFile    = "journal"
)

// mergeStep is one write of one merged file. Before and After are the sha256 of its content in hex; "" is no file.
type mergeStep struct {
	Dest    string `json:"dest"`
	Stage   string `json:"stage,omitempty"` // name of the staged content in the same folder; "" where the file goes
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Mode    uint32 `json:"mode,omitempty"`
	Interim bool   `json:"interim,omitempty"` // elements of sets are added, none is removed yet
	Block   bool   `json:"block,omitempty"`   // a text that we own a block of
	Cut     string `json:"cut,omitempty"`     // with Block: what of another program's is taken out
	Add     string `json:"add,omitempty"`     // a whole new file of the user's
	Late    bool   `json:"late,omitempty"`    // after the removals, for something of ours stands in its place

	data []byte // what Stage is to hold
}

func decodeJournal(data []byte) (journal, error) {
	j, err := decodeState[journal](data, journalVersion)
	if err != nil {
		return journal{}, err
	}
	return j, j.check()
}

func (j journal) check() error {
	if j.Next <= 0 || j.Previous < 0 || j.Applied.Version != AppliedVersion {
		return errors.New("it has impossible numbers")
	}
	paths := slices.Concat([]string{j.Live}, j.Roots, j.Folders, j.Rmdirs, j.Hollow)
	priors := []*PriorFile{}
	for _, l := range slices.Concat(j.Early, j.Late) {
		paths, priors = append(paths, l.Path, l.Text), append(priors, l.Prior)
	}
	for _, r := range j.Removes {
		paths, priors = append(paths, r.Path), append(priors, r.Prior)
	}
	for _, s := range slices.Concat(j.Copies, j.Takes) {
		if s.Prior == nil {
			return fmt.Errorf("its step for %q is impossible", s.Path)
		}
		paths, priors = append(paths, s.Path), append(priors, s.Prior)
	}
	for _, f := range j.Inherited {
		if err := f.check(); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(priors, func(p *PriorFile) bool { return !p.valid() }) {
		return errors.New("it has an impossible earlier file")
	}
	for _, m := range j.Merges {
		paths = append(paths, m.Dest)
		if m.Stage != "" && !IsFileName(m.Stage) || (m.Stage == "") != (m.After == "") ||
			m.Before != "" && !isDigest(m.Before) || m.After != "" && !isDigest(m.After) || m.Mode > 0o777 {
			return fmt.Errorf("its step for %q is impossible", m.Dest)
		}
	}
	for _, p := range paths {
		if !cleanAbs(p) {
			return fmt.Errorf("%q is not a clean absolute path", p)
		}
	}
	return j.Applied.check()
}

// IsFileName reports whether s names something in a folder, and not the folder, its parent or the root ("/" is its own base).
func IsFileName(s string) bool {
	return filepath.IsLocal(s) && s != "." && s == filepath.Base(s)
}

// loadJournal reads the journal; ok is false if there is none, as after every switch that came to its end.
func loadJournal(dir string) (j journal, ok bool, err error) {
	path := filepath.Join(dir, journalFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, false, nil
	}
	if err != nil {
		return journal{}, false, err
	}
	if j, err = decodeJournal(data); err != nil {
		return journal{}, false, fmt.Errorf("reading %s: %w", path, err)
	}
	return j, true, nil
}

func (j journal) save(dir string) error {
	return durable.WriteFile(filepath.Join(dir, journalFile), encodeState(j), 0o600)
}

func dropJournal(dir string) error {
	if err := os.Remove(filepath.Join(dir, journalFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncFile(dir)
}

// journalOf turns a plan into steps. Without a flip there is nothing that has to be made before it. salt makes the names
// of staged files unlike any that stand there.
func journalOf(p Plan, live string, roots []string, previous, next generation.Number, created bool, salt string) journal {
	j := journal{
		Version: journalVersion, Roots: roots, Live: live, Previous: previous, Next: next, Created: created,
		Folders: p.folders, Early: p.early, Late: p.late, Removes: p.removes, Rmdirs: p.rmdirs, Applied: p.applied,
		Of: p.of, Inherited: p.inherited, Copies: p.copies, Takes: p.takes, Hollow: p.hollow,
	}
	if previous == next {
		j.Folders, j.Early = nil, nil
		j.Late = slices.Concat(p.early, p.late)
	}
	j.Merges = orderMerges(p.merges)
	for i := range j.Merges {
		if m := &j.Merges[i]; m.After != "" {
			m.Stage = tempName(filepath.Base(m.Dest), fmt.Sprintf("%s-%d", salt, i))
		}
	}
	return j
}

// orderMerges puts the writes in order: first where elements are added to sets, last where elements are removed. A
// server is in disabledMcpServers before it is in mcp-config.json, and leaves in the reverse order, so that a session
// that starts in between connects to nothing that it should not.
func orderMerges(merges []fileMerge) []mergeStep {
	var first, middle, last []mergeStep
	for _, m := range merges {
		whole := mergeStep{
			Dest: m.applied.Dest, Before: digestOrNone(m.before), After: digestOrNone(m.text), Mode: m.mode, Late: m.late, Block: m.block,
			Cut: m.cut, Add: m.add, data: m.text,
		}
		switch {
		case m.interim != nil:
			early := whole
			early.After, early.data, early.Interim = digestOf(m.interim), m.interim, true
			whole.Before = early.After
			first, last = append(first, early), append(last, whole)
		case m.adds:
			first = append(first, whole)
		case m.drops:
			last = append(last, whole)
		default:
			middle = append(middle, whole)
		}
	}
	return slices.Concat(first, middle, last)
}

func digestOrNone(text []byte) string {
	if text == nil {
		return ""
	}
	return digestOf(text)
}
