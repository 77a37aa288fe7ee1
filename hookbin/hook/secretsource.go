package hook

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// maxSecret bounds a secret, in bytes.
const maxSecret = 64 << 10

// readSource reads the value from the one source that the secret has. One trailing newline of a file or a command is
// not part of the value.
func (k *keeper) readSource(s policy.Secret) (string, error) {
	switch {
	case s.Env != "":
		return lookup(k.environ, s.Env), nil
	case s.File != "":
		return k.readFile(s)
	}
	return runForSecret(s.Command, k.environ, k.limit)
}

// readFile reads a regular file, and warns of one that others may read too.
func (k *keeper) readFile(s policy.Secret) (string, error) {
	path := s.File
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home := lookup(k.environ, "HOME")
		if !filepath.IsAbs(home) {
			return "", errors.New("HOME is not set to an absolute path")
		}
		path = filepath.Join(home, rest)
	}
	// Opening a pipe that nobody writes to would wait for ever.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", cause(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", cause(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file")
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		k.warn("warning: secret " + s.Name + ": others may read " + path + " (mode 0" + strconv.FormatUint(uint64(mode), 8) + "); run chmod 600 on it")
	}
	data, err := readAll(file, maxSecret)
	if err != nil {
		return "", cause(err)
	}
	return cutNewline(data), nil
}

// runForSecret runs a command for its stdout. It gets no stdin, which is the server's, and what it says on stderr is
// dropped, since nobody knows what is in it.
func runForSecret(argv, environ []string, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = environ
	// Its children go with it, and one that keeps stdout open does not keep us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bounded
	cmd.Stdout = &out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", errors.New("it did not end within " + limit.String())
	case out.full:
		return "", tooLong{}
	case errors.Is(err, exec.ErrWaitDelay): // it is done; something that it started holds its stdout
	case errors.As(err, &exit):
		return "", errors.New("it ended with " + exit.String() + "; run it by hand to see why")
	case err != nil:
		return "", cause(err)
	}
	return cutNewline(out.data), nil
}

// bounded collects at most maxSecret bytes, and refuses more.
type bounded struct {
	data []byte
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.data)+len(p) > maxSecret {
		b.full = true
		return 0, tooLong{}
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

// cutNewline is data without one newline at its end.
func cutNewline(data []byte) string {
	text, found := strings.CutSuffix(string(data), "\n")
	if found {
		text = strings.TrimSuffix(text, "\r")
	}
	return text
}

// cause is the bare reason of an error that names a path: the message names the source already.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var run *exec.Error
	if errors.As(err, &run) {
		return run.Err
	}
	return err
}
