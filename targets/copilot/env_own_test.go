package copilot

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOwnVariables(t *testing.T) {
	m := machine("allowAll", truth(true), "env", dict("HTTPS_PROXY", text("http://p:3128"), "B", text("it's $HOME")))
	got := environmentText(rendered(t, m))
	if got["HTTPS_PROXY"] != "http://p:3128" || got["B"] != "it's $HOME" || got[AllowAllVariable] != "true" {
		t.Errorf("got %q", got)
	}
	_, diags := Render(input(machine("env", dict(
		"1A", text("x"), "a-b", text("x"), "", text("x"), "PATH", text("x"), "LD_PRELOAD", text("x"), "COPILOT_ALLOW_ALL", text("1"), "NUL", text("a\x00b"), "OK", text("")))))
	wantDiags(t, diags, "invalid-text", "invalid-variable", "invalid-variable", "invalid-variable", "invalid-variable", "invalid-variable", "invalid-variable")
}

func TestOwnVariablesInShells(t *testing.T) {
	for i, s := range shells {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			writeEnv(t, dir, machine("env", dict("A", text("it's \"$(touch pwned)\" `x` \\ \n # end"), "B", text(""))))
			if env := loaded(t, i, dir); env["A"] != "it's \"$(touch pwned)\" `x` \\ \n # end" || env["B"] != "" {
				t.Errorf("got %q and %q", env["A"], env["B"])
			}
		})
	}
}

// generator is what reads environment.d for the user manager.
const generator = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"

// TestEnvironmentD asks a real systemd what it reads.
func TestEnvironmentD(t *testing.T) {
	if _, err := os.Stat(generator); err != nil {
		t.Skip("systemd is not installed")
	}
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "environment.d")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.StringOfN(rapid.SampledFrom([]rune("ab $\"'`\\#={}éx\n\t;!~")), 1, -1, -1).Draw(rt, "value")
		m := machine("allowAll", truth(true), "environmentD", truth(true), "env", dict("VALUE", text(want)))
		file := made(rendered(t, m), systemdPath)
		if strings.Contains(file, AllowAllVariable) {
			rt.Fatal("allowAll is there")
		}
		if err := os.WriteFile(filepath.Join(dir, "50-agentihooks.conf"), []byte(file), 0o600); err != nil {
			rt.Fatal(err)
		}
		cmd := exec.Command(generator)
		cmd.Env = []string{"HOME=" + home, "HOME_IS=1"}
		out, err := cmd.Output()
		if err != nil {
			rt.Fatal(err)
		}
		// What it prints is read by the manager as C strings in double quotes; bash's $'' reads the same escapes.
		_, line, ok := strings.Cut("\n"+string(out), "\nVALUE=")
		if line, _, _ = strings.Cut(line, "\n"); !ok {
			rt.Fatalf("%q is not read: %s", want, out)
		}
		if inner, quoted := strings.CutPrefix(line, `"`); quoted {
			line = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\$`, "$", "\\`", "`", `\\`, `\`).Replace(strings.TrimSuffix(inner, `"`))
		}
		if line != want {
			rt.Fatalf("%q became %q in\n%s", want, line, file)
		}
	})
}

func TestEnvironmentDElsewhere(t *testing.T) {
	m := machine("environmentD", truth(true), "env", dict("A", text("b")))
	m.Facts.OS = "darwin"
	out, diags := Render(input(m))
	wantDiags(t, diags, "no-effect")
	if made(out, systemdPath) != "" {
		t.Error("it was written")
	}
	only := rendered(t, machine("environmentD", truth(true), "allowAll", truth(true)))
	if made(only, systemdPath) != "" {
		t.Error("a file without variables was written")
	}
}
