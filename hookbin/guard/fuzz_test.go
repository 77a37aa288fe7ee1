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
		v, err := Judge("commands", data, &Call{Tool: "bash", Command: text})
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

// FuzzData decodes any bytes for every guard: what is accepted is exactly what the encoder writes.
func FuzzData(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{argsVersion, 0})
	f.Add(policy(f))
	f.Add(policy(f, "rm 'a b' \\*", strings.Repeat("x", 200)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, spec := range Specs() {
			args, err := decodeArgs(spec, data)
			if len(data) > 0 && data[0] != argsVersion {
				continue // an older encoding
			}
			if err != nil {
				if _, err := Judge(spec.Kind, data, &Call{Command: "ls"}); err == nil {
					t.Errorf("%s: %q is damaged, and judged by", spec.Kind, data)
				}
				continue
			}
			if again := encodeArgs(args); !bytes.Equal(again, data) {
				t.Errorf("%s: decoding %q and encoding it gives %q", spec.Kind, data, again)
			}
			if len(Describe(spec.Kind, data)) == 0 {
				t.Errorf("%s: %q is not described", spec.Kind, data)
			}
		}
	})
}
