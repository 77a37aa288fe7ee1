package shell

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRunAsBash makes programs at random and runs them in a real bash, in which the command "log" writes down its
// words. Everything that was run has to be among the commands that were read; more may have been read.
func TestRunAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	for _, tool := range []string{"find", "nice", "nohup", "timeout", "xargs"} {
		if _, missing := exec.LookPath(tool); missing != nil {
			err = missing
		}
	}
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log.txt")
	stub := "#!" + bash + "\nprintf '%s\\0' log \"$@\" >>'" + log + "'\nprintf '\\n' >>'" + log + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	ran := 0
	for seed := range uint64(60) {
		g := generator{rand.New(rand.NewPCG(seed, 9)), 0}
		text := g.list(4)
		if err := os.RemoveAll(work); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(work, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(log, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bash, "--norc", "--noprofile", "-c", text)
		cmd.Dir = work
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "LC_ALL=C"}
		if out, err := cmd.CombinedOutput(); err != nil && strings.Contains(string(out), "syntax error") {
			t.Fatalf("program %d is no shell: %s\n%s", seed, out, text)
		}
		out, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		script := Read(text)
		if script.Limit != NoLimit || len(script.Unparsed) > 0 {
			t.Errorf("program %d is not read: limit %d, unparsed %q\n%s", seed, script.Limit, script.Unparsed, text)
			continue
		}
		for _, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
			if line == "" {
				continue
			}
			ran++
			if !wasRead(script, strings.Split(strings.TrimSuffix(line, "\x00"), "\x00")) {
				t.Errorf("program %d ran %q, which was not read\n%s\nread: %q", seed, line, text, lines(script))
			}
		}
	}
	if ran < 300 {
		t.Errorf("only %d commands ran", ran)
	}
}

// wasRead reports whether one of the commands can be these words.
func wasRead(s Script, words []string) bool {
	for _, c := range s.Commands {
		if covers(c.Words, words) {
			return true
		}
	}
	return false
}

// covers matches words with holes against real ones: a hole of fields is any number of words.
func covers(pattern []Word, words []string) bool {
	if len(pattern) == 0 {
		return len(words) == 0
	}
	if pattern[0].Splits() {
		for n := range len(words) + 1 {
			if covers(pattern[1:], words[n:]) {
				return true
			}
		}
		return false
	}
	return len(words) > 0 && (pattern[0].Text == words[0] || !pattern[0].Known()) && covers(pattern[1:], words[1:])
}

// generator makes programs.
type generator struct {
	*rand.Rand
	names int
}

func (g *generator) pick(options ...string) string { return options[g.IntN(len(options))] }

func (g *generator) word() string {
	return g.pick("a", "b", "'c d'", "$x", "$y", `"$x"`, `"$x$y"`, "e$x", "{f,g}", "$1", `"$@"`, `\h`, "$(echo i)", `"$(echo j k)"`, "${x:-l}", "${z:-m}", "-n")
}

func (g *generator) words() string {
	var out []string
	for range 1 + g.IntN(3) {
		out = append(out, g.word())
	}
	return strings.Join(out, " ")
}

func (g *generator) list(depth int) string {
	var out []string
	for range 1 + g.IntN(3) {
		out = append(out, g.stmt(depth))
	}
	return strings.Join(out, "\n")
}

func (g *generator) stmt(depth int) string {
	if depth == 0 {
		return "log " + g.words()
	}
	inner := g.list(depth - 1)
	g.names++
	name := "f" + strconv.Itoa(g.names)
	quoted := single(inner)
	return g.pick(
		"log "+g.words(),
		g.pick("x", "y")+"="+g.pick("a", "'b c'", "$x", `"$y$x"`, "$(echo q)", ""),
		g.pick("x", "y")+"+="+g.pick("a", "'b c'"),
		"( "+inner+"\n)",
		"{ "+inner+"\n}",
		g.pick("true", "false", "[ -n \"$x\" ]")+g.pick(" && ", " || ")+"{ "+inner+"\n}",
		"if "+g.pick("true", "false")+"; then\n"+inner+"\nelse\n"+g.list(depth-1)+"\nfi",
		"for "+g.pick("x", "y")+" in "+g.words()+"; do\n"+inner+"\ndone",
		"case $x in "+g.pick("a", "b*", "*")+")\n"+inner+"\n;; *)\n"+g.list(depth-1)+"\n;; esac",
		"for i in 1 2; do\n"+inner+"\ndone",
		name+"() {\n"+inner+"\n}\n"+name+" "+g.words(),
		"set -- "+g.words(),
		"eval "+quoted,
		"bash -c "+quoted+" s "+g.words(),
		"bash <<'"+name+"'\n"+inner+"\n"+name,
		"bash <<< "+quoted,
		"printf '%s\\n' "+quoted+" | bash",
		"echo "+quoted+" > "+name+"; bash "+name+" "+g.words(),
		"source <(printf '%s' "+quoted+")",
		": \"$(\n"+inner+"\n)\"",
		"timeout 5 env x=v log "+g.words(),
		"nohup nice -n 1 log "+g.words(),
		"x=p log "+g.words(),
		"x=p bash -c "+quoted,
		"echo "+g.pick("r", "'s t'")+" | xargs log "+g.words(),
		"echo u | xargs -I% log % "+g.words(),
		"find . -maxdepth 0 -exec log {} "+g.words()+" \\;",
		"c=\"log "+g.pick("a", "b c", "$x")+"\"; $c",
		"c=(log "+g.words()+"); \"${c[@]}\"",
		"( trap "+quoted+" EXIT )",
		"cd "+g.pick(".", "/", "..", "\"$PWD\""),
		"! { "+inner+"\n} | cat",
		"{ "+inner+"\n} &\nwait",
	)
}

func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
