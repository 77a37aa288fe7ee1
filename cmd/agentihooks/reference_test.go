package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler"
	"github.com/agentihooks/agentihooks/modules"
	"github.com/agentihooks/agentihooks/targets/target"
)

// The reference pages are what the code says of itself. -update writes them.
func TestReferencePages(t *testing.T) {
	for path, want := range map[string]string{
		"../../compiler/REFERENCE.md": compiler.Reference(specs()),
		"../../modules/README.md":     compiler.ModuleReference(modules.FS),
	} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not current (%v): go test ./cmd/agentihooks -run ReferencePages -update", path, err)
		}
	}
}

// The README's table of the kinds of risk is that of the code.
func TestReadmeKnowsTheKindsOfRisk(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, k := range target.RiskKinds() {
		fmt.Fprintf(&table, "| `%s` | %s |\n", k.Kind, k.Doc)
	}
	if want := "| kind | is |\n|---|---|\n" + table.String() + "\n"; !strings.Contains(string(text), want) {
		t.Errorf("README.md lacks this table:\n%s", want)
	}
}
