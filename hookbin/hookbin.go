// Package hookbin holds the hook binaries that a tree gets: one for each system that we build trees for.
package hookbin

//go:generate go run ../internal/hookbuild/generate

// Binary is the hook for one system, in Go's names ("linux", "arm64"): about 3 MB, which nobody may write to. It is
// absent in a development build and for a system that we do not build for.
func Binary(os, arch string) (data []byte, ok bool) {
	data, ok = binaries[os+"/"+arch]
	return data, ok
}

// Development reports whether this program was built without the hooks, which the build tag "hooks" brings: by a plain
// `go build` or `go install`. Such a program needs a file agentihooks-hook beside itself.
func Development() bool { return len(binaries) == 0 }
