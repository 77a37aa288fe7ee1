package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/compiler/model"
)

func environ(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func write(t *testing.T, path, content string, mode fs.FileMode) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	tool := write(t, filepath.Join(dir, "bin/tool"), "", 0o700)
	f, err := Read(environ(map[string]string{"HOME": "/home/u/", "PATH": filepath.Join(dir, "bin")}), []string{"tool", "nothing"})
	if err != nil {
		t.Fatal(err)
	}
	if f.OS != runtime.GOOS || f.Arch != runtime.GOARCH || f.WSL == nil || f.User == "" || f.Hostname == "" || strings.Contains(f.Hostname, ".") {
		t.Errorf("%+v", f)
	}
	if f.Home != "/home/u" || f.StateDir != "/home/u/.local/state/agentihooks" || f.CopilotHome != "/home/u/.copilot" {
		t.Errorf("folders %+v", f)
	}
	if want := map[string]string{"tool": tool, "nothing": ""}; !reflect.DeepEqual(f.Which, want) {
		t.Errorf("which %v, want %v", f.Which, want)
	}
	if len(f.Versions) != 0 {
		t.Errorf("versions %v", f.Versions)
	}
}

func TestCutDomain(t *testing.T) {
	for in, want := range map[string]string{"wl-0431": "wl-0431", "studio.local": "studio", "a.b.c": "a", "": ""} {
		if got := cutDomain(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestFolders(t *testing.T) {
	home := "/home/u"
	def := folders{home, "/home/u/.local/state/agentihooks", "/home/u/.copilot"}
	for _, tt := range []struct {
		name string
		env  map[string]string
		want folders
		err  string
	}{
		{"only HOME", map[string]string{}, def, ""},
		{"no HOME", map[string]string{"HOME": ""}, folders{}, "HOME is \"\""},
		{"relative HOME", map[string]string{"HOME": "u"}, folders{}, "HOME is \"u\""},
		{"XDG", map[string]string{"XDG_STATE_HOME": "/s//x/"}, folders{home, "/s/x/agentihooks", def.copilot}, ""},
		{"relative XDG", map[string]string{"XDG_STATE_HOME": "s"}, folders{}, "XDG_STATE_HOME is \"s\""},
		{"own folder", map[string]string{"XDG_STATE_HOME": "/s", "AGENTIHOOKS_STATE_DIR": "/t/"}, folders{home, "/t", def.copilot}, ""},
		{"relative own folder", map[string]string{"AGENTIHOOKS_STATE_DIR": "./t"}, folders{}, "AGENTIHOOKS_STATE_DIR is \"./t\""},
		{"copilot", map[string]string{"COPILOT_HOME": "/c/../d"}, folders{home, def.state, "/d"}, ""},
		{"copilot list", map[string]string{"COPILOT_HOME": " /c , /d"}, folders{home, def.state, "/c"}, ""},
		{"copilot tilde", map[string]string{"COPILOT_HOME": "~/c"}, folders{home, def.state, "/home/u/c"}, ""},
		{"copilot bare tilde", map[string]string{"COPILOT_HOME": "~"}, folders{home, def.state, "/home/u"}, ""},
		{"copilot of another", map[string]string{"COPILOT_HOME": "~v/c"}, folders{}, "COPILOT_HOME is \"~v/c\""},
		{"relative copilot", map[string]string{"COPILOT_HOME": "c"}, folders{}, "COPILOT_HOME is \"c\""},
		{"empty copilot list", map[string]string{"COPILOT_HOME": ","}, def, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, ok := tt.env["HOME"]; !ok {
				tt.env["HOME"] = home
			}
			got, err := readFolders(environ(tt.env))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestHomeKeepsItsLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	if f, err := readFolders(environ(map[string]string{"HOME": link})); err != nil || f.home != link {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestIsWSL(t *testing.T) {
	dir := t.TempDir()
	linux := write(t, filepath.Join(dir, "linux"), "Linux version 6.1.0 (gcc)", 0o600)
	wsl1 := write(t, filepath.Join(dir, "wsl1"), "Linux version 4.4.0-19041-Microsoft", 0o600)
	wsl2 := write(t, filepath.Join(dir, "wsl2"), "Linux version 5.15.90.1-microsoft-standard-WSL2", 0o600)
	for _, tt := range []struct {
		env  map[string]string
		proc string
		want bool
	}{
		{nil, linux, false},
		{nil, filepath.Join(dir, "nothing"), false},
		{nil, wsl1, true},
		{nil, wsl2, true},
		{map[string]string{"WSL_DISTRO_NAME": "Debian"}, linux, true},
		{map[string]string{"WSL_INTEROP": "/run/x"}, linux, true},
	} {
		if got := isWSL(environ(tt.env), tt.proc); got != tt.want {
			t.Errorf("%v, %s: %v", tt.env, filepath.Base(tt.proc), got)
		}
	}
}

func TestWhich(t *testing.T) {
	dir := t.TempDir()
	tool := write(t, filepath.Join(dir, "a/tool"), "", 0o700)
	second := write(t, filepath.Join(dir, "b/tool"), "", 0o700)
	write(t, filepath.Join(dir, "a/plain"), "", 0o600)
	plain := write(t, filepath.Join(dir, "b/plain"), "", 0o700)
	if err := os.Mkdir(filepath.Join(dir, "a/folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "a/link")
	if err := errors.Join(os.Symlink(second, link), os.Symlink("nowhere", filepath.Join(dir, "a/dangling"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	path := fmt.Sprintf("a::.:%s/none:%s/a:%s/b", dir, dir, dir)
	for name, want := range map[string]string{
		"tool": tool, "plain": plain, "link": link, "folder": "", "dangling": "", "nothing": "", "": "", ".": "", "..": "",
		tool: tool, dir + "/a/../a/tool": tool, dir + "/a/plain": dir + "/a/plain", dir + "/none": "", "a/tool": "", "./a/tool": "",
	} {
		if got := answerWhich(path, name); got != want {
			t.Errorf("which %q: %q, want %q", name, got, want)
		}
	}
}

func TestCopilotVersion(t *testing.T) {
	dir := t.TempDir()
	modules := filepath.Join(dir, "lib/node_modules")
	loader := write(t, filepath.Join(modules, "@github/copilot/npm-loader.js"), "", 0o700)
	write(t, filepath.Join(modules, "@github/copilot/package.json"), `{"name":"@github/copilot","version":"1.0.102","x":{}}`, 0o600)
	deep := write(t, filepath.Join(modules, "@github/copilot-linux-x64/sub/copilot"), "", 0o700)
	write(t, filepath.Join(modules, "@github/copilot-linux-x64/package.json"), `{"name":"@github/copilot-linux-x64","version":"1.0.83"}`, 0o600)
	write(t, filepath.Join(modules, "@github/copilot-linux-x64/sub/package.json"), `{"name":"other","version":"9"}`, 0o600)
	other := write(t, filepath.Join(dir, "other/bin/copilot"), "", 0o700)
	write(t, filepath.Join(dir, "other/package.json"), `{"name":"copilot","version":"9"}`, 0o600)
	broken := write(t, filepath.Join(dir, "broken/copilot"), "", 0o700)
	write(t, filepath.Join(dir, "broken/package.json"), `{"name":"@github/copilot","version":`, 0o600)
	huge := write(t, filepath.Join(dir, "huge/copilot"), "", 0o700)
	write(t, filepath.Join(dir, "huge/package.json"), `{"name":"@github/copilot","version":"1"}`+strings.Repeat(" ", maxPackage), 0o600)
	link := filepath.Join(dir, "bin/copilot")
	if err := errors.Join(os.Mkdir(filepath.Dir(link), 0o700), os.Symlink(loader, link)); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		link: "1.0.102", deep: "1.0.83", other: "", broken: "", huge: "", "": "", dir + "/nothing": "",
	} {
		if got, ok := copilotVersion(program); got != want && ok {
			t.Errorf("%s: %q, %v; want %q", program, got, ok, want)
		} else if ok != (want != "") {
			t.Errorf("%s: found %v", program, ok)
		}
	}
}

func TestEncodeDecode(t *testing.T) {
	wsl := true
	want := model.Facts{
		Hostname: "h<>", OS: "linux", Arch: "amd64", WSL: &wsl, User: "ü", Home: "/home/u", StateDir: "/s", CopilotHome: "/c",
		Versions: map[string]string{"copilot": "1.0.102"}, Which: map[string]string{"b": "", "a": "/bin/a"},
	}
	if got, err := Decode(Encode(want)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	const partial = "\ufeff{\r\n  \"hostname\": \"studio\",\r\n  \"os\": \"darwin\"\r\n}\r\n"
	if got, err := Decode([]byte(partial)); err != nil || !reflect.DeepEqual(got, model.Facts{Hostname: "studio", OS: "darwin"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	const empty = `{
  "schema": 1,
  "hostname": "",
  "os": "",
  "arch": "",
  "wsl": null,
  "user": "",
  "home": "",
  "stateDir": "",
  "copilotHome": "",
  "versions": {},
  "which": {}
}
`
	if got := string(Encode(model.Facts{})); got != empty {
		t.Errorf("no facts encode as\n%s", got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{``, "unexpected EOF"},
		{`[]`, "cannot unmarshal"},
		{`{"schema":2}`, "schema 2"},
		{"{\n\"hostName\":\"x\"}", `line 2: unknown name "hostName": it is spelled "hostname"`},
		{`{"Facts":{}}`, `unknown name "Facts"`},
		{`{"os":"linux","os":"darwin"}`, "given twice"},
		{`{"wsl":"yes"}`, "cannot unmarshal"},
		{`{"home":"home/u"}`, "home is"},
		{`{"home":"/home/../u"}`, "home is"},
		{`{"stateDir":"s"}`, "stateDir is"},
		{`{"copilotHome":"~/.copilot"}`, "copilotHome is"},
		{`{"which":{"ls":"ls"}}`, `which of "ls"`},
		{`{"os":"linux"} {}`, "follows"},
		{strings.Repeat(" ", maxFile+1), "larger than"},
	} {
		if got, err := Decode([]byte(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %+v, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestReadDir(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "studio.json"), `{"os":"darwin"}`, 0o600)
	write(t, filepath.Join(dir, "wl-0431.json"), `{"os":"linux"}`, 0o600)
	write(t, filepath.Join(dir, ".hidden.json"), `x`, 0o600)
	write(t, filepath.Join(dir, ".json"), `x`, 0o600)
	write(t, filepath.Join(dir, "README.md"), `x`, 0o600)
	want := map[string]model.Facts{"studio": {OS: "darwin"}, "wl-0431": {OS: "linux"}}
	if got, err := ReadDir(dir); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := ReadFile(filepath.Join(dir, "studio.json")); err != nil || got.OS != "darwin" {
		t.Errorf("got %+v, %v", got, err)
	}
	write(t, filepath.Join(dir, "bad.json"), `{"x":1}`, 0o600)
	write(t, filepath.Join(dir, "worse.json"), `{`, 0o600)
	if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), "bad.json") || !strings.Contains(err.Error(), "worse.json") {
		t.Errorf("error %v", err)
	}
	if _, err := ReadDir(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := ReadFile(dir); err == nil {
		t.Error("a folder was read")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode(model.Facts{Hostname: "h", Which: map[string]string{"a": "/bin/a"}}))
	f.Add([]byte(`{"wsl":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Decode(data)
		if err != nil {
			return
		}
		back, err := Decode(Encode(got))
		if got.Versions == nil {
			got.Versions = map[string]string{}
		}
		if got.Which == nil {
			got.Which = map[string]string{}
		}
		if err != nil || !reflect.DeepEqual(back, got) {
			t.Errorf("%+v comes back as %+v, %v", got, back, err)
		}
	})
}
