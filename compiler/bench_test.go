package compiler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// manyHosts is a manifest with n hosts, and twenty files for each.
func manyHosts(n int) Sources {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("home/rules/%02d.md", i)] = strings.Repeat("text ", 200)
	}
	var b strings.Builder
	b.WriteString(layered)
	b.WriteString("rules = [\"rules/*.md\"]\nguard \"commands\" { deny = [\"git push --force\", \"rm -rf /\"] }\n")
	for i := range n {
		fmt.Fprintf(&b, "host \"h%05d\" { profiles = [\"work\"] }\n", i)
	}
	files["home/machine.hcl"] = b.String()
	files["low/a.hcl"] = "variable \"extra\" { type = list(string) }\nchannels = concat([\"low\"], var.extra)\n"
	return memory(files)
}

func BenchmarkLoad(b *testing.B) {
	src := manyHosts(0)
	for b.Loop() {
		if _, diags := Load(src, testSpecs()); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

// BenchmarkResolve resolves one host of 10,000, each with its own home.
func BenchmarkResolve(b *testing.B) {
	const n = 10_000
	m, diags := Load(manyHosts(n), testSpecs())
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	facts := make([]model.Facts, n)
	for i := range facts {
		facts[i] = testFacts()
		facts[i].User = fmt.Sprintf("user%d", i)
	}
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		host := fmt.Sprintf("h%05d", i%n)
		known, _ := m.HostFacts(host, facts[i%n])
		machine, diags := m.Resolve(host, known)
		if diags.HasErrors() || len(machine.Rules) != 20 {
			b.Fatal(diags)
		}
	}
}

// BenchmarkMatch finds this machine among 1,000 hosts.
func BenchmarkMatch(b *testing.B) {
	m, diags := Load(manyHosts(1000), testSpecs())
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	for b.Loop() {
		if _, diags := m.Match(testFacts()); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}
