package guard

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzShell judges any text: it must end, soon, and give a reason with every denial.
func FuzzShell(f *testing.F) {
	for _, seed := range []string{
		"git push --force", "bash -c 'git push --force'", "echo 'git push --force' | sh", "cat <<EOF | bash\ngit push -f\nEOF",
		"for x in a b; do git $x; done", "f() { git \"$@\"; }; f push", "x=(1 2); ${x[@]} {a,b}{1..3}", "sudo -u x env -S 'a b' c",
		"a && b || c | d & (e; f) >g <(h)", "case x in a|b) c;; *) d;; esac", "[[ -n $x && ! a == b ]]", "((x = 1 + $(a)))",
		"trap 'a' EXIT; alias b='c d'; b e", "find . -exec a {} \\; | xargs -I{} b {}", "git -c alias.x='!y' x", "printf '%s\\n' a b | sh",
		"echo -e '\\x41\\0101\\u0041\\cz' | sh", "${a:-$(b)} ${c/d/e} ${f:1:2} ${!g} ${h^^}", "a <<< b <<-'X'\n\tc\n\tX\n", "x=$x$x; eval \"$x\"",
	} {
		f.Add(seed)
	}
	data := policy(f)
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		v, err := Judge("commands", data, Call{Tool: "bash", Command: text})
		if err != nil {
			t.Fatalf("judging %q: %v", text, err)
		}
		if took := time.Since(start); took > 4*time.Second {
			t.Errorf("judging %q took %v", text, took)
		}
		if (v.Kind == Deny) != (v.Reason != "") || !utf8.ValidString(v.Reason) || strings.ContainsAny(v.Reason, "\n\x1b\u202e") || len(v.Reason) > 8_000 {
			t.Errorf("verdict on %q is %v with reason %q", text, v.Kind, v.Reason)
		}
	})
}

// FuzzCommandsData decodes any bytes: what is accepted is exactly what the encoder writes.
func FuzzCommandsData(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{commandsVersion, 0})
	f.Add(policy(f))
	f.Add(policy(f, "rm 'a b' \\*", strings.Repeat("x", 200)))
	f.Fuzz(func(t *testing.T, data []byte) {
		patterns, err := decodeCommands(data)
		if err != nil {
			if _, err := Judge("commands", data, Call{Command: "ls"}); err == nil {
				t.Errorf("%q is damaged, and judged by", data)
			}
			return
		}
		var texts []string
		for _, p := range patterns {
			texts = append(texts, p.text)
		}
		if again := encodeCommands(texts); !bytes.Equal(again, data) {
			t.Errorf("decoding %q and encoding it gives %q", data, again)
		}
		compiled, problems := Compile("commands", Args{"deny": texts})
		if len(problems) > 0 || !bytes.Equal(compiled, data) {
			t.Errorf("compiling the patterns of %q gives %q, %v", data, compiled, problems)
		}
	})
}
