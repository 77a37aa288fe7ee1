package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/agentihooks/agentihooks/internal/frontmatter"
)

// maxDescription is the longest description of a skill that Copilot 1.0.83 and 1.0.102 load, in UTF-16 units.
const maxDescription = 1024

// described counts what goes by a description to the model, with its name, in every request.
type described struct{ count, bytes int }

func (d *described) add(name, description string) {
	d.count++
	d.bytes += len(name) + len(description)
}

// skills looks at the skills that Copilot finds, those that are not ours too.
func (d *doctor) skills() {
	folders := []string{filepath.Join(d.CopilotHome, "skills")}
	if d.CopilotHome == filepath.Join(d.Home, ".copilot") {
		folders = append(folders, filepath.Join(d.Home, ".agents", "skills"))
	}
	var long []string
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.fail("skills", err.Error(), "Make the folder readable: Copilot reads it too.")
			return
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name(), "SKILL.md")
			data, err := readSome(path)
			if err != nil {
				continue
			}
			doc, _ := frontmatter.Parse(path, data)
			text := strings.TrimSpace(doc.Get("description").Text)
			d.skill.add(e.Name(), text)
			if length := len(utf16.Encode([]rune(text))); length > maxDescription {
				long = append(long, fmt.Sprintf("%s (%d)", path, length))
			}
		}
	}
	if len(long) > 0 {
		d.fail("skills", fmt.Sprintf("Copilot does not load skills whose description has more than %d characters: %s", maxDescription, strings.Join(long, ", ")),
			"Shorten the description; the text below it has room for the rest.")
		return
	}
	d.pass("skills", "skills: %d, none with a description that is too long", d.skill.count)
}

// agents looks at the agents that Copilot finds, those that are not ours too. It says in its log alone that it does not load
// one (1.0.83, 1.0.102).
func (d *doctor) agents() {
	root, err := filepath.EvalSymlinks(filepath.Join(d.CopilotHome, "agents"))
	if errors.Is(err, fs.ErrNotExist) {
		d.pass("agents", "agents: 0")
		return
	}
	var bad []string
	if err == nil {
		err = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".md") {
				return err
			}
			data, err := readSome(path)
			if err != nil {
				return nil // a folder with such a name, or a link that leads nowhere
			}
			doc, err := frontmatter.Parse(path, data)
			text := strings.TrimSpace(doc.Get("description").Text)
			switch {
			case err != nil:
				bad = append(bad, err.Error())
			case text == "":
				bad = append(bad, path+": there is no description")
			default:
				d.agent.add(filepath.Base(path), text)
			}
			return nil
		})
	}
	switch {
	case err != nil:
		d.fail("agents", err.Error(), "Make the folder readable: Copilot reads it too.")
	case len(bad) > 0:
		d.fail("agents", "Copilot does not load these agents: "+strings.Join(bad, ", "),
			"Give each a `description` in YAML between two lines `---` at its top, or move it out of the folder.")
	default:
		d.pass("agents", "agents: %d, each with a description", d.agent.count)
	}
}

// tokenBytes is how many bytes of English text or JSON a token has, roughly.
const tokenBytes = 4

// context says what goes with every request. It is no fault to have much.
func (d *doctor) context() {
	instructions, _ := readSome(filepath.Join(d.CopilotHome, "copilot-instructions.md"))
	text := len(instructions) + d.skill.bytes + d.agent.bytes
	d.pass("context", "with every request go about %d tokens of yours: the instructions (%d bytes), names and descriptions of skills (%d bytes) and agents (%d bytes). %s",
		(text+tokenBytes-1)/tokenBytes, len(instructions), d.skill.bytes, d.agent.bytes, d.servers())
}

// servers says what MCP servers add to that.
func (d *doctor) servers() string {
	type server struct {
		Disabled bool
		Tools    []string
	}
	var servers map[string]server
	var disabled []string
	d.member("mcp-config.json", "mcpServers", &servers)
	d.member("settings.json", "disabledMcpServers", &disabled)
	started, tools, open := 0, 0, 0
	for name, s := range servers {
		switch {
		case s.Disabled || slices.Contains(disabled, name):
			continue
		case s.Tools == nil || slices.Contains(s.Tools, "*"):
			open++
		default:
			tools += len(s.Tools)
		}
		started++
	}
	return fmt.Sprintf("MCP servers that start: %d of %d; tools that they name: %d; servers with all their tools, whose number only they know: %d. Name, description and schema of each tool go along too.",
		started, len(servers), tools, open)
}
