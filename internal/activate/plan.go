package activate

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/jsonedit"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Input is everything that a plan depends on.
type Input struct {
	Live     string                            // $STATE/current/tree, where every link leads
	Old      *tree.Index                       // what is live; nil: nothing, or it cannot be read
	New      *tree.Index                       // what is to be; nil: nothing
	Values   func(path string) ([]byte, error) // reads a file of New's tree
	Applied  Applied
	Observed Observed
	Check    Check    // of merged files; may be nil
	Adopt    bool     // take over what is in the way, and keys that have another value
	Yield    bool     // leave keys that have another value to the user, with a warning
	Adopting []string // do so at these paths only
	Legacy   Legacy   // what another program gives up
}

// Check looks at what a merged file is going to hold, as plain JSON, and gives what the user has to know of it. path is the
// file's path in the tree.
type Check func(path string, text []byte) []string

// ActionKind is what a switch does at a destination.
type ActionKind string

// The kinds of actions. ActionBlock is a text of the user's that we own a part of, or of which another program's part goes;
// ActionWrite a file of the user's own, made of what was in one of another program.
const (
	ActionLink   ActionKind = "link"
	ActionMerge  ActionKind = "merge"
	ActionBlock  ActionKind = "block"
	ActionRemove ActionKind = "remove"
	ActionWrite  ActionKind = "write"
)

// Action is one change that the user sees: a destination that comes, changes or goes. Entry is the path in the tree,
// empty for a removal.
type Action struct {
	Kind  ActionKind `json:"kind"`
	Path  string     `json:"path"`
	Entry string     `json:"entry"`
}

// Plan is what a switch is going to do. It is pure data: nothing was written.
type Plan struct {
	Actions    []Action    // sorted by path
	Collisions []Collision // any refuses the switch
	Unreadable []FileFault // so do these
	Left       []Left      // what the user changed and we leave
	Warnings   []string

	folders []string     // made before the flip, parents first
	early   []linkStep   // made before the flip, where nothing was
	late    []linkStep   // made after it: in the place of a link, a file or a folder that goes
	removes []removeStep // after the flip
	rmdirs  []string     // after the flip, children first: folders of ours that nothing is left in
	merges  []fileMerge  // sorted by destination
	applied Applied      // what is ours afterwards

	of        string       // whose legacy this takes over
	inherited []File       // what of applied was that program's before
	takes     []savedPlace // after everything else: what of it nothing takes the place of
	copies    []savedPlace // files that change because parts of them were that program's
	hollow    []string     // folders of that program that go if nothing is left in them, children first
}

// linkStep is a link to make. Prior is the user's file, folder or link that it takes the place of.
type linkStep struct {
	Path  string     `json:"path"`
	Text  string     `json:"text"`
	Prior *PriorFile `json:"prior,omitempty"`
}

// removeStep is a link of ours to remove. Prior is what comes back.
type removeStep struct {
	Path  string     `json:"path"`
	Prior *PriorFile `json:"prior,omitempty"`
}

// fileMerge is a merged file that changes. Before is what it was planned on; nil: absent, or a link of ours.
type fileMerge struct {
	mergeResult
	before []byte
	mode   uint32
	late   bool   // its place is free only when links or folders of ours are gone
	block  bool   // of the merge result only text and destination are meant
	cut    string // with block: what of another program's is taken out of the text
	add    string // a whole file of the user's that is new; as with block
}

// idle reports whether the plan changes nothing in the home.
func (p Plan) idle() bool {
	return len(p.early)+len(p.late)+len(p.removes)+len(p.rmdirs)+len(p.merges)+len(p.takes) == 0
}

type planner struct {
	Input
	Plan
	entries map[string]tree.Entry // of New, by destination
	gone    map[string]bool       // links of ours that are removed
	blamed  map[string]bool       // parents that a collision names already
	whole   map[string]bool       // files, folders and links of another program
	cuts    map[string]string     // its parts of texts, by path
}

// MakePlan is the plan for going from Old to New, given what is ours and what stands there. All collisions are found
// in one run. An error is a fault of the tree, not of the home.
func MakePlan(in Input) (Plan, error) {
	p := &planner{
		Input: in, entries: map[string]tree.Entry{}, gone: map[string]bool{}, blamed: map[string]bool{},
		whole: map[string]bool{}, cuts: map[string]string{},
	}
	p.applied = Applied{Version: AppliedVersion, Home: in.Applied.Home}
	if in.New != nil {
		p.applied.Home = in.New.Home
		for _, e := range in.New.Entries {
			p.entries[string(e.Dest)] = e
		}
	}
	p.inherit()
	p.planRemovals()
	p.withdrawBlocks()
	if err := p.planWithdrawals(); err != nil { // first: what it empties makes room
		return Plan{}, err
	}
	for _, e := range p.newEntries() {
		if err := p.planEntry(e); err != nil {
			return Plan{}, err
		}
	}
	p.planFolders()
	p.copyInherited()
	p.sort()
	return p.Plan, nil
}

func (p *planner) newEntries() []tree.Entry {
	if p.New == nil {
		return nil
	}
	return p.New.Entries
}

func (p *planner) planEntry(e tree.Entry) error {
	if p.New.Copilot != "" && isProgramState(string(e.Dest), p.New.Copilot) {
		p.collide(string(e.Dest), ClassState, "The program keeps its own state there.", "Take it out of the manifest.")
		return nil
	}
	if !p.parentsFree(string(e.Dest)) {
		return nil
	}
	switch e.Placement {
	case tree.Link:
		if p.isInstructions(string(e.Dest)) && !p.whole[string(e.Dest)] {
			if done, err := p.planBlock(e); done || err != nil {
				return err
			}
		}
		p.planLink(e)
	case tree.Merge:
		return p.planMerge(e)
	default:
		return fmt.Errorf("%s: this release does not place %q entries; use the release that made the tree", e.Dest, e.Placement)
	}
	return nil
}

// adopts reports whether what stands at a path is to be taken over.
func (p *planner) adopts(path string) bool { return p.Adopt || slices.Contains(p.Adopting, path) }

func (p *planner) collide(path string, class Class, reason, remedy string) {
	p.Collisions = append(p.Collisions, Collision{Path: path, Class: class, Reason: reason, Remedy: remedy})
}

// parentsFree reports whether the folders above a destination are real folders, absent, or links of ours that go.
func (p *planner) parentsFree(dest string) bool {
	for _, dir := range p.Observed.parents[dest] {
		switch place := p.Observed.At(dir); {
		case place.Kind == Folder:
			continue
		case place.Kind == Absent || p.gone[dir]:
			return true
		case p.blamed[dir]:
		case place.Kind == SymbolicLink:
			p.collide(dir, ClassLink, fmt.Sprintf("It is a link to %q, and nothing is written through a link that is not ours.", place.Text),
				"Make it a real folder (remove the link, create the folder, move into it what the link led to), then switch again.")
		default:
			p.collide(dir, ClassDiffers, "It is not a folder.", "Move it away, then switch again.")
		}
		p.blamed[dir] = true
		return false
	}
	return true
}

// planFolders finds the folders to make, and those of ours to remove because nothing is left in them.
func (p *planner) planFolders() {
	needed := map[string]bool{}
	for dest := range p.entries {
		for _, dir := range p.Observed.parents[dest] {
			needed[dir] = true
		}
	}
	for _, path := range p.Applied.Paths {
		switch place := p.Observed.At(path.Path); {
		case !path.Folder || place.Kind != Folder:
		case !needed[path.Path] && p.willBeEmpty(path.Path):
			p.rmdirs = append(p.rmdirs, path.Path)
		default:
			p.own(path)
		}
	}
	for dir := range needed {
		if p.Observed.At(dir).Kind == Folder {
			if p.inherits(dir) {
				p.own(Path{Path: dir, Folder: true})
			}
			continue
		}
		p.own(Path{Path: dir, Folder: true})
		if !p.behindGone(dir) {
			p.folders = append(p.folders, dir)
		}
	}
	p.hollow = p.emptied()
}

// behindGone reports whether path is, or lies behind, a link of ours that is removed: it can only be made after that.
func (p *planner) behindGone(path string) bool {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		if p.gone[path] {
			return true
		}
	}
	return false
}

// willBeEmpty reports whether a folder of ours holds nothing but what we are going to remove.
func (p *planner) willBeEmpty(dir string) bool {
	for _, name := range p.Observed.At(dir).Names {
		path := filepath.Join(dir, name)
		owned, ok := p.Applied.path(path)
		switch {
		case p.gone[path] && p.priorOf(path) == nil:
		case ok && owned.Folder && p.Observed.At(path).Kind == Folder && p.willBeEmpty(path):
		case slices.ContainsFunc(p.merges, func(m fileMerge) bool { return m.applied.Dest == path && m.text == nil }):
		default:
			return false
		}
	}
	return true
}

func (p *planner) priorOf(path string) *PriorFile {
	owned, _ := p.Applied.path(path)
	return owned.Prior
}

func (p *planner) own(path Path) { p.applied.Paths = append(p.applied.Paths, path) }

func (p *planner) act(kind ActionKind, path, entry string) {
	p.Actions = append(p.Actions, Action{kind, path, entry})
}

func (p *planner) warnf(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

func (p *planner) sort() {
	slices.SortFunc(p.Actions, func(a, b Action) int { return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind)) })
	slices.SortFunc(p.Collisions, func(a, b Collision) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Key, b.Key))
	})
	slices.SortFunc(p.merges, func(a, b fileMerge) int { return strings.Compare(a.applied.Dest, b.applied.Dest) })
	slices.SortFunc(p.applied.Paths, func(a, b Path) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(p.applied.Blocks, func(a, b Block) int { return strings.Compare(a.Dest, b.Dest) })
	slices.SortFunc(p.applied.Files, func(a, b File) int { return strings.Compare(a.Dest, b.Dest) })
	slices.Sort(p.folders) // a parent is a prefix, so it comes first
	slices.Sort(p.rmdirs)
	slices.Reverse(p.rmdirs)
	for _, l := range p.Left {
		if l.Element {
			continue
		}
		what := "it was changed since the last switch and stays as it is; give the manifest the new value, or put the old one back"
		if l.Gone {
			what = "it is no longer declared, but was changed since the last switch and stays as it is"
		}
		p.warnf("%s: %s: %s", l.Path, l.Key, what)
	}
}

// planMerge plans the merge of one declared file.
func (p *planner) planMerge(e tree.Entry) error {
	dest := string(e.Dest)
	switch place := p.Observed.At(dest); {
	case place.Kind == SymbolicLink && !p.isOurs(place.Text):
		p.collide(dest, ClassLink, fmt.Sprintf("It is a link to %q, and the program replaces a link when it saves the file.", place.Text),
			"Put a copy of what it leads to in its place (cp -L to a temporary name, then mv over the link), then switch again.")
		return nil
	case place.Kind == Folder && !(p.isOwnFolder(dest) && p.willBeEmpty(dest)):
		p.collide(dest, ClassFolder, "It is a folder, where a file is to be written.", "Move it away, then switch again.")
		return nil
	case place.Kind == Other:
		p.collide(dest, ClassDiffers, "It is no regular file.", "Move it away, then switch again.")
		return nil
	}
	want, err := p.Values(e.Path)
	if err != nil {
		return fmt.Errorf("reading %s of the tree: %w", e.Path, err)
	}
	return p.planFile(mergeInput{dest: dest, keys: e.Keys, want: want, base: p.Applied.file(dest), adopt: p.adopts(dest), yield: p.Yield}, e.Path)
}

// planWithdrawals plans for the files that we own keys of and that are no longer declared.
func (p *planner) planWithdrawals() error {
	for _, f := range p.Applied.Files {
		e, declared := p.entries[f.Dest]
		if declared && e.Placement == tree.Merge {
			continue
		}
		if kind := p.Observed.At(f.Dest).Kind; kind != RegularFile || declared {
			continue // nothing of ours is left there, or a collision names it
		}
		if err := p.planFile(mergeInput{dest: f.Dest, base: f}, ""); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) planFile(in mergeInput, entry string) error {
	place := p.Observed.At(in.dest)
	if place.Kind == RegularFile {
		in.text = place.Data
		if in.text == nil {
			in.text = []byte{}
		}
	}
	out, err := merge(in)
	if syntax, ok := err.(*jsonedit.SyntaxError); ok { // not wrapped: that would be one in our own values
		p.unreadable(FileFault{in.dest, syntax.Line, syntax.Column, syntax.Reason}, in)
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.check(entry, out); err != nil {
		return err
	}
	p.Collisions = append(p.Collisions, out.clashes...)
	p.Left = append(p.Left, out.left...)
	if len(out.applied.Keys) > 0 {
		p.applied.Files = append(p.applied.Files, out.applied)
	}
	if string(out.text) == string(in.text) && (out.text == nil) == (in.text == nil) {
		return nil
	}
	mode := uint32(0o600)
	if place.Kind == RegularFile {
		mode = uint32(place.Mode)
	}
	late := place.Kind == Folder || p.behindGone(in.dest)
	p.merges = append(p.merges, fileMerge{mergeResult: out, before: in.text, mode: mode, late: late})
	if out.text == nil {
		p.act(ActionRemove, in.dest, "")
	} else {
		p.act(ActionMerge, in.dest, entry)
	}
	return nil
}

// unreadable refuses to write into a file that cannot be read. One that is only to be left is no reason to keep the rest of
// the home: it stays as it is, and what is ours in it on record, until somebody puts it right.
func (p *planner) unreadable(fault FileFault, in mergeInput) {
	if len(in.keys) > 0 {
		p.Unreadable = append(p.Unreadable, fault)
		return
	}
	p.applied.Files = append(p.applied.Files, in.base)
	p.warnf("%s; keys of ours in it that are no longer declared: %d; run the command again then", fault, len(in.base.Keys))
}

// check has the target look at what a merged file will hold: a value of the user's own can make the program ignore ours.
func (p *planner) check(entry string, out mergeResult) error {
	if p.Check == nil || entry == "" || out.text == nil || len(out.clashes) > 0 {
		return nil
	}
	merged, err := jsonedit.Parse(out.text)
	if err != nil {
		return fmt.Errorf("reading what was merged into %s: %w", out.applied.Dest, err)
	}
	for _, w := range p.Check(entry, merged.Plain()) {
		p.warnf("%s: %s", out.applied.Dest, w)
	}
	return nil
}
