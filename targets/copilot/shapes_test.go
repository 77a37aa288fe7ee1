package copilot

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentihooks/agentihooks/compiler"
	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/targets/target"
)

// bundled is the machine of a bundle whose .mcp.json is that file.
func bundled(f model.File) (model.Machine, diag.List) {
	manifest := "target \"copilot\" {\n  hooks = false\n}\nbundle \"shape\" { source = \"" + f.Source + "\" }\n"
	m, diags := compiler.Load(compiler.Sources{
		Name:   "machine.hcl",
		Root:   fstest.MapFS{"machine.hcl": {Data: []byte(manifest)}},
		Module: func(string) (fs.FS, error) { return fstest.MapFS{".mcp.json": {Data: f.Data}}, nil },
	}, compiler.Specs{Targets: []model.BlockSpec{spec()}})
	if diags.HasErrors() {
		return model.Machine{}, diags
	}
	machine, more := m.Resolve("wl-0431", machine().Facts)
	return machine, append(diags, more...)
}

// TestShapes reads files as people have them (small imitations of what is in public repositories): each is translated, or
// refused with its place. What becomes of each is in a golden file of its name; update with -update, and read the diff.
func TestShapes(t *testing.T) {
	const root = "../../testdata/shapes"
	read := func(path string) (model.File, bool) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		source, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		return model.File{Name: name, Rel: name, Source: filepath.ToSlash(source), Data: data, Exec: info.Mode()&0o100 != 0, Origin: origin()}, true
	}
	one := func(kind, path string) model.Machine {
		m := machine("hooks", truth(false))
		switch kind {
		case "agents":
			f, _ := read(path)
			m.Agents = []model.File{f}
		case "commands":
			f, _ := read(path)
			m.Commands = []model.File{f}
		case "instructions":
			f, _ := read(path)
			m.Instructions = []model.File{f}
		case "skills":
			folder := model.Folder{Name: filepath.Base(path), Source: kind + "/" + filepath.Base(path), Origin: origin()}
			err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					f, _ := read(p)
					f.Rel = filepath.ToSlash(strings.TrimPrefix(p, path+string(filepath.Separator)))
					folder.Files = append(folder.Files, f)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			m.Skills = []model.Folder{folder}
		}
		return m
	}
	golden := map[string][]byte{}
	paths, err := filepath.Glob(root + "/*/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v in %s, %v", paths, root, err)
	}
	for _, path := range paths {
		kind, name := filepath.Base(filepath.Dir(path)), filepath.Base(path)
		if kind == "state" {
			continue // nobody's source: what Copilot keeps in its home, for the scripts that switch there
		}
		t.Run(kind+"/"+name, func(t *testing.T) {
			var m model.Machine
			var diags diag.List
			if kind == "mcp" {
				f, _ := read(path)
				m, diags = bundled(f)
			} else {
				m = one(kind, path)
			}
			var out target.Output
			if !diags.HasErrors() {
				var more diag.List
				out, more = Render(input(m))
				diags = append(diags, more...)
			}
			var text bytes.Buffer
			for _, d := range diags.Sorted() {
				place := d.Subject.String()
				if !strings.HasPrefix(place, kind+"/") {
					place = "the manifest" // its lines are counted by the tests before
				}
				fmt.Fprintf(&text, "%s %s at %s: %s\n  %s\n", map[bool]string{true: "error", false: "warning"}[d.Severity == diag.Error], d.Code, place, d.Summary, d.Detail)
			}
			for _, l := range out.Losses {
				fmt.Fprintf(&text, "loss at %s:%d: %s\n", l.File, l.Line, l.What)
			}
			for _, f := range out.Files {
				mode := ""
				if f.Exec {
					mode = " (executable)"
				}
				fmt.Fprintf(&text, "--- %s%s\n%s", f.Path, mode, f.Data)
			}
			if !diags.HasErrors() && len(out.Files) == 0 {
				t.Error("it is neither translated nor refused")
			}
			golden[kind+"/"+name+".txt"] = text.Bytes()
		})
	}
	compareGolden(t, "testdata/shapes", golden)
}
