// Command switchbench measures what a switch costs: whole processes, in turn with `cp -r` of the same files, so that a
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

// round is one of each: the times of it.
type round struct {
	copyTree, cold, oneFile, unchanged time.Duration
}

func bench(root, dir string, runs int, check bool) error {
	base, err := os.MkdirTemp(dir, "switchbench")
	if err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer func() { _ = remove(base) }()
	binary := filepath.Join(base, "agentihooks")
	for path, pkg := range map[string]string{binary: "./cmd/agentihooks", binary + "-hook": "./hookbin/agentihooks-hook"} {
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", path, pkg)
		build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", pkg, err, text)
		}
	}
	source := filepath.Join(base, "source")
	if err := writeManifest(source); err != nil {
		return err
	}
	var rounds []round
	for n := range runs + 1 {
		r, err := measure(binary, source, filepath.Join(base, fmt.Sprint("round", n)), n)
		if err != nil {
			return err
		}
		if n > 0 { // the first one warms up
			rounds = append(rounds, r)
		}
	}
	return report(rounds, check)
}

// measure works in a home of its own.
func measure(binary, source, base string, n int) (round, error) {
	var r round
	home := filepath.Join(base, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return r, err
	}
	env := []string{"HOME=" + home, "PATH=/nonexistent"}
	timed := func(to *time.Duration, env []string, args ...string) error {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = env
		start := time.Now()
		text, err := cmd.CombinedOutput()
		*to = time.Since(start)
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
		}
		return nil
	}
	manifest := filepath.Join(source, "machine.hcl")
	persona := filepath.Join(source, "me.md")
	var warm, tree time.Duration
	err := errors.Join(
		timed(&r.cold, env, binary, "switch", "-f", manifest),
		timed(&warm, env, binary, "switch", "-f", manifest), // a page cache that knows all of it
		timed(&r.unchanged, env, binary, "switch", "-f", manifest),
		os.WriteFile(persona, []byte(fmt.Sprintf("round %d\n", n)), 0o644),
		timed(&r.oneFile, env, binary, "switch", "-f", manifest),
	)
	if err != nil {
		return r, err
	}
	live, err := filepath.EvalSymlinks(filepath.Join(home, ".local/state/agentihooks/current/tree"))
	if err != nil {
		return r, err
	}
	if err := timed(&tree, nil, "cp", "-r", live, filepath.Join(base, "warm")); err != nil {
		return r, err
	}
	if err := timed(&r.copyTree, nil, "cp", "-r", live, filepath.Join(base, "copy")); err != nil {
		return r, err
	}
	return r, remove(base)
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

// report prints medians and ratios. The ratios are medians of each round's own, for both were measured in one moment.
func report(rounds []round, check bool) error {
	fmt.Printf("%s/%s, %s, %d rounds: %d skills of 3 files, %d agents, %d MCP servers\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), len(rounds), skills, agents, mcpServers)
	fmt.Printf("%-32s %10s %12s   %s\n", "what", "median", "ratio", "goal")
	of := func(get func(round) time.Duration) time.Duration {
		var all []time.Duration
		for _, r := range rounds {
			all = append(all, get(r))
		}
		return slices.Sorted(slices.Values(all))[len(all)/2]
	}
	ratio := func(a, b func(round) time.Duration) float64 {
		var all []float64
		for _, r := range rounds {
			all = append(all, float64(a(r))/float64(b(r)))
		}
		return slices.Sorted(slices.Values(all))[len(all)/2]
	}
	copyTree := func(r round) time.Duration { return r.copyTree }
	cold := func(r round) time.Duration { return r.cold }
	oneFile := func(r round) time.Duration { return r.oneFile }
	unchanged := func(r round) time.Duration { return r.unchanged }
	line := func(name string, get func(round) time.Duration, ratio, goal string) {
		fmt.Printf("%-32s %7.1f ms %12s   %s\n", name, float64(of(get))/float64(time.Millisecond), ratio, goal)
	}
	overCopy, overCold := ratio(cold, copyTree), ratio(oneFile, cold)
	line("cp -r of the tree", copyTree, "", "")
	line("switch, cold", cold, fmt.Sprintf("%.2fx cp", overCopy), fmt.Sprintf("at most %.0fx", coldGoal))
	line("switch, one file changed", oneFile, fmt.Sprintf("%.2fx cold", overCold), fmt.Sprintf("at most %.2fx", oneFileGoal))
	line("switch, nothing changed", unchanged, "", fmt.Sprintf("at most %v", unchangedGoal))
	if check && (overCopy > coldGoal || overCold > oneFileGoal || of(unchanged) > unchangedGoal) {
		return errors.New("a goal was missed")
	}
	return nil
}
