package guard

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestHostile gives texts that are made to exhaust the reader. Each is denied, in time and without a stack overflow,
// which would end the process. The stack is bounded as the hook bounds it.
func TestHostile(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(32 << 20))
	data := policy(t)
	many := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, (64<<10-len(head)-len(tail))/len(unit)) + tail
	}
	double := strings.Repeat("x=$x$x;", 2_000) + "x=a;" + strings.Repeat("x=$x$x;", 2_000) + "eval $x"
	for _, test := range []struct {
		name, text string
		want       VerdictKind
	}{
		{"too long", "ls " + strings.Repeat("x", 64<<10), Deny},
		{"long", many("ls ", "x", ""), Pass},
		{"parentheses", many("", "(", ""), Deny},
		{"substitutions", many("echo ", "$(", ""), Deny},
		{"closed substitutions", "echo " + strings.Repeat("$(echo ", 300) + strings.Repeat(")", 300), Pass},
		{"more closed substitutions", "echo " + strings.Repeat("$(echo ", 1_100) + strings.Repeat(")", 1_100), Deny},
		{"braces", many("echo ", "{a,", ""), Deny},
		{"brace product", "echo " + strings.Repeat("{a,b,c,d}", 300), Pass},
		{"backquotes", many("", "`", ""), Deny},
		{"indexes", many("((", "a[", ""), Deny},
		{"and", many("a", "&&a", ""), Deny},
		{"pipe", many("a", "|a", ""), Deny},
		{"semicolons", many("", "a;", ""), Deny},
		{"if", many("", "if a;then ", ""), Pass},
		{"closed if", strings.Repeat("if a;then ", 1_200) + "b" + strings.Repeat(";fi", 1_200), Deny},
		{"time", many("", "time ", "a"), Deny},
		{"not", many("[[ ", "! ", "a ]]"), Deny},
		{"tilde", many("((", "~", "1))"), Deny},
		{"plus", many("((", "1+", "1))"), Deny},
		{"else", "if a;then b;" + strings.Repeat("elif a;then b;", 4_000) + "fi", Pass},
		{"sudo", many("", "sudo ", "ls"), Deny},
		{"unknown options", many("sudo", " -? a", " ls"), Pass},
		{"unknown wrappers", many("", "sudo -? ", "ls"), Deny},
		{"unknown variables", many("", "$a ", "ls"), Deny},
		{"here-documents", many("", "<<a ", ""), Pass},
		{"eval", strings.Repeat("eval ", 8) + "ls", Pass},
		{"deeper eval", strings.Repeat("eval ", 9) + "ls", Deny},
		{"doubling", double, Pass},
		{"doubling calls", func() string {
			text := "f0() { ls; }\n"
			for i := range 200 {
				n := string(rune('0' + i%10))
				text += "f" + n + strings.Repeat("x", i/10+1) + "() { f" + n + strings.Repeat("x", i/10) + "; f" + n + strings.Repeat("x", i/10) + "; }\n"
			}
			return text + "f0" + strings.Repeat("x", 20)
		}(), Deny},
		{"calls itself", "f() { f; f; ls; }; f", Pass},
		{"calls each other", "f() { g; g; ls; }; g() { f; f; ls; }; f", Pass},
		{"loops", strings.Repeat("for a in 1 2 3 4 5 6; do ", 300) + "echo $a" + strings.Repeat("; done", 300), Pass},
		{"many values", "for a in " + strings.Repeat("x ", 10_000) + "; do git $a; done", Pass},
		{"appending", many("", "a>>f;", "sh f"), Pass},
		{"aliases", "alias a=b b=a c='c c'; a; b; c", Pass},
		{"git aliases", "git -c alias.a=b -c alias.b=a a; git config alias.a a; git a", Pass},
		{"git tokens", many("", "git ", "("), Pass},
		{"git holes", many("", "git $x push;", ""), Pass},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			v := judge(t, data, test.text)
			took := time.Since(start)
			t.Log(took, v.Reason)
			if v.Kind != test.want {
				t.Errorf("verdict %v (%s), want %v", v.Kind, v.Reason, test.want)
			}
			if took > 3*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
