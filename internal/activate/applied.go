// Package activate makes a tree live in the home: it looks, plans without side effects, and applies in steps that a crash
// cannot leave half done.
package activate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/durable"
	"github.com/agentihooks/agentihooks/internal/jsonedit"
	"github.com/agentihooks/agentihooks/internal/strictjson"
)

// Applied is what of the home is ours, $STATE/applied.json: for each merged file and key what we last wrote and what
// was there before, and every link and folder that we made. It does not depend on generations.
type Applied struct {
	Version int          `json:"version"` // AppliedVersion; any other is refused
	Home    string       `json:"home"`    // the home that this state belongs to
	Files   []File       `json:"files,omitempty"`
	Paths   []Path       `json:"paths,omitempty"`
	Blocks  []Block      `json:"blocks,omitempty"`
	Staged  []string     `json:"staged,omitempty"` // temporary files that could not be removed, by path
	Left    []savedPlace `json:"left,omitempty"`   // what was of another program, is in the backups, and could not be removed
}

// AppliedVersion is the version of applied.json that this package writes and reads.
const AppliedVersion = 1

const (
	appliedFile = "applied.json"
	backups     = "backups" // what we took over

	maxState = 64 << 20 // bytes of applied.json and of the journal: prior values are whole JSON texts
)

// File is a merged file of which we own keys. Files are sorted by Dest.
type File struct {
	Dest    string     `json:"dest"`
	Created bool       `json:"created,omitempty"` // we made the file
	Made    [][]string `json:"made,omitempty"`    // objects and arrays in it that we made, as key paths
	Keys    []Key      `json:"keys"`
}

// Key is one value that we own. With Set it is an array of which we own Elements, else Value is what we last wrote.
// Values are compact JSON; Prior is the text that stood there before, as it was spelled, nil if there was none.
type Key struct {
	Path     []string  `json:"path"`
	Set      bool      `json:"set,omitempty"`
	Value    string    `json:"value,omitempty"`
	Prior    *string   `json:"prior,omitempty"`
	Elements []Element `json:"elements,omitempty"`
	Lifted   []Element `json:"lifted,omitempty"` // what is kept out of a set; Prior: it was in it, and comes back when we go
}

// Element is one element of a set. With Prior it was there before us, and stays when we go.
type Element struct {
	Value string `json:"value"`
	Prior bool   `json:"prior,omitempty"`
}

// Path is a link or folder that we made. Paths are sorted by Path.
type Path struct {
	Path   string     `json:"path"`
	Folder bool       `json:"folder,omitempty"`
	Prior  *PriorFile `json:"prior,omitempty"` // the file that a link of ours took the place of
}

// PriorFile is what a link of ours took the place of: a link, whose text is all there is to it, or a file or folder whose
// content is in the backups.
type PriorFile struct {
	Digest string `json:"digest,omitempty"` // sha256 in hex: of the bytes, of a folder's archive
	Mode   uint32 `json:"mode"`             // permission bits
	Backup string `json:"backup,omitempty"` // its ID there; the first releases had none, and named it by the digest
	Folder bool   `json:"folder,omitempty"`
	Link   string `json:"link,omitempty"` // the text of a link
}

func (a Applied) file(dest string) File {
	if i := slices.IndexFunc(a.Files, func(f File) bool { return f.Dest == dest }); i >= 0 {
		return a.Files[i]
	}
	return File{Dest: dest}
}

func (a Applied) path(path string) (Path, bool) {
	i, ok := slices.BinarySearchFunc(a.Paths, path, func(p Path, s string) int { return strings.Compare(p.Path, s) })
	if !ok {
		return Path{}, false
	}
	return a.Paths[i], true
}

// key finds a key by its path; shape says whether it must be a set.
func (f File) key(path []string, set bool) (Key, bool) {
	for _, k := range f.Keys {
		if k.Set == set && slices.Equal(k.Path, path) {
			return k, true
		}
	}
	return Key{}, false
}

func (k Key) element(value []byte) (Element, bool) {
	for _, e := range k.Elements {
		if jsonedit.Equal([]byte(e.Value), value) {
			return e, true
		}
	}
	return Element{}, false
}

func (k Key) lifted(value []byte) (Element, bool) { return Key{Elements: k.Lifted}.element(value) }

// with is the record of a file that holds what f says, and of o all that f does not speak of.
func (f File) with(o File) File {
	f.Created = f.Created || o.Created
	f.Keys, f.Made = slices.Clone(f.Keys), slices.Clone(f.Made)
	for _, k := range o.Keys {
		i := slices.IndexFunc(f.Keys, func(x Key) bool { return x.Set == k.Set && slices.Equal(x.Path, k.Path) })
		if i < 0 {
			f.Keys = append(f.Keys, k)
			continue
		}
		elements := slices.Clone(f.Keys[i].Elements)
		for _, e := range k.Elements {
			if _, ok := f.Keys[i].element([]byte(e.Value)); !ok {
				elements = append(elements, e)
			}
		}
		f.Keys[i].Elements = elements
		f.Keys[i].Lifted = slices.DeleteFunc(slices.Clone(f.Keys[i].Lifted), func(e Element) bool {
			_, before := k.lifted([]byte(e.Value))
			return e.Prior && !before // it is in the set still
		})
	}
	for _, path := range o.Made {
		if at, found := slices.BinarySearchFunc(f.Made, path, slices.Compare); !found {
			f.Made = slices.Insert(f.Made, at, path)
		}
	}
	return f
}

// replaceFile puts f in the place of the record of the same file; a record without keys goes.
func (a *Applied) replaceFile(f File) {
	a.Files = slices.DeleteFunc(slices.Clone(a.Files), func(x File) bool { return x.Dest == f.Dest })
	if len(f.Keys) > 0 {
		a.Files = append(a.Files, f)
	}
	slices.SortFunc(a.Files, func(x, y File) int { return strings.Compare(x.Dest, y.Dest) })
}

func (a Applied) encode() []byte { return encodeState(a) }

// encodeState is the canonical form of our own records: indented by two blanks, a newline at the end.
func encodeState(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic("encoding our own record: " + err.Error()) // strings, numbers and bools only
	}
	return buf.Bytes()
}

// decodeState reads what encodeState wrote, and nothing else.
func decodeState[T any](data []byte, version int) (T, error) {
	var v, none T
	var head struct {
		Version int `json:"version"`
	}
	if len(data) > maxState {
		return none, fmt.Errorf("larger than %d bytes", maxState)
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return none, err
	}
	if head.Version != version {
		return none, fmt.Errorf("it has version %d, this release reads %d; use the release that wrote it", head.Version, version)
	}
	if err := strictjson.Decode(data, &v); err != nil {
		return none, err
	}
	if !bytes.Equal(encodeState(v), data) {
		return none, errors.New("not in canonical form")
	}
	return v, nil
}

func decodeApplied(data []byte) (Applied, error) {
	a, err := decodeState[Applied](data, AppliedVersion)
	if err != nil {
		return Applied{}, err
	}
	return a, a.check()
}

func (a Applied) check() error {
	if !cleanAbs(a.Home) {
		return fmt.Errorf("the home %q is not a clean absolute path", a.Home)
	}
	for i, f := range a.Files {
		if !cleanAbs(f.Dest) || i > 0 && f.Dest <= a.Files[i-1].Dest {
			return fmt.Errorf("file %q is out of order or not a clean absolute path", f.Dest)
		}
		if err := f.check(); err != nil {
			return err
		}
	}
	for i, p := range a.Paths {
		if !cleanAbs(p.Path) || i > 0 && p.Path <= a.Paths[i-1].Path {
			return fmt.Errorf("path %q is out of order or not a clean absolute path", p.Path)
		}
		if p.Prior != nil && p.Folder || !p.Prior.valid() {
			return fmt.Errorf("path %q has an impossible earlier file", p.Path)
		}
	}
	for _, path := range a.Staged {
		if !cleanAbs(path) || !strings.Contains(filepath.Base(path), stageMark) {
			return fmt.Errorf("%q is no temporary file of ours", path)
		}
	}
	for _, s := range a.Left {
		if !cleanAbs(s.Path) || s.Prior == nil || !s.Prior.valid() {
			return fmt.Errorf("%q is nothing that was left", s.Path)
		}
	}
	for i, b := range a.Blocks {
		if !cleanAbs(b.Dest) || !isDigest(b.Digest) || i > 0 && b.Dest <= a.Blocks[i-1].Dest {
			return fmt.Errorf("block %q is out of order, or not of a clean absolute path", b.Dest)
		}
	}
	return nil
}

func (f File) check() error {
	for _, k := range f.Keys {
		if err := k.check(); err != nil {
			return fmt.Errorf("%s: %w", f.Dest, err)
		}
	}
	return nil
}

func (k Key) check() error {
	if len(k.Path) == 0 || k.Set == (k.Value != "") {
		return fmt.Errorf("key %q has no path, or is a value and a set at once", k.Path)
	}
	texts := []string{}
	if !k.Set {
		texts = append(texts, k.Value)
	}
	if k.Prior != nil {
		texts = append(texts, *k.Prior)
	}
	for _, e := range slices.Concat(k.Elements, k.Lifted) {
		texts = append(texts, e.Value)
	}
	for _, text := range texts {
		if _, err := jsonedit.Compact([]byte(text)); err != nil {
			return fmt.Errorf("key %q: %w", k.Path, err)
		}
	}
	return nil
}

// valid also guards the path that the digest becomes part of.
func (p *PriorFile) valid() bool {
	switch {
	case p == nil:
		return true
	case p.Link != "":
		return *p == PriorFile{Link: p.Link}
	}
	return isDigest(p.Digest) && p.Mode <= 0o777 && (isBackupID(p.Backup) || p.Backup == "" && !p.Folder)
}

func cleanAbs(p string) bool { return filepath.IsAbs(p) && filepath.Clean(p) == p }

func isDigest(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// loadApplied reads the record; a state without one owns nothing.
func loadApplied(dir string) (Applied, error) {
	path := filepath.Join(dir, appliedFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Applied{Version: AppliedVersion}, nil
	}
	if err != nil {
		return Applied{}, err
	}
	a, err := decodeApplied(data)
	if err != nil {
		return Applied{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return a, nil
}

// RecordedHome is the home that a state folder belongs to, as it was spelled at the first switch; empty if there was
// none, or the record cannot be read.
func RecordedHome(stateDir string) string {
	data, err := os.ReadFile(filepath.Join(stateDir, appliedFile))
	if err != nil {
		return ""
	}
	var head struct {
		Home string `json:"home"`
	}
	if err := json.Unmarshal(data, &head); err != nil || !cleanAbs(head.Home) {
		return ""
	}
	return head.Home
}

func (a Applied) save(dir string) error {
	return durable.WriteFile(filepath.Join(dir, appliedFile), a.encode(), 0o600)
}
