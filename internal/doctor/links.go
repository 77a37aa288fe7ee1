package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/repository"
	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/jsonedit"
)

// maxConfig bounds a configuration file that is read, in bytes.
const maxConfig = 16 << 20

// hookLimit is how long the hook may take to say its version.
const hookLimit = 5 * time.Second

func (d *doctor) recovery() {
	due, err := activate.RecoveryDue(d.generation)
	switch {
	case err != nil:
		d.fail("recovery", err.Error(), "Make the state folder readable.")
	case due:
		d.fail("recovery", "a switch was interrupted", "Run `agentihooks switch`: every command that writes ends it first.")
	default:
		d.pass("recovery", "no switch was interrupted")
	}
}

// links compares the home with the live generation. What is damaged in the tree itself is told there.
func (d *doctor) links() {
	report, err := activate.Status(d.generation, d.store)
	if err != nil {
		d.fail("links", err.Error(), "Run `agentihooks switch`.")
		return
	}
	var changed []string
	for _, drift := range report.Drift {
		if rel, err := filepath.Rel(d.generation.LiveTree(), drift.Path); err == nil && filepath.IsLocal(rel) {
			continue
		}
		place := drift.Path
		if drift.Key != "" {
			place += " (" + drift.Key + ")"
		}
		changed = append(changed, string(drift.Kind)+" "+place)
	}
	if len(changed) > 0 {
		d.fail("links", "changed since the switch: "+strings.Join(changed, ", "),
			"Run `agentihooks switch` to put files and links back, `agentihooks absorb` to take changed keys into the manifest.")
		return
	}
	d.pass("links", "every link and key is as the live generation declares it")
}

// hook runs the hook as the agent would, through `current`.
func (d *doctor) hook(ctx context.Context) {
	path := filepath.Join(d.generation.LiveTree(), filepath.FromSlash(d.HookPath))
	ctx, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version")
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err == nil && !bytes.HasPrefix(out, []byte("agentihooks-hook, ")) {
		d.fail("hook", fmt.Sprintf("%s is another program: asked for its version it said %q", path, cutLine(out)), "Run `agentihooks verify --repair`, or `agentihooks switch`.")
		return
	}
	if err != nil {
		d.fail("hook", fmt.Sprintf("%s does not run: %v %s", path, err, bytes.TrimSpace(out)),
			"Run `agentihooks verify --repair`. If it is whole, the file system of the state folder may be mounted noexec: set AGENTIHOOKS_STATE_DIR to a folder elsewhere and switch.")
		return
	}
	d.pass("hook", "it runs: %s", bytes.TrimSpace(out))
}

func (d *doctor) policy() bool {
	data, err := d.store.ReadFile(d.storeAt, d.PolicyPath)
	if err == nil {
		d.compiled, err = policy.Decode(data)
	}
	if err != nil {
		return d.fail("policy", fmt.Sprintf("the hook's policy cannot be read, so that every tool call is denied: %v", err), "Run `agentihooks verify --repair`, or `agentihooks switch`.")
	}
	return d.pass("policy", "guards: %d", len(d.compiled.Guards))
}

// json looks whether a file of Copilot's can be read. Copilot drops one with an error as a whole, without a word (1.0.102).
// So does it with some of what can be read; look finds that, and may be nil.
func (d *doctor) json(id, name string, look func(plain []byte) []string) {
	path := filepath.Join(d.CopilotHome, name)
	data, err := readSome(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.pass(id, "there is no %s", path)
		return
	}
	var plain []byte
	if err == nil {
		var doc *jsonedit.Doc
		if doc, err = jsonedit.Parse(data); err == nil {
			plain = doc.Plain()
		}
	}
	if err != nil {
		d.fail(id, fmt.Sprintf("%s: %v", path, err), "Put it right by hand: Copilot ignores the whole file, and a switch does not touch it.")
		return
	}
	if look != nil {
		if faults := look(plain); len(faults) > 0 {
			d.fail(id, path+": "+strings.Join(faults, " "), "Put it right in the file, or in the manifest and run `agentihooks switch`.")
			return
		}
	}
	d.pass(id, "%s can be read", path)
}

// voids looks for values that cost Copilot its whole settings.
func (d *doctor) voids(plain []byte) []string { return d.CheckSettings(plain, d.Version) }

func (d *doctor) repository() {
	dirs := []string{d.WorkDir}
	if top := gitRoot(d.WorkDir); top != "" && top != d.WorkDir {
		dirs = append(dirs, top)
	}
	var off []string
	for _, dir := range dirs {
		for _, name := range repository.OffSwitches() {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if data, err := readSome(path); err == nil && disables(data) {
				off = append(off, path)
			}
		}
	}
	if len(off) > 0 {
		d.fail("repository", "disableAllHooks is true in "+strings.Join(off, ", ")+": in this folder, once it is trusted, Copilot runs no hook of yours, and no guard",
			"Take it out, or do not trust this folder.")
		return
	}
	d.pass("repository", "%s does not switch your hooks off", d.WorkDir)
}

func disables(data []byte) bool {
	doc, err := jsonedit.Parse(data)
	if err != nil {
		return false // Copilot cannot read it either
	}
	v, ok, err := doc.Get([]string{"disableAllHooks"})
	return err == nil && ok && jsonedit.Equal(v.Text, []byte("true"))
}

// gitRoot is the nearest folder above with a .git, "" if there is none.
func gitRoot(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// readSome reads a regular file of a bounded size.
func readSome(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(data) > maxConfig {
		err = fmt.Errorf("it is larger than %d bytes", maxConfig)
	}
	return data, err
}
