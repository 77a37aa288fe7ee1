package guard

import (
	"strconv"
	"strings"
	"testing"
)

// many is a policy of 200 patterns, as a large machine may have.
func many(b *testing.B) []byte {
	b.Helper()
	patterns := []string{"git push --force", "git push -f", "rm -rf /"}
	for i := len(patterns); i < 200; i++ {
		patterns = append(patterns, "tool"+strconv.Itoa(i)+" delete --all --namespace=prod x*")
	}
	return policy(b, patterns...)
}

func BenchmarkJudge(b *testing.B) {
	data := many(b)
	for _, bench := range []struct{ name, command string }{
		{"status", "git status"},
		{"list", `cd /work && git add -A && git commit -m "fix: a thing" && git push origin HEAD 2>&1 | tail -5`},
		{"denied", "sudo git -C x push origin main --force"},
		{"script", strings.Repeat("for f in a b c; do echo \"$f\" | grep -q x && rm -f \"$f\"; done\n", 50)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				judge(b, data, bench.command)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	data := many(b)
	b.ReportAllocs()
	for b.Loop() {
		args, err := decodeArgs(commandsKind().spec, data)
		if err == nil {
			_, err = patterns(args)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
