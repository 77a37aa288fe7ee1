package copilot

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// full is a machine that uses everything.
func full() model.Machine {
	m := machine(
		"allowAll", truth(true), "browserCommand", text(`firefox --new-tab "a b"`), "statusLine", truth(true),
		"settings", dict("theme", text("dim"), "footer", dict("showModelEffort", truth(true), "showQuota", truth(false)), "skillDirectories", list("/srv/skills")),
		"identity", truth(true), "mcpDefaultDisabled", truth(true), "mcpAlwaysEnabled", list("gateway"),
	)
	m.Facts.Which["firefox"] = "/usr/bin/firefox"
	m.Profiles = []string{"work", "night"}
	m.Channels = []model.Text{{Value: "brain", Origin: origin()}, {Value: "it's on call", Origin: origin()}}
	m.Persona = []model.File{
		file("persona/base.md", "\ufeff# Base\r\n\r\nBe brief.\r\n\r\n"),
		file("persona/a-->b.md", "Second\n"),
	}
	m.Rules = []model.File{file("rules/tests.md", "---\ndescription: Tests\npaths: \"*.go\"\n---\n\nRun the tests.\n")}
	m.Manifesto = []model.File{file("manifesto.md", "# In the end\n\nAsk.\n")}
	m.Instructions = []model.File{file("instructions/go.instructions.md", "---\napplyTo: **/*.go\n---\nUse gofmt.\n")}
	m.Agents = []model.File{
		file("agents/reviewer.md", "---\nname: patch-checker\ndescription: >\n  Checks: patches.\ntools: Read, Grep, Glob, Bash, mcp__lab__alpha\nmodel: inherit\ncolor: cyan\nuser-invocable: \"yes\"\nreasoningEffort: high\nmcp-servers:\n  lab:\n    command: lab\n    args: [-v, 2]\n---\n\nYou check.\n"),
		file("agents/plain.agent.md", "---\ndescription: Plain.\r\nmodel: gpt-5\r\n---\r\nBody\r\n"),
	}
	m.Skills = []model.Folder{
		folder("notes", "SKILL.md", "\ufeff---\r\ndescription: Keeps notes.\r\n---\r\nBody\r\n", "references/Dos and Donts.md", "x\n", "scripts/run.sh*", "#!/bin/sh\n"),
		folder("odd folder!", "SKILL.md", "---\nname: fine\ndescription: \"d\"\n---\n"),
	}
	m.Commands = []model.File{
		file("commands/bump.md", "---\ndescription: Bump one.\nargument-hint: [service|every]\nallowed-tools: Read\n---\nBump $ARGUMENTS.\n"),
		file("commands/bare.md", "Just do it.\n"),
	}
	m.Secrets = []model.Block{block("secret", "GATEWAY", "env", text("GATEWAY_TOKEN")), block("secret", "KEY", "file", text("~/.key"))}
	m.MCP = []model.Block{
		block("mcp", "gateway", "url", text("https://mcp.example.net/gateway"), "headers", dict("Authorization", template("Bearer ", "@GATEWAY")), "tools", list("search", "fetch")),
		block("mcp", "lab", "command", text("npx"), "args", list("-y", "@example/lab"), "disabled", truth(true), "timeout", number("30000"),
			"env", dict("KEY", template("@KEY"), "BOTH", template("{", "@KEY", "}:", "@GATEWAY"), "MODE", text("fast"))),
		block("mcp", "stream", "type", text("sse"), "url", text("https://sse.example.net"), "auth", truth(true), "disabled", truth(false)),
	}
	return m
}

// TestGolden compares everything that a machine with everything becomes. Update with -update, and read the diff.
func TestGolden(t *testing.T) {
	out := rendered(t, full())
	golden := map[string][]byte{}
	for _, f := range out.Files {
		golden[f.Path] = f.Data
	}
	var entries strings.Builder
	for _, e := range out.Entries {
		fmt.Fprintf(&entries, "%s %s -> %s\n", e.Placement, e.Dest, e.Path)
		for _, k := range e.Keys {
			fmt.Fprintf(&entries, "    %q set=%v\n", k.Path, k.Set)
		}
		if len(e.Origins) == 0 {
			t.Errorf("%s has no origin", e.Dest)
		}
		// A program that watches the folder which a link leads to must not watch every tree of the store.
		// See https://github.com/nix-community/home-manager/issues/9655.
		if !strings.Contains(e.Path, "/") {
			t.Errorf("%s leads to the root of the tree", e.Dest)
		}
	}
	for _, f := range out.Files {
		if f.Exec {
			fmt.Fprintf(&entries, "executable %s\n", f.Path)
		}
		if len(f.Origins) == 0 {
			t.Errorf("%s has no origin", f.Path)
		}
	}
	for _, l := range out.Losses {
		fmt.Fprintf(&entries, "loss %s:%d %s\n", l.File, l.Line, l.What)
	}
	golden["entries.txt"] = []byte(entries.String())
	compareGolden(t, "testdata/golden", golden)
}

func compareGolden(t *testing.T, folder string, got map[string][]byte) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range got {
		path := filepath.Join(folder, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(data, want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, data, want)
		}
	}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if _, ok := got[filepath.ToSlash(name)]; err == nil && !ok {
			t.Errorf("%s is no longer made", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSameTwice: equal machines give equal output, and the tree takes it.
func TestSameTwice(t *testing.T) {
	first := builtTree(t, full())
	for range 20 {
		if again := builtTree(t, full()); again.Hash != first.Hash {
			t.Fatalf("hash %s, then %s", first.Hash, again.Hash)
		}
	}
}
