package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/strictjson"
)

// schema is the version of the file form. A file that a person wrote may leave it out.
const schema = 1

// maxFile bounds a facts file in bytes.
const maxFile = 1 << 20

type file struct {
	Schema int `json:"schema"`
	model.Facts
}

// Encode is the file form of facts: one JSON object, indented, a newline at the end. Decode reads it back.
func Encode(f model.Facts) []byte {
	// An empty object reads better than null, and means the same.
	if f.Versions == nil {
		f.Versions = map[string]string{}
	}
	if f.Which == nil {
		f.Which = map[string]string{}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file{schema, f}); err != nil {
		panic("encoding facts: " + err.Error()) // strings and one bool only
	}
	return buf.Bytes()
}

// Decode reads facts of any machine. What is left out is unknown; what is not a fact, or given twice, is an error, and
// so is a path that is not absolute. A byte order mark is passed over.
func Decode(data []byte) (model.Facts, error) {
	if len(data) > maxFile {
		return model.Facts{}, fmt.Errorf("larger than %d bytes", maxFile)
	}
	var f file
	if err := strictjson.Decode(bytes.TrimPrefix(data, []byte("\ufeff")), &f); err != nil {
		return model.Facts{}, err
	}
	if f.Schema != 0 && f.Schema != schema {
		return model.Facts{}, fmt.Errorf("schema %d, this release reads %d", f.Schema, schema)
	}
	return f.Facts, check(f.Facts)
}

func check(f model.Facts) error {
	for _, p := range []struct{ fact, value string }{
		{"home", f.Home}, {"stateDir", f.StateDir}, {"copilotHome", f.CopilotHome},
	} {
		if p.value != "" && !cleanAbs(p.value) {
			return fmt.Errorf("%s is %q, which is not a clean absolute path", p.fact, p.value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Which)) {
		if answer := f.Which[name]; answer != "" && !cleanAbs(answer) {
			return fmt.Errorf("which of %q is %q, which is not a clean absolute path", name, answer)
		}
	}
	return nil
}

func cleanAbs(p string) bool {
	return filepath.IsAbs(p) && filepath.Clean(p) == p && !strings.Contains(p, "\x00")
}

// ReadFile reads the facts of one machine from a file.
func ReadFile(path string) (model.Facts, error) {
	in, err := os.Open(path)
	if err != nil {
		return model.Facts{}, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return model.Facts{}, err
	}
	f, err := Decode(data)
	if err != nil {
		return model.Facts{}, fmt.Errorf("reading facts from %s: %w", path, err)
	}
	return f, nil
}

// ReadDir reads the facts of many machines from a folder of <host>.json files, by host. Files of other names are passed
// over, and so is every name that begins with a dot. The error names every file that is wrong.
func ReadDir(dir string) (map[string]model.Facts, error) {
	items, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]model.Facts{}
	var all error
	for _, item := range items {
		host, ok := strings.CutSuffix(item.Name(), ".json")
		if !ok || strings.HasPrefix(host, ".") || host == "" {
			continue
		}
		f, err := ReadFile(filepath.Join(dir, item.Name()))
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		out[host] = f
	}
	if all != nil {
		return nil, all
	}
	return out, nil
}
