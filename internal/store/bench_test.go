package store

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

func BenchmarkAddCold(b *testing.B) {
	tr := benchTree(b, "")
	for b.Loop() {
		b.StopTimer()
		s := newStore(b)
		b.StartTimer()
		mustAdd(b, s, tr, "")
	}
}

func BenchmarkAddOneFileChanged(b *testing.B) {
	s := newStore(b)
	previous := mustAdd(b, s, benchTree(b, ""), "")
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		tr := benchTree(b, strconv.Itoa(i))
		b.StartTimer()
		mustAdd(b, s, tr, previous)
	}
}

func BenchmarkAddAgain(b *testing.B) {
	s := newStore(b)
	tr := benchTree(b, "")
	p := mustAdd(b, s, tr, "")
	for b.Loop() {
		if _, added, err := s.Add(tr, p); err != nil || added {
			b.Fatal(added, err)
		}
	}
}

// BenchmarkCp is what the others are measured against: cp -r of the same tree.
func BenchmarkCp(b *testing.B) {
	p := mustAdd(b, newStore(b), benchTree(b, ""), "")
	for b.Loop() {
		b.StopTimer()
		to := filepath.Join(newStore(b).Dir(), "..", "copy")
		b.StartTimer()
		if out, err := exec.Command("cp", "-r", string(p), to).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}
