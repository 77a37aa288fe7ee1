package guard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/access"
)

// credentialHome is a home with files for credentials, and a project ~/p in it.
func credentialHome(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	for _, name := range []string{"p/.env", "p/.env.example", "p/deploy.key", "p/src/a.go", ".ssh/id_rsa", ".ssh/config", ".tool/session"} {
		if err := os.MkdirAll(filepath.Join(home, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte("A=b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../.ssh/id_rsa", filepath.Join(home, "p", "notes.txt")); err != nil {
		t.Fatal(err)
	}
	return home
}

func globbing(d Disk) Disk {
	d.Glob = func(pattern string, limit int) ([]string, bool) {
		names, _ := filepath.Glob(pattern)
		return names[:min(limit, len(names))], len(names) > limit
	}
	return d
}

func TestCredentialCommands(t *testing.T) {
	home := credentialHome(t)
	judged(t, "credentials", Args{}, func(line string) *Call {
		return &Call{Tool: "bash", Command: line, Cwd: filepath.Join(home, "p"), Home: home, Disk: globbing(realDisk())}
	})
}

func TestCredentialTools(t *testing.T) {
	home := credentialHome(t)
	args := Args{
		"files": []string{"~/.tool", "*.secret.yaml"}, "variables": []string{"DATABASE_URL"}, "allow": []string{".env.test", "CI_TOKEN", "gh auth token", "~/.ssh/id_rsa.old"},
		"secretFiles": []string{"~/.config/x/value"}, "secretVariables": []string{"GATEWAY"},
	}
	bash := func(line string) Call { return Call{Tool: "bash", Command: line} }
	view := func(name string) Call {
		return Call{Tool: "view", Files: []File{{Path: name, Mode: access.Read}}}
	}
	sent := func(text string) Call {
		return Call{Tool: "fs-read_file", Texts: []Text{{Where: "the argument path of fs-read_file", Text: text}}}
	}
	for _, test := range []struct {
		name string
		call Call
		want VerdictKind
	}{
		{"view", view(".env"), Deny},
		{"view, absolute", view(filepath.Join(home, ".ssh", "id_rsa")), Deny},
		{"view through a link", view("notes.txt"), Deny},
		{"view a sample", view(".env.example"), Pass},
		{"view what is allowed", view(".env.test"), Pass},
		{"view a file of the manifest's", view("~/.config/x/value"), Deny},
		{"view below a folder of the manifest's", view("~/.tool/session"), Deny},
		{"view by a name of the manifest's", view("src/x.secret.yaml"), Deny},
		{"edit", Call{Tool: "edit", Files: []File{{Path: ".env", Mode: access.Write}}}, Pass},
		{"list", Call{Tool: "glob", Files: []File{{Path: ".env", Mode: access.Read}}}, Pass},
		{"search the project", Call{Tool: "grep", Files: []File{{Path: ".", Mode: access.Read, Tree: true}}}, Pass},
		{"search the keys", Call{Tool: "grep", Files: []File{{Path: filepath.Join(home, ".ssh"), Mode: access.Read, Tree: true}}}, Deny},
		{"an argument", sent("path: .env"), Deny},
		{"an argument, home", sent("path: ~/.aws/credentials"), Deny},
		{"an argument, as an address", sent("uri: file:///home/x/.netrc"), Deny},
		{"an argument that is a text", sent("body: read .env first, then go on"), Pass},
		{"an argument of another file", sent("path: src/a.go"), Pass},
		{"a variable of the manifest's", bash("echo $DATABASE_URL"), Deny},
		{"a variable of a secret", bash("echo $GATEWAY"), Deny},
		{"a variable that is allowed", bash("echo $CI_TOKEN"), Pass},
		{"a command that is allowed", bash("gh auth token"), Pass},
		{"a file that is allowed", bash("cat .env.test"), Pass},
		{"no shell and no file", Call{Tool: "web_fetch", URL: "https://example.com/.env"}, Pass},
	} {
		test.call.Cwd, test.call.Home, test.call.Disk = filepath.Join(home, "p"), home, realDisk()
		if v := verdictOn(t, "credentials", args, test.call); v.Kind != test.want {
			t.Errorf("%s: %+v", test.name, v)
		}
	}
}

func TestCredentialArguments(t *testing.T) {
	for _, args := range []Args{{"files": []string{"**"}}, {"files": []string{"[x"}}, {"variables": []string{"$A"}}, {"variables": []string{"1A"}}, {"variables": []string{""}}, {"allow": []string{"*"}}} {
		if _, problems := Compile("credentials", args); len(problems) != 1 {
			t.Errorf("%v: %v", args, problems)
		}
	}
}
