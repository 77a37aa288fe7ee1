// Package hookbuild builds the hook binary so that equal sources give equal bytes, wherever and by whomever they are built.
package hookbuild

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Target is a system that the hook is built for, in Go's names.
type Target struct{ OS, Arch string }

// Name is the name of the target's binary in hookbin/bin.
func (t Target) Name() string { return "agentihooks-hook-" + t.OS + "-" + t.Arch }

// Targets is every system that the hook is built for.
func Targets() []Target {
	return []Target{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}}
}

// hookPackage is the hook's main package.
const hookPackage = "./hookbin/agentihooks-hook"

// Flags is what `go build` gets: no path, no version control state and no build id in the binary, and no setting of
// the builder's that could come from GOFLAGS.
func Flags() []string {
	return []string{
		"-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=",
		"-tags=", "-pgo=off", "-race=false", "-msan=false", "-asan=false", "-cover=false",
	}
}

// Build builds the hook from the module in folder root and writes it to the file out. The toolchain is a value for
// GOTOOLCHAIN; empty means the version in the module's go.mod.
func Build(root string, target Target, toolchain, out string) error {
	env, err := environ(root, toolchain)
	if err != nil {
		return err
	}
	args := append(append([]string{"build"}, Flags()...), "-o", out, hookPackage)
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(env, "GOOS="+target.OS, "GOARCH="+target.Arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the hook for %s/%s: %w\n%s", target.OS, target.Arch, err, text)
	}
	return nil
}

// environ is the environment of the build: the caller's without any Go setting, then where modules come from and go
// to, then what the binary depends on. GOENV=off keeps out what was set with `go env -w`, which also fills in for
// variables that are set but empty.
func environ(root, toolchain string) ([]string, error) {
	places := []string{
		"GOCACHE", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB", "GOPATH", "GOPRIVATE", "GOPROXY", "GOSUMDB", "GOVCS",
	}
	cmd := exec.Command("go", append([]string{"env", "-json"}, places...)...)
	cmd.Dir = root
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for its settings: %w", err)
	}
	settings := map[string]string{}
	if err := json.Unmarshal(text, &settings); err != nil {
		return nil, fmt.Errorf("reading the settings of go: %w", err)
	}
	if toolchain == "" {
		if toolchain, err = pinned(root); err != nil {
			return nil, err
		}
	}
	maps.Copy(settings, map[string]string{
		"CGO_ENABLED": "0", "GO111MODULE": "on", "GOAMD64": "v1", "GOARM64": "v8.0", "GOENV": "off", "GOEXPERIMENT": "",
		"GOFIPS140": "off", "GOFLAGS": "", "GOTOOLCHAIN": toolchain, "GOWORK": "off",
	})
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GO") || strings.HasPrefix(entry, "CGO_")
	})
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		env = append(env, name+"="+settings[name])
	}
	return env, nil
}

// pinned is the toolchain that go.mod asks for: "go1.26.8".
func pinned(root string) (string, error) {
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("reading go.mod: %w", err)
	}
	var mod struct{ Go string }
	if err := json.Unmarshal(text, &mod); err != nil {
		return "", fmt.Errorf("reading go.mod: %w", err)
	}
	return "go" + mod.Go, nil
}
