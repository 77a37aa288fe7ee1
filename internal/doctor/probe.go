package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Bounds of a probe: Copilot 1.0.80 to 1.0.102 answer after two or three seconds, and need five for a session. A first
// start, which unpacks the CLI, or a busy machine takes longer.
const (
	probeLimit = time.Minute
	maxAnswer  = 16 << 20
)

// HooksFile is our hooks file in COPILOT_HOME, and the name that Copilot gives it.
const HooksFile = "hooks/agentihooks.json"

// discovered is the answer to hooks.discover (Copilot CLI 1.0.83 and 1.0.102).
type discovered struct {
	Hooks []struct {
		HookType string `json:"hookType"`
		Origin   string `json:"origin"`
		Enabled  bool   `json:"enabled"`
		Source   string `json:"source"`
	} `json:"hooks"`
	Warnings []json.RawMessage `json:"warnings"`
	Errors   []json.RawMessage `json:"errors"`
}

// errNoMethod is the answer of a version that does not know the question (1.0.80).
var errNoMethod = errors.New("this version of Copilot cannot list its hooks")

// probe starts the CLI: it asks which hooks it would run here, and has it run a session if a policy is known that this can be
// compared with.
func (d *doctor) probe(ctx context.Context, session bool) {
	scratch, remove, err := d.scratchHome()
	if err != nil {
		d.fail("probe", err.Error(), "Make the folder for temporary files writable, or set TMPDIR to another.")
		return
	}
	defer remove()
	d.listing(ctx, scratch)
	if session {
		d.rehearsal(ctx, scratch)
	}
}

// listing asks the CLI which hooks it would run here.
func (d *doctor) listing(ctx context.Context, scratch string) {
	want, err := d.registered()
	if err != nil {
		d.fail("probe", err.Error(), "Run `agentihooks switch`.")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	got, err := d.discover(ctx, scratch)
	if errors.Is(err, errNoMethod) {
		d.pass("probe", "%v", err)
		return
	}
	if err != nil {
		d.fail("probe", fmt.Sprintf("%s did not list its hooks: %v", d.Copilot, err), "Run `copilot --version`; if that works, try again.")
		return
	}
	for i, fault := range got.Errors {
		got.Errors[i] = bytes.ReplaceAll(fault, []byte(scratch), []byte(d.CopilotHome))
	}
	d.judge(got, want)
}

// judge compares what Copilot loads with how many hooks we registered.
func (d *doctor) judge(got discovered, want int) {
	loaded, off := 0, []string{}
	for _, h := range got.Hooks {
		if h.Origin != "user" || h.Source != HooksFile {
			continue
		}
		if loaded++; !h.Enabled {
			off = append(off, h.HookType)
		}
	}
	slices.Sort(off)
	switch {
	case len(got.Errors) > 0:
		d.fail("probe", "Copilot could not load all hooks: "+texts(got.Errors), "Put the files right that it names.")
	case loaded < want:
		d.fail("probe", fmt.Sprintf("Copilot loads %d of our %d hooks", loaded, want), "Look at the `links` and `home` checks, then run `agentihooks switch`.")
	case len(off) > 0:
		d.fail("probe", "Copilot has these hooks of ours switched off: "+strings.Join(off, ", "),
			"Look at disableAllHooks and disabledHooks in your settings.json and in this repository.")
	default:
		d.pass("probe", "Copilot loads all our %d hooks", want)
	}
}

func texts(raw []json.RawMessage) string {
	var out []string
	for _, r := range raw {
		var s string
		if json.Unmarshal(r, &s) != nil {
			s = string(r)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// registered is how many hooks the live generation registers.
func (d *doctor) registered() (int, error) {
	if d.index == nil {
		return 0, errors.New("no generation is live whose hooks could be looked for")
	}
	n := 0
	for _, e := range d.index.Entries {
		if string(e.Dest) != filepath.Join(d.index.Copilot, filepath.FromSlash(HooksFile)) {
			continue
		}
		data, err := d.store.ReadFile(d.storeAt, e.Path)
		if err != nil {
			return 0, err
		}
		var file struct {
			Hooks map[string][]json.RawMessage `json:"hooks"`
		}
		if err := json.Unmarshal(data, &file); err != nil {
			return 0, fmt.Errorf("reading %s of the live tree: %w", e.Path, err)
		}
		for _, entries := range file.Hooks {
			n += len(entries)
		}
	}
	return n, nil
}

// discover starts the CLI as a server and asks it. The server does not end by itself, and its launcher starts the real
// program as a child: the whole process group is ended.
func (d *doctor) discover(ctx context.Context, scratch string) (discovered, error) {
	cmd := exec.CommandContext(ctx, d.Copilot, "--headless", "--stdio")
	cmd.Dir = d.WorkDir
	cmd.Env = probeEnv(d.Environ, d.AllowAll, scratch, "http://127.0.0.1:9/v1") // it asks it nothing
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = end
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return discovered{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return discovered{}, err
	}
	if err := cmd.Start(); err != nil {
		return discovered{}, err
	}
	got, err := ask(in, bufio.NewReader(out))
	_ = end() // it may have ended itself
	_ = cmd.Wait()
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", probeLimit)
	}
	return got, err
}

// ask sends the one question and reads up to its answer.
func ask(in io.Writer, out *bufio.Reader) (discovered, error) {
	const question = `{"jsonrpc":"2.0","id":1,"method":"hooks.discover","params":{}}`
	if _, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(question), question); err != nil {
		return discovered{}, err
	}
	for {
		message, err := frame(out)
		if err != nil {
			return discovered{}, err
		}
		var answer struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result *discovered     `json:"result"`
			Error  *struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(message, &answer); err != nil {
			return discovered{}, fmt.Errorf("reading its answer: %w", err)
		}
		switch {
		case answer.Method != "" || string(answer.ID) != "1": // something that it says by itself
		case answer.Error != nil && answer.Error.Code == -32601:
			return discovered{}, errNoMethod
		case answer.Error != nil:
			return discovered{}, errors.New(answer.Error.Message)
		case answer.Result == nil:
			return discovered{}, errors.New("its answer is empty")
		default:
			return *answer.Result, nil
		}
	}
}

// frame reads one message: headers as in HTTP, an empty line, as many bytes as Content-Length says.
func frame(r *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("it ended, or wrote something else: %w", err)
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 || n > maxAnswer {
		return nil, fmt.Errorf("it says that a message has %q bytes", header.Get("Content-Length"))
	}
	data := make([]byte, n)
	_, err = io.ReadFull(r, data)
	return data, err
}
