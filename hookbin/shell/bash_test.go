package shell

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// TestWordsAsBash makes words at random and compares them with what a real bash makes of them. Words that are not known
// are not compared.
func TestWordsAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	fragments := []string{
		"a", "b/c", "-f", "--x=y", "~", "'s q'", `"d q"`, `"$v"`, "$v", "${v}", "$w", `"$w"`, "${w}", `\x`, `\ `, `\\`, `"\$a\b"`, `'\'`, "''", `""`,
		`$'\n'`, `$'\x41\102\'\e'`, `$'\u00e9\q'`, `$"e"`, "{1,2}", "{a,{b,c}}", "{1..3}", "{c..a}", "{x}", "{", "}", ",", "{a,$v}", `{"a,b",c}`, "{3..1..2}",
		"${v:-d}", "${u:-d}", "${u-d e}", `"${u:-d e}"`, "${v:+p}", "${u:+p}", "${v,,}", "${w^^}", "${v^}", "${v#V}", "${v%l}", "${v/a/_}", "${v//l/L}", "${v:1:2}", "${w:1}",
		"${r[@]}", `"${r[@]}"`, `"x${r[@]}y"`, "$r", "${r[1]}", `"${r[0]}"`, "${!n}", `"$@"`, "$@", "$1", `"$2"`, "$3",
		"$(echo o p)", `"$(echo o p)"`, "`echo q`", "$(printf '%s-' 1 2)", `"$(printf 'a\n\n')"`, `$(echo -n "r  s")`, `$(printf '%b' '\x41')`, `$(echo -e 'a\tb')`,
		"#", "=", ":", "@", "%", "!", "^", "é",
	}
	const head = "v='Val' w='two  words ' n=v r=(r0 'r 1' r2)\nunset u\nset -- p1 'p 2'\n"
	random := rand.New(rand.NewPCG(3, 4))
	var lines []string
	var script strings.Builder
	script.WriteString(head)
	for range 1_500 {
		var words []string
		for range 1 + random.IntN(3) {
			var word strings.Builder
			for range 1 + random.IntN(4) {
				word.WriteString(fragments[random.IntN(len(fragments))])
			}
			if !strings.HasPrefix(word.String(), "#") {
				words = append(words, word.String())
			}
		}
		line := "w " + strings.Join(words, " ")
		if s := Read(head + line); len(s.Unparsed) > 0 {
			continue
		}
		lines = append(lines, line)
		fmt.Fprintf(&script, "%s\n", line)
	}
	cmd := exec.Command(bash, "--norc", "--noprofile")
	cmd.Stdin = strings.NewReader("w() { [ $# = 0 ] || printf '%s\\0' \"$@\"; printf '\\1'; }\n" + script.String())
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"LC_ALL=C.UTF-8", "HOME=~"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("running bash: %v", err)
	}
	results := bytes.Split(out, []byte{1})
	if len(results) != len(lines)+1 {
		t.Fatalf("bash gave %d results for %d lines", len(results)-1, len(lines))
	}
	compared := 0
	for i, line := range lines {
		var got strings.Builder
		known := true
		commands := Read(head + line).Commands
		for _, word := range commands[len(commands)-1].Words[1:] {
			known = known && word.Known()
			got.WriteString(word.Text + "\x00")
		}
		if !known {
			continue
		}
		compared++
		if got.String() != string(results[i]) {
			t.Errorf("%s\nis read as %q, bash makes %q", line, got.String(), results[i])
		}
	}
	if compared < len(lines)/2 {
		t.Errorf("only %d of %d lines are known", compared, len(lines))
	}
}
