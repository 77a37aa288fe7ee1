// Package hookbin holds the hook binaries that a tree gets: one for each system that we build trees for.
package hookbin

import "embed"

//go:generate go run ../internal/hookbuild/generate

// binaries is the folder that `go generate` fills. It always holds README, so that a fresh clone compiles.
//
//go:embed bin
var binaries embed.FS

// Binary is the hook for one system, in Go's names ("linux", "arm64"): about 3 MB, and a copy at each call. It is
// absent in a development build and for a system that we do not build for.
func Binary(os, arch string) (data []byte, ok bool) {
	data, err := binaries.ReadFile("bin/agentihooks-hook-" + os + "-" + arch)
	return data, err == nil
}

// Development reports whether this program was built without the hooks: from a clone without `go generate ./hookbin`,
// or by `go install`. Such a program needs a file agentihooks-hook beside itself.
func Development() bool {
	files, err := binaries.ReadDir("bin")
	return err != nil || len(files) < 2
}
