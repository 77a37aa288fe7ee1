package main

import (
	"os"
	"testing"

	"github.com/agentihooks/agentihooks/compiler"
	"github.com/agentihooks/agentihooks/modules"
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
