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

// sample is a switch and the cp beside it.
type sample struct{ took, copied time.Duration }

// round is one of each.
type round struct{ cold, oneFile, unchanged sample }

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
	var took time.Duration
	return timed(&took, nil, "cp", "-r", strings.TrimSpace(string(path)), to)
}

// measure works in a home of its own. Every switch has a cp of its own beside it, before it in one round and after it in
// the next, so that neither gains from what the other left in caches and queues.
func measure(binary, source, reference, base string, n int) (round, error) {
	var r round
	home := filepath.Join(base, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return r, err
	}
	env := []string{"HOME=" + home, "PATH=/nonexistent"}
	copies := 0
	pair := func(to *sample) error {
		copies++
		both := []func() error{
			func() error {
				return timed(&to.copied, nil, "cp", "-r", reference, filepath.Join(base, fmt.Sprint("copy", copies)))
			},
			func() error {
				return timed(&to.took, env, binary, "switch", "-f", filepath.Join(source, "machine.hcl"))
			},
		}
		return errors.Join(both[n%2](), both[1-n%2]())
	}
	var warm sample
	err := errors.Join(
		pair(&r.cold),
		pair(&warm), // a page cache that knows all of it
		pair(&r.unchanged),
		os.WriteFile(filepath.Join(source, "me.md"), []byte(fmt.Sprintf("round %d\n", n)), 0o644),
		pair(&r.oneFile),
	)
	if err != nil {
		return r, err
	}
	return r, remove(base)
}

func timed(to *time.Duration, env []string, args ...string) error {
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

// report prints medians and ratios.
func report(rounds []round, check bool) error {
	fmt.Printf("%s/%s, %s, %d rounds: %d skills of 3 files, %d agents, %d MCP servers\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), len(rounds), skills, agents, mcpServers)
	fmt.Printf("%-26s %10s %10s %8s %12s\n", "what", "median", "over cp", "ratio", "goal")
	cold, oneFile, unchanged := gather(rounds, func(r round) sample { return r.cold }), gather(rounds, func(r round) sample { return r.oneFile }), gather(rounds, func(r round) sample { return r.unchanged })
	fraction := oneFile.took.Seconds() / cold.took.Seconds()
	line := func(name string, f figures, ratio, goal string) {
		fmt.Printf("%-26s %7.1f ms %9.2fx %8s %12s\n", name, f.took.Seconds()*1000, f.ratio, ratio, goal)
	}
	line("switch, cold", cold, "", fmt.Sprintf("%.0fx cp", coldGoal))
	line("switch, one file changed", oneFile, fmt.Sprintf("%.2f", fraction), fmt.Sprintf("%.2f of cold", oneFileGoal))
	line("switch, nothing changed", unchanged, "", unchangedGoal.String())
	if check && (cold.ratio > coldGoal || fraction > oneFileGoal || unchanged.took > unchangedGoal) {
		return errors.New("a goal was missed")
	}
	return nil
}

// figures are medians: of the times, and of the ratios of each switch to the cp beside it.
type figures struct {
	took  time.Duration
	ratio float64
}

func gather(rounds []round, get func(round) sample) figures {
	var times []time.Duration
	var ratios []float64
	for _, r := range rounds {
		s := get(r)
		times, ratios = append(times, s.took), append(ratios, s.took.Seconds()/s.copied.Seconds())
	}
	slices.Sort(times)
	slices.Sort(ratios)
	return figures{times[len(times)/2], ratios[len(ratios)/2]}
}
