package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/compiler"
)

func fmtCommand(a *app) *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Format manifests in place (the machine manifest, if no file is named; - is standard input)",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				path, err := a.manifestPath()
				if err != nil {
					return err
				}
				files = []string{path}
			}
			changed := []string{}
			for _, file := range files {
				differs, err := a.format(cmd.InOrStdin(), file, check)
				if err != nil {
					return err
				}
				if differs {
					changed = append(changed, file)
				}
			}
			if a.json {
				a.printJSON(struct {
					Schema  int      `json:"schema"`
					Changed []string `json:"changed"`
				}{schema, changed})
			} else {
				for _, file := range changed {
					if file != "-" {
						fmt.Fprintln(a.stdout, file)
					}
				}
			}
			if check && len(changed) > 0 {
				return errDifferences
			}
			return nil
		},
	}
	c.Flags().BoolVar(&check, "check", false, "write nothing; exit 4 if a file is not formatted")
	return c
}

// format formats one file and reports whether it differed. A file with errors is left as it is.
func (a *app) format(stdin io.Reader, file string, check bool) (bool, error) {
	src, err := readManifest(stdin, file)
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", file, err)
	}
	out, list := compiler.Format(src, file)
	if list.HasErrors() {
		return false, inputError{list, map[string][]byte{file: src}}
	}
	differs := !bytes.Equal(src, out)
	switch {
	case check:
	case file == "-":
		_, err = a.stdout.Write(out)
	case differs:
		err = replaceFile(file, out)
	}
	return differs, err
}

// readManifest reads a text that the compiler may bound: no more than it takes, and no pipe that nobody writes to.
func readManifest(stdin io.Reader, file string) ([]byte, error) {
	in := stdin
	if file != "-" {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, errors.New("it is no regular file")
		}
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, compiler.MaxFile+1))
}

// replaceFile gives a file of the user's new content, whole or not at all. A link stays: the file that it leads to
// is replaced, and keeps its mode.
func replaceFile(path string, data []byte) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(real), "."+filepath.Base(real)+".*")
	if err != nil {
		return fmt.Errorf("writing beside %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // fails once it was renamed
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), real)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
