package activate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// program rewrites settings.json and mcp-config.json as Copilot CLI does (1.0.83 and 1.0.102, seen with strace): it reads
// a file whole, writes a temporary one beside it and renames that. Copilot 1.0.102 locks, 1.0.83 does not.
type program struct {
	w       *world
	locks   bool
	every   time.Duration
	lost    atomic.Int64 // updates of its own that it no longer found
	written [2]atomic.Int64
}

var programFiles = [2]struct{ name, lock string }{
	{".copilot/settings.json", ".copilot/settings.json.lock"},
	{".copilot/mcp-config.json", ".copilot/.mcp-writer.lock"},
}

func (p *program) run(ctx context.Context) error {
	for i := 0; ctx.Err() == nil; i++ {
		if err := p.rewrite(i % 2); err != nil {
			return err
		}
		time.Sleep(p.every)
	}
	return nil
}

// rewrite adds one to the program's own counter in a file.
func (p *program) rewrite(i int) error {
	file := programFiles[i]
	if p.locks {
		lock, err := os.Open(p.w.path(file.lock))
		if err != nil {
			return err
		}
		defer lock.Close()
		for err = unix.EINTR; errors.Is(err, unix.EINTR); {
			err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
		}
		if err != nil {
			return err
		}
	}
	data, err := os.ReadFile(p.w.path(file.name))
	if err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("the program reads a torn %s: %w", file.name, err)
	}
	if int64(all["count"].(float64)) != p.written[i].Load() {
		p.lost.Add(1)
	}
	all["count"] = p.written[i].Load() + 1
	out, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	temp := p.w.path(file.name + ".tmp.0a1b")
	if err := os.WriteFile(temp, out, 0o600); err != nil {
		return err
	}
	if err := os.Rename(temp, p.w.path(file.name)); err != nil {
		return err
	}
	p.written[i].Add(1)
	return nil
}

// Several programs write one JSON file without a lock: https://github.com/anthropics/claude-code/issues/28922 lost keys
// and hundreds of files. Here a program rewrites both merged files the whole time that we switch 200 times: none of its
// updates is lost, and a switch that finds no gap says that the file is busy and changes nothing. A program without locks
// may write over us between its read and its rename; with locks none of our keys is lost either.
func TestProgramRewritesBothFilesDuringTwoHundredSwitches(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, locks := range []bool{true, false} {
		t.Run(fmt.Sprintf("locks %v", locks), func(t *testing.T) { switchUnderFire(t, locks) })
	}
}

func switchUnderFire(t *testing.T, locks bool) {
	w := newWorld(t)
	p := &program{w: w, locks: locks, every: 2 * time.Millisecond}
	if !locks {
		p.every = 15 * time.Millisecond
	}
	for _, f := range programFiles {
		w.write(f.name, `{"count":0}`)
		if locks {
			w.write(f.lock, "")
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.run(ctx) }()

	busy := 0
	for i := range 200 {
		_, err := Switch(context.Background(), w.request(w.tree(fireTree(i)...)))
		var b *BusyError
		if errors.As(err, &b) {
			busy++
		} else if err != nil {
			t.Errorf("switch %d: %v", i, err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	w.switchTo(w.tree(fireTree(200)...))
	w.healthy()
	settings, servers := w.read(programFiles[0].name), w.read(programFiles[1].name)
	for i, text := range []string{settings, servers} {
		if want := fmt.Sprintf(`"count": %d`, p.written[i].Load()); !strings.Contains(text, want) {
			t.Errorf("%s lost an update of the program, want %s:\n%s", programFiles[i].name, want, text)
		}
	}
	if p.lost.Load() > 0 {
		t.Errorf("the program missed %d of its updates", p.lost.Load())
	}
	if locks && (!strings.Contains(settings, `"theme": "t200"`) || !strings.Contains(servers, `"x200"`) || busy > 0) {
		t.Errorf("our keys are not there, or %d switches were busy:\n%s\n%s", busy, settings, servers)
	}
	rep, err := Status(w.gens, w.store)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range rep.Drift {
		if locks || d.Kind != DriftKey {
			t.Errorf("drift %+v", d)
		}
	}
	t.Logf("%d and %d writes of the program during 200 switches, %d lost, %d switches busy, drift %v",
		p.written[0].Load(), p.written[1].Load(), p.lost.Load(), busy, rep.Drift)
	if p.written[0].Load() < 20 {
		t.Error("the two hardly met")
	}
}

func fireTree(i int) []string {
	return []string{
		fmt.Sprintf(`merge .copilot/settings.json theme+s[] = {"theme":"t%d","s":["e%d"]}`, i, i%3),
		fmt.Sprintf(`merge .copilot/mcp-config.json mcpServers.x = {"mcpServers":{"x":{"command":"x%d"}}}`, i),
		fmt.Sprintf("link a = %d", i),
	}
}

// Copilot 1.0.102 holds its lock for long: a switch waits, then says that the file is busy, and nothing is changed.
func TestProgramHoldsItsLock(t *testing.T) {
	for _, f := range programFiles {
		w := newWorld(t)
		w.switchTo(w.tree(fireTree(1)...))
		w.write(f.lock, "")
		lock, err := os.Open(w.path(f.lock))
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Close()
		if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		before := w.snapshot()
		start := time.Now()
		_, err = Switch(context.Background(), w.request(w.tree(fireTree(2)...)))
		var busy *BusyError
		if !errors.As(err, &busy) || busy.Path != w.path(f.lock) {
			t.Fatalf("error %v", err)
		}
		if waited := time.Since(start); waited < programWait {
			t.Errorf("it waited for %v only", waited)
		}
		w.sameHome(before, "after a switch that found "+f.lock+" held")
		w.healthy()
		if live, _, _ := w.gens.Current(); live != 1 {
			t.Errorf("generation %v is live", live)
		}
		lock.Close()
		w.switchTo(w.tree(fireTree(2)...))
		if text := w.read(".copilot/settings.json"); !strings.Contains(text, "t2") {
			t.Errorf("after the lock was free: %s", text)
		}
	}
}

// A strict parser on a file with comments, or a file that is just being written, led others to replace it by {}:
// https://github.com/anthropics/claude-code/issues/28922. We refuse before anything is written, and say where.
func TestTornReadRefusesTheSwitch(t *testing.T) {
	whole := "{\n  // mine\n  \"u\": [1, 2],\n  \"theme\": \"t1\"\n}\n"
	for n := range len(whole) - 2 { // the whole text but for its last newline is an object
		text := whole[:n]
		w := newWorld(t)
		w.write(".copilot/settings.json", text)
		before := w.inodes()
		_, err := Switch(context.Background(), w.request(w.tree(fireTree(1)...)))
		var unreadable *UnreadableError
		if !errors.As(err, &unreadable) || unreadable.Files[0].Path != w.path(".copilot/settings.json") || unreadable.Files[0].Line < 1 {
			t.Fatalf("%q: error %v", text, err)
		}
		w.sameInodes(before)
	}
}

// What is the user's in a merged file survives that we come, change and go: comments, byte order mark, line ends, order,
// mode (https://github.com/pragmaticivan/dotfiles/pull/25 is what reordering does to a user).
func TestMergeKeepsTheFileAsItWas(t *testing.T) {
	for name, text := range map[string]string{
		"JSONC":             "// head\n{\n  /* z */ \"z\": 1, // end\n  \"a\": [1, 2,],\n}\n// tail",
		"BOM":               "\ufeff{\n  \"z\": 1\n}\n",
		"CRLF":              "{\r\n\t\"z\": 1,\r\n\t\"a\": {}\r\n}\r\n",
		"one line":          `{"z":1,"a":2}`,
		"four blanks":       "{\n    \"z\": 1,\n    \"a\": {\n        \"y\": true\n    }\n}",
		"odd spellings":     "{\"\\u007a\": 1.0e2, \"a\": \"\\u00e9\\/\"}\n",
		"an empty object":   "{}",
		"keys out of order": "{\"z\":1, \"b\":2, \"a\":3}\n",
	} {
		for _, mode := range []os.FileMode{0o600, 0o644, 0o440} {
			w := newWorld(t)
			w.write(".copilot/settings.json", text)
			if err := os.Chmod(w.path(".copilot/settings.json"), mode); err != nil {
				t.Fatal(err)
			}
			for i := 1; i <= 2; i++ {
				w.switchTo(w.tree(fireTree(i)...))
			}
			for line := range strings.Lines(text) {
				if body := strings.Trim(line, " \t\r\n{},\ufeff"); body != "" && !strings.Contains(w.read(".copilot/settings.json"), body) {
					t.Errorf("%s: %q is gone from %q", name, body, w.read(".copilot/settings.json"))
				}
			}
			w.switchTo(w.tree("link a = x"))
			if got := w.read(".copilot/settings.json"); got != text {
				t.Errorf("%s: it was %q and is %q", name, text, got)
			}
			if info, err := os.Stat(w.path(".copilot/settings.json")); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: mode %v, want %v", name, info.Mode(), mode)
			}
		}
	}
}
