// Command generate fills hookbin/bin with the hook for every system; `go generate ./hookbin` runs it there.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentihooks/agentihooks/internal/hookbuild"
)

func main() {
	toolchain := flag.String("toolchain", "", "value for GOTOOLCHAIN (default: the version in go.mod; \"local\" where no other can be had)")
	flag.Parse()
	if err := generate("..", "bin", *toolchain); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate builds every target into folder. A binary that is there already with the same bytes is left alone, so that
// what embeds it need not be built again.
func generate(root, folder, toolchain string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("finding %s: %w", folder, err)
	}
	for _, target := range hookbuild.Targets() {
		final := filepath.Join(folder, target.Name())
		fresh := filepath.Join(folder, "."+target.Name()) // the dot: it is not embedded, should it stay behind
		defer os.Remove(fresh)
		if err := hookbuild.Build(root, target, toolchain, fresh); err != nil {
			return err
		}
		same, err := equal(fresh, final)
		if err != nil {
			return err
		}
		if same {
			continue
		}
		if err := os.Rename(fresh, final); err != nil {
			return fmt.Errorf("putting %s in place: %w", final, err)
		}
	}
	return nil
}

// equal reports whether two files hold the same bytes. The second may be missing.
func equal(fresh, final string) (bool, error) {
	a, err := os.ReadFile(fresh)
	if err != nil {
		return false, fmt.Errorf("reading what was built: %w", err)
	}
	b, err := os.ReadFile(final)
	return err == nil && bytes.Equal(a, b), nil
}
