package compiler

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// onDisk writes files below a new folder and gives the sources of its machine.hcl.
func onDisk(t *testing.T, files map[string]string) (string, Sources) {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "home")
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, Sources{Name: "machine.hcl", Root: root.FS()}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPatterns(t *testing.T) {
	_, src := onDisk(t, map[string]string{
		"machine.hcl": `
target "copilot" {}
persona      = ["persona/b.md", "persona/*.md", "./persona/sub/../a.md"]
rules        = ["rules/**/*.md"]
manifesto    = ["rules/README.md"]
skills       = ["skills/*"]
instructions = ["{persona,rules}/*.md", ".github/*.md"]
`,
		"persona/a.md": "a", "persona/b.md": "b\r\n", "persona/.hidden.md": "h", "persona/sub/c.md": "c",
		"rules/README.md": "r", "rules/deep/x.md": "x", "rules/y.md": "y", "rules/deep/readme.MD": "r",
		"skills/one/SKILL.md": "s", "skills/one/.git/config": "g", "skills/one/bin/run": "#!", "skills/two/SKILL.md": "s",
		"skills/README.md": "r", ".github/i.md": "i",
	})
	m := resolved(t, src, testFacts())
	for _, c := range []struct{ got, want string }{
		{names(m.Persona), "persona/b.md persona/a.md"},
		{names(m.Rules), "rules/deep/x.md rules/y.md"},
		{names(m.Manifesto), "rules/README.md"},
		{m.Rules[0].Rel + " " + m.Rules[0].Name, "deep/x.md x.md"},
		{names(m.Instructions), "persona/a.md persona/b.md rules/README.md rules/y.md .github/i.md"},
		{names(m.Skills[0].Files), "skills/one/SKILL.md skills/one/bin/run"},
		{m.Skills[0].Name + " " + m.Skills[0].Files[1].Rel + " " + m.Skills[1].Source, "one bin/run skills/two"},
		{string(m.Persona[0].Data), "b\r\n"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestLinks(t *testing.T) {
	dir, src := onDisk(t, map[string]string{
		"machine.hcl": `
target "copilot" {}
persona  = ["in.md", "real/a.md", "linked/a.md"]
rules    = ["out.md", "dead.md", "away/x.md", "rules/*.md"]
skills   = ["skills/*"]
agents   = ["pipe.md"]
commands = ["odd/*"]
`,
		"real/a.md": "a", "skills/good/SKILL.md": "s", "skills/good/ref": "r", "skills/loop/SKILL.md": "s",
		"skills/leaves/SKILL.md": "s", "rules/ok.md": "ok", "../outside/x.md": "x",
	})
	for link, target := range map[string]string{
		"in.md": "real/a.md", "linked": "real", "out.md": "../outside/x.md", "dead.md": "nothing", "away": "../outside",
		"rules/l.md": "../../outside/x.md", "skills/good/more": "../../real", "skills/loop/self": ".",
		"skills/leaves/x": "../../../outside/x.md", "skills/linked": "good",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644))
	must(t, os.MkdirAll(filepath.Join(dir, "odd"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "odd", "a\nb.md"), nil, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "odd", "a\\b.md"), nil, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "odd", "a\xff.md"), nil, 0o644))
	_, _, diags := run(src, testFacts())
	var got []string
	for _, d := range diags {
		got = append(got, d.Code+" "+d.Summary)
	}
	want := []string{
		"missing-file `dead.md` leads to nothing",
		"outside-source `away/x.md` leads outside the source folder",
		"outside-source `out.md` leads outside the source folder",
		"outside-source `rules/l.md` leads outside the source folder",
		"outside-source `skills/leaves/x` leads outside the source folder",
		"too-deep `skills/loop` is nested too deeply",
		"not-a-file `pipe.md` is no regular file",
		"invalid-path The path \"odd/a\\nb.md\" holds characters that no name may have",
		"invalid-path The path \"odd/a\\xff.md\" holds characters that no name may have",
		"invalid-path The path `odd/a\\b.md` holds a backslash",
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%q is not reported", w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("reported: %q", got)
	}
	must(t, os.WriteFile(filepath.Join(dir, "machine.hcl"), []byte("target \"copilot\" {}\npersona = [\"in.md\", \"real/a.md\", \"linked/a.md\"]\nskills = [\"skills/good\", \"skills/linked\"]\n"), 0o644))
	m := resolved(t, src, testFacts())
	if got := names(m.Persona); got != "in.md real/a.md linked/a.md" {
		t.Error(got)
	}
	if got := names(m.Skills[1].Files); got != "skills/linked/SKILL.md skills/linked/more/a.md skills/linked/ref" {
		t.Error(got)
	}
}

func TestExecutable(t *testing.T) {
	dir, src := onDisk(t, map[string]string{
		"machine.hcl":  "target \"copilot\" {}\nskills = [\"s\"]\n",
		"s/SKILL.md":   "s",
		"s/scripts/go": "#!/bin/sh\n",
	})
	must(t, os.Chmod(filepath.Join(dir, "s/scripts/go"), 0o700))
	m := resolved(t, src, testFacts())
	if f := m.Skills[0].Files; f[0].Exec || !f[1].Exec {
		t.Errorf("exec bits: %v %v", f[0].Exec, f[1].Exec)
	}
}

func TestTooLarge(t *testing.T) {
	dir, src := onDisk(t, map[string]string{
		"machine.hcl": "target \"copilot\" {}\npersona = [\"big.md\"]\nskills = [\"s\"]\n",
		"big.md":      "",
	})
	must(t, os.Truncate(filepath.Join(dir, "big.md"), maxSourceBytes+1))
	must(t, os.Mkdir(filepath.Join(dir, "s"), 0o755))
	for i := range maxFolderFiles + 1 {
		must(t, os.WriteFile(filepath.Join(dir, "s", strings.Repeat("x", 1+i%200)+string(rune('a'+i/200))), nil, 0o644))
	}
	_, _, diags := run(src, testFacts())
	if len(diags) != 2 || diags[0].Code != "too-large" || diags[1].Code != "too-large" {
		t.Errorf("%v", diags)
	}
	must(t, os.WriteFile(filepath.Join(dir, "machine.hcl"), []byte(strings.Repeat("#", MaxFile+1)), 0o644))
	if _, _, diags := run(src, testFacts()); len(diags) != 1 || diags[0].Code != "too-large" {
		t.Errorf("%v", diags)
	}
}

// A folder that cannot be read is said to be so. Root reads everything.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir, src := onDisk(t, map[string]string{"machine.hcl": "target \"copilot\" {}\nrules = [\"rules/*.md\", \"x.md\"]\n", "rules/a.md": "a", "x.md": "x"})
	must(t, os.Chmod(filepath.Join(dir, "rules"), 0))
	must(t, os.Chmod(filepath.Join(dir, "x.md"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "rules"), fs.FileMode(0o755)) })
	_, _, diags := run(src, testFacts())
	if len(diags) != 2 || diags[0].Code != "unreadable" || diags[1].Code != "unreadable" {
		t.Errorf("%v", diags)
	}
}

// Files are read once and shared between hosts.
func TestFilesAreShared(t *testing.T) {
	m, _ := Load(memory(map[string]string{"home/machine.hcl": "target \"copilot\" {}\npersona = [\"a.md\"]\nhost \"a\" {}\nhost \"b\" { persona = [\"a.md\"] }\n", "home/a.md": "text"}), testSpecs())
	var list []model.Machine
	for _, h := range m.Hosts() {
		machine, diags := m.Resolve(h, testFacts())
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		list = append(list, machine)
	}
	if a, b := list[0].Persona, list[1].Persona; len(a) != 1 || len(b) != 1 || &a[0].Data[0] != &b[0].Data[0] {
		t.Error("the file was read twice, or merged wrongly")
	}
}

func TestMissingManifest(t *testing.T) {
	m, diags := Load(memory(map[string]string{"home/other.hcl": ""}), testSpecs())
	if m == nil || len(diags) != 1 || diags[0].Code != "missing-file" || diags[0].Severity != diag.Error {
		t.Errorf("%v", diags)
	}
}
