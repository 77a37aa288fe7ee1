package guard

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitMachine makes a home and repositories with git itself: dev, main and topic have these branches checked out, mainwt is
// a linked worktree of dev on main, upstream is on dev and pushes to main by its settings, new has no commit, detached no
// branch, and link leads to a folder within main.
func gitMachine(t *testing.T) (root string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("home/.gitconfig", "[user]\n\tname = N\n\temail = n@example.com\n[alias]\n\tship = push origin main\n\tup = !git push origin HEAD\n\tci = commit\n"+
		"\tP = push ; the usual\n\tdeploy = \"!f() { git push origin \\\"$1:main\\\"; }; f\"\n\tst = status -sb\n\tloop = loop\n\tship2 = ship\n[include]\n\tpath = more.gitconfig\n")
	write("home/more.gitconfig", "[alias]\n\tpublish = push --force\n")
	git := func(dir string, words ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", filepath.Join(root, dir)}, words...)...)
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(root, "home"), "GIT_CONFIG_NOSYSTEM=1", "XDG_CONFIG_HOME=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", words, err, out)
		}
	}
	for dir, branch := range map[string]string{"main": "main", "dev": "dev", "topic": "topic", "upstream": "dev", "detached": "main", "mirror": "dev"} {
		write(dir+"/src/a.go", "package a\n")
		git(dir, "init", "-q", "-b", "main")
		git(dir, "add", ".")
		git(dir, "commit", "-q", "-m", "first")
		if branch != "main" {
			git(dir, "checkout", "-q", "-b", branch)
		}
	}
	git("dev", "worktree", "add", "-q", "../mainwt", "main")
	git("topic", "pack-refs", "--all")
	git("upstream", "config", "push.default", "upstream")
	git("upstream", "config", "branch.dev.remote", "origin")
	git("upstream", "config", "branch.dev.merge", "refs/heads/main")
	git("mirror", "config", "remote.origin.mirror", "true")
	git("mirror", "config", "--add", "remote.fork.push", "HEAD:refs/heads/main")
	git("detached", "checkout", "-q", "--detach")
	git(".", "init", "-q", "-b", "main", "new")
	if err := os.Symlink(filepath.Join(root, "main", "src"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	return root
}

// realDisk is the files of the machine that runs the test.
func realDisk() Disk {
	return Disk{
		Resolve: func(name string) string {
			if real, err := filepath.EvalSymlinks(name); err == nil {
				return real
			}
			return name
		},
		Read: func(name string, limit int) ([]byte, bool) {
			file, err := os.Open(name)
			if err != nil {
				return nil, false
			}
			defer file.Close()
			data, err := io.ReadAll(io.LimitReader(file, int64(limit)))
			return data, err == nil
		},
		IsFolder: func(name string) bool {
			info, err := os.Stat(name)
			return err == nil && info.IsDir()
		},
	}
}

func TestGitCommands(t *testing.T) {
	root := gitMachine(t)
	for name, args := range map[string]Args{
		"git":        {},
		"git_strict": {"protected": []string{"main", "release/*"}, "deny": gitActs[:]},
	} {
		t.Run(name, func(t *testing.T) {
			judged(t, name, args, func(line string) *Call {
				return &Call{Tool: "bash", Command: line, Cwd: filepath.Join(root, "dev"), Home: filepath.Join(root, "home"), Disk: realDisk()}
			})
		})
	}
}

// TestGitWithoutDisk judges what the line alone says.
func TestGitWithoutDisk(t *testing.T) {
	for line, want := range map[string]VerdictKind{
		"git push origin main": Deny, "git push origin HEAD": Pass, "git push": Pass, "git commit -m x": Pass, "git -C /x rebase main": Pass, "git ship": Pass,
	} {
		if v := verdictOn(t, "git", Args{"deny": gitActs[:]}, Call{Tool: "bash", Command: line}); v.Kind != want {
			t.Errorf("%s: %+v", line, v)
		}
	}
}

func TestGitReason(t *testing.T) {
	v := verdictOn(t, "git", Args{"mode": "warn"}, Call{Tool: "bash", Command: "git push origin dev:main"})
	want := "Stopped once by guard \"git\": `git push origin dev:main` pushes to main, which is protected. Push a branch of another name, and open a pull request." +
		" If it is right as it is, make the very same call again."
	if v.Kind != Warn || v.Reason != want || v.Rule != "push main" {
		t.Errorf("%+v", v)
	}
}

func TestGitArguments(t *testing.T) {
	for _, args := range []Args{
		{"protected": []string{"refs/heads/main"}},
		{"protected": []string{""}},
		{"protected": []string{"a b"}},
		{"deny": []string{"pushes"}},
	} {
		if _, problems := Compile("git", args); len(problems) != 1 || problems[0].Index != 0 {
			t.Errorf("%v: %v", args, problems)
		}
	}
	data, _ := Compile("git", Args{"deny": []string{"tags", "push"}})
	denied, _, err := Denied("git", data)
	if got := strings.Join(denied, ", "); got != "push main, push master, tags" || err != nil {
		t.Error(got, err)
	}
}

func TestParseGitConfig(t *testing.T) {
	config := parseGitConfig("# c\n[Push]\nDefault=upstream ; c\n[alias] a = b \\\n  c\n[branch \"X.y\"]\n\tMerge = \"refs/heads/a#b\"\n[remote \"o\"]\npush = a\npush = b\nmirror\n")
	for name, want := range map[string]string{
		"push.default": "upstream", "alias.a": "b   c", "branch.X.y.merge": "refs/heads/a#b", "remote.o.push": "b", "remote.o.mirror": "true", "none": "",
	} {
		if got := config.last(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
