package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

// app is the world of one run, and its common flags.
type app struct {
	stdout     *output
	stderr     io.Writer
	env        func(string) string
	now        func() time.Time
	executable func() (string, error)
	hooks      map[string][]byte // by system, as they were found

	file    string
	host    string
	facts   string
	color   string
	json    bool
	verbose bool
	strict  bool // what a target cannot take is an error
}

// commands is the table of all commands, in the order in which help shows them: one file and one line each.
var commands = []func(*app) *cobra.Command{
	initCommand,
	checkCommand,
	buildCommand,
	diffCommand,
	switchCommand,
	rollbackCommand,
	adoptCommand,
	uninstallCommand,
	backupsCommand,
	generationsCommand,
	gcCommand,
	verifyCommand,
	statusCommand,
	doctorCommand,
	channelCommand,
	sessionsCommand,
	hookCommand,

	absorbCommand,
	fmtCommand,
	factsCommand,
	schemaCommand,
	shellInitCommand,
	versionCommand,
}

// run executes one command line and returns its exit code.
func (a *app) run(args []string) int {
	root := &cobra.Command{
		Use:   "agentihooks",
		Short: "Compile one manifest into the dotfiles of your coding agents",
		Long: `agentihooks compiles a machine manifest into an immutable tree and makes it live with one rename.
Edit the manifest, look at "agentihooks diff", run "agentihooks switch"; "agentihooks rollback" goes back.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !a.json {
				_ = cmd.Help()
			}
			return usagef("name a command")
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if !slices.Contains([]string{"auto", "always", "never"}, a.color) {
				return usagef("--color is auto, always or never, not %q", a.color)
			}
			a.settleHome()
			return nil
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	flags := root.PersistentFlags()
	flags.StringVarP(&a.file, "file", "f", "", "manifest (default $AGENTIHOOKS_MANIFEST, else machine.hcl in $XDG_CONFIG_HOME/agentihooks)")
	flags.StringVar(&a.host, "host", "", "host to resolve for (default: the one that matches this machine)")
	flags.StringVar(&a.facts, "facts", "", "read facts from a file of \"facts --json\", or from a folder with one <host>.json each")
	flags.StringVar(&a.color, "color", "auto", "auto, always or never")
	flags.BoolVar(&a.json, "json", false, "print one JSON object")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "say which manifest, host and tree it is about")
	for _, command := range commands {
		c := command(a)
		noArgs := c.Args == nil
		if noArgs {
			c.Args = cobra.NoArgs
		}
		c.Args = usageArgs(c.Args)
		root.AddCommand(c)
	}
	root.Args = usageArgs(root.Args)
	// A flag that cannot be parsed is reported in the form that the others ask for.
	a.json = slices.Contains(args, "--json")
	err := root.Execute()
	if err == nil {
		err = a.stdout.fault
	}
	if err != nil {
		return a.report(err)
	}
	return exitDone
}

// output is standard output. It keeps the first error: what could not be printed was not done.
type output struct {
	io.Writer
	fault error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.fault == nil {
		o.fault = fmt.Errorf("writing the output: %w", err)
	}
	return n, err
}

// usageArgs makes a wrong argument a wrong use (exit code 2).
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

// manifestPath is the manifest's path: the flag, the environment, the place where init writes it. A folder stands
// for the machine.hcl in it.
func (a *app) manifestPath() (string, error) {
	path := cmp.Or(a.file, a.env("AGENTIHOOKS_MANIFEST"))
	if path == "" {
		config := a.env("XDG_CONFIG_HOME")
		if config == "" {
			home := a.env("HOME")
			if home == "" {
				return "", fmt.Errorf("HOME is not set: set it, or name the manifest with --file")
			}
			config = filepath.Join(home, ".config")
		}
		path = filepath.Join(config, "agentihooks", manifestName)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, manifestName)
	}
	return path, nil
}

// manifestName is the name of a manifest in its folder.
const manifestName = "machine.hcl"

// colored reports whether w is printed in colour: as --color says, and by itself only on a terminal without NO_COLOR.
func (a *app) colored(w io.Writer) bool {
	if a.color != "auto" {
		return a.color == "always"
	}
	return terminal(w) && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}

// terminal reports whether w is one: what is printed there is escaped, so that no file can play with it.
func terminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
