package shell

import "testing"

func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"status", "git status"},
		{"list", `cd /work && git add -A && git commit -m "fix: a thing" && git push origin HEAD 2>&1 | tail -5`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if s := Read(bench.text); len(s.Commands) == 0 {
					b.Fatal("no commands")
				}
			}
		})
	}
}
