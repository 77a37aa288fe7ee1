package doctor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agentihooks/agentihooks/internal/jsonedit"
)

// manifest looks whether the live generation is what its manifest makes.
func (d *doctor) manifest() {
	file := d.record.Manifest
	name, err := d.Built(file, d.record.Host)
	switch {
	case err != nil:
		d.fail("manifest", fmt.Sprintf("%s cannot be built: %v", file, err), "Run `agentihooks check`, and put right what it names.")
	case name != "" && name != d.record.Store:
		d.fail("manifest", "the live generation is not what "+file+" makes now", "Look at `agentihooks diff`, then run `agentihooks switch`.")
	default:
		d.pass("manifest", "the live generation is what %s makes", file)
	}
}

// catalogue looks whether the settings of the installed release are known.
func (d *doctor) catalogue() {
	if d.Version == "" {
		d.pass("catalogue", "the version of Copilot is not known: settings are checked for the newest that is")
		return
	}
	switch release, older := d.Catalogue(d.Version); {
	case release == d.Version:
		d.pass("catalogue", "settings are checked with what %s takes", release)
	case older:
		d.pass("catalogue", "settings are checked with what %s takes, the nearest older release that is known", release)
	default:
		d.fail("catalogue", fmt.Sprintf("Copilot %s is older than the oldest release whose settings are known, %s", d.Version, release),
			"Update it, for example with `npm install -g @github/copilot@latest`: a setting that it does not know has no effect.")
	}
}

// hooksOff looks at the user's own switch.
func (d *doctor) hooksOff() {
	path := filepath.Join(d.CopilotHome, "settings.json")
	if data, err := readSome(path); err == nil && disables(data) {
		d.fail("hooks-off", "disableAllHooks is true in "+path+": Copilot 1.0.80 to 1.0.102 still run the hooks of the hooks folder, and ours with them, but none of those in settings.json",
			"Take it out of the file, or of the manifest and run `agentihooks switch`.")
		return
	}
	d.pass("hooks-off", "your own settings do not switch hooks off")
}

// Bounds of what is read of a log: its end, in bytes, and the lines that are shown.
const (
	maxLog      = 4 << 20
	maxLogLines = 3
	maxLogLine  = 300
)

// skipped is how Copilot 1.0.80 to 1.0.102 say in their log, and nowhere else, that a hook or a file of hooks was left out.
var skipped = regexp.MustCompile(`hook will be skipped|Invalid hook configuration`)

// log looks into the newest log since the switch for hooks that Copilot did not take.
func (d *doctor) log() {
	path := d.newestLog()
	if path == "" {
		d.pass("log", "Copilot was not started since the switch")
		return
	}
	lines, err := skippedHooks(path)
	switch {
	case err != nil:
		d.fail("log", fmt.Sprintf("the log of Copilot cannot be read: %v", err), "Make it readable: it alone says which hooks were skipped.")
	case len(lines) > 0:
		d.fail("log", path+" says that Copilot skipped hooks: "+strings.Join(lines, "; "), "Put the hooks right that it names, start Copilot again, and run `agentihooks doctor --probe`.")
	default:
		d.pass("log", "the last session skipped no hook")
	}
}

// newestLog is the newest log that is not older than the live generation, "" if there is none.
func (d *doctor) newestLog() string {
	files, _ := filepath.Glob(filepath.Join(escapeGlob(d.CopilotHome), "logs", "process-*.log"))
	newest, since := "", d.record.CreatedAt
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !info.ModTime().Before(since) {
			newest, since = path, info.ModTime()
		}
	}
	return newest
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// skippedHooks is the lines of a log's end that name a skipped hook, the last ones, each cut.
func skippedHooks(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxLog {
		if _, err := f.Seek(-maxLog, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	var out []string
	for r := bufio.NewReader(io.LimitReader(f, maxLog)); ; {
		line, err := r.ReadBytes('\n')
		if skipped.Match(line) {
			out = append(out, cutLine(line))
		}
		if errors.Is(err, io.EOF) {
			return out[max(0, len(out)-maxLogLines):], nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// cutLine is the beginning of a line, for a message.
func cutLine(line []byte) string {
	line = bytes.TrimSpace(line)
	return strings.ToValidUTF8(string(line[:min(len(line), maxLogLine)]), "")
}

// member decodes a member of one of Copilot's files. What cannot be read is told elsewhere.
func (d *doctor) member(file, name string, v any) {
	data, err := readSome(filepath.Join(d.CopilotHome, file))
	if err != nil {
		return
	}
	doc, err := jsonedit.Parse(data)
	if err != nil {
		return
	}
	value, ok, err := doc.Get([]string{name})
	if err != nil || !ok {
		return
	}
	if text, err := jsonedit.Compact(value.Text); err == nil {
		_ = json.Unmarshal(text, v)
	}
}
