package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/facts"
)

// settleHome makes HOME read as it did when this home was first switched. A home can be reached by several paths, a link
// among them: to all that compares paths, and to the hash of the tree, another spelling would be another home.
func (a *app) settleHome() {
	home, stateDir, err := facts.Folders(a.env)
	if err != nil {
		return // whoever needs a home says so
	}
	recorded := activate.RecordedHome(stateDir)
	if recorded == "" || recorded == home || !sameFolder(recorded, home) {
		return
	}
	env := a.env
	a.env = func(name string) string {
		if name == "HOME" {
			return recorded
		}
		return env(name)
	}
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// homePath is an argument as an absolute path; one beneath the home begins with the home as it is spelled otherwise.
func (a *app) homePath(arg string) (string, error) {
	path, err := filepath.Abs(arg)
	if err != nil {
		return "", err
	}
	home, _, err := facts.Folders(a.env)
	if err != nil {
		return "", err
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		if dir == home {
			return path, nil
		}
		if sameFolder(dir, home) {
			return filepath.Join(home, strings.TrimPrefix(path, dir)), nil
		}
		if dir == filepath.Dir(dir) {
			return path, nil
		}
	}
}
