package copilot

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/targets/target"
)

// shells are the readers of the environment files: a script that loads file $1 and prints the variables named by the
// other arguments, each with a NUL behind it. printenv cannot tell a missing variable from an empty one; env -0 can.
var shells = []struct {
	name   string
	argv   []string
	file   string
	script string
}{
	{"sh", []string{"sh"}, envPath, `set -a; . "$1"; env -0`},
	{"dash", []string{"dash"}, envPath, `set -a; . "$1"; env -0`},
	{"bash", []string{"bash", "--norc", "--noprofile"}, envPath, `set -a; . "$1"; env -0`},
	{"bash as sh", []string{"bash", "--posix"}, envPath, `set -a; . "$1"; env -0`},
	{"zsh", []string{"zsh", "-f"}, envPath, `set -a; . "$1"; env -0`},
	{"busybox", []string{"busybox", "sh"}, envPath, `set -a; . "$1"; env -0`},
	{"fish", []string{"fish", "--no-config"}, fishPath, `source $argv[1]; env -0`},
}

// loaded runs a shell on the files in dir and returns its environment afterwards, or skips.
func loaded(t *testing.T, i int, dir string) map[string]string {
	t.Helper()
	s := shells[i]
	if _, err := exec.LookPath(s.argv[0]); err != nil {
		t.Skipf("%s is not installed", s.argv[0])
	}
	args := append(slices.Clone(s.argv[1:]), "-c", s.script)
	if s.name != "fish" {
		args = append(args, "load")
	}
	cmd := exec.Command(s.argv[0], append(args, filepath.Join(dir, filepath.Base(s.file)))...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v, %s", s.name, err, stderr.String())
	}
	env := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return env
}

// writeEnv writes the environment files of a machine and returns their folder.
func writeEnv(t *testing.T, dir string, m model.Machine) {
	t.Helper()
	out := rendered(t, m)
	for _, name := range []string{envPath, fishPath} {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(made(out, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// hostile are values that run something or end early if they are quoted wrongly.
var hostile = []string{
	"plain", "two words", "it's", `"double"`, "$(touch pwned)", "`touch pwned`", "${HOME}", "$HOME", `\`, `\\`, `a\nb`, `\'`,
	"a\nb", "\n", "a\n\nCOPILOT_ALLOW_ALL=true\n", "a\r\nb", "\t", " lead", "trail ", "!history", "~", "~root", "=ls", "a=b", "*", "?", "[a]",
	"{a,b}", "#hash", "a # b", ";touch pwned", "a&b", "|", ">pwned", "-n", "--", "''", `'\''`, "'''", "ünï", "\u2028", "😀", "\u0101\u0141",
	"\x01", "\x7f", "\x1b[31m", "\ufeff", "\uf600", "\ue000", "%s%n", "a;exit 1", "\\\n", "'\n'", "$'\\x41'", "é", "e\u0301",
}

func TestEnvironmentRoundTrip(t *testing.T) {
	for i, s := range shells {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			var want []string
			m := machine("allowAll", truth(true), "browserCommand", list(append([]string{"prog"}, hostile...)...))
			m.Facts.Which["prog"] = "/bin/prog"
			for _, h := range hostile {
				if !strings.Contains(h, ",") {
					m.Channels = append(m.Channels, model.Text{Value: h, Origin: origin()})
					want = append(want, h)
				}
			}
			writeEnv(t, dir, m)
			env := loaded(t, i, dir)
			if got := env[channelsVariable]; got != strings.Join(want, ",") {
				t.Errorf("channels are\n%q, want\n%q", got, strings.Join(want, ","))
			}
			if got, want := env[browserVariable], compact(append([]string{"prog"}, hostile...)); got != want {
				t.Errorf("browser is\n%q, want\n%q", got, want)
			}
			if got := env[AllowAllVariable]; got != "true" {
				t.Errorf("%s is %q", AllowAllVariable, got)
			}
			if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
				t.Error("a value was run")
			}
		})
	}
}

// TestEnvironmentProperty: any text that may be a channel comes back from every shell and from our own reader.
func TestEnvironmentProperty(t *testing.T) {
	channel := rapid.StringOfN(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("'\"\\$`\n !~=#;&|*?[]{}()<>-%\r\t"))), 1, 20, -1).
		Filter(func(s string) bool { return !strings.ContainsAny(s, ",\x00\ufffd") })
	for i, s := range shells {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			rapid.Check(t, func(rt *rapid.T) {
				names := rapid.SliceOfN(channel, 1, 60).Draw(rt, "channels")
				m := machine()
				for _, n := range names {
					m.Channels = append(m.Channels, model.Text{Value: n, Origin: origin()})
				}
				writeEnv(t, dir, m)
				want := strings.Join(names, ",")
				if got := loaded(t, i, dir)[channelsVariable]; got != want {
					rt.Fatalf("got %q, want %q", got, want)
				}
				if got := environmentText(rendered(t, m))[channelsVariable]; got != want {
					rt.Fatalf("our own reader got %q, want %q", got, want)
				}
			})
		})
	}
}

func TestEnvironmentAbsent(t *testing.T) {
	for _, m := range []model.Machine{
		machine(), machine("allowAll", truth(false), "suppressBrowserLaunch", truth(false)),
		machine("browserCommand", text("auto")), machine("browserCommand", text("")), machine("browserCommand", list()),
	} {
		if out := rendered(t, m); made(out, envPath) != "" || made(out, fishPath) != "" {
			t.Errorf("files without a line:\n%s", made(out, envPath))
		}
	}
}

func TestEnvironmentLines(t *testing.T) {
	m := machine("allowAll", truth(true))
	m.Channels = []model.Text{{Value: "brain", Origin: origin()}, {Value: "amygdala", Origin: origin()}}
	want := "# channels\nAGENTIHOOKS_BASE_CHANNELS='brain,amygdala'\n# allowAll\nCOPILOT_ALLOW_ALL=true\n"
	if got := made(rendered(t, m), envPath); got != strings.ReplaceAll(want, "'", "") {
		t.Errorf("got\n%s", got)
	}
}

func TestChannelErrors(t *testing.T) {
	m := machine("browserCommand", list("prog", "a\x00b"))
	m.Facts.Which["prog"] = "/bin/prog"
	for _, c := range []string{"a,b", "a\x00b", "\xff", "", "fine"} {
		m.Channels = append(m.Channels, model.Text{Value: c, Origin: origin()})
	}
	out, diags := Render(input(m))
	wantDiags(t, diags, "invalid-channel", "invalid-channel", "invalid-text", "invalid-text", "invalid-text")
	if got := environmentText(out)[channelsVariable]; got != "fine" {
		t.Errorf("channels are %q", got)
	}
}

func TestShellInit(t *testing.T) {
	for i, s := range shells {
		name := map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "dash": "bash"}[s.name]
		if name == "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), `it's "$(touch pwned)" \ home`)
			if err := os.MkdirAll(filepath.Join(home, envDir), 0o700); err != nil {
				t.Fatal(err)
			}
			block, err := ShellInit(name, home)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(block, "# >>> agentihooks >>>\n") || !strings.HasSuffix(block, "# <<< agentihooks <<<\n") {
				t.Errorf("no markers around\n%s", block)
			}
			run := func() map[string]string {
				file := filepath.Join(home, filepath.Base(s.file))
				// Twice, and then a variable of the shell's own, which must not be exported.
				text := block + block + "MINE=1\n"
				if name == "fish" {
					text = block + block + "set MINE 1\n"
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				script := strings.Replace(s.script, "set -a; ", "set -eu; ", 1)
				old := shells[i].script
				shells[i].script = script
				defer func() { shells[i].script = old }()
				return loaded(t, i, home)
			}
			if env := run(); env[channelsVariable] != "" || env["MINE"] != "" {
				t.Errorf("without files: %q and %q", env[channelsVariable], env["MINE"])
			}
			m := machine()
			m.Channels = []model.Text{{Value: "it's on", Origin: origin()}}
			writeEnv(t, filepath.Join(home, envDir), m)
			if env := run(); env[channelsVariable] != "it's on" || env["MINE"] != "" {
				t.Errorf("with files: %q and %q", env[channelsVariable], env["MINE"])
			}
			if _, err := os.Stat(filepath.Join(home, "pwned")); err == nil {
				t.Error("the home's name was run")
			}
		})
	}
	for _, bad := range [][2]string{{"tcsh", "/home/u"}, {"", "/home/u"}, {"bash", ""}, {"bash", "u"}, {"bash", "/a\x00"}} {
		if block, err := ShellInit(bad[0], bad[1]); err == nil || block != "" {
			t.Errorf("ShellInit%q gave %q, %v", bad, block, err)
		}
	}
}

// TestSink runs the command that takes the place of a browser, as Copilot would.
func TestSink(t *testing.T) {
	out := rendered(t, machine("suppressBrowserLaunch", truth(true)))
	words, err := shellWords(strings.SplitN(made(out, envPath), "=", 2)[1])
	if err != nil {
		t.Fatal(err)
	}
	var argv []string
	decode(t, words[0], &argv)
	if len(argv) != 4 || argv[3] != "agentihooks-oauth" {
		t.Fatalf("argv is %q", argv)
	}
	home := filepath.Join(t.TempDir(), "it's home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	urls := []string{"https://example.net/?a=1&b='$(touch pwned)'", "-n", "https://example.net/ünï%0A"}
	for _, url := range urls {
		cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], url)...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v, %s", err, out)
		}
	}
	path := filepath.Join(home, ".copilot", "pending-oauth-urls.txt")
	got, err := os.ReadFile(path)
	if err != nil || string(got) != strings.Join(urls, "\n")+"\n" {
		t.Errorf("file holds %q, %v", got, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(home, "pwned")); err == nil {
		t.Error("an address was run")
	}
}

func TestShellWords(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" \t\n", nil},
		{`firefox --new-tab`, []string{"firefox", "--new-tab"}},
		{`a "b c" 'd e' f\ g`, []string{"a", "b c", "d e", "f g"}},
		{`a"b"'c'd`, []string{"abcd"}},
		{`'' "" x`, []string{"", "", "x"}},
		{`"a\"b\\c\$d\e"`, []string{`a"b\c$d\e`}},
		{`'a\b'`, []string{`a\b`}},
		{"a\\\nb \"c\\\nd\"", []string{"ab", "cd"}},
		{`$HOME ~ * #x`, []string{"$HOME", "~", "*", "#x"}},
		{`"/mnt/c/Program Files (x86)/x.exe" -a`, []string{"/mnt/c/Program Files (x86)/x.exe", "-a"}},
	}
	for _, tt := range tests {
		if got, err := shellWords(tt.in); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q gives %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{`'`, `"`, `\`, `a 'b`, `a "b\"`, `a\`} {
		if got, err := shellWords(in); err == nil {
			t.Errorf("%q gives %q", in, got)
		}
	}
}

// TestShellWordsAgree: where nothing is left for a shell to expand, a real one splits the same way.
func TestShellWordsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := rapid.StringOfN(rapid.RuneFrom([]rune(`ab '"\`)), 0, 12, -1).Draw(rt, "text")
		got, err := shellWords(in)
		if err != nil {
			return
		}
		out, runErr := exec.Command("sh", "-c", "printf '%s\\0' x "+in).Output()
		if runErr != nil {
			rt.Fatalf("%q: %v", in, runErr)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")[1:]
		if !slices.Equal(got, want) {
			rt.Fatalf("%q gives %q, the shell has %q", in, got, want)
		}
	})
}

func TestBrowser(t *testing.T) {
	wsl := true
	chrome, edge := windowsBrowsers[1], windowsBrowsers[3]
	all := map[string]string{"wslview": "/usr/bin/wslview", windowsBrowsers[1]: chrome, windowsBrowsers[2]: "", windowsBrowsers[3]: edge, windowsBrowsers[4]: ""}
	without := func(names ...string) map[string]string {
		out := map[string]string{}
		for k, v := range all {
			if slices.Contains(names, k) {
				v = ""
			}
			out[k] = v
		}
		return out
	}
	tests := []struct {
		name     string
		command  model.Value
		wsl      *bool
		suppress bool
		which    map[string]string
		want     string
		diags    []string
		probes   int
	}{
		{"list", list("br", "--new tab"), nil, false, map[string]string{"br": "/usr/bin/br"}, `["br","--new tab"]`, nil, 1},
		{"string", text(`br --new-tab "a b"`), nil, true, map[string]string{"br": "/usr/bin/br"}, `["br","--new-tab","a b"]`, nil, 1},
		{"path", text("/opt/b/br -x"), nil, false, map[string]string{"/opt/b/br": "/opt/b/br"}, `["/opt/b/br","-x"]`, nil, 1},
		{"not found", text("br"), nil, false, map[string]string{"br": ""}, "", []string{"command-not-found"}, 1},
		{"not found, suppressed", text("br"), nil, true, map[string]string{"br": ""}, compact([]string{"sh", "-c", sinkScript, "agentihooks-oauth"}), []string{"command-not-found"}, 1},
		{"empty word", list(""), nil, false, map[string]string{"": ""}, "", []string{"command-not-found"}, 1},
		{"unknown fact", text("br"), nil, false, nil, "", []string{"unknown-fact"}, 1},
		{"open quote", text("br 'x"), nil, false, nil, "", []string{"invalid-command"}, 0},
		{"auto elsewhere", text("auto"), new(bool), false, nil, "", nil, 0},
		{"auto elsewhere, suppressed", text("auto"), new(bool), true, nil, compact([]string{"sh", "-c", sinkScript, "agentihooks-oauth"}), nil, 0},
		{"auto", text(" AUTO "), &wsl, true, all, `["/usr/bin/wslview"]`, nil, 5},
		{"auto, no wslview", text("auto"), &wsl, false, without("wslview"), compact([]string{chrome}), nil, 5},
		{"auto, Edge", text("auto"), &wsl, false, without("wslview", chrome), compact([]string{edge}), nil, 5},
		{"auto, nothing", text("auto"), &wsl, false, without("wslview", chrome, edge), "", []string{"command-not-found"}, 5},
		{"auto, not asked", text("auto"), &wsl, false, nil, "", []string{"unknown-fact"}, 5},
		{"auto, WSL unknown", text("auto"), nil, false, all, "", []string{"unknown-fact"}, 5},
		{"a list is verbatim", list("auto"), &wsl, false, map[string]string{"auto": "/bin/auto"}, `["auto"]`, nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := machine("browserCommand", tt.command, "suppressBrowserLaunch", truth(tt.suppress))
			m.Facts.WSL, m.Facts.Which = tt.wsl, tt.which
			m.Channels = []model.Text{{Value: "brain", Origin: origin()}}
			out, diags := Render(input(m))
			wantDiags(t, diags, tt.diags...)
			env := environmentText(out)
			if env[browserVariable] != tt.want || env[channelsVariable] != "brain" {
				t.Errorf("environment %q, want %q", env, tt.want)
			}
			if got := Probes(m, m.Targets[0]); len(got) != tt.probes || !slices.IsSorted(got) {
				t.Errorf("probes %q, want %d", got, tt.probes)
			}
		})
	}
	if s := fmt.Sprint(windowsBrowsers); strings.Contains(s, "explorer") {
		t.Error("explorer.exe opens folders")
	}
}

// An exported secret is asked for when a shell loads the file, in every shell, however the hook's path is spelled; one
// that cannot be read leaves the rest as it is.
func TestExportedSecret(t *testing.T) {
	for i, s := range shells {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			m := machine("hooks", truth(false), "allowAll", truth(true))
			m.Facts.StateDir = filepath.Join(dir, "it's $HOME")
			m.Secrets = []model.Block{
				block("secret", "GONE", "file", text("/nonexistent"), "export", truth(true)),
				block("secret", "KEPT", "file", text("/f")),
				block("secret", "OUT", "file", text("/f"), "export", truth(true)),
			}
			hook := input(m).Hook
			if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
				t.Fatal(err)
			}
			script := "#!/bin/sh\n[ \"$1 $2 $3 $4 $5\" = 'secret-exec OUT -- printenv OUT' ] || exit 1\necho 'a  b $c'\n"
			if err := os.WriteFile(hook, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			writeEnv(t, dir, m)
			env := loaded(t, i, dir)
			if env["OUT"] != "a  b $c" || env["GONE"] != "" || env["COPILOT_ALLOW_ALL"] != "true" {
				t.Errorf("OUT %q, GONE %q, COPILOT_ALLOW_ALL %q", env["OUT"], env["GONE"], env["COPILOT_ALLOW_ALL"])
			}
			if _, set := env["KEPT"]; set {
				t.Error("a secret that is not exported is in the environment")
			}
		})
	}
	m := machine()
	m.Secrets = []model.Block{block("secret", "PATH", "file", text("/f"), "export", truth(true))}
	_, diags := Render(input(m))
	wantDiags(t, diags, "invalid-variable")
	m = machine("env", dict("OUT", text("x")))
	m.Secrets = []model.Block{block("secret", "OUT", "file", text("/f"), "export", truth(true))}
	_, diags = Render(input(m))
	wantDiags(t, diags, "conflict")
}

// environmentText is the variables of a rendered copilot.env.
func environmentText(out target.Output) map[string]string {
	return Environment(func(name string) ([]byte, bool) { return []byte(made(out, name)), true })
}
