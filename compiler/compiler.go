// Package compiler turns HCL sources into a manifest, and a manifest and the facts of one host into a machine.
package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// Sources is where the manifest and its files come from. Everything is read through it, so that the compiler itself
// never touches the disk.
type Sources struct {
	// Name is the manifest's file name as it is shown to the user, "examples/quickstart/machine.hcl". The file with
	// its base name is read from Root.
	Name string
	// Root is the manifest's folder.
	Root fs.FS
	// Module opens the folder of a relative module. dir is a clean slash path relative to the manifest's folder.
	Module func(dir string) (fs.FS, error)
	// Builtin holds the embedded modules: "builtin/base" is its folder "base".
	Builtin fs.FS
}

// Specs is what targets and guards take, as plain data.
type Specs struct {
	Targets []model.BlockSpec
	Guards  []guard.Spec
}

// Manifest is a parsed machine manifest with its modules: everything that does not depend on facts. It may be used
// by several goroutines at once.
type Manifest struct {
	table    table
	root     *scope
	file     diag.Range // the manifest's file, for what concerns it as a whole
	top      *layer
	modules  []*instance // in the order of their first blocks
	hosts    []*host
	byLabel  map[string]*host // labels in lower case
	profiles map[string]*profile
	which    []string
	secrets  map[string]diag.Range // every secret declared anywhere
	secret   cty.Value             // the object behind secret.*
	revision string

	mu    sync.Mutex
	texts map[string][]byte
}

// Hosts is the labels of the host blocks in source order. It is empty if the manifest serves every host.
func (m *Manifest) Hosts() []string {
	out := make([]string, 0, len(m.hosts))
	for _, h := range m.hosts {
		out = append(out, h.label)
	}
	return out
}

// WhichNames is the sorted names that the manifest asks for with which("…"): the facts have to hold their answers.
func (m *Manifest) WhichNames() []string { return slices.Clone(m.which) }

// Revision is the sha256, in hex, over the HCL files that make up the manifest, its modules included.
func (m *Manifest) Revision() string { return m.revision }

// Texts is every source text read so far, by the file name that ranges use. The map is the caller's, the bytes are
// shared. Line ends are \n, whatever the file has: the byte offsets of ranges count in these texts.
func (m *Manifest) Texts() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.texts)
}

func (m *Manifest) addText(name string, text []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.texts[name] = text
}

// revisionOf hashes files by their names relative to the manifest's folder, so that it is the same wherever the
// folder lies.
func revisionOf(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%d:%s:%d:", len(name), name, len(files[name]))
		h.Write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// quoted lists names as `a`, `b` and `c`.
func quoted(names []string) string {
	marked := make([]string, len(names))
	for i, n := range names {
		marked[i] = "`" + n + "`"
	}
	return listed(marked, "and")
}

// listed joins items with commas and a last word.
func listed(items []string, word string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " " + word + " " + items[last]
}
