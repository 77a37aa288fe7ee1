//go:build linux && amd64

package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agentihooks/agentihooks/internal/faults"
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// workers is how many points are tried at once.
const workers = 2

// errnos are what a call is made to return. A call that only reads cannot meet a full or read-only file system.
var (
	errnos     = []syscall.Errno{unix.EIO, unix.ENOSPC, unix.EACCES, unix.EROFS, unix.EINTR}
	readErrnos = []syscall.Errno{unix.EIO, unix.EACCES, unix.EINTR}
)

// ending is a state that a command may end in. Numbers of generations are left out: one that was never live is deleted
// and its number is not given again.
type ending struct {
	home    []string // snapshot
	tree    string   // what is live, "" if nothing is
	applied string
	kept    []string // names in generations and store
}

// bench is one site with a subject on it: what it begins with, and the two states that it may end in.
type bench struct {
	*site
	subject
	before   string // the saved old state
	old, new ending
}

func newBench(t testing.TB, sub subject, base, binary string) *bench {
	t.Helper()
	b := &bench{site: newSite(t, base, binary), subject: sub, before: filepath.Join(base, "before")}
	sub.prepare(b.site)
	b.save(b.before)
	b.old = b.ending()
	b.must(sub.args(b.site)...)
	b.new = b.ending()
	return b
}

func (b *bench) ending() ending {
	b.Helper()
	home, err := snapshot(b.home)
	if err != nil {
		b.Fatal(err)
	}
	live := b.live()
	applied, _ := os.ReadFile(filepath.Join(b.state, "applied.json"))
	e := ending{home: home, tree: live, applied: backupNumber.ReplaceAllString(string(applied), "$1$2")}
	for _, dir := range []string{"generations", "store"} {
		items, err := os.ReadDir(filepath.Join(b.state, dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			b.Fatal(err)
		}
		for _, item := range items {
			e.kept = append(e.kept, dir+"/"+item.Name())
		}
	}
	return e
}

// live names the tree that is live. One without destinations, after uninstall, is as good as any other: what is in it
// depends on what could be read.
func (b *bench) live() string {
	link, err := os.Readlink(filepath.Join(b.state, "current/tree"))
	if err != nil {
		return ""
	}
	st := store.New(b.state)
	if idx, err := st.ReadIndex(st.PathOf(tree.Name(filepath.Base(link)))); err == nil && len(idx.Entries) == 0 {
		return "nothing"
	}
	return link
}

// backupNumber is the name of a backup: it begins with the generation, and one that is taken ends with a number.
var backupNumber = regexp.MustCompile(`("backup": ")[0-9]+-([0-9a-f]{16})(-[0-9]+)?`)

func (e ending) equal(o ending) bool {
	return e.tree == o.tree && e.applied == o.applied && slices.Equal(e.home, o.home)
}

// differs says how a state is not the one wanted.
func (e ending) differs(want ending) string {
	var out []string
	if e.tree != want.tree {
		out = append(out, fmt.Sprintf("%q is live, want %q", e.tree, want.tree))
	}
	out = append(out, lineDiff(e.home, want.home)...)
	out = append(out, lineDiff(strings.Split(e.applied, "\n"), strings.Split(want.applied, "\n"))...)
	return strings.Join(out, "\n")
}

func (b *bench) trace(args []string, plan faults.Plan) (faults.Outcome, error) {
	plan.Beneath = []string{b.home, b.state}
	return faults.Run(faults.Program{Args: append([]string{b.binary}, args...), Env: b.env, Dir: b.base}, plan)
}

// listing is the calls of the subject's command, from the old state.
func (b *bench) listing(changes bool) []faults.Call {
	b.Helper()
	b.restore(b.before)
	out, err := b.trace(b.args(b.site), faults.Plan{Changes: changes})
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		b.Skipf("no process may be traced here: %v", err)
	}
	if err != nil || out.Exit != 0 {
		b.Fatalf("listing: %v %+v", err, out)
	}
	return out.Calls
}

// point is one fault in one run.
type point struct {
	faults.Plan
	call faults.Call
	next int // recovery is killed at this call first; 0: it is left alone
}

func (p point) String() string {
	name := "kill"
	if p.Fault != faults.Kill {
		name = unix.ErrnoName(p.Fault)
	}
	if p.next > 0 {
		name += fmt.Sprintf(", and kill of the recovery at its call %d,", p.next)
	}
	return fmt.Sprintf("%s at call %d (%s)", name, p.At, p.call)
}

// side is how a point ended.
type side string

const (
	sideOld   side = "old"
	sideNew   side = "new"
	sideDrift side = "new, after drift that was reported and healed"
	sidePart  side = "part of what is to be freed" // gc alone
)

// try runs the command into the fault and checks what comes of it.
func (b *bench) try(p point) (side, error) {
	b.restore(b.before)
	out, err := b.trace(b.args(b.site), p.Plan)
	if err != nil {
		return "", err
	}
	if !out.Fired {
		return "", fmt.Errorf("there was no such call: %d were made", len(out.Calls))
	}
	if err := b.readable(); err != nil {
		return "", fmt.Errorf("before recovery: %w", err)
	}
	if p.next > 0 {
		if _, err := b.trace(recoverArgs, faults.Plan{Changes: true, At: p.next, Fault: faults.Kill}); err != nil {
			return "", err
		}
		if err := b.readable(); err != nil {
			return "", fmt.Errorf("after the recovery was killed: %w", err)
		}
	}
	res := b.recover()
	if res.exit != 1 || !strings.Contains(res.stderr, "generation") {
		return "", fmt.Errorf("the next command: exit code %d, %s%s", res.exit, res.stdout, res.stderr)
	}
	warned := strings.Contains(out.Stderr+res.stderr, "until the next switch")
	return b.settled(p, out, warned)
}

// settled checks the state after recovery: the old one or the new one exactly, nothing of ours left over, status clean;
// and that the command then gets through, of which only some points are asked.
func (b *bench) settled(p point, out faults.Outcome, warned bool) (side, error) {
	got := b.ending()
	where := sideOld
	switch {
	case b.gentle && got.equal(b.old):
		switch {
		case slices.Equal(got.kept, b.new.kept):
			where = sideNew
		case !slices.Equal(got.kept, b.old.kept):
			where = sidePart
		}
	case got.equal(b.new):
		where = sideNew
	case got.equal(b.old):
		if out.Exit == 0 && !out.Killed {
			return "", errors.New("the command said that it was done, and changed nothing")
		}
	case warned && got.tree == b.new.tree:
		where = sideDrift
	default:
		return "", fmt.Errorf("neither old nor new. From old:\n%s\nfrom new:\n%s\nthe command said: %s%s",
			got.differs(b.old), got.differs(b.new), out.Stdout, out.Stderr)
	}
	if where != sideDrift {
		if err := b.clean(); err != nil {
			return "", fmt.Errorf("%s: %w", where, err)
		}
	}
	if where != sideDrift && p.At%repeatEvery != 0 {
		return where, nil
	}
	if res := b.run(b.to(b.site)...); res.exit != 0 {
		return "", fmt.Errorf("%s, and then the command cannot be repeated: exit code %d, %s%s", where, res.exit, res.stdout, res.stderr)
	}
	if b.settle != nil && where == sideOld { // that was another command, which made a generation of its own
		return where, b.clean()
	}
	if got := b.ending(); !got.equal(b.new) || b.gentle && !slices.Equal(got.kept, b.new.kept) {
		return "", fmt.Errorf("%s, and repeated it does not end in the new state:\n%s\n%v", where, got.differs(b.new), got.kept)
	}
	return where, b.clean()
}

// readable checks what a reader of the home sees at any moment: a whole live tree, merged files that are whole.
func (b *bench) readable() error {
	path := filepath.Join(b.state, "current")
	if _, err := os.Lstat(path); err == nil {
		at, err := filepath.EvalSymlinks(filepath.Join(path, "tree"))
		if err != nil {
			return err
		}
		if err := store.New(b.state).Verify(store.Path(at)); err != nil {
			return err
		}
	}
	for _, name := range []string{settings, mcpConfig} {
		data, err := os.ReadFile(filepath.Join(b.home, name))
		if err != nil {
			return err
		}
		if !strings.Contains(string(data), "mine") || !strings.HasSuffix(string(data), "}\n") {
			return fmt.Errorf("%s is torn: %q", name, data)
		}
	}
	return nil
}

// clean checks that nothing temporary is left in the state folder (the home was compared whole), that every tree in the
// store is whole, and that status has nothing to say.
func (b *bench) clean() error {
	var all error
	for _, dir := range []string{".", "generations", "store", "origins", "backups"} {
		items, err := os.ReadDir(filepath.Join(b.state, dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, item := range items {
			if strings.HasPrefix(item.Name(), ".") || item.Name() == "journal" || strings.HasSuffix(item.Name(), ".tmp") {
				all = errors.Join(all, fmt.Errorf("left over: %s", filepath.Join(dir, item.Name())))
			}
			if dir == "store" {
				if _, err := tree.ParseName(item.Name()); err != nil {
					all = errors.Join(all, err)
					continue
				}
				st := store.New(b.state)
				all = errors.Join(all, st.Verify(st.PathOf(tree.Name(item.Name()))))
			}
		}
	}
	if res := b.run("status", "--exit-code"); res.exit != 0 {
		all = errors.Join(all, fmt.Errorf("status: exit code %d, %s%s", res.exit, res.stdout, res.stderr))
	}
	return all
}

// tally counts how points ended.
type tally struct {
	sync.Mutex
	kinds []string // in the order in which they came
	ended map[string]map[side]int
	bad   int
}

func (t *tally) add(kind string, where side) {
	t.Lock()
	defer t.Unlock()
	if t.ended[kind] == nil {
		t.ended[kind] = map[side]int{}
		t.kinds = append(t.kinds, kind)
	}
	t.ended[kind][where]++
}

func (t *tally) log(tb testing.TB, name string) {
	tb.Helper()
	for _, kind := range t.kinds {
		e := t.ended[kind]
		text := ""
		if e[sidePart] > 0 {
			text = fmt.Sprintf(", %d %s", e[sidePart], sidePart)
		}
		tb.Logf("%s, %s: %d points tried, %d ended old, %d new, %d new after drift that was reported and healed%s",
			name, kind, e[sideOld]+e[sideNew]+e[sideDrift]+e[sidePart], e[sideOld], e[sideNew], e[sideDrift], text)
	}
	tb.Logf("%s: %d bad", name, t.bad)
}

// repeatEvery is at every how many calls the command is repeated after it was recovered. After drift it always is.
const repeatEvery = 5

// maxBad is after how many bad points a matrix gives up.
const maxBad = 10

// each tries points on several benches at once.
func each(t *testing.T, benches []*bench, points []point, kind func(point) string, sum *tally) {
	t.Helper()
	queue := make(chan point)
	var group sync.WaitGroup
	for _, b := range benches {
		group.Go(func() {
			for p := range queue {
				where, err := b.try(p)
				if err != nil {
					sum.Lock()
					sum.bad++
					if sum.bad <= maxBad {
						t.Errorf("%s: %v", p, err)
					}
					sum.Unlock()
					continue
				}
				sum.add(kind(p), where)
			}
		})
	}
	for _, p := range points {
		queue <- p
	}
	close(queue)
	group.Wait()
}

// stride is every how many points a quick run tries one; a full run tries all. The numbers are primes, so that quick
// runs do not fall into step with what repeats.
func stride(quick int) int {
	if full() {
		return 1
	}
	return quick
}

func killPoints(calls []faults.Call, step int) []point {
	var out []point
	for at := 1; at <= len(calls); at += step {
		out = append(out, point{Plan: faults.Plan{Changes: true, At: at, Fault: faults.Kill}, call: calls[at-1]})
	}
	return out
}

// errorPoints are the faults that are no kill: all of them at a call that changes something, and in turn at calls that
// read.
func errorPoints(calls []faults.Call, step int) []point {
	var out []point
	for i, c := range calls {
		kinds := errnos
		if !c.Changes {
			kinds = readErrnos[i%len(readErrnos) : i%len(readErrnos)+1]
		}
		for _, errno := range kinds {
			out = append(out, point{Plan: faults.Plan{At: i + 1, Fault: errno}, call: c})
		}
	}
	var some []point
	for i := 0; i < len(out); i += step {
		some = append(some, out[i])
	}
	return some
}

// recoveryPoints are kills of the command, each with kills of the recovery that follows.
func recoveryPoints(t *testing.T, b *bench, kills []point, outer, inner int) []point {
	t.Helper()
	var out []point
	for i := outer / 2; i < len(kills); i += outer {
		p := kills[i]
		b.restore(b.before)
		if _, err := b.trace(b.args(b.site), p.Plan); err != nil {
			t.Fatal(err)
		}
		rec, err := b.trace(recoverArgs, faults.Plan{Changes: true})
		if err != nil {
			t.Fatal(err)
		}
		for at := 1 + i%inner; at <= len(rec.Calls); at += inner {
			p.next = at
			out = append(out, p)
		}
	}
	return out
}

// TestFaultAtEveryCall ends and fails each command at its calls, and recovery at its own.
// See https://github.com/flox/flox/issues/4332.
func TestFaultAtEveryCall(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	binary := command(t)
	for _, sub := range subjects {
		t.Run(strings.ReplaceAll(sub.name, " ", "-"), func(t *testing.T) {
			var benches []*bench
			for range workers {
				benches = append(benches, newBench(t, sub, memory(t), binary))
			}
			changes, all := benches[0].listing(true), benches[0].listing(false)
			if again := benches[1].listing(true); len(again) != len(changes) {
				t.Fatalf("the same command made %d calls, then %d", len(changes), len(again))
			}
			t.Logf("%s makes %d file-system calls, of which %d change something", sub.name, len(all), len(changes))
			kills := killPoints(changes, 1)
			sum := &tally{ended: map[string]map[side]int{}}
			each(t, benches, killPoints(changes, stride(7)), func(point) string { return "kill -9" }, sum)
			each(t, benches, errorPoints(all, stride(37)), func(p point) string { return unix.ErrnoName(p.Fault) }, sum)
			again := recoveryPoints(t, benches[0], kills, stride(11)*7, stride(5)*5)
			each(t, benches, again, func(point) string { return "kill -9, and again while it recovers" }, sum)
			sum.log(t, sub.name)
		})
	}
}
