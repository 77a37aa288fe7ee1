package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// team is a bundle with two profiles.
func team() map[string]string {
	return map[string]string{
		"team/CLAUDE.md":                            "Not this one.\n",
		"team/.claude/CLAUDE.md":                    "The team.\n",
		"team/.claude/rules/git.md":                 "Rebase.\n",
		"team/.claude/rules/tone.md":                "Be brief.\n",
		"team/.claude/rules/README.md":              "About the rules.\n",
		"team/.claude/rules/notes.txt":              "No rule.\n",
		"team/.claude/agents/a.md":                  "---\ndescription: d\n---\n",
		"team/.claude/commands/c.md":                "Do it.\n",
		"team/.claude/skills/s/SKILL.md":            "---\ndescription: d\n---\n",
		"team/.claude/skills/.hidden/SKILL.md":      "",
		"team/.claude/skills/loose.md":              "",
		"team/.mcp.json":                            "{\"mcpServers\": {\n\"docs\": {\"url\": \"https://e.example\", \"tools\": [\"q\"]},\n\"run\": {\"command\": \"old\", \"args\": [\"-v\"]}}}",
		"team/profiles/dev/CLAUDE.md":               "A developer.\n",
		"team/profiles/dev/.claude/CLAUDE.md":       " \n",
		"team/profiles/dev/.claude/rules/git.md":    "Merge.\n",
		"team/profiles/dev/.claude/rules/go.md":     "Go.\n",
		"team/profiles/dev/.claude/skills/s/run":    "",
		"team/profiles/dev/.claude/skills/s/X.md":   "",
		"team/profiles/dev/.claude/.mcp.json":       "\ufeff{\"mcpServers\": {\r\n\"run\": {\"command\": \"new\"},\r\n// more\r\n\"more\": {\"command\": \"m\",},}}",
		"team/profiles/ops/CLAUDE.md":               "On call.\n",
		"team/profiles/ops/.copilot/" + overrides:   `{"mcpServers": {"ops": {"command": "o"}}}`,
		"team/profiles/ops/.mcp.json":               `{"mcpServers": {"unread": {"command": "o"}}}`,
		"team/profiles/empty/.claude/agents/x.txt":  "",
		"team/profiles/legacy/" + overrides:         `{"mcpServers": {"legacy": {"command": "o"}}}`,
		"team/profiles/unused/.claude/rules/bad.md": "",
	}
}

const overrides = "mcp-config.overrides.json"

// with is the files with a manifest, and with more of them: name, text.
func with(files map[string]string, manifest string, more ...string) Sources {
	files["home/machine.hcl"] = manifest
	for i := 0; i+1 < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return memory(files)
}

func serverNames(m model.Machine) string {
	var out []string
	for _, b := range m.MCP {
		out = append(out, b.Label)
	}
	return strings.Join(out, " ")
}

func TestBundle(t *testing.T) {
	m := resolved(t, with(team(), `
persona = ["me.md"]
module "low" { source = "../low" }
bundle "team" { source = "../team" }
profile "work" {
  bundle "team" { profiles = ["dev", "empty"] }
}
host "wl-0431" {
  profiles = ["work"]
  bundle "team" { profiles = ["ops", "dev"] }
  mcp "docs" { tools = only(["z"]) }
  mcp "more" { enabled = false }
}
target "copilot" {}
`, "home/me.md", "I.\n", "low/main.hcl", "mcp \"run\" {\n  url = \"https://low.example\"\n}\npersona = [\"low.md\"]\n", "low/low.md", "Low.\n"), testFacts())
	for _, c := range []struct{ name, got, want string }{
		{"persona", names(m.Persona), "../low/low.md ../team/.claude/CLAUDE.md ../team/profiles/dev/CLAUDE.md ../team/profiles/ops/CLAUDE.md me.md"},
		{"rules", names(m.Rules), "../team/profiles/dev/.claude/rules/git.md ../team/.claude/rules/tone.md ../team/profiles/dev/.claude/rules/go.md"},
		{"agents", names(m.Agents), "../team/.claude/agents/a.md"},
		{"commands", names(m.Commands), "../team/.claude/commands/c.md"},
		{"skills", names(m.Skills[0].Files), "../team/profiles/dev/.claude/skills/s/X.md ../team/profiles/dev/.claude/skills/s/run"},
		{"servers", serverNames(m), "docs ops run"},
		{"of two parts the later", show(blockOf(t, m.MCP, "run").Attrs), `{command="new"}`},
		{"the manifest over it", show(blockOf(t, m.MCP, "docs").Attrs), `{tools=["z"] url="https://e.example"}`},
		{"the place of a file", m.Persona[1].Origin.String(), "home/machine.hcl:4:26"},
		{"the place of a profile's file", m.Rules[2].Origin.String(), "home/machine.hcl:6:31"},
		{"the place of a server", blockOf(t, m.MCP, "run").Origin.String(), "team/profiles/dev/.claude/.mcp.json:2:8"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, c.got, c.want)
		}
	}
	if len(m.Skills) != 1 {
		t.Errorf("%d skills", len(m.Skills))
	}
}

// Each host has the profiles that its own blocks choose, and a bundle that is off gives nothing.
func TestBundleOfHosts(t *testing.T) {
	src := with(team(), `
target "copilot" {}
bundle "team" {
  source  = "../team"
  enabled = facts.os == "linux"
}
host "a" {
  bundle "team" { profiles = ["legacy"] }
}
host "b" {
  bundle "team" { profiles = ["dev"] }
}
host "c" {
  bundle "team" { enabled = false }
}
host "d" {}
`)
	m, diags := Load(src, testSpecs())
	for _, d := range diags {
		t.Fatal(d)
	}
	for host, want := range map[string]string{"a": "docs legacy run", "b": "docs more run", "c": "", "d": "docs run"} {
		machine, diags := m.Resolve(host, testFacts())
		if got := serverNames(machine); got != want || diags.HasErrors() {
			t.Errorf("%s: %s, want %s (%v)", host, got, want, diags)
		}
	}
}

// A reference is the secret that the manifest declares, or stays with a warning.
func TestBundleReferences(t *testing.T) {
	for _, c := range []struct{ name, server, want, warning string }{
		{"declared", `"command": "x", "env": {"A": "${TOKEN}", "B": "b $TOKEN${HOME}"}`, `{command="x" env={A=<TOKEN> B=b <TOKEN>${HOME}}}`, ""},
		{"declared, remote", `"url": "https://e.example/${TOKEN}", "headers": {"A": "Bearer ${TOKEN}"}`, `{headers={A=Bearer <TOKEN>} url=https://e.example/<TOKEN>}`, ""},
		{"undeclared", `"url": "https://e.example", "headers": {"A": "${OTHER}"}`, `{headers={A="${OTHER}"} url="https://e.example"}`, "`${OTHER}` in `A` in `headers` of mcp `x` is no declared secret"},
		{"a default", `"command": "x", "env": {"A": "${OTHER:-none}"}`, `{command="x" env={A="${OTHER:-none}"}}`, "`${OTHER:-none}` in `A` in `env` of mcp `x` is no declared secret"},
		{"declared, with a default", `"command": "x", "env": {"A": "${TOKEN:-none}"}`, `{command="x" env={A="${TOKEN:-none}"}}`, "Write `${TOKEN}`."},
		{"an argument", `"command": "x", "args": ["${OTHER}"]`, `{args=["${OTHER}"] command="x"}`, "a part of the command line"},
		{"what every session has", `"command": "x", "args": ["${HOME}/x"], "cwd": "$HOME"`, `{args=["${HOME}/x"] command="x" cwd="$HOME"}`, ""},
		{"an editor's", `"command": "x", "env": {"A": "${env:TOKEN}"}`, `{command="x" env={A="${env:TOKEN}"}}`, "Write ${TOKEN} if that is meant."},
		{"an escape that is none", `"command": "x", "env": {"A": "$$TOKEN $TOKEN"}`, `{command="x" env={A=$$TOKEN <TOKEN>}}`, "Write ${TOKEN} if that is meant."},
		{"numbers and flags", `"url": "https://e.example", "timeout": 5e3, "auth": {"redirectPort": 80}, "oidc": true`, `{auth={redirectPort=80} oidc=true timeout=5000 url="https://e.example"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := with(map[string]string{"team/.mcp.json": "{\"mcpServers\": {\n\"x\": {" + c.server + "}}}"},
				"target \"copilot\" {}\nsecret \"TOKEN\" { env = \"TOKEN\" }\nbundle \"team\" { source = \"../team\" }\n")
			m, _, diags := run(src, testFacts())
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if got := show(m.MCP[0].Attrs); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if c.warning == "" && len(diags) > 0 || c.warning != "" && (len(diags) != 1 || !strings.Contains(diags[0].Detail, c.warning) || diags[0].Subject.String() == "") {
				t.Errorf("said %v, want %q", diags, c.warning)
			}
			for _, d := range diags {
				if d.Subject.File != "team/.mcp.json" || d.Subject.Start.Line != 2 {
					t.Errorf("told at %s", d.Subject)
				}
			}
		})
	}
}

// Files that are no bundle's business are named, once each.
func TestBundleLeavesOut(t *testing.T) {
	files := map[string]string{
		"team/CLAUDE.md":                                     "",
		"team/.claude/settings.json":                         "{\"permissions\": {}, // c\n\"hooks\": {}}",
		"team/.claude/settings.local.json":                   "{",
		"team/.claude/hooks/x.py":                            "",
		"team/.claude/rules/go/x.md":                         "x",
		"team/enforcements.json":                             `{"enforcements": []}`,
		"team/profiles/dev/.copilot/settings.overrides.json": `{"_agentihooks": {"allowAl": true}, "statusLine": {"command": "__PYTHON__ -m status"}, "hooks": {}, "_comment": 1}`,
	}
	_, _, diags := run(with(files, "target \"copilot\" {}\nbundle \"team\" {\n  source = \"../team\"\n  profiles = [\"dev\"]\n}\n"), testFacts())
	var got []string
	for _, d := range diags {
		if d.Severity != diag.Warning || d.Code != "left-out" {
			t.Errorf("%+v", d)
		}
		got = append(got, d.Summary)
	}
	want := []string{
		"`team/.claude/hooks` is left out", "`team/.claude/rules/go` is left out", "`team/.claude/settings.json` is left out: it sets `hooks` and `permissions`", "`team/.claude/settings.local.json` is left out",
		"`team/enforcements.json` is left out: it sets `enforcements`", "`allowAl` in `_agentihooks` is left out",
		"`statusLine` of `team/profiles/dev/.copilot/settings.overrides.json` is left out", "`hooks` of `team/profiles/dev/.copilot/settings.overrides.json` is left out",
	}
	if !slices.Equal(got, want) {
		t.Errorf("said %q", got)
	}
}

// Copilot does not find what a CLAUDE.md imports.
func TestBundleImports(t *testing.T) {
	_, _, diags := run(with(map[string]string{
		"team/CLAUDE.md": "# Team\r\n@docs/style.md\r\n@sam said so\r\n@sam\r\n@~/mine.md\r\n```\r\n@code.md\r\n```\r\n  @more.md\r\n",
	}, "target \"copilot\" {}\nbundle \"team\" { source = \"../team\" }\n"), testFacts())
	var got []string
	for _, d := range diags {
		got = append(got, d.Subject.String()+" "+d.Summary)
	}
	if want := []string{
		"team/CLAUDE.md:2:1 `team/CLAUDE.md` imports `docs/style.md`, which Copilot will not find", "team/CLAUDE.md:9:1 `team/CLAUDE.md` imports `more.md`, which Copilot will not find",
	}; !slices.Equal(got, want) {
		t.Errorf("said %q", got)
	}
}

// Settings of Copilot are those of the target: a profile's over the bundle's, the manifest's over both.
func TestBundleSettings(t *testing.T) {
	m := resolved(t, with(map[string]string{
		"team/.copilot/settings.overrides.json": `{"theme": "dim", "footer": {"a": true, "b": 1}, "cost": "$HOME", // c
"_agentihooks": {"allowAll": true, "channels": "brain, amygdala", "browserCommand": ["open"], "mcpAlwaysEnabled": ["docs"]}}`,
		"team/profiles/dev/.copilot/settings.overrides.json": `{"_comment": "x", "footer": {"b": 2}, "_agentihooks": {"channels": ["dev", "brain"]}}`,
	}, "bundle \"team\" {\n  source   = \"../team\"\n  profiles = [\"dev\"]\n}\ntarget \"copilot\" {\n  settings = { theme = \"dark\" }\n  allowAll = null\n}\nchannels = [\"mine\"]\n"), testFacts())
	copilot := blockOf(t, m.Targets, "copilot").Attrs
	if got, want := show(copilot), `{browserCommand=["open"] mcpAlwaysEnabled=["docs"] settings={cost="$HOME" footer={a=true b=2} theme="dark"}}`; got != want {
		t.Errorf("target: %s\nwant %s", got, want)
	}
	if got, want := channels(m), "brain amygdala dev mine"; got != want {
		t.Errorf("channels: %s", got)
	}
	if got := copilot.Get("settings").Get("footer").Origin.String(); got != "team/profiles/dev/.copilot/settings.overrides.json:1:29" {
		t.Errorf("footer is from %s", got)
	}
}

// What hostile files hold ends in errors with a place.
func TestBundleHostile(t *testing.T) {
	for name, c := range map[string]struct{ text, want, at string }{
		"huge":       {strings.Repeat(" ", MaxFile+1), "is too large", "home/machine.hcl:2:26"},
		"deep":       {`{"mcpServers": ` + strings.Repeat("[", 100_000), "is no JSON", "team/.mcp.json:1:"},
		"a git link": {"../other/.mcp.json", "is a link that git could not make", "team/.mcp.json:1:1"},
		"TOML":       {"model = \"some-model\"\n", "is no JSON", "team/.mcp.json:1:1"},
		"a huge number": {`{"mcpServers": {"x": {"command": "c",
"timeout": 1e999999999}}}`, "is out of range", "team/.mcp.json:2:12"},
		"bytes":  {"{\"mcpServers\": {\"x\": {\"command\": \"\xff\"}}}", "is no JSON", "team/.mcp.json:1:35"},
		"a NUL":  {`{"mcpServers": {"x": {"command": "\u0000"}}}`, "holds bytes that are no text", "team/.mcp.json:1:34"},
		"escape": {`{"mcpServers": {"x` + "\u202e" + `y": {"command": "c"}}}`, "is no mcp name", "team/.mcp.json:1:"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, diags := run(with(map[string]string{"team/.mcp.json": c.text}, "target \"copilot\" {}\nbundle \"team\" { source = \"../team\" }\n"), testFacts())
			if len(diags) != 1 || diags[0].Severity != diag.Error || !strings.Contains(diags[0].Summary, c.want) || !strings.HasPrefix(diags[0].Subject.String(), c.at) {
				t.Errorf("said %v", diags)
			}
		})
	}
}

// A change in the home of what a bundle declares is not written into the bundle.
func TestAbsorbBundle(t *testing.T) {
	for manifest, want := range map[string]string{
		"":                                "It comes from a bundle, whose files are left as they are. Add a block `mcp \"x\"` with `command` as `\"new\"` to the manifest.",
		"mcp \"x\" {\n  cwd = \"/\"\n}\n": "",
	} {
		src := with(map[string]string{"team/.mcp.json": "{\"mcpServers\": {\n\"x\": {\"command\": \"old\"}}}"}, "bundle \"team\" { source = \"../team\" }\n"+manifest)
		out, diags := Absorb(src, testSpecs(), "wl-0431", testFacts(), []model.Edit{server(model.Set, "command", text("new"))})
		if want == "" {
			if len(diags) > 0 || len(out) != 1 || !strings.Contains(string(out[0].New), "  command = \"new\"\n") {
				t.Errorf("rewrites %+v, said %v", out, diags)
			}
			continue
		}
		if len(out) > 0 || len(diags) != 1 || diags[0].Detail != want || diags[0].Subject.String() != "team/.mcp.json:2:6" {
			t.Errorf("rewrites %+v, said %v", out, diags)
		}
	}
}
