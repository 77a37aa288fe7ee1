package tree

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nix-community/go-nix/pkg/nar"
	"pgregory.net/rapid"
)

// TestNARIsGoNix compares with the library's writer, byte for byte.
func TestNARIsGoNix(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"a", "b", "a.md", "a-b", "B", "é", "longer-name"})
		taken := map[string]bool{}
		var files []File
		for range rapid.IntRange(0, 8).Draw(rt, "files") {
			path := strings.Join(rapid.SliceOfN(name, 1, 4).Draw(rt, "path"), "/")
			parents(path, func(prefix string, whole bool) bool {
				if taken[prefix+"/"] && whole || taken[prefix] {
					path = ""
				}
				return path != ""
			})
			if path == "" {
				continue
			}
			parents(path, func(prefix string, whole bool) bool {
				if !whole {
					prefix += "/"
				}
				taken[prefix] = true
				return true
			})
			data := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "data")
			files = append(files, File{Path: path, Exec: rapid.Bool().Draw(rt, "exec"), Data: data})
		}
		slices.SortFunc(files, func(a, b File) int { return ComparePaths(a.Path, b.Path) })
		var got, want bytes.Buffer
		w := newNAR(bufio.NewWriter(&got))
		for _, f := range files {
			w.text(f.Path, f.Exec, f.Data)
		}
		if err := w.close(); err != nil {
			rt.Fatal(err)
		}
		if err := goNix(&want, files); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			rt.Fatalf("%v:\n%q\n%q", files, got.Bytes(), want.Bytes())
		}
	})
}

func goNix(out *bytes.Buffer, files []File) error {
	w, err := nar.NewWriter(out)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.WriteHeader(&nar.Header{Path: "/", Type: nar.TypeDirectory}); err != nil {
		return err
	}
	open := map[string]bool{}
	for _, f := range files {
		for i := range f.Path {
			if dir := "/" + f.Path[:i]; f.Path[i] == '/' && !open[dir] {
				open[dir] = true
				if err := w.WriteHeader(&nar.Header{Path: dir, Type: nar.TypeDirectory}); err != nil {
					return err
				}
			}
		}
		if err := w.WriteHeader(&nar.Header{Path: "/" + f.Path, Type: nar.TypeRegular, Size: int64(len(f.Data)), Executable: f.Exec}); err != nil {
			return err
		}
		if n, err := w.Write(f.Data); err != nil || n != len(f.Data) {
			return fmt.Errorf("%d bytes: %w", n, err)
		}
	}
	return w.Close()
}
