// Package flaketest checks flake.nix: that a real nix evaluates it, and that it names the digest of the vendored modules.
package flaketest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

const flakeFile = "../../flake.nix"

func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("nix"); err != nil {
		t.Skip("nix is not installed, so flake.nix is not evaluated")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setUp,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"evaluate": evaluate},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// setUp gives the script the flake, alone in a folder, and a nix that keeps everything in the script's own folder:
// its store can be written by any user, and neither the machine's settings nor its flake registry count.
func setUp(env *testscript.Env) error {
	flake, err := os.ReadFile(flakeFile)
	if err != nil {
		return err
	}
	settings := "experimental-features = nix-command flakes\nflake-registry =\nsandbox = false\n"
	for name, data := range map[string]string{"agentihooks/flake.nix": string(flake), "nix/etc/nix.conf": settings} {
		path := filepath.Join(env.WorkDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			return err
		}
	}
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("NIX_CONF_DIR", filepath.Join(env.WorkDir, "nix", "etc"))
	env.Setenv("NIX_STORE_DIR", filepath.Join(env.WorkDir, "nix", "store"))
	env.Setenv("NIX_STATE_DIR", filepath.Join(env.WorkDir, "nix", "var"))
	env.Setenv("NIX_LOG_DIR", filepath.Join(env.WorkDir, "nix", "log"))
	return nil
}

// evaluate prints the text of one output of the script's user flake.
func evaluate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: evaluate OUTPUT")
	}
	err := ts.Exec(
		"nix", "eval", "--raw", "--no-write-lock-file",
		"--override-input", "nixpkgs", "path:"+ts.MkAbs("nixpkgs"),
		"--override-input", "agentihooks", "path:"+ts.MkAbs("agentihooks"),
		"path:"+ts.MkAbs("user")+"#"+args[0],
	)
	ts.Check(err)
}
