package compiler

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

const layered = `
channels = ["top", "shared"]
module "low" {
  source = "../low"
  extra  = ["from-" , local.word]
}
locals {
  word = "arg"
}
target "copilot" {
  settings         = { theme = "dim", keep = 1, gone = true, deep = { a = 1, b = [1, 2] } }
  mcpAlwaysEnabled = ["a"]
  statusLine       = false
}
profile "base" {
  channels = ["base"]
  mcp "x" { tools = ["b"] }
}
profile "work" {
  include  = ["base"]
  channels = ["work", "shared"]
  target "copilot" {
    settings         = { theme = "dark", gone = null, deep = { b = [3] } }
    mcpAlwaysEnabled = ["b", "a"]
  }
}
profile "unused" { channels = ["unused"] }
mcp "x" {
  command = "npx"
  tools   = ["a"]
  env     = { A = "1", B = "2" }
}
mcp "off" { url = "https://example.net" }
secret "T" { env = "T" }
host "wl-0431" {
  profiles = ["work"]
  channels = ["host"]
  mcp "off" { enabled = false }
  mcp "x" {
    env   = { B = null, C = "v ${secret.T} w" }
    tools = only(["z"])
  }
  secret "T" { file = "/run/t" }
  target "copilot" {
    settings = { deep = { c = facts.home } }
  }
}
`

func layeredSources() Sources {
	return memory(map[string]string{
		"home/machine.hcl": layered,
		"low/a.hcl":        "variable \"extra\" { type = list(string) }\nchannels = concat([\"low\"], var.extra)\n",
		"low/b.hcl":        "channels = [\"low2\"]\ntarget \"copilot\" {\n  settings   = { theme = \"light\", low = \"yes\" }\n  statusLine = true\n}\n",
	})
}

func TestLayers(t *testing.T) {
	m := resolved(t, layeredSources(), testFacts())
	if got, want := channels(m), "low from- arg low2 top shared base work host"; got != want {
		t.Errorf("channels: %q, want %q", got, want)
	}
	copilot := blockOf(t, m.Targets, "copilot").Attrs
	if got, want := show(copilot), `{mcpAlwaysEnabled=["a" "b"] settings={deep={a=1 b=[3] c="/home/sam"} keep=1 low="yes" theme="dark"} statusLine=false}`; got != want {
		t.Errorf("target: %s\nwant %s", got, want)
	}
	if len(m.MCP) != 1 {
		t.Errorf("%d servers, want 1: one is switched off", len(m.MCP))
	}
	x := blockOf(t, m.MCP, "x")
	if got, want := show(x.Attrs), `{command="npx" env={A="1" C=v <T> w} tools=["z"]}`; got != want {
		t.Errorf("mcp: %s\nwant %s", got, want)
	}
	if got, want := show(blockOf(t, m.Secrets, "T").Attrs), `{file="/run/t"}`; got != want {
		t.Errorf("secret: %s, want %s", got, want)
	}
	if m.Host != "wl-0431" || m.Facts.User != "sam" {
		t.Errorf("host %q, facts %+v", m.Host, m.Facts)
	}
}

// What a profile includes is part of it: only the names that the host gives are the machine's profiles.
func TestProfiles(t *testing.T) {
	const profiles = `
target "copilot" {}
profile "base" {}
profile "work" { include = ["base"] }
profile "night" {}
`
	for _, c := range []struct{ host, want string }{
		{`host "wl-0431" { profiles = ["work", "night", "work"] }`, "work night"},
		{`host "wl-0431" { profiles = ["night", "base"] }`, "night base"},
		{`host "wl-0431" {}`, ""},
		{"", ""},
	} {
		m := resolved(t, memory(map[string]string{"home/machine.hcl": profiles + c.host}), testFacts())
		if got := strings.Join(m.Profiles, " "); got != c.want {
			t.Errorf("%s: profiles %q, want %q", c.host, got, c.want)
		}
	}
}

// The place of every value is where it was written, also below an object, behind a local, and in a module's caller.
func TestOrigins(t *testing.T) {
	src := layeredSources()
	m, _ := Load(src, testSpecs())
	text := func(at diag.Range) string {
		source := m.Texts()[at.File]
		return fmt.Sprintf("%s:%d %s", at.File, at.Start.Line, source[at.Start.Byte:at.End.Byte])
	}
	machine := resolved(t, src, testFacts())
	settings := blockOf(t, machine.Targets, "copilot").Attrs.Get("settings")
	for _, c := range []struct{ got, want string }{
		{text(machine.Channels[0].Origin), `low/a.hcl:2 concat(["low"], var.extra)`},
		{text(machine.Channels[3].Origin), `low/b.hcl:1 "low2"`},
		{text(settings.Get("theme").Origin), `home/machine.hcl:23 "dark"`},
		{text(settings.Get("low").Origin), `low/b.hcl:3 "yes"`},
		{text(settings.Get("deep").Get("c").Origin), `home/machine.hcl:45 facts.home`},
		{text(settings.Get("deep").Get("a").Origin), `home/machine.hcl:11 1`},
		{text(blockOf(t, machine.MCP, "x").Origin), `home/machine.hcl:39 "x"`},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
	machine = resolved(t, manifestOf("target \"copilot\" {}\nlocals {\n  list = [\n    \"a\",\n    \"b\",\n  ]\n}\nchannels = only((local.list))\n"), testFacts())
	if got := machine.Channels[1].Origin; got.Start.Line != 5 {
		t.Errorf("a value behind a local is at line %d, want 5", got.Start.Line)
	}
}

// The same input gives deeply equal machines, from one manifest and from many, also when used in parallel.
func TestPurity(t *testing.T) {
	first := resolved(t, layeredSources(), testFacts())
	for range 50 {
		if again := resolved(t, layeredSources(), testFacts()); !reflect.DeepEqual(first, again) {
			t.Fatal("the machine differs from run to run")
		}
	}
	m, _ := Load(layeredSources(), testSpecs())
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 20 {
				if again, _ := m.Resolve("wl-0431", testFacts()); !reflect.DeepEqual(first, again) {
					t.Error("the machine differs in parallel")
				}
			}
		})
	}
	wait.Wait()
	m2, _ := Load(layeredSources(), testSpecs())
	if m.Revision() != m2.Revision() || len(m.Revision()) != 64 {
		t.Errorf("revisions %q and %q", m.Revision(), m2.Revision())
	}
}

// A layer's value is kept for the facts that it names; other facts must give another value.
func TestCacheFollowsFacts(t *testing.T) {
	m, diags := Load(memory(map[string]string{
		"home/machine.hcl": `
target "copilot" { browserCommand = which("zsh") }
module "m" {
  source  = "../m"
  enabled = facts.wsl
  name    = local.who
}
locals {
  who = facts.user
}
host "a" {}
host "b" {
  module "m" { name = "fixed" }
}
`,
		"m/main.hcl": "variable \"name\" {}\nchannels = [var.name]\n",
	}), testSpecs())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	at := func(host, user, zsh string, wsl bool) string {
		f := testFacts()
		f.User, f.WSL, f.Which = user, &wsl, map[string]string{"zsh": zsh}
		machine, diags := m.Resolve(host, f)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return channels(machine) + " " + show(machine.Targets[0].Attrs.Get("browserCommand"))
	}
	for range 2 {
		for _, c := range []struct{ got, want string }{
			{at("a", "sam", "/bin/zsh", true), `sam "/bin/zsh"`},
			{at("a", "kim", "", true), `kim ""`},
			{at("a", "kim", "/x", false), ` "/x"`},
			{at("b", "kim", "/x", true), `fixed "/x"`},
		} {
			if c.got != c.want {
				t.Errorf("got %s, want %s", c.got, c.want)
			}
		}
	}
	if got := m.WhichNames(); !reflect.DeepEqual(got, []string{"zsh"}) {
		t.Errorf("which names: %v", got)
	}
}

func TestUnknownFacts(t *testing.T) {
	src := manifestOf(`
target "copilot" {
  settings = { home = facts.home, zsh = which("bash") }
}
channels = facts.wsl ? ["wsl"] : []
host "a" {
  profiles = facts.arch == "arm64" ? ["p"] : []
}
host "b" {
  facts = {
    os = "darwin", arch = "arm64", home = "/Users/sam", stateDir = "/Users/sam/state", wsl = false
    which = { bash = "/bin/bash" }
  }
}
profile "p" { channels = [try(facts.versions.copilot, "none")] }
`)
	m, diags := Load(src, testSpecs())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	_, diags = m.Resolve("a", model.Facts{Arch: "arm64"})
	if len(diags) != 1 || diags[0].Code != "unknown-facts" {
		t.Fatalf("want one diagnostic: %v", diags)
	}
	for _, want := range []string{
		"`os` (every tree needs it)", "`home` (for `settings` of target `copilot` at home/machine.hcl:3:3)",
		"`wsl` (for `channels` at home/machine.hcl:5:1)", "`which(\"bash\")`", "`versions` (for `channels`", "`stateDir`",
	} {
		if !strings.Contains(diags[0].Detail, want) {
			t.Errorf("%q is not in %s", want, diags[0].Detail)
		}
	}
	facts, diags := m.HostFacts("b", model.Facts{})
	facts = facts.Complete()
	if diags.HasErrors() || facts.CopilotHome != "/Users/sam/.copilot" {
		t.Fatalf("%+v %v", facts, diags)
	}
	machine, diags := m.Resolve("b", facts)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if got := show(machine.Targets[0].Attrs); got != `{settings={home="/Users/sam" zsh="/bin/bash"}}` {
		t.Error(got)
	}
	all := m.CheckAll()
	if all.HasErrors() {
		t.Fatal(all)
	}
	var said []string
	for _, d := range all {
		said = append(said, d.Summary)
	}
	want := []string{
		"`settings` of target `copilot` could not be decided for 1 host (a)",
		"`channels` could not be decided for 1 host (a)", "`profiles` of host `a` could not be decided for 1 host (a)",
	}
	if !reflect.DeepEqual(said, want) {
		t.Errorf("check --all-hosts says %q\nwant %q", said, want)
	}
}

// CheckAll finds faults in hosts and profiles that this machine has nothing to do with.
func TestCheckAllFindsFaults(t *testing.T) {
	m, diags := Load(manifestOf("target \"copilot\" {}\nhost \"a\" { channels = [1] }\nprofile \"p\" { rules = [\"none.md\"] }\nhost \"wl-0431\" {}\n"), testSpecs())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, diags := m.Resolve("wl-0431", testFacts()); diags.HasErrors() {
		t.Errorf("another host's faults: %v", diags)
	}
	if got := m.CheckAll(); len(got) != 2 || got[0].Code != "wrong-type" || got[1].Code != "missing-file" {
		t.Errorf("got %v", got)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ hosts, hostname, want string }{
		{"", "Kim's Mac.example.net", "Kim-s-Mac"},
		{"", "-x", "x"},
		{"", "…", "host"},
		{"", "", "!no-host"},
		{`host "wl-0431" {}`, "WL-0431.corp", "wl-0431"},
		{`host "wl-0431" { when = false }`, "wl-0431", "!no-host"},
		{"host \"a\" { when = facts.user == \"sam\" }\nhost \"b\" { when = !startswith(facts.user, \"s\") }", "x", "a"},
		{"host \"a\" { when = true }\nhost \"b\" { when = true }", "x", "!several-hosts"},
		{`host "a" { when = "yes" }`, "x", "!wrong-type"},
		{`host "a" { when = which("bash") == "" }`, "x", "!unknown-facts"},
		{`host "a" { when = null }`, "x", "!wrong-type"},
	} {
		m, diags := Load(manifestOf(c.hosts+"\n"), testSpecs())
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		f := testFacts()
		f.Hostname = c.hostname
		got, diags := m.Match(f)
		if diags.HasErrors() {
			got = "!" + diags[0].Code
		}
		if got != c.want {
			t.Errorf("%q on %q: %s, want %s", c.hosts, c.hostname, got, c.want)
		}
	}
}

func TestNoHostAndNoTarget(t *testing.T) {
	m, diags := Load(manifestOf("channels = [\"a\"]\n"), testSpecs())
	if diags.HasErrors() || len(m.Hosts()) != 0 {
		t.Fatal(diags)
	}
	machine, diags := m.Resolve("any", testFacts())
	if len(diags) != 1 || diags[0].Code != "no-target" || diags[0].Severity != diag.Warning || machine.Host != "any" {
		t.Errorf("%v", diags)
	}
	if _, diags := m.Resolve("a/b", testFacts()); !diags.HasErrors() {
		t.Error("a/b is no host name")
	}
}

// Module blocks with one label in the manifest, a profile and a host are one module; nested modules lie below.
func TestModules(t *testing.T) {
	files := map[string]string{
		"home/machine.hcl": `
target "copilot" {}
module "outer" { source = "../lib/outer" }
module "base" { source = "builtin/base" }
profile "p" {
  module "outer" { level = "p" }
}
host "wl-0431" {
  profiles = ["p", "shipped"]
  module "base" { enabled = false }
}
`,
		"lib/outer/main.hcl": `
variable "level" { default = "none" }
module "inner" {
  source = "../inner"
  tag    = "by-${var.level}"
}
channels = ["outer-${var.level}"]
rules    = ["rules/*.md"]
profile "shipped" { channels = ["shipped-${var.level}"] }
`,
		"lib/inner/main.hcl":         "variable \"tag\" {}\nchannels = [var.tag]\n",
		"lib/outer/rules/README.md":  "no",
		"lib/outer/rules/one.md":     "rule",
		"builtin/base/main.hcl":      "channels = [\"base\"]\n",
		"builtin/base/persona/it.md": "x",
	}
	m := resolved(t, memory(files), testFacts())
	if got, want := channels(m), "by-p outer-p shipped-p"; got != want {
		t.Errorf("channels %q, want %q", got, want)
	}
	if got, want := names(m.Rules), "../lib/outer/rules/one.md"; got != want {
		t.Errorf("rules %q, want %q", got, want)
	}
}
