package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker in a release; a build of a module version says which by itself.
var version = ""

func release() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				a.printJSON(struct {
					Schema  int    `json:"schema"`
					Version string `json:"version"`
					Go      string `json:"go"`
					OS      string `json:"os"`
					Arch    string `json:"arch"`
				}{schema, release(), runtime.Version(), runtime.GOOS, runtime.GOARCH})
				return nil
			}
			fmt.Fprintf(a.stdout, "agentihooks %s (%s, %s/%s)\n", release(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
