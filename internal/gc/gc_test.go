package gc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/ledger"
	"github.com/agentihooks/agentihooks/hookbin/process"
	"github.com/agentihooks/agentihooks/hookbin/session"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/ostest"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

var start = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// newRequest is a state with so many generations, one a day, all of which were live in turn; the last is live.
func newRequest(t *testing.T, generations int) Request {
	t.Helper()
	home := ostest.TempDir(t)
	state, err := generation.OpenState(filepath.Join(home, "state"), home)
	if err != nil {
		t.Fatal(err)
	}
	req := Request{State: state, Store: store.New(state.Dir()), Now: start.AddDate(0, 0, generations)}
	for i := range generations {
		tr := newTree(t, fmt.Sprint(i))
		if _, _, err := req.Store.Add(tr, ""); err != nil {
			t.Fatal(err)
		}
		n, err := state.Create(generation.Record{CreatedAt: start.AddDate(0, 0, i), Store: tr.Name(), Host: "h"})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(state.Flip(n), state.WriteOrigins(tr.Hash, generation.Origins{Version: 1})); err != nil {
			t.Fatal(err)
		}
	}
	return req
}

func newTree(t *testing.T, text string) tree.Tree {
	t.Helper()
	tr, diags := tree.New(tree.Index{Host: "h", OS: "linux", Arch: "amd64", Home: "/home/u", Copilot: "/home/u/.copilot"},
		[]tree.File{{Path: "f", Data: []byte(text)}}, nil)
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	return tr
}

func run(t *testing.T, req Request) Result {
	t.Helper()
	rehearsal := req
	rehearsal.DryRun = true
	want, err := Run(context.Background(), rehearsal)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if res.Warnings = nil; !req.Auto && !reflect.DeepEqual(res, want) {
		t.Errorf("the dry run said %+v, done was %+v", want, res)
	}
	return res
}

// whole checks that every generation left has its tree, and gives their numbers.
func whole(t *testing.T, req Request) string {
	t.Helper()
	records, err := req.State.List()
	if err != nil {
		t.Error(err)
	}
	var out []string
	for _, r := range records {
		out = append(out, r.Number.String())
		if err := req.Store.Verify(req.Store.PathOf(r.Store)); err != nil {
			t.Errorf("generation %s: %v", r.Number, err)
		}
	}
	return strings.Join(out, " ")
}

func TestPolicy(t *testing.T) {
	for name, tt := range map[string]struct {
		keep  int
		newer time.Duration
		want  string
	}{
		"default":         {DefaultKeep, 0, "1 2 3 4 5 6 7 8"},
		"newest":          {3, 0, "6 7 8"},
		"none but roots":  {0, 0, "7 8"},
		"by age":          {0, 4 * 24 * time.Hour, "6 7 8"},
		"both keep":       {5, 4 * 24 * time.Hour, "4 5 6 7 8"},
		"more than exist": {100, 0, "1 2 3 4 5 6 7 8"},
	} {
		t.Run(name, func(t *testing.T) {
			req := newRequest(t, 8)
			req.Keep, req.Newer = tt.keep, tt.newer
			run(t, req)
			got := whole(t, req)
			if got != tt.want {
				t.Errorf("left are %s, want %s", got, tt.want)
			}
			paths, _ := req.Store.List()
			origins, _ := os.ReadDir(filepath.Join(req.State.Dir(), "origins"))
			if n := len(strings.Fields(got)); len(paths) != n || len(origins) != n {
				t.Errorf("%d generations, %d trees, %d origins", n, len(paths), len(origins))
			}
		})
	}
}

// TestARunningSessionKeepsItsGeneration: its hook would be gone otherwise, and every tool call denied or let through.
// See https://github.com/anthropics/claude-code/issues/84656.
func TestARunningSessionKeepsItsGeneration(t *testing.T) {
	req := newRequest(t, 5)
	ended := process.Of(os.Getpid())
	ended.Boot += "another"
	dir := req.State.Dir()
	if err := errors.Join(session.Write(dir, "runs", 2, process.Of(os.Getpid()), req.Now), session.Write(dir, "ended", 1, ended, req.Now)); err != nil {
		t.Fatal(err)
	}
	old := req.Now.Add(-time.Hour)
	if err := os.Chtimes(session.Folder(dir, "ended"), old, old); err != nil {
		t.Fatal(err)
	}
	res := run(t, req)
	if got := whole(t, req); got != "2 4 5" || len(res.Sessions) != 1 {
		t.Errorf("left are %s; ended sessions %q", got, res.Sessions)
	}
	if _, err := os.Lstat(session.Folder(dir, "ended")); err == nil {
		t.Error("the record of a session that ended is still there")
	}
	// A record of a newer release may need anything: nothing is removed.
	path := filepath.Join(session.Folder(dir, "runs"), "session.json")
	if err := os.WriteFile(path, []byte(`{"version":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), req); !errors.Is(err, session.ErrNewer) {
		t.Errorf("got %v", err)
	}
	if got := whole(t, req); got != "2 4 5" {
		t.Errorf("left are %s", got)
	}
}

// TestOldLedgersGo: what the hook said is kept for a month after the last word, and as long as the session runs.
func TestOldLedgersGo(t *testing.T) {
	req := newRequest(t, 1)
	dir := req.State.Dir()
	if err := session.Write(dir, "runs", 1, process.Of(os.Getpid()), req.Now); err != nil {
		t.Fatal(err)
	}
	for id, days := range map[string]int{"runs": 40, "old": 31, "young": 29} {
		if err := ledger.Append(dir, id, ledger.Entry{Time: req.Now, Verdict: "deny"}); err != nil {
			t.Fatal(err)
		}
		at := req.Now.AddDate(0, 0, -days)
		if err := os.Chtimes(filepath.Join(dir, "ledger", ledger.Of(dir, id).Name+".jsonl"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if res := run(t, req); len(res.Ledgers) != 1 || res.Ledgers[0] != ledger.Of(dir, "old").Name {
		t.Errorf("%q", res.Ledgers)
	}
	if left, err := ledger.List(dir); err != nil || len(left) != 2 {
		t.Errorf("%d are left, %v", len(left), err)
	}
}

// TestADamagedRecordIsKeptWithItsTree: it may be of a newer release.
func TestADamagedRecordIsKeptWithItsTree(t *testing.T) {
	req := newRequest(t, 5)
	name, _, _ := req.State.StoreName(1)
	if err := os.WriteFile(filepath.Join(req.State.Folder(1), "generation.json"), []byte(`{"version":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	res := run(t, req)
	if len(res.Removed) != 2 || res.Kept[0].Number != 1 || res.Kept[0].Reasons[0] != "its record cannot be read" {
		t.Errorf("%+v", res)
	}
	if err := req.Store.Verify(req.Store.PathOf(name)); err != nil {
		t.Error(err)
	}
}

func TestTheTreeOfTwoGenerationsStaysForTheSecond(t *testing.T) {
	req := newRequest(t, 3)
	rec, err := req.State.Read(1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := req.State.Create(rec)
	if err != nil {
		t.Fatal(err)
	}
	if err := req.State.Flip(n); err != nil {
		t.Fatal(err)
	}
	run(t, req)
	if got := whole(t, req); got != "3 4" {
		t.Errorf("left are %s", got)
	}
}

// TestNumbersAreNeverUsedTwice also where the highest was freed after a rollback.
func TestNumbersAreNeverUsedTwice(t *testing.T) {
	req := newRequest(t, 4)
	if err := req.State.Flip(1); err != nil {
		t.Fatal(err)
	}
	run(t, req)
	if got := whole(t, req); got != "1" {
		t.Errorf("left are %s", got)
	}
	rec, _ := req.State.Read(1)
	if n, err := req.State.Create(rec); n != 5 || err != nil {
		t.Errorf("the next is %s, %v", n, err)
	}
}

func TestAutomaticRunIsBounded(t *testing.T) {
	req := newRequest(t, 12)
	if _, _, err := req.Store.Add(newTree(t, "only built"), ""); err != nil {
		t.Fatal(err)
	}
	req.Auto = true
	res := run(t, req)
	if n := len(res.Removed); n == 0 || n > autoGenerations || res.Removed[0] != 1 {
		t.Errorf("removed %v", res.Removed)
	}
	if n := len(strings.Fields(whole(t, req))); n != 12-len(res.Removed) {
		t.Errorf("%d left", n)
	}
	if paths, _ := req.Store.List(); len(paths) != 13-len(res.Removed) {
		t.Errorf("%d trees left: one that was only built was freed", len(paths))
	}
}

func TestLeftoversOfACrash(t *testing.T) {
	req := newRequest(t, 3)
	req.Keep = DefaultKeep
	dir := req.State.Dir()
	left := []string{"generations/.tmp-1", "generations/.gc-9", "store/.gc-x", "store/.tmp-2"}
	for _, name := range left {
		if err := os.MkdirAll(filepath.Join(dir, name, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	temp := filepath.Join(dir, "origins", ".tmp-3")
	if err := errors.Join(os.WriteFile(temp, nil, 0o600), os.Chtimes(temp, start, start)); err != nil {
		t.Fatal(err)
	}
	run(t, req)
	for _, name := range append(left, "origins/.tmp-3") {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if got := whole(t, req); got != "1 2 3" {
		t.Errorf("left are %s", got)
	}
}

func TestANewHome(t *testing.T) {
	home := t.TempDir()
	state, err := generation.LookState(filepath.Join(home, "state"), home)
	if err != nil {
		t.Fatal(err)
	}
	if res := run(t, Request{State: state, Store: store.New(state.Dir()), Now: start}); len(res.Kept)+len(res.Removed) > 0 {
		t.Errorf("%+v", res)
	}
	if _, err := os.Lstat(state.Dir()); err == nil {
		t.Error("gc made a state folder")
	}
}

func TestAnotherWriterComesFirst(t *testing.T) {
	req := newRequest(t, 3)
	unlock, err := req.State.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := Run(context.Background(), req); !errors.Is(err, generation.ErrLocked) {
		t.Errorf("got %v", err)
	}
	if got := whole(t, req); got != "1 2 3" {
		t.Errorf("left are %s", got)
	}
}
