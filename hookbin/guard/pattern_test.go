package guard

import (
	"strings"
	"testing"
)

// TestPatterns judges lines by one pattern each.
func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern string
		denied  []string
		allowed []string
	}{
		{"shutdown", []string{"shutdown", "sudo shutdown -h now", "/sbin/shutdown"}, []string{"echo shutdown", "shutdownx", "x shutdown"}},
		{"/usr/bin/git push", []string{"git push", "/opt/git push"}, []string{"git pull"}},
		{"git reset --hard", []string{"git reset --har", "git reset --h HEAD~1"}, []string{"git reset --", "git reset --soft", "git reset --hardly"}},
		{"git push --force-with-lease", []string{"git push --force-with-lease", "git push --force-with-l"}, []string{"git push --force"}},
		{"mkfs*", []string{"mkfs", "mkfs.ext4 /dev/sda"}, []string{"amkfs", "mkf"}},
		{"* --no-verify", []string{"git commit --no-verify", "x --no-verify"}, []string{"git commit"}},
		{"git push --force*", []string{"git push --force", "git push --force-with-lease", "git push --force-with-lease=x"}, []string{"git push --forc", "git push"}},
		{"git push * main", []string{"git push origin main", "git push -u origin main"}, []string{"git push main", "git push origin"}},
		{"git push * +*", []string{"git push origin +main"}, []string{"git push origin main", "git push +main"}},
		{"git push * *:main", []string{"git push origin HEAD:main"}, []string{"git push origin HEAD:maintain", "git push origin main"}},
		{"docker run --privileged", []string{"docker run --privileged img", "docker run -it --privileged=true img"}, []string{"docker run img", "docker exec --privileged c"}},
		{"kubectl delete namespace", []string{"kubectl delete namespace prod", "kubectl -n x delete namespace y", "kubectl delete -f x namespace"}, []string{"kubectl -n delete get namespace", "kubectl get namespace"}},
		{"kubectl -n prod delete", []string{"kubectl -n prod delete pod x"}, []string{"kubectl -n dev delete pod x"}},
		{"git -c core.pager=*", []string{"git -c core.pager=x log"}, []string{"git -c user.name=x log", "git log core.pager=x"}},
		{"tar -xzvf", []string{"tar -xzvf a", "tar -x -z -v -f a", "tar -fvzx a", "tar -xzvfp a"}, []string{"tar -xzf a", "tar xzvf a"}},
		{"tar -xzf", []string{"tar -xzf a", "tar -zxf a", "tar -xzvf a"}, []string{"tar -xf a"}},
		{"mytool -delete", []string{"mytool -delete", "mytool -d -e -l -t", "mytool -x -telde"}, []string{"mytool -del", "mytool --delete"}},
		{"find -delete", []string{"find . -delete"}, []string{"find . -d -e -l -t", "find . -maxdepth 1 -type l -ls"}},
		{"git push -f", []string{"git push -f", "git push -qf", "git push -force"}, []string{"git push --force", "git push -q", "git commit -m '- fix' push"}},
		{"git commit -n", []string{"git commit -n -m x", "git commit -anm x"}, []string{"git commit -m '- add new thing'", "git commit -m 'n'"}},
		{"make --output=x", []string{"make --output=x", "make --output x"}, []string{"make --output=y", "make --output y", "make --output"}},
		{"git checkout -- .", []string{"git checkout -- .", "git checkout .", "git checkout HEAD -- ."}, []string{"git checkout main", "git checkout -- x"}},
		{"git rm -- -f", []string{"git rm -- -f"}, []string{"git rm -f", "git rm -- f"}},
		{"cat -", []string{"cat -", "cat a -"}, []string{"cat", "cat a"}},
		{"rm 'a b'", []string{"rm 'a b'", `rm a\ b`, `rm "a b"`}, []string{"rm a b"}},
		{"rm *", []string{"rm x", "rm -f x", "rm $x", "rm *"}, []string{"rm", "rm -f"}},
		{"rm /etc/*", []string{"rm /etc/passwd", "rm /etc//x", "rm /tmp/../etc/x", "rm -f a /etc/x/y"}, []string{"rm /etcx", "rm etc/x", "rm /tmp/etc/x"}},
		{"rm -r /home/bob/", []string{"rm -r /home/bob", "rm -r /home/bob/", "rm -r /home/bob/*", "cd /home && rm -r bob", "cd /home/bob && rm -r *"}, []string{"rm -r /home/bob/x", "cd /home && rm -r bo"}},
		{"rm -rf ~/work", []string{"rm -rf ~/work", "rm -rf $HOME/work", "rm -rf ~/work/", "cd && rm -rf work", "cd ~/work; rm -rf ."}, []string{"rm -rf work", "rm -rf ~/works"}},
		{"git push origin main", []string{"git push origin main", "git push -u origin x main"}, []string{"git push main origin", "git push origin", "git origin push main"}},
		{"echo ;x", nil, nil},
		{"gh pr merge --admin", []string{"gh pr merge 1 --admin", "gh -R a/b pr merge --admin"}, []string{"gh pr view --admin", "gh pr merge 1"}},
		{"chmod 777", []string{"chmod 777 x", "chmod -R 777 /x"}, []string{"chmod 755 x", "chmod 0777 x"}},
		{"kill -9", []string{"kill -9 1", "kill -9"}, []string{"kill 9", "kill -15 1"}},
		{"curl * | sh", nil, nil},
		{"terraform destroy -auto-approve", []string{"terraform destroy -auto-approve", "terraform -chdir=x destroy -auto-approve"}, []string{"terraform destroy", "terraform apply -auto-approve"}},
		{"python -c", []string{"python -c 'print(1)'"}, []string{"python x.py"}},
		{"ünï cöde", []string{"ünï cöde"}, []string{"uni code"}},
	} {
		data, problems := Compile("commands", Args{"deny": []string{test.pattern}})
		if (test.denied == nil && test.allowed == nil) != (len(problems) > 0) {
			t.Errorf("compiling %q: %v", test.pattern, problems)
			continue
		}
		for _, command := range test.denied {
			if v := judge(t, data, command); v.Kind != Deny {
				t.Errorf("%q does not deny %q", test.pattern, command)
			}
		}
		for _, command := range test.allowed {
			if v := judge(t, data, command); v.Kind != Pass {
				t.Errorf("%q denies %q: %s", test.pattern, command, v.Reason)
			}
		}
	}
}

// TestPatternProblems gives what is no pattern; the problem says what is wrong and what to do.
func TestPatternProblems(t *testing.T) {
	for _, test := range []struct{ pattern, problem string }{
		{"", "is empty"},
		{"  ", "is empty"},
		{"--force", "no command"},
		{"-rf /", "no command"},
		{"''", "no command"},
		{"X=1 git push", "assignment"},
		{"/usr/bin/", "folder"},
		{"/", "folder"},
		{"git push ''", "empty word"},
		{"git push && ls", "operator &"},
		{"git push; ls", "operator ;"},
		{"git | sh", "operator |"},
		{"git > x", "operator >"},
		{"(git push)", "operator ("},
		{"git `x`", "operator `"},
		{"rm $HOME", "holds a $"},
		{"git 'push", "not closed"},
		{`git "push`, "not closed"},
		{`git push\`, "backslash"},
		{"git\npush", "control"},
		{"git\x00push", "control"},
		{"git \x1b[31m", "control"},
		{"git \u0085x", "control"},
		{"git \xff", "UTF-8"},
		{"git " + strings.Repeat("x", 1_024), "longer"},
	} {
		_, problems := Compile("commands", Args{"deny": []string{"ls", test.pattern}})
		if len(problems) != 1 || problems[0].Arg != "deny" || problems[0].Index != 1 || !strings.Contains(problems[0].Text, test.problem) {
			t.Errorf("compiling %q gives %v, want a problem with %q", test.pattern, problems, test.problem)
			continue
		}
		if text := problems[0].Text; !strings.HasSuffix(text, ".") || strings.Count(text, ". ") < 1 && !strings.Contains(text, "! ") {
			t.Errorf("the problem of %q does not say what to do: %s", test.pattern, text)
		}
	}
}

func TestCompileProblems(t *testing.T) {
	tooMany := make([]string, maxPatterns+1)
	for i := range tooMany {
		tooMany[i] = "a" + strings.Repeat("x", i%1_000) + string(rune('a'+i/1_000))
	}
	for _, test := range []struct {
		name, kind string
		args       Args
		want       int
	}{
		{"no argument", "commands", Args{}, 1},
		{"wrong type", "commands", Args{"deny": "git push"}, 1},
		{"another argument", "commands", Args{"deny": []string{"ls"}, "allow": []string{"x"}, "ask": true}, 2},
		{"all at once", "commands", Args{"deny": []string{"", "ls", "-x", "a;b"}, "x": 1}, 4},
		{"another kind", "nonesuch", Args{}, 1},
		{"too many", "commands", Args{"deny": tooMany}, 1},
		{"none", "commands", Args{"deny": []string{}}, 0},
	} {
		data, problems := Compile(test.kind, test.args)
		if len(problems) != test.want || (data == nil) != (test.want > 0) {
			t.Errorf("%s: %d problems %v, data %q, want %d problems", test.name, len(problems), problems, data, test.want)
		}
	}
}

func TestShown(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"git push", "git push"},
		{"a\nb\tc", "a b c"},
		{"a\x1b[31mb", `a\u{1b}[31mb`},
		{"a\u202eb\u200bc", `a\u{202e}b\u{200b}c`},
		{"a\xffb", `a\u{fffd}b`},
		{strings.Repeat("ä", 201), strings.Repeat("ä", 200) + "…"},
		{strings.Repeat("ä", 200), strings.Repeat("ä", 200)},
	} {
		if got := shown(test.in); got != test.want {
			t.Errorf("shown(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}
