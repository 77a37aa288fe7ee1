package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentihooks/agentihooks/hookbin/session"
	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// rehearse runs a session of the real CLI with a scripted model, which asks for the canary if there is one. Nobody gives the
// session leave to run anything.
func (d *doctor) rehearse(ctx context.Context, scratch, canary string) (evidence, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	turn := modelserver.Turn{Text: "Done."}
	if canary != "" {
		turn = modelserver.Bash(canary)
	}
	model, err := modelserver.Start(turn)
	if err != nil {
		return evidence{}, err
	}
	defer model.Close()
	ended := d.converse(ctx, scratch, model.BaseURL())
	d.forget(scratch)
	seen := observe(model.Requests(), hookFaults(scratch, d.CopilotHome))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return seen, fmt.Errorf("it did not end within %v", probeLimit)
	case ctx.Err() != nil:
		return seen, ctx.Err()
	case !seen.asked && ended != nil:
		return seen, fmt.Errorf("it ended before it asked its model: %w", ended)
	case !seen.asked:
		return seen, errors.New("it ended before it asked its model")
	}
	return seen, nil
}

// converse runs the session to its end. Its launcher starts the real program as a child, so the whole process group is
// ended. What it writes to standard error goes into a file: a pipe would have to be waited for as long as anybody holds it.
func (d *doctor) converse(ctx context.Context, scratch, model string) error {
	stderr, err := os.Create(filepath.Join(scratch, "stderr"))
	if err != nil {
		return err
	}
	defer stderr.Close()
	cmd := exec.CommandContext(ctx, d.Copilot, "-p", "agentihooks doctor --probe", "--no-custom-instructions", "--disable-builtin-mcps", "--no-color")
	cmd.Dir, cmd.Stderr = d.WorkDir, stderr
	cmd.Env = probeEnv(d.Environ, d.AllowAll, scratch, model)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = end
	if err := cmd.Start(); err != nil {
		return err
	}
	err = cmd.Wait()
	_ = end() // mostly there is nobody left
	if err == nil {
		return nil
	}
	text, _ := readSome(stderr.Name())
	if line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n"); line != "" {
		return fmt.Errorf("%w: %s", err, cutLine([]byte(line)))
	}
	return err
}

// forget removes the hook's records of the sessions in a scratch home: a session that was killed did not end by itself.
func (d *doctor) forget(scratch string) {
	entries, _ := os.ReadDir(filepath.Join(scratch, "session-state"))
	for _, e := range entries {
		_ = session.Remove(d.StateDir, e.Name()) // gc removes what stays
	}
}
