package tree

import (
	"cmp"
	"slices"
	"strings"
)

// ComparePaths orders slash paths component by component, as a walk of the folders meets them and as the NAR format
// wants them: as if the slash were the lowest byte, so "a/b" comes before "a-b" and "a.md".
func ComparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// File is the file of the tree at exactly that path.
func (t Tree) File(path string) (File, bool) {
	i, ok := findFile(t.Files, path)
	if !ok {
		return File{}, false
	}
	return t.Files[i], true
}

func findFile(files []File, path string) (int, bool) {
	return slices.BinarySearchFunc(files, path, func(f File, p string) int { return ComparePaths(f.Path, p) })
}

// filesBelow is the files below a folder: they stand side by side, because the order is by component.
func filesBelow(files []File, folder string) []File {
	start, _ := findFile(files, folder+"/")
	end := start
	for end < len(files) && strings.HasPrefix(files[end].Path, folder+"/") {
		end++
	}
	return files[start:end]
}
