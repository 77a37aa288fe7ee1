package guard

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSpellings spells commands in ways that mean the same to a shell, and puts them in places where they run: the
// verdict stays. Then it puts them in places where they are only text: nothing is denied.
func TestSpellings(t *testing.T) {
	data := policy(t)
	commands := []struct {
		words []string
		want  VerdictKind
	}{
		{[]string{"git", "push", "--force", "origin"}, Deny},
		{[]string{"git", "push", "-uf"}, Deny},
		{[]string{"rm", "-rf", "/"}, Deny},
		{[]string{"find", ".", "-delete"}, Deny},
		{[]string{"git", "push", "--force-with-lease"}, Pass},
		{[]string{"git", "status", "-s"}, Pass},
		{[]string{"rm", "-rf", "/tmp/x"}, Pass},
		{[]string{"rm", "-r", "/"}, Pass},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		c := commands[random.IntN(len(commands))]
		text := spell(random, c.words)
		for range random.IntN(3) {
			text = places[random.IntN(len(places))](text)
		}
		if v := judge(t, data, text); v.Kind != c.want {
			t.Fatalf("verdict on %q, a spelling of %q, is %v (%s), want %v", text, c.words, v.Kind, v.Reason, c.want)
		}
		text = asText[random.IntN(len(asText))](strings.Join(c.words, " "))
		if v := judge(t, data, text); v.Kind != Pass {
			t.Fatalf("%q is denied: %s", text, v.Reason)
		}
	}
}

// spell writes each word in one of the ways in which a shell reads it.
func spell(random *rand.Rand, words []string) string {
	var out []string
	for _, word := range words {
		var b strings.Builder
		for rest := word; rest != ""; {
			n := 1 + random.IntN(len(rest))
			b.WriteString(spellings[random.IntN(len(spellings))](rest[:n]))
			rest = rest[n:]
		}
		out = append(out, b.String())
	}
	return strings.Join(out, []string{" ", "  ", "\t", " \\\n"}[random.IntN(4)])
}

var spellings = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return "'" + s + "'" },
	func(s string) string { return `"` + s + `"` },
	func(s string) string { return `\` + s },
	func(s string) string { return s + `''` },
	func(s string) string { return `""` + s },
	func(s string) string { return s + "\\\n" },
	func(s string) string { return fmt.Sprintf(`$'\x%02x%s'`, s[0], s[1:]) },
	func(s string) string { return fmt.Sprintf(`$'\%03o'`, s[0]) + s[1:] },
	func(s string) string { return "$(echo '" + s + "')" },
	func(s string) string { return `"$(printf %s "` + s + `")"` },
}

func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// places are where a command runs.
var places = []func(string) string{
	func(s string) string { return "ls; " + s },
	func(s string) string { return "true && { " + s + "\n} || false" },
	func(s string) string { return "( " + s + "\n)" },
	func(s string) string { return "{ " + s + "\n}" },
	func(s string) string { return "echo $( " + s + "\n)" },
	func(s string) string { return "echo \"a $( " + s + "\n)\"" },
	func(s string) string { return "if true; then " + s + "\nfi" },
	func(s string) string { return "for i in 1 2; do\n" + s + "\ndone" },
	func(s string) string { return "f() {\n" + s + "\n}; f" },
	func(s string) string { return "{ " + s + "\n} | cat" },
	func(s string) string { return "{ " + s + "\n} &" },
	func(s string) string { return "! { " + s + "\n}" },
	func(s string) string { return "A=b " + "bash -c " + single(s) },
	func(s string) string { return "sudo -u root sh -ec " + single(s) + " x" },
	func(s string) string { return "eval " + single(s) },
	func(s string) string { return fmt.Sprintf("bash <<'END%d'\n%s\nEND%[1]d\n", len(s), s) },
	func(s string) string { return "bash <<< " + single(s) },
	func(s string) string { return "printf '%s\\n' " + single(s) + " | sh" },
	func(s string) string { return "timeout 5 env -i bash -c " + single(s) },
	func(s string) string { return "c=" + single(s) + "; eval \"$c\"" },
}

// asText are where a command is only text.
var asText = []func(string) string{
	func(s string) string { return "echo " + single(s) },
	func(s string) string { return "git commit -m " + single(s) },
	func(s string) string { return "grep -rn \"" + s + "\" ." },
	func(s string) string { return "cat > notes <<'END'\n" + s + "\nEND\n" },
	func(s string) string { return "x=" + single(s) },
	func(s string) string { return "ls # " + s },
	func(s string) string { return "printf '%s' " + single(s) + " > notes" },
	func(s string) string { return "[[ $x == " + single(s) + " ]]" },
	func(s string) string { return "gh issue create --body \"$(cat <<'END'\n" + s + "\nEND\n)\"" },
}
