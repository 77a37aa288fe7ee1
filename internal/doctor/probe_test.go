package doctor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func framed(messages ...string) string {
	var out strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return out.String()
}

// answer is what Copilot 1.0.102 gave, with a hooks file of one entry and one that it could not read.
const answer = `{"jsonrpc":"2.0","id":1,"result":{"hooks":[{"id":"hook:c41a","hookType":"preToolUse","origin":"user","enabled":true,` +
	`"source":"hooks/agentihooks.json","disableKey":"6569"}],"warnings":[],"errors":["Invalid hook configuration in /h/bad.json"]}}`

func TestAsk(t *testing.T) {
	for name, tt := range map[string]struct {
		said, fault string
	}{
		"answer":             {framed(answer), ""},
		"says more before":   {framed(`{"jsonrpc":"2.0","method":"log","params":{}}`, `{"jsonrpc":"2.0","id":7,"method":"ask"}`, answer), ""},
		"another header":     {strings.Replace(framed(answer), "\r\n", "\r\nContent-Type: application/json\r\n", 1), ""},
		"an old version":     {framed(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Unhandled method hooks.discover"}}`), errNoMethod.Error()},
		"an error":           {framed(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not signed in"}}`), "not signed in"},
		"nothing":            {"", "it ended"},
		"a text":             {"BYOK providers require an explicit model.\n", "it ended, or wrote something else"},
		"cut off":            {framed(answer)[:200], "EOF"},
		"no length":          {"Content-Type: x\r\n\r\n{}", `a message has "" bytes`},
		"negative":           {"Content-Length: -1\r\n\r\n{}", `"-1" bytes`},
		"huge":               {"Content-Length: 99999999999\r\n\r\n{}", "99999999999"},
		"no JSON":            {framed("{"), "reading its answer"},
		"neither answer nor": {framed(`{"jsonrpc":"2.0","id":1}`), "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked bytes.Buffer
			got, err := ask(&asked, bufio.NewReader(strings.NewReader(tt.said)))
			if question, err := frame(bufio.NewReader(&asked)); err != nil || !bytes.Contains(question, []byte(`"method":"hooks.discover"`)) {
				t.Errorf("it asked %q, %v", question, err)
			}
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || len(got.Hooks) != 1 || got.Hooks[0].HookType != "preToolUse" || got.Hooks[0].Origin != "user" ||
				!got.Hooks[0].Enabled || got.Hooks[0].Source != HooksFile || texts(got.Errors) != "Invalid hook configuration in /h/bad.json" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	ours := `{"hookType":"preToolUse","origin":"user","enabled":true,"source":"hooks/agentihooks.json"}`
	off := strings.Replace(ours, "true", "false", 1)
	theirs := strings.Replace(off, "hooks/agentihooks.json", "hooks/other.json", 1)
	repository := strings.Replace(ours, `"user"`, `"repo"`, 1)
	for name, tt := range map[string]struct {
		hooks, errors, want string // want: what a failed check says, "" if it passes
	}{
		"all":                          {ours + "," + ours, "", ""},
		"others are off":               {ours + "," + ours + "," + theirs, "", ""},
		"one is lost":                  {ours, "", "loads 1 of our 2"},
		"a repository's is none of us": {ours + "," + repository, "", "loads 1 of our 2"},
		"one is off":                   {ours + "," + off, "", "switched off: preToolUse"},
		"a file has a fault":           {ours + "," + ours, `"bad.json: no JSON"`, "bad.json"},
		"a fault that is no text":      {ours + "," + ours, `{"file":"bad.json"}`, "bad.json"},
	} {
		t.Run(name, func(t *testing.T) {
			said := framed(`{"jsonrpc":"2.0","id":1,"result":{"hooks":[` + tt.hooks + `],"warnings":[],"errors":[` + tt.errors + `]}}`)
			got, err := ask(&bytes.Buffer{}, bufio.NewReader(strings.NewReader(said)))
			if err != nil {
				t.Fatal(err)
			}
			var d doctor
			d.judge(got, 2)
			if c := d.checks[0]; len(d.checks) != 1 || c.OK != (tt.want == "") || !strings.Contains(c.Detail, tt.want) || c.OK != (c.Fix == "") {
				t.Errorf("%+v", d.checks)
			}
		})
	}
}

func FuzzAsk(f *testing.F) {
	f.Add(framed(answer))
	f.Add(framed("{}", "[]") + "Content-Length: 3\r\n\r\n{}")
	f.Fuzz(func(t *testing.T, said string) {
		var asked bytes.Buffer
		_, _ = ask(&asked, bufio.NewReader(strings.NewReader(said)))
	})
}

// TestAProgramThatDoesNotAnswerIsEnded with all that it started.
func TestAProgramThatDoesNotAnswerIsEnded(t *testing.T) {
	for name, ask := range map[string]func(*doctor, context.Context, string) error{
		"listing": func(d *doctor, ctx context.Context, dir string) error {
			_, err := d.discover(ctx, dir)
			return err
		},
		"rehearsal": func(d *doctor, ctx context.Context, dir string) error {
			_, err := d.rehearse(ctx, dir, "true")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			start := time.Now()
			err := ask(script(t, dir, "sleep 60 &\necho $! >"+dir+"/child\nwait"), ctx, dir)
			if err == nil || !strings.Contains(err.Error(), "within") || time.Since(start) > 10*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			pid, err := os.ReadFile(filepath.Join(dir, "child"))
			if err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(5 * time.Second); running(strings.TrimSpace(string(pid))); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("what it started still runs")
				}
			}
		})
	}
}

// script is a doctor to whom a shell script is the CLI.
func script(t *testing.T, dir, text string) *doctor {
	t.Helper()
	program := filepath.Join(dir, "copilot")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return &doctor{Machine: Machine{Copilot: program, WorkDir: dir, StateDir: dir, CopilotHome: dir, Environ: os.Environ()}}
}

// running reports whether a process runs; one that ended and was not waited for does not.
func running(pid string) bool {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	return err == nil && !bytes.Contains(data, []byte(") Z "))
}

func TestDisables(t *testing.T) {
	for text, want := range map[string]bool{
		`{"disableAllHooks": true}`: true, "\ufeff{\"disableAllHooks\":true}\r\n": true, `{"disableAllHooks": /* no */ true,}`: true,
		`{"disableAllHooks": false}`: false, `{"disableAllHooks": "true"}`: false, `{"hooks": {"disableAllHooks": true}}`: false,
		`{}`: false, `[]`: false, ``: false, `{"disableAllHooks": true`: false, strings.Repeat(`[`, 1_000_000): false,
	} {
		if got := disables([]byte(text)); got != want {
			t.Errorf("%.40q: %v", text, got)
		}
	}
}
