package facts

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Which is the answer to each name: the absolute path of the program, or "". A name without a slash is looked up in
// PATH.
func Which(env func(string) string, names []string) map[string]string {
	answers := make(map[string]string, len(names))
	for _, name := range names {
		answers[name] = answerWhich(env("PATH"), name)
	}
	return answers
}

// answerWhich is the absolute path of a program, or "". An absolute name is its own answer if it exists. A relative
// name with a slash has none: it would depend on the working folder.
func answerWhich(path, name string) string {
	if !strings.Contains(name, "/") {
		return lookPath(path, name)
	}
	if !filepath.IsAbs(name) {
		return ""
	}
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return filepath.Clean(name)
}

// lookPath finds a program in PATH. Relative elements, the empty one too, are passed over.
func lookPath(path, name string) string {
	if name == "" || name == "." || name == ".." {
		return ""
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && unix.Access(file, unix.X_OK) == nil {
			return file
		}
	}
	return ""
}

// maxPackage bounds a package.json in bytes.
const maxPackage = 1 << 20

// copilotVersion is the version of the Copilot CLI that a program belongs to, without running it (a start takes half
// a second and may update it): from the package.json above the program, links resolved. The npm packages of 1.0.83
// and 1.0.102 are laid out so: node_modules/.bin/copilot is a link to node_modules/@github/copilot/npm-loader.js, and
// the platform's binary lies in node_modules/@github/copilot-linux-x64. Installed in another way, the version is
// unknown.
func copilotVersion(program string) (string, bool) {
	if program == "" {
		return "", false
	}
	file, err := filepath.EvalSymlinks(program)
	if err != nil {
		return "", false
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if version, ok := packageVersion(filepath.Join(dir, "package.json")); ok {
			return version, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

func packageVersion(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPackage+1))
	if err != nil || len(data) > maxPackage {
		return "", false
	}
	var pkg struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		return "", false
	}
	ours := pkg.Name == "@github/copilot" || strings.HasPrefix(pkg.Name, "@github/copilot-")
	return pkg.Version, ours && pkg.Version != ""
}
