// Command switchbench measures what a switch costs: whole processes, in turn with `cp -r` of the same tree, so that a
// slow machine is slow for all of them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// What the measured manifest has.
const (
	skills     = 100 // of three files each
	agents     = 50
	mcpServers = 20
)

func main() {
	runs := flag.Int("n", 15, "how often each thing is measured")
	root := flag.String("root", ".", "the module's folder")
	dir := flag.String("dir", "", "a folder on the disk to measure; default: the one for temporary files")
	check := flag.Bool("check", false, "fail if a goal is missed")
	flag.Parse()
	if err := bench(*root, *dir, *runs, *check); err != nil {
		fmt.Fprintln(os.Stderr, "switchbench:", err)
		os.Exit(1)
	}
}

// kind is one of the things that are measured.
type kind int

const (
	copied kind = iota
	cold
	oneFile
	unchanged
	kinds
)

// orders are those of the switches in a round, taken in turn, so that each kind comes after each other equally often.
var orders = [][]kind{
	{cold, oneFile, unchanged},
	{unchanged, cold, oneFile},
	{oneFile, unchanged, cold},
	{unchanged, oneFile, cold},
	{cold, unchanged, oneFile},
	{oneFile, cold, unchanged},
}

// cost is what a process took: by the clock, and of the processors.
type cost struct{ clock, cpu time.Duration }

// round has every switch once, and a cp before each of them.
type round [kinds][]cost

func bench(root, dir string, runs int, check bool) error {
	base, err := os.MkdirTemp(dir, "switchbench")
	if err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer func() { _ = remove(base) }()
	binary := filepath.Join(base, "agentihooks")
	build := exec.Command("go", "build", "-tags=hooks", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, "./cmd/agentihooks")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building agentihooks: %w\n%s", err, text)
	}
	source := filepath.Join(base, "source")
	if err := writeManifest(source); err != nil {
		return err
	}
	reference := filepath.Join(base, "reference")
	if err := copyOfTree(binary, source, reference); err != nil {
		return err
	}
	var rounds []round
	for n := range runs + 1 {
		r, err := measure(binary, source, reference, filepath.Join(base, fmt.Sprint("round", n)), n)
		if err != nil {
			return err
		}
		if n > 0 { // the first one warms up
			rounds = append(rounds, r)
		}
	}
	return report(rounds, check)
}

// copyOfTree makes a folder with the files of the tree.
func copyOfTree(binary, source, to string) error {
	cmd := exec.Command(binary, "build", "-f", filepath.Join(source, "machine.hcl"))
	cmd.Env = []string{"HOME=" + filepath.Dir(to), "PATH=/nonexistent"}
	path, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("building the tree: %w", err)
	}
	_, err = timed(nil, "cp", "-r", strings.TrimSpace(string(path)), to)
	return err
}

// measure works in two homes of its own: one that is switched already, and a new one for the cold switch. Every switch
// has a cp before it, and every cp a switch that differs from round to round. Each starts when the disk has all that
// came before, so that none pays for another.
func measure(binary, source, reference, base string, n int) (round, error) {
	var r round
	switched, fresh := filepath.Join(base, "switched"), filepath.Join(base, "fresh")
	if err := errors.Join(os.MkdirAll(switched, 0o755), os.Mkdir(fresh, 0o755)); err != nil {
		return r, err
	}
	run := func(home string) (cost, error) {
		return timed([]string{"HOME=" + home, "PATH=/nonexistent"}, binary, "switch", "-f", filepath.Join(source, "machine.hcl"))
	}
	for range 2 { // a page cache that knows all of it
		if _, err := run(switched); err != nil {
			return r, err
		}
	}
	one := func(k kind, at int) (cost, error) {
		switch k {
		case copied:
			return timed(nil, "cp", "-r", reference, filepath.Join(base, fmt.Sprint("copy", at)))
		case cold:
			return run(fresh)
		case oneFile:
			if err := os.WriteFile(filepath.Join(source, "me.md"), fmt.Appendf(nil, "round %d\n", n), 0o644); err != nil {
				return cost{}, err
			}
		}
		return run(switched)
	}
	for at, k := range orders[n%len(orders)] {
		for _, k := range []kind{copied, k} {
			c, err := one(k, at)
			if err != nil {
				return r, err
			}
			r[k] = append(r[k], c)
		}
	}
	return r, remove(base)
}

func timed(env []string, args ...string) (cost, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	if err := exec.Command("sync").Run(); err != nil {
		return cost{}, fmt.Errorf("sync: %w", err)
	}
	start := time.Now()
	text, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
	}
	return cost{took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// remove removes a folder of read-only folders.
func remove(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(dir))
}

func writeManifest(dir string) error {
	files := map[string]string{"me.md": "A persona.\n"}
	var hcl strings.Builder
	hcl.WriteString("persona = [\"me.md\"]\nskills = [\"skills/*\"]\nagents = [\"agents/*.md\"]\n\ntarget \"copilot\" {\n  settings = { theme = \"dim\" }\n}\n\n")
	text := strings.Repeat("A line that says what to do when, and why.\n", 60)
	for i := range skills {
		name := fmt.Sprintf("skill%d", i)
		files["skills/"+name+"/SKILL.md"] = fmt.Sprintf("---\nname: %s\ndescription: Number %d.\n---\n\n%s", name, i, text)
		files["skills/"+name+"/reference.md"] = fmt.Sprintf("# %d\n\n%s", i, text)
		files["skills/"+name+"/run.sh"] = fmt.Sprintf("#!/bin/sh\necho %d\n", i)
	}
	for i := range agents {
		name := fmt.Sprintf("agent%d", i)
		files["agents/"+name+".md"] = fmt.Sprintf("---\nname: %s\ndescription: Number %d.\n---\n\n%s", name, i, text)
	}
	for i := range mcpServers {
		fmt.Fprintf(&hcl, "mcp \"server%d\" {\n  command = \"server\"\n  args    = [\"--number\", \"%d\"]\n}\n", i, i)
	}
	files["machine.hcl"] = hcl.String()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// The goals.
const (
	unchangedGoal = 30 * time.Millisecond
	coldGoal      = 2.0       // times cp -r
	oneFileGoal   = 1.0 / 3.0 // of the cold switch
)

// report prints medians. A ratio is the median of those within each round, where both sides had the same machine.
func report(rounds []round, check bool) error {
	fmt.Printf("%s/%s, %s, %d rounds: %d skills of 3 files, %d agents, %d MCP servers\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), len(rounds), skills, agents, mcpServers)
	fmt.Printf("%-26s %10s %10s %9s %9s   %s\n", "what", "clock", "user+sys", "of cp", "of cold", "goal")
	for _, line := range []struct {
		kind       kind
		name, goal string
	}{
		{copied, "cp -r of the tree", ""},
		{cold, "switch, cold", fmt.Sprintf("%.0f of cp", coldGoal)},
		{oneFile, "switch, one file changed", fmt.Sprintf("%.2f of cold", oneFileGoal)},
		{unchanged, "switch, nothing changed", unchangedGoal.String()},
	} {
		fmt.Printf("%-26s %7.1f ms %7.1f ms %9.2f %9.2f   %s\n", line.name, 1000*clock(rounds, line.kind), 1000*cpu(rounds, line.kind),
			ratio(rounds, line.kind, copied), ratio(rounds, line.kind, cold), line.goal)
	}
	missed := ratio(rounds, cold, copied) > coldGoal || ratio(rounds, oneFile, cold) > oneFileGoal || clock(rounds, unchanged) > unchangedGoal.Seconds()
	if check && missed {
		return errors.New("a goal was missed")
	}
	return nil
}

func clock(rounds []round, k kind) float64 {
	return over(rounds, func(r round) float64 { return r.clock(k) })
}

func cpu(rounds []round, k kind) float64 {
	return over(rounds, func(r round) float64 {
		return over(r[k], func(c cost) float64 { return c.cpu.Seconds() })
	})
}

func ratio(rounds []round, k, to kind) float64 {
	return over(rounds, func(r round) float64 { return r.clock(k) / r.clock(to) })
}

func (r round) clock(k kind) float64 {
	return over(r[k], func(c cost) float64 { return c.clock.Seconds() })
}

// over is the median of what get says of each.
func over[T any](all []T, get func(T) float64) float64 {
	var values []float64
	for _, x := range all {
		values = append(values, get(x))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
