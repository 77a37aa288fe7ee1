package verify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

func newTree(t *testing.T, own string) tree.Tree {
	t.Helper()
	tr, diags := tree.New(tree.Index{Host: "h", OS: "linux", Arch: "amd64", Home: "/home/u", Copilot: "/home/u/.copilot"},
		[]tree.File{{Path: "shared", Data: []byte("shared\n")}, {Path: "own", Data: []byte(own)}},
		[]tree.Entry{{Dest: "/home/u/shared", Placement: tree.Link, Path: "shared"}, {Dest: "/home/u/own", Placement: tree.Link, Path: "own"}})
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	return tr
}

// newRequest is a state with a generation for each text, the last one live. The trees share what they can.
func newRequest(t *testing.T, texts ...string) (Request, []tree.Tree) {
	t.Helper()
	home := ostest.TempDir(t)
	state, err := generation.OpenState(filepath.Join(home, "state"), home)
	if err != nil {
		t.Fatal(err)
	}
	req := Request{
		State: state, Store: store.New(state.Dir()),
		Rebuild: func(generation.Record) (tree.Tree, error) { return tree.Tree{}, errors.New("the sources are gone") },
	}
	var trees []tree.Tree
	previous := store.Path("")
	for i, text := range texts {
		tr := newTree(t, text)
		if previous, _, err = req.Store.Add(tr, previous); err != nil {
			t.Fatal(err)
		}
		n, err := state.Create(generation.Record{CreatedAt: time.Date(2026, 11, 1+i, 0, 0, 0, 0, time.UTC), Store: tr.Name(), Host: "h"})
		if err != nil {
			t.Fatal(err)
		}
		if err := state.Flip(n); err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tr)
	}
	return req, trees
}

// spoil writes into a file in place, as a careless hand does: every hard link to it is damaged.
func (req Request) spoil(t *testing.T, tr tree.Tree, name string) {
	t.Helper()
	p := string(req.Store.PathOf(tr.Name()))
	ostest.Writable(p)
	file := filepath.Join(p, name)
	if err := errors.Join(os.Chmod(file, 0o644), os.WriteFile(file, []byte("spoiled"), 0o644), os.Chmod(file, 0o444)); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, req Request) Result {
	t.Helper()
	res, err := Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestDamageOfASharedFile: one write in place damages every generation that has the file, and each gets one of its own.
func TestDamageOfASharedFile(t *testing.T) {
	req, trees := newRequest(t, "one", "two", "three")
	req.spoil(t, trees[1], "shared")
	res := run(t, req)
	for _, p := range res.Paths {
		if p.OK || p.Known || !slices.Equal(p.Damaged, []string{"shared"}) || !strings.Contains(p.Reason, "the sources are gone") {
			t.Errorf("%+v", p)
		}
	}
	// The sources give one of them again, and that has what the others lack.
	req.Repair = true
	req.Rebuild = func(rec generation.Record) (tree.Tree, error) {
		if rec.Number != 2 {
			return newTree(t, "another by now"), nil
		}
		return trees[1], nil
	}
	res = run(t, req)
	if !res.OK() || len(res.Paths) != 3 {
		t.Errorf("%+v", res)
	}
	for i, tr := range trees {
		p := req.Store.PathOf(tr.Name())
		if err := req.Store.Verify(p); err != nil {
			t.Error(err)
		}
		info, err := os.Lstat(filepath.Join(string(p), "shared"))
		if err != nil {
			t.Fatal(err)
		}
		if links := info.Sys().(*syscall.Stat_t).Nlink; links != 1 {
			t.Errorf("generation %d: %d links", i+1, links)
		}
	}
}

// TestAnotherTreeIsNotTaken though the sources give it: a store path holds what its name says, or stays damaged.
func TestAnotherTreeIsNotTaken(t *testing.T) {
	req, trees := newRequest(t, "one", "two")
	req.spoil(t, trees[0], "own")
	req.Repair = true
	req.Rebuild = func(generation.Record) (tree.Tree, error) { return newTree(t, "changed since"), nil }
	res := run(t, req)
	i := slices.IndexFunc(res.Paths, func(p Path) bool { return !p.OK })
	if i < 0 || res.OK() {
		t.Fatalf("%+v", res)
	}
	p := res.Paths[i]
	if !reflect.DeepEqual(p.Generations, []generation.Number{1}) || !slices.Equal(p.Damaged, []string{"own"}) || len(p.Repaired) != 0 ||
		!strings.Contains(p.Reason, "the manifest gives another tree now") {
		t.Errorf("%+v", p)
	}
	if list, err := req.Store.List(); err != nil || len(list) != 2 {
		t.Errorf("the store has %q, %v", list, err)
	}
	req.Only = 2
	if res := run(t, req); !res.OK() || len(res.Paths) != 1 {
		t.Errorf("%+v", res)
	}
}

// TestADamagedRecordStillHasItsTree, and is told.
func TestADamagedRecordStillHasItsTree(t *testing.T) {
	req, trees := newRequest(t, "one", "two")
	if err := os.WriteFile(filepath.Join(req.State.Folder(1), "generation.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	req.spoil(t, trees[0], "shared")
	lost := string(req.Store.PathOf(trees[1].Name()))
	ostest.Writable(lost)
	if err := os.RemoveAll(lost); err != nil {
		t.Fatal(err)
	}
	req.Repair = true
	req.Rebuild = func(rec generation.Record) (tree.Tree, error) { return trees[rec.Number-1], nil }
	res := run(t, req)
	if len(res.Faults) != 1 || !strings.Contains(res.Faults[0], "generation 1") || res.OK() {
		t.Errorf("%+v", res)
	}
	for _, p := range res.Paths {
		if !p.OK {
			t.Errorf("%+v", p)
		}
	}
}

// TestLocks: a reader takes none, a repair waits for the one writer.
func TestLocks(t *testing.T) {
	req, trees := newRequest(t, "one")
	req.spoil(t, trees[0], "own")
	unlock, err := req.State.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if res := run(t, req); res.OK() {
		t.Errorf("%+v", res)
	}
	req.Repair = true
	if _, err := Run(context.Background(), req); !errors.Is(err, generation.ErrLocked) {
		t.Errorf("got %v", err)
	}
	unlock()
	req.Rebuild = func(generation.Record) (tree.Tree, error) { return trees[0], nil }
	if res := run(t, req); !res.OK() {
		t.Errorf("%+v", res)
	}
}

func TestANewHome(t *testing.T) {
	home := t.TempDir()
	state, err := generation.LookState(filepath.Join(home, "state"), home)
	if err != nil {
		t.Fatal(err)
	}
	req := Request{State: state, Store: store.New(state.Dir()), Repair: true}
	if res := run(t, req); !res.OK() || len(res.Paths) > 0 {
		t.Errorf("%+v", res)
	}
	if _, err := os.Lstat(state.Dir()); err == nil {
		t.Error("it made a state folder")
	}
	req.Only = 3
	if _, err := Run(context.Background(), req); err == nil || !strings.Contains(err.Error(), "no generation 3") {
		t.Errorf("got %v", err)
	}
}
