package crash

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// manifests are two machines. From "a" to "b" there is one of everything that a switch can do: links that come, go and
// change behind; a link where a folder of ours was and a folder where a link was; folders that come and go; skills; a
// file of the user's with the same content; keys that are added, changed and withdrawn; elements of a set; servers.
var manifests = map[string]map[string]string{
	"a": {
		"machine.hcl": `
persona      = ["me.md"]
agents       = ["agents/*.md"]
skills       = ["skills/*"]
instructions = ["instructions/**/*.instructions.md"]

target "copilot" {
  mcpDefaultDisabled = true
  settings = { theme = "dim", keepAlive = "busy" }
}

guard "commands" { deny = ["git push --force"] }

mcp "stays" { command = "one" }
mcp "old" { command = "old" }
`,
		"me.md":                             "persona one\n",
		"agents/gone.md":                    "---\nname: gone\ndescription: Goes.\n---\n\nGone.\n",
		"agents/stays.md":                   "---\nname: stays\ndescription: Stays.\n---\n\nOne.\n",
		"skills/gone/SKILL.md":              "---\nname: gone\ndescription: Goes.\n---\n\nGone.\n",
		"skills/stays/SKILL.md":             "---\nname: stays\ndescription: Stays.\n---\n\nOne.\n",
		"instructions/link.instructions.md": "---\napplyTo: a\n---\nA link that becomes a folder.\n",
		"instructions/folder.instructions.md/in/deep.instructions.md": "---\napplyTo: a\n---\nIn a folder that becomes a link.\n",
		"instructions/goes/away/x.instructions.md":                    "---\napplyTo: a\n---\nIn folders that go.\n",
	},
	"b": {
		"machine.hcl": `
persona      = ["me.md"]
agents       = ["agents/*.md"]
skills       = ["skills/*"]
instructions = ["instructions/**/*.instructions.md"]

target "copilot" {
  mcpDefaultDisabled = true
  settings = { theme = "github", beep = true }
}

guard "commands" { deny = ["git push --force", "git push -f"] }

mcp "stays" { command = "two" }
mcp "new" { command = "new" }
`,
		"me.md":                 "persona two\n",
		"agents/new.md":         "---\nname: new\ndescription: Comes.\n---\n\nNew.\n",
		"agents/stays.md":       "---\nname: stays\ndescription: Stays.\n---\n\nTwo.\n",
		"skills/new/SKILL.md":   "---\nname: new\ndescription: Comes.\n---\n\nNew.\n",
		"skills/new/run.sh":     "echo new\n",
		"skills/stays/SKILL.md": "---\nname: stays\ndescription: Stays.\n---\n\nTwo.\n",
		"instructions/link.instructions.md/in/deep.instructions.md": "---\napplyTo: b\n---\nIn a folder that was a link.\n",
		"instructions/folder.instructions.md":                       "---\napplyTo: b\n---\nA link that was a folder.\n",
		"instructions/comes/deep/x.instructions.md":                 "---\napplyTo: b\n---\nIn folders that come.\n",
		"instructions/same.instructions.md":                         sameText,
	},
	"c": {"machine.hcl": "target \"copilot\" { settings = { theme = \"dim\" } }\n"},
}

const sameText = "---\napplyTo: b\n---\nThe user has this very file.\n"

// What the user has in the home. settings.json and mcp-config.json are merged into, the rest is never touched; the file
// "same" becomes a link, and comes back with its mode.
const (
	settings  = ".copilot/settings.json"
	mcpConfig = ".copilot/mcp-config.json"
)

var userFiles = map[string]string{
	settings:                  "{\n  // mine\n  \"model\": \"gpt-5\",\n  \"disabledMcpServers\": [\"mine\"]\n}\n",
	mcpConfig:                 "{\n  \"mcpServers\": {\n    \"mine\": {\"command\": \"mine\", \"args\": []}\n  }\n}\n",
	".copilot/agents/mine.md": "mine\n",
	".copilot/instructions/mine/own.instructions.md": "mine\n",
	".copilot/instructions/same.instructions.md":     sameText,
	".copilot/config.json":                           "{}\n",
	".agents/skills/mine/SKILL.md":                   "mine\n",
	"work/notes with blanks and \u00e4.txt":          "mine\n",
}

func (s *site) userFiles() {
	s.Helper()
	for path, text := range userFiles {
		s.write(filepath.Join("home", path), text)
	}
	if err := os.Chmod(filepath.Join(s.home, settings), 0o600); err != nil {
		s.Fatal(err)
	}
}

// pythonHome is a home that the Python agentihooks was installed in.
func (s *site) pythonHome() {
	s.Helper()
	for _, step := range []string{"user", "python"} {
		c := exec.Command("sh", pythonFiles(s, "home.sh"), step)
		c.Env = append(os.Environ(), "HOME="+s.home)
		if text, err := c.CombinedOutput(); err != nil {
			s.Fatalf("laying out the home: %v\n%s", err, text)
		}
	}
}

// pythonFiles is testdata/pythonhome, or the copy that an ordinary user can read.
func pythonFiles(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(cmp.Or(os.Getenv(pythonEnv), "../../testdata/pythonhome"), name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// subject is a command whose every call is a point to end it or make it fail.
type subject struct {
	name    string
	prepare func(*site)          // makes the old state
	args    func(*site) []string // the command
	settle  func(*site) []string // heals what the command could only warn of
	gentle  bool                 // it changes nothing that a reader of the home sees
}

var subjects = []subject{
	{
		name:    "first switch",
		prepare: (*site).userFiles,
		args:    func(s *site) []string { return s.switchTo("a") },
	},
	{
		name:    "switch",
		prepare: func(s *site) { s.userFiles(); s.must(s.switchTo("a")...) },
		args:    func(s *site) []string { return s.switchTo("b") },
	},
	{
		name:    "rollback",
		prepare: func(s *site) { s.userFiles(); s.must(s.switchTo("a")...); s.must(s.switchTo("b")...) },
		args:    func(*site) []string { return []string{"rollback", "1"} },
		settle:  func(s *site) []string { return s.switchTo("a") },
	},
	{
		name: "adopt",
		prepare: func(s *site) {
			s.userFiles()
			for _, path := range adopted {
				s.write(filepath.Join("home", path), "the user's\n")
			}
			s.write("home/.agents/skills/stays/SKILL.md", "the user's\n")
		},
		args: func(s *site) []string {
			args := []string{"adopt", "-f", s.manifest("a")}
			for _, path := range append([]string{".agents/skills/stays"}, adopted...) {
				args = append(args, filepath.Join(s.home, path))
			}
			return args
		},
		settle: func(s *site) []string { return append(s.switchTo("a"), "--adopt") },
	},
	{
		name:    "adopt from python",
		prepare: (*site).pythonHome,
		args: func(s *site) []string {
			return []string{"adopt", "--from-python", "-f", pythonFiles(s, "machine")}
		},
	},
	{
		name:    "uninstall",
		prepare: func(s *site) { s.userFiles(); s.must(s.switchTo("a")...); s.must(s.switchTo("b")...) },
		args:    func(*site) []string { return []string{"uninstall"} },
	},
	{
		name: "gc",
		prepare: func(s *site) {
			s.userFiles()
			for _, name := range []string{"a", "b", "c", "a", "b"} {
				s.must(s.switchTo(name)...)
			}
		},
		args:   func(*site) []string { return []string{"gc", "--keep", "1"} },
		gentle: true,
	},
}

// adopted are files in the way of "a": one that a link is to replace, and a text that becomes part ours.
var adopted = []string{".copilot/agents/gone.md", ".copilot/copilot-instructions.md"}

// to is the command that ends in the new state from wherever a fault left things.
func (sub subject) to(s *site) []string {
	if sub.settle != nil {
		return sub.settle(s)
	}
	return sub.args(s)
}
