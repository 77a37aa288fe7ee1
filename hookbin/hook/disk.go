package hook

import (
	"io"
	"os"
	"path/filepath"

	"github.com/agentihooks/agentihooks/hookbin/guard"
)

// disk is the real files.
func disk() guard.Disk {
	return guard.Disk{Resolve: resolve, Glob: glob, Read: readBeginning, IsFolder: isFolder}
}

// resolve follows the links of the longest part of a path that exists.
func resolve(name string) string {
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(name); err == nil { // it leads nowhere yet
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(name), target)
			}
			return filepath.Join(target, rest)
		}
		dir := filepath.Dir(name)
		if dir == name {
			return filepath.Join(name, rest)
		}
		name, rest = dir, filepath.Join(filepath.Base(name), rest)
	}
}

func glob(pattern string, limit int) (names []string, more bool) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, true
	}
	return names[:min(limit, len(names))], len(names) > limit
}

// readBeginning reads at most limit bytes of a regular file: a pipe would keep the hook waiting.
func readBeginning(name string, limit int) ([]byte, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)))
	return data, err == nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
