package crash

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// The places of a history. The last two never stand in one manifest: one is a folder where the other is a link.
var (
	dests = []string{sharedDest, ".copilot/agents/a.md", ".copilot/instructions/x.instructions.md", ".agents/skills/s", "deep/er/c", "deep/d", "shape", "shape/in"}
	names = []string{"k0", "k1", "k2"}
	items = []string{"e0", "e1", "e2"}
	texts = []string{"one", "two", "three"}
)

const (
	mergedFile = ".copilot/settings.json"
	sharedDest = ".copilot/copilot-instructions.md"
)

// history is a home, the model of it, and what the user wrote and did not take away.
type history struct {
	*rapid.T
	home, state string
	gens        generation.State
	store       store.Store
	*model
	written map[string]bool // contents of the user's own files
	count   int             // of contents, so that each is another one
	doc     map[string]any  // keys of the user's own in the merged file
}

// TestHistories sets random histories against the model: manifests, what the user edits, what the program rewrites,
// crashes, rollbacks. No byte of the user's is lost, no key of ours, and a second switch writes nothing.
func TestHistories(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	histories := 300
	if n, err := strconv.Atoi(os.Getenv("AGENTIHOOKS_HISTORIES")); err == nil {
		histories = n
	}
	if testing.Short() {
		histories = 50
	}
	seed := flag.Lookup("rapid.seed").Value.String()
	if seed == "0" { // the same histories in every ordinary run; a long search goes new ways
		seed = "1"
		if os.Getenv("AGENTIHOOKS_HISTORIES") != "" {
			seed = strconv.FormatInt(time.Now().UnixNano(), 10)
		}
	}
	for name, text := range map[string]string{"rapid.checks": strconv.Itoa(histories), "rapid.seed": seed, "rapid.nofailfile": "true"} {
		if err := flag.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
	base := memory(t)
	var total, crashes atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		n := total.Add(1)
		h := newHistory(rt, filepath.Join(base, strconv.FormatInt(n, 10)))
		defer func() {
			ostest.Writable(filepath.Dir(h.home))
			os.RemoveAll(filepath.Dir(h.home))
		}()
		h.start()
		// A crash takes a process under ptrace, some 50 ms: one history in four may have some.
		mayCrash := rapid.IntRange(0, 3).Draw(rt, "may crash") == 3
		for range rapid.IntRange(2, 8).Draw(rt, "steps") {
			h.step(mayCrash, &crashes)
			h.check()
		}
		h.end()
	})
	t.Logf("%d histories, %d crashes, seed %s (-rapid.seed)", total.Load(), crashes.Load(), seed)
}

func newHistory(rt *rapid.T, base string) *history {
	h := &history{T: rt, home: filepath.Join(base, "home"), state: filepath.Join(base, "state"), model: newModel(), written: map[string]bool{}, doc: map[string]any{}}
	if err := os.MkdirAll(h.home, 0o755); err != nil {
		rt.Fatal(err)
	}
	var err error
	if h.gens, err = generation.OpenState(h.state, h.home); err != nil {
		rt.Fatal(err)
	}
	h.store = store.New(h.state)
	return h
}

// start gives the user some files, and mostly a merged file.
func (h *history) start() {
	h.noFile = true
	if rapid.IntRange(0, 3).Draw(h.T, "merged file") > 0 {
		h.noFile = false
		h.doc["mine"] = "x"
		h.writeDoc(false)
	}
	for range rapid.IntRange(0, 2).Draw(h.T, "files") {
		h.userWrites()
	}
}

func (h *history) step(mayCrash bool, crashes *atomic.Int64) {
	kinds := []string{"switch", "switch", "switch", "adopt", "rollback", "edit", "file", "file", "remove", "key", "key", "element", "program", "drop"}
	if mayCrash {
		kinds = append(kinds, "crash", "crash", "crash")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(h.T, "step"); kind {
	case "switch":
		h.switchTo(h.drawMachine(), refusing)
	case "adopt":
		h.switchTo(h.drawMachine(), adopting)
	case "rollback":
		h.rollback()
	case "file":
		h.userWrites()
	case "edit":
		h.userEdits()
	case "remove":
		h.userRemoves()
	case "key":
		h.userSetsKey()
	case "element":
		h.userSetsElement()
	case "program":
		h.writeDoc(true)
	case "drop":
		h.userDropsDoc()
	case "crash":
		if h.crash() {
			crashes.Add(1)
		}
	}
}

func (h *history) drawMachine() machine {
	m := machine{Links: map[string]string{}, Keys: map[string]string{}}
	for _, dest := range dests {
		if rapid.Bool().Draw(h.T, dest) && (dest != "shape/in" || m.Links["shape"] == "") {
			m.Links[dest] = rapid.SampledFrom(texts).Draw(h.T, "text")
		}
	}
	for _, name := range names {
		if rapid.Bool().Draw(h.T, name) {
			m.Keys[name] = rapid.SampledFrom(texts).Draw(h.T, "value")
		}
	}
	for _, item := range items {
		if rapid.Bool().Draw(h.T, item) {
			m.Elements = append(m.Elements, item)
		}
	}
	return m
}

func (h *history) request(m machine, adopt bool) activate.Request {
	tr, err := m.tree(h.home)
	if err != nil {
		h.Fatal(err)
	}
	return request(h.gens, h.store, h.home, tr, adopt)
}

func request(gens generation.State, st store.Store, home string, tr tree.Tree, adopt bool) activate.Request {
	return activate.Request{
		State: gens, Store: st, Machine: activate.Machine{OS: "linux", Arch: "amd64", Home: home}, Tree: tr, Adopt: adopt,
		Record: generation.Record{CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Manifest: "/m", Release: "test"},
	}
}

// tree renders the machine: each text is a file, the keys are one merged file.
func (m machine) tree(home string) (tree.Tree, error) {
	var files []tree.File
	var entries []tree.Entry
	for _, dest := range slices.Sorted(maps.Keys(m.Links)) {
		path := "t/" + strings.ReplaceAll(dest, "/", "_")
		files = append(files, tree.File{Path: path, Data: []byte(m.Links[dest])})
		entries = append(entries, tree.Entry{Dest: tree.Dest(filepath.Join(home, dest)), Placement: tree.Link, Path: path})
	}
	if len(m.Keys)+len(m.Elements) > 0 {
		e := tree.Entry{Dest: tree.Dest(filepath.Join(home, mergedFile)), Placement: tree.Merge, Path: "settings.json"}
		values := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(m.Keys)) {
			values[name] = m.Keys[name]
			e.Keys = append(e.Keys, tree.Key{Path: []string{name}})
		}
		if len(m.Elements) > 0 {
			values["set"] = m.Elements
			e.Keys = append(e.Keys, tree.Key{Path: []string{"set"}, Set: true})
		}
		data, err := json.Marshal(values)
		if err != nil {
			return tree.Tree{}, err
		}
		files, entries = append(files, tree.File{Path: e.Path, Data: data}), append(entries, e)
	}
	tr, list := tree.New(tree.Index{Host: "h", OS: "linux", Arch: "amd64", Home: home, Copilot: filepath.Join(home, ".copilot")}, files, entries)
	if list.HasErrors() {
		return tree.Tree{}, fmt.Errorf("the tree: %v", list)
	}
	return tr, nil
}

// switchTo switches, and expects what the model says. Then the same again must write nothing.
func (h *history) switchTo(m machine, how mode) {
	next, ok := h.apply(m, how)
	res, err := activate.Switch(context.Background(), h.request(m, how == adopting))
	h.expect(ok, err)
	if !ok {
		return
	}
	h.model = next
	if res.Changed && (res.Previous == nil || *res.Previous != res.Generation) {
		h.machines = append(h.machines, m)
		h.live = int(res.Generation)
	}
	h.idle(m)
}

func (h *history) expect(ok bool, err error) {
	var collision *activate.CollisionError
	switch {
	case ok && err != nil:
		h.Fatalf("it is refused: %v", err)
	case !ok && !errors.As(err, &collision):
		h.Fatalf("the user's files are in the way, and it says %v", err)
	}
}

// idle switches to what is live already and looks whether anything was written.
func (h *history) idle(m machine) {
	before := h.inodes()
	res, err := activate.Switch(context.Background(), h.request(m, false))
	if err != nil || res.Changed {
		h.Fatalf("a second switch: changed %v, actions %v, %v", res.Changed, res.Actions, err)
	}
	if diff := lineDiff(h.inodes(), before); len(diff) > 0 {
		h.Fatalf("a second switch wrote:\n%s", strings.Join(diff, "\n"))
	}
}

func (h *history) inodes() []string {
	var out []string
	err := filepath.WalkDir(filepath.Dir(h.home), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && d.Name() != "lock" {
			out = append(out, fmt.Sprintf("%s %v %d %s", path, info.Mode(), info.Size(), info.ModTime().Format(time.RFC3339Nano)))
		}
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return out
}

func (h *history) rollback() {
	records, err := h.gens.List()
	if err != nil {
		h.Fatal(err)
	}
	live, ok, err := h.gens.Current()
	if err != nil {
		h.Fatal(err)
	}
	var choice []generation.Number
	for _, r := range records {
		if was, err := h.gens.Activated(r.Number); err == nil && was && r.Number != live {
			choice = append(choice, r.Number)
		}
	}
	if !ok || len(choice) == 0 {
		return
	}
	to := rapid.SampledFrom(choice).Draw(h.T, "to")
	m := h.machineOf(to)
	next, free := h.apply(m, yielding)
	_, err = activate.Rollback(context.Background(), activate.RollbackRequest{
		State: h.gens, Store: h.store, Machine: activate.Machine{OS: "linux", Arch: "amd64", Home: h.home}, To: to,
	})
	h.expect(free, err)
	if free {
		h.model = next
		h.idle(m)
	}
}

// machineOf reads back what a generation declares.
func (h *history) machineOf(n generation.Number) machine {
	rec, err := h.gens.Read(n)
	if err != nil {
		h.Fatal(err)
	}
	path := h.store.PathOf(rec.Store)
	idx, err := h.store.ReadIndex(path)
	if err != nil {
		h.Fatal(err)
	}
	m := machine{Links: map[string]string{}, Keys: map[string]string{}}
	for _, e := range idx.Entries {
		data, err := h.store.ReadFile(path, e.Path)
		if err != nil {
			h.Fatal(err)
		}
		if e.Placement == tree.Link {
			m.Links[strings.TrimPrefix(string(e.Dest), h.home+"/")] = string(data)
			continue
		}
		var values map[string]any
		if err := json.Unmarshal(data, &values); err != nil {
			h.Fatal(err)
		}
		for name, v := range values {
			if list, ok := v.([]any); ok {
				for _, item := range list {
					m.Elements = append(m.Elements, item.(string))
				}
				continue
			}
			m.Keys[name] = v.(string)
		}
	}
	return m
}

// end uninstalls: what is left is the user's, all of it and nothing else.
func (h *history) end() {
	before := h.model
	next, _ := before.apply(machine{}, refusing)
	if _, err := activate.Uninstall(context.Background(), h.request(machine{}, false)); err != nil {
		h.Fatal(err)
	}
	h.model = next
	h.check()
	for dest, p := range h.files {
		if p.is == ourLink {
			h.Fatalf("after uninstall %s is ours", dest)
		}
	}
}
