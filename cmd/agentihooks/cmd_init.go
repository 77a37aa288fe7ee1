package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/homeimport"
)

//go:embed starter.hcl
var starter []byte

func initCommand(a *app) *cobra.Command {
	var fromHome bool
	var claude string
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a manifest: a commented starter, or what this home has already",
		Long: `Write a commented starter manifest. With --from-home write one that declares what is in Copilot's folder and in ~/.agents, with
copies of the files beside it, so that the switch that follows finds everything as it should be and changes none of it. What
a manifest cannot say, what holds a credential, and what Copilot keeps for itself stays yours, and is listed. With --claude
the instructions, rules, skills, agents and commands of a folder that is laid out for Claude Code come in as well.`,
		RunE: func(*cobra.Command, []string) error {
			if claude != "" && !fromHome {
				return usagef("--claude goes with --from-home")
			}
			home, err := a.openHome(false) // root writes nothing into somebody else's home
			if err != nil {
				return err
			}
			path, err := a.manifestPath()
			if err != nil {
				return err
			}
			if _, err := os.Lstat(path); err == nil {
				return manifestExists(path)
			}
			if fromHome {
				return a.initFromHome(home, path, claude)
			}
			if err := writeManifest(path, starter, nil); err != nil {
				return err
			}
			if a.json {
				a.printJSON(struct {
					Schema int    `json:"schema"`
					File   string `json:"file"`
				}{schema, path})
				return nil
			}
			fmt.Fprintf(a.stdout, "wrote %s\nEdit it, then: agentihooks diff, agentihooks switch\n", diag.EscapeLine(path))
			return nil
		},
	}
	c.Flags().BoolVar(&fromHome, "from-home", false, "import what is in ~/.copilot and ~/.agents")
	c.Flags().StringVar(&claude, "claude", "", "with --from-home: import this folder too, ~/.claude or one that holds a .claude")
	return c
}

func manifestExists(path string) error {
	return fmt.Errorf("%s exists already: edit it, or name another file with --file", path)
}

// writeManifest writes a manifest and the files beside it, the manifest last. Nothing that exists is written, not even
// through a link; after an error what was written is removed again.
func writeManifest(path string, text []byte, files []homeimport.File) (err error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the manifest: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the folder of the manifest: %w", err)
	}
	defer root.Close()
	var made []string // beside the manifest, by this process
	defer func() {
		if err != nil {
			for _, top := range made {
				_ = root.RemoveAll(top)
			}
		}
	}()
	for _, f := range append(files, homeimport.File{Path: name, Data: text, Mode: 0o644}) {
		top, _, nested := strings.Cut(f.Path, "/")
		if nested && !slices.Contains(made, top) {
			if err := root.Mkdir(top, 0o755); errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s exists already, and something would be written into it: move it away, or name a manifest in another folder with --file", filepath.Join(dir, top))
			} else if err != nil {
				return fmt.Errorf("writing beside the manifest: %w", err)
			}
			made = append(made, top)
		}
		if err := root.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return fmt.Errorf("writing beside the manifest: %w", err)
		}
		// O_EXCL: what is there was made by somebody else, perhaps by another init a moment ago, and is theirs.
		file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode)
		if errors.Is(err, fs.ErrExist) && !nested {
			return manifestExists(path)
		}
		if err == nil {
			if !nested {
				made = append(made, top)
			}
			_, err = file.Write(f.Data)
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", filepath.Join(dir, f.Path), err)
		}
	}
	return nil
}
