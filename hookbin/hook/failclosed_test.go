package hook

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

// guarded and unguarded are events that a failure denies, and events that it leaves alone.
var (
	guarded   = []string{"preToolUse", "permissionRequest", "PreToolUse", "PermissionRequest"}
	unguarded = []string{"sessionStart", "postToolUse", "agentStop", "notification", "nosuchevent"}
)

// TestUnreadablePayload: what cannot be judged does not run.
func TestUnreadablePayload(t *testing.T) {
	self := tree(t, policy.Encode(denying(t, "git push --force")))
	good := payload(t, "1.0.102/preToolUse-bash.json")
	huge := append([]byte(`{"toolName":"view","toolArgs":{"path":"`), bytes.Repeat([]byte("x"), 40<<20)...)
	for name, data := range map[string][]byte{
		"empty":          {},
		"truncated":      good[:len(good)/2],
		"not UTF-8":      bytes.Replace(good, []byte("echo"), []byte("\xff\xfe"), 1),
		"40 MB":          append(huge, `"}}`...),
		"deep":           []byte(`{"toolName":"view","toolArgs":` + strings.Repeat(`{"a":`, 1<<20)),
		"deep as text":   []byte(`{"toolName":"bash","toolArgs":"` + strings.Repeat(`{\"a\":`, 1<<20) + `"}`),
		"null":           []byte("null"),
		"an array":       []byte("[]"),
		"two objects":    append(bytes.TrimSpace(good), good...),
		"hidden command": []byte(`{"toolName":"bash","toolArgs":{"command":["git","push"]}}`),
	} {
		t.Run(name, func(t *testing.T) {
			for _, event := range guarded {
				reason := wantDenied(t, event, run(t, bytes.NewReader(data), nil, self, "copilot", event))
				if !strings.Contains(reason, "agentihooks verify") || !strings.Contains(reason, "agentihooks switch") {
					t.Errorf("the reason does not say what to do: %s", reason)
				}
			}
			if name == "deep as text" || name == "hidden command" {
				return // only a guarded event looks into the call
			}
			for _, event := range unguarded {
				wantSilent(t, event, run(t, bytes.NewReader(data), nil, self, "copilot", event))
			}
		})
	}
}

// TestNoTool: a preToolUse without a tool is unreadable. A permissionRequest without one is about something else.
func TestNoTool(t *testing.T) {
	self := tree(t, policy.Encode(denying(t, "git push --force")))
	const data = `{"sessionId":"x","cwd":"/"}`
	wantDenied(t, "preToolUse", run(t, strings.NewReader(data), nil, self, "copilot", "preToolUse"))
	wantSilent(t, "permissionRequest", run(t, strings.NewReader(data), nil, self, "copilot", "permissionRequest"))
}

// TestUnreadablePolicy: without its policy the hook knows of no guard, so it lets nothing through.
func TestUnreadablePolicy(t *testing.T) {
	good := policy.Encode(denying(t, "git push --force"))
	damaged, newer := bytes.Clone(good), bytes.Clone(good)
	damaged[len(damaged)-1] ^= 1
	binary.BigEndian.PutUint32(newer[8:], policy.Version+1)
	data := payload(t, "1.0.102/preToolUse-view.json")
	for name, test := range map[string]struct {
		policy []byte
		says   string
	}{
		"missing":   {nil, "no such file"},
		"empty":     {[]byte{}, "no policy"},
		"truncated": {good[:len(good)-3], "cut short"},
		"damaged":   {damaged, "checksum"},
		"newer":     {newer, "newer agentihooks"},
		"too long":  {append(bytes.Clone(good), make([]byte, policy.MaxSize)...), "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			self := tree(t, test.policy)
			for _, event := range guarded {
				reason := wantDenied(t, event, run(t, bytes.NewReader(data), nil, self, "copilot", event))
				if !strings.Contains(reason, test.says) || !strings.Contains(reason, "agentihooks switch") {
					t.Errorf("%s: reason %q", event, reason)
				}
			}
			for _, event := range unguarded {
				wantSilent(t, event, run(t, bytes.NewReader(data), nil, self, "copilot", event))
			}
		})
	}
}

// TestUnknownGuard: a guard that the hook does not have, or whose data is damaged, denies.
func TestUnknownGuard(t *testing.T) {
	for _, g := range []policy.Guard{{Kind: "of-the-future"}, {Kind: "commands", Data: []byte("x")}} {
		self := tree(t, policy.Encode(policy.Policy{Guards: []policy.Guard{g}}))
		for _, event := range guarded {
			got := run(t, bytes.NewReader(payload(t, "1.0.102/preToolUse-view.json")), nil, self, "copilot", event)
			if reason := wantDenied(t, event, got); !strings.Contains(reason, "guard "+g.Kind) {
				t.Errorf("%s: reason %q", event, reason)
			}
		}
	}
}

// TestClosedDescriptors: the exit code denies where nothing can be read or written.
func TestClosedDescriptors(t *testing.T) {
	self := tree(t, policy.Encode(denying(t, "echo")))
	data := payload(t, "1.0.102/preToolUse-bash.json")
	shell := func(redirect string) result {
		return run(t, bytes.NewReader(data), nil, "/bin/sh", "-c", `exec "$0" copilot preToolUse `+redirect, self)
	}
	wantDenied(t, "preToolUse", shell("<&-"))
	wantDenied(t, "preToolUse", shell("</dev/null"))
	redirects := []string{">&-", "2>&- >&- <&-"}
	if _, err := os.Stat("/dev/full"); err == nil {
		redirects = append(redirects, ">/dev/full")
	}
	for _, redirect := range redirects {
		if got := shell(redirect); got.code != exitDenied {
			t.Errorf("%s: exit %d, stderr %q", redirect, got.code, got.stderr)
		}
	}

	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader.Close()
	cmd := exec.Command(self, "copilot", "preToolUse")
	cmd.Stdin, cmd.Stdout = bytes.NewReader(data), writer
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitDenied {
		t.Errorf("a pipe without a reader: exit %d", code)
	}
}

// TestBrokenGuard: a guard that panics, loops or answers nonsense denies.
func TestBrokenGuard(t *testing.T) {
	self := tree(t, policy.Encode(denying(t, "git push --force")))
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := payload(t, "1.0.102/preToolUse-bash.json")
	for kind, says := range map[string]string{
		"panics": "nil pointer", "spins": "too long", "hangs": "too long", "unknown verdict": "odd",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for _, event := range guarded {
				got := run(t, bytes.NewReader(data), []string{oddGuard + "=" + kind, oddSelf + "=" + self}, test, "copilot", event)
				if reason := wantDenied(t, event, got); !strings.Contains(reason, says) {
					t.Errorf("%s: reason %q", event, reason)
				}
			}
		})
	}
	t.Run("overflows", func(t *testing.T) {
		t.Parallel()
		got := run(t, bytes.NewReader(data), []string{oddGuard + "=overflows", oddSelf + "=" + self}, test, "copilot", "preToolUse")
		if got.code != exitDenied || got.stdout != "" {
			t.Errorf("exit %d, stdout %q", got.code, got.stdout)
		}
	})
}

// TestOneAnswer: a verdict that comes at the moment of the deadline is still one object.
func TestOneAnswer(t *testing.T) {
	self := tree(t, policy.Encode(denying(t, "git push --force")))
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := payload(t, "1.0.102/preToolUse-bash.json")
	for range 10 {
		got := run(t, bytes.NewReader(data), []string{oddGuard + "=races", oddSelf + "=" + self}, test, "copilot", "preToolUse")
		wantDenied(t, "preToolUse", got)
	}
}

// TestBlockedStdout: a denial that nobody reads still ends the process in time, with the exit code that denies.
func TestBlockedStdout(t *testing.T) {
	self := tree(t, policy.Encode(denying(t, "git push --force")))
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if err := writer.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil { // fill the pipe
		_, err = writer.Write(make([]byte, 1<<10))
	}
	for _, kind := range []string{"denies", "hangs"} {
		cmd := exec.Command(test, "copilot", "preToolUse")
		cmd.Env = []string{oddGuard + "=" + kind, oddSelf + "=" + self}
		cmd.Stdin, cmd.Stdout = bytes.NewReader(payload(t, "1.0.102/preToolUse-bash.json")), writer
		start := time.Now()
		cmd.Run()
		if code, took := cmd.ProcessState.ExitCode(), time.Since(start); code != exitDenied || took > 5*time.Second {
			t.Errorf("%s: exit %d after %v", kind, code, took)
		}
	}
}

// TestDeadline: the hook as it is denies after five seconds of waiting for a payload.
func TestDeadline(t *testing.T) {
	if testing.Short() {
		t.Skip("takes five seconds")
	}
	t.Parallel()
	self := tree(t, policy.Encode(denying(t, "git push --force")))
	for _, event := range []string{"preToolUse", "permissionRequest", "sessionStart", "statusLine"} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			stdin, ours, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close() // never written to
			defer stdin.Close()
			start := time.Now()
			got := run(t, stdin, nil, self, "copilot", event)
			if took := time.Since(start); took < 4*time.Second || took > 20*time.Second {
				t.Errorf("it ended after %v", took)
			}
			if event == "preToolUse" || event == "permissionRequest" {
				wantDenied(t, event, got)
			} else {
				wantSilent(t, event, got)
			}
		})
	}
}
