// Package facts reads once what is true of this machine, and reads and writes facts as files.
package facts

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
)

// Read reads the facts of this machine. env looks a variable up in the environment; which is the names that the
// manifest asks for. The error says which variable to set if a folder cannot be told.
func Read(env func(string) string, which []string) (model.Facts, error) {
	hostname, err := os.Hostname()
	if err != nil {
		return model.Facts{}, err
	}
	dirs, err := readFolders(env)
	if err != nil {
		return model.Facts{}, err
	}
	wsl := isWSL(env, "/proc/version")
	f := model.Facts{
		Hostname:    cutDomain(hostname),
		OS:          runtime.GOOS,
		Arch:        runtime.GOARCH,
		WSL:         &wsl,
		User:        login(env),
		Home:        dirs.home,
		StateDir:    dirs.state,
		CopilotHome: dirs.copilot,
		Versions:    map[string]string{},
		Which:       Which(env, which),
	}
	if version, ok := copilotVersion(lookPath(env("PATH"), "copilot")); ok {
		f.Versions["copilot"] = version
	}
	return f, nil
}

func cutDomain(hostname string) string {
	host, _, _ := strings.Cut(hostname, ".")
	return host
}

// login is the login name. The system's own answer comes first: USER is whatever the caller's shell made of it.
func login(env func(string) string) string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	for _, name := range []string{"USER", "LOGNAME"} {
		if value := env(name); value != "" {
			return value
		}
	}
	return strconv.Itoa(os.Getuid())
}

// isWSL looks at what WSL sets for every process it starts, and at the kernel's own name, for those it did not start.
func isWSL(env func(string) string, procVersion string) bool {
	if env("WSL_DISTRO_NAME") != "" || env("WSL_INTEROP") != "" {
		return true
	}
	data, err := os.ReadFile(procVersion)
	return err == nil && strings.Contains(strings.ToLower(string(data)), "microsoft")
}

type folders struct {
	home, state, copilot string
}

// Folders is the home and the state folder of this machine's user, as Read finds them, without the rest.
func Folders(env func(string) string) (home, state string, err error) {
	f, err := readFolders(env)
	return f.home, f.state, err
}

// readFolders finds the folders from the environment alone. They are cleaned; links in them stay, because a
// destination must read as the user and the programs spell it.
func readFolders(env func(string) string) (folders, error) {
	var f folders
	if f.home = env("HOME"); !filepath.IsAbs(f.home) {
		return folders{}, fmt.Errorf("HOME is %q, which is not an absolute path: set it to your home folder", f.home)
	}
	f.home = filepath.Clean(f.home)
	var err error
	if f.state, err = stateDir(env, f.home); err != nil {
		return folders{}, err
	}
	f.copilot, err = copilotHome(env, f.home)
	return f, err
}

func stateDir(env func(string) string, home string) (string, error) {
	for _, v := range []struct{ name, below string }{{"AGENTIHOOKS_STATE_DIR", ""}, {"XDG_STATE_HOME", "agentihooks"}} {
		value := env(v.name)
		if value == "" {
			continue
		}
		if !filepath.IsAbs(value) {
			return "", fmt.Errorf("%s is %q, which is not an absolute path: set it to one, or unset it", v.name, value)
		}
		return filepath.Join(value, v.below), nil
	}
	return filepath.Join(home, ".local/state/agentihooks"), nil
}

// copilotHome is where the Copilot CLI keeps its files. Of a list with commas the first counts.
func copilotHome(env func(string) string, home string) (string, error) {
	first, _, _ := strings.Cut(env("COPILOT_HOME"), ",")
	value := strings.TrimSpace(first)
	switch {
	case value == "":
		return filepath.Join(home, ".copilot"), nil
	case value == "~":
		return home, nil
	case strings.HasPrefix(value, "~/"):
		return filepath.Join(home, value[2:]), nil
	case !filepath.IsAbs(value):
		return "", fmt.Errorf("COPILOT_HOME is %q, which is not an absolute path: set it to one, or unset it", value)
	}
	return filepath.Clean(value), nil
}
