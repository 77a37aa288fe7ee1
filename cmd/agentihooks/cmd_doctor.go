package main

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/doctor"
	"github.com/agentihooks/agentihooks/internal/facts"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets"
)

func doctorCommand(a *app) *cobra.Command {
	var probe bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what keeps the hook from working, and say what to do",
		RunE: func(cmd *cobra.Command, _ []string) error {
			local, err := facts.Read(a.env, []string{"copilot"})
			if err != nil {
				return fmt.Errorf("reading the facts of this machine: %w", err)
			}
			dir, err := os.Getwd()
			if err != nil {
				return fmt.Errorf("finding the working folder: %w", err)
			}
			variables := map[string]string{}
			if home, err := a.openHome(false); err == nil { // if not, a check tells
				variables = targets.Environment(home.liveReader())
			}
			// What a probe starts is in a process group of its own: an interrupt has to end it with us.
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			checks := doctor.Run(ctx, doctor.Machine{
				Home: local.Home, StateDir: local.StateDir, CopilotHome: local.CopilotHome, WorkDir: dir,
				Env: a.env, Environ: os.Environ(), HookPath: targets.HookPath, PolicyPath: targets.PolicyPath,
				Copilot: local.Which["copilot"], Version: local.Versions["copilot"], Probe: probe,
				Variables: variables, AllowAll: targets.AllowAllVariable, Catalogue: targets.Catalogue,
				CheckSettings: targets.CheckSettings, Built: a.builtNow,
			})
			a.printChecks(checks)
			if !doctor.OK(checks) {
				return errFound
			}
			return nil
		},
	}
	c.Flags().BoolVar(&probe, "probe", false, "start the Copilot CLI: which hooks does it load, does ours run in a session with a scripted model, is a denied command denied")
	return c
}

// builtNow is the tree that the manifest makes now: the one that the flags name, or else this one for this host.
func (a *app) builtNow(manifest, host string) (tree.Name, error) {
	again := *a
	again.file = cmp.Or(a.file, manifest)
	m, err := again.load()
	if err != nil {
		return "", err
	}
	if slices.Contains(m.Hosts(), host) {
		again.host = cmp.Or(a.host, host)
	}
	b, err := again.compileHere(m)
	if err != nil {
		return "", err
	}
	if _, ok := b.tree.File(targets.HookPath); !ok {
		return "", nil // no targets: the tree is the one that lets everything pass
	}
	return b.tree.Name(), nil
}

func (a *app) printChecks(checks []doctor.Check) {
	if a.json {
		a.printJSON(struct {
			Schema int            `json:"schema"`
			Checks []doctor.Check `json:"checks"`
		}{schema, checks})
		return
	}
	for _, c := range checks {
		word := "ok  "
		if !c.OK {
			word = "FAIL"
		}
		fmt.Fprintf(a.stdout, "%s  %-12s %s\n", word, c.ID, diag.EscapeLine(c.Detail))
		if !c.OK {
			fmt.Fprintf(a.stdout, "      %s\n", diag.EscapeLine(c.Fix))
		}
	}
}
