package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

//go:embed starter.hcl
var starter []byte

func initCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a commented starter manifest",
		RunE: func(*cobra.Command, []string) error {
			if _, err := a.openHome(false); err != nil { // root writes nothing into somebody else's home
				return err
			}
			path, err := a.manifestPath()
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fmt.Errorf("making the folder of the manifest: %w", err)
			}
			// O_EXCL: neither an existing manifest nor what a link of that name leads to is ever overwritten.
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s exists already: edit it, or name another file with --file", path)
			}
			if err != nil {
				return fmt.Errorf("writing the manifest: %w", err)
			}
			if _, err = file.Write(starter); err == nil {
				err = file.Close()
			}
			if err != nil {
				_ = os.Remove(path)
				return fmt.Errorf("writing %s: %w", path, err)
			}
			if a.json {
				a.printJSON(struct {
					Schema int    `json:"schema"`
					File   string `json:"file"`
				}{schema, path})
				return nil
			}
			fmt.Fprintf(a.stdout, "wrote %s\nEdit it, then: agentihooks diff, agentihooks switch\n", path)
			return nil
		},
	}
}
