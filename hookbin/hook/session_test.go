package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/hookbin/guard"
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/hookbin/process"
	"github.com/agentihooks/agentihooks/hookbin/session"
)

// stateAt makes a $STATE whose `current` is a link with the given text, or none.
func stateAt(t *testing.T, link string) string {
	t.Helper()
	state := t.TempDir()
	if link != "" {
		if err := os.Symlink(link, filepath.Join(state, "current")); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

func TestSessionStart(t *testing.T) {
	g, problems := policy.Compile("commands", guard.Args{"deny": []string{"git push --force", "rm -rf /"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p := policy.Policy{
		Host: "wl-0431", StateDir: stateAt(t, "generations/7"), Channels: []string{"brain", "on\ncall"}, Guards: []policy.Guard{g},
		Secrets: []policy.Secret{
			{Name: "EMPTY", Env: "EMPTY"},
			{Name: "FROM_FILE", File: "/nonexistent"},
			{Name: "OTHER", Env: "OTHER_NAME"},
			{Name: "SET", Env: "SET"},
			{Name: "UNSET", Env: "UNSET"},
		},
	}
	data := payload(t, "1.0.102/sessionStart.json")
	answer := func(p policy.Policy) string {
		w, stdout := world(t, p, nil, data, "copilot", "sessionStart")
		w.Environ = func() []string {
			return []string{"SET=hunter2", "EMPTY=", "HOME=/home/dev", "COPILOT_CLI_BINARY_VERSION=1.0.102\x1b[2J"}
		}
		if code := Run(w); code != exitDone {
			t.Errorf("exit %d", code)
		}
		var out map[string]string
		if err := json.Unmarshal(stdout.Bytes(), &out); err != nil || len(out) != 1 {
			t.Errorf("%s: %v", stdout, err)
		}
		return out["additionalContext"]
	}
	golden(t, "session.golden", answer(p)+"---\n"+
		answer(policy.Policy{Host: "h\n\u202e", StateDir: stateAt(t, "")})+"---\n"+
		answer(policy.Policy{Host: "h", StateDir: stateAt(t, "generations/12")}))
}

func TestGeneration(t *testing.T) {
	for link, want := range map[string]int{
		"generations/7": 7, "generations/10000": 10000, "": 0, "elsewhere": 0, "generations/0": 0, "generations/-1": 0, "generations/": 0,
	} {
		number, ok := generation(policy.Policy{StateDir: stateAt(t, link)})
		if ok != (want > 0) || ok && number != want {
			t.Errorf("%q: %d, %v", link, number, ok)
		}
	}
	t.Chdir(stateAt(t, "generations/7"))
	if number, ok := generation(policy.Policy{}); ok {
		t.Errorf("without a state folder the generation is %d", number)
	}
}

func TestStatusLine(t *testing.T) {
	full := policy.Policy{StateDir: stateAt(t, "generations/7"), Channels: []string{"brain", "amygdala"}}
	for name, test := range map[string]struct {
		policy policy.Policy
		stdin  string
		want   string
	}{
		"1.0.102":              {full, string(payload(t, "1.0.102/statusLine.json")), "gen 7 · brain,amygdala · mock (gpt-4.1) · ctx 19%\n"},
		"1.0.102, at start":    {full, string(payload(t, "1.0.102/statusLine-start.json")), "gen 7 · brain,amygdala · mock (gpt-4.1) · ctx 0%\n"},
		"1.0.83":               {full, string(payload(t, "1.0.83/statusLine.json")), "gen 7 · brain,amygdala · mock (gpt-4.1) · ctx 18%\n"},
		"1.0.83, at start":     {full, string(payload(t, "1.0.83/statusLine-start.json")), "gen 7 · brain,amygdala · mock (gpt-4.1) · ctx 0%\n"},
		"model without a name": {full, `{"model":{"id":"gpt\u202e","display_name":null}}`, "gen 7 · brain,amygdala · gpt\\u202e\n"},
		"a long model":         {full, `{"model":{"id":"` + strings.Repeat("m", 99) + `"}}`, "gen 7 · brain,amygdala · " + strings.Repeat("m", 31) + "… (cut)\n"},
		"model of a new shape": {full, `{"model":"gpt","context_window":{"used_percentage":5}}`, "gen 7 · brain,amygdala · ctx 5%\n"},
		"allow all":            {full, `{"allow_all_enabled":true}`, "gen 7 · brain,amygdala · allow-all\n"},
		"allow all, as text":   {full, `{"allow_all_enabled":"true"}`, "gen 7 · brain,amygdala\n"},
		"only the sum":         {full, `{"context_window":{"used_percentage":41.5}}`, "gen 7 · brain,amygdala · ctx 42%\n"},
		"null":                 {full, `{"context_window":{"used_percentage":null}}`, "gen 7 · brain,amygdala\n"},
		"no window":            {full, `{"context_window":null}`, "gen 7 · brain,amygdala\n"},
		"another type":         {full, `{"context_window":{"current_context_used_percentage":"x","used_percentage":5}}`, "gen 7 · brain,amygdala · ctx 5%\n"},
		"out of all bounds":    {full, `{"context_window":{"used_percentage":1e300}}`, "gen 7 · brain,amygdala\n"},
		"below zero":           {full, `{"context_window":{"used_percentage":-1}}`, "gen 7 · brain,amygdala\n"},
		"bad JSON":             {full, `{"context_window":`, "gen 7 · brain,amygdala\n"},
		"nothing":              {full, ``, "gen 7 · brain,amygdala\n"},
		"no channels":          {policy.Policy{StateDir: full.StateDir}, ``, "gen 7\n"},
		"nothing known":        {policy.Policy{}, ``, "gen ?\n"},
		"channels to escape":   {policy.Policy{Channels: []string{"a\nb", "\u202ec"}}, ``, "gen ? · a\\nb,\\u202ec\n"},
		"channels of any kind": {policy.Policy{Channels: []string{"it's", "日本"}}, ``, "gen ? · it's,日本\n"},
	} {
		w, stdout := world(t, test.policy, nil, []byte(test.stdin), "copilot", "statusLine")
		if code := Run(w); code != exitDone || stdout.String() != test.want {
			t.Errorf("%s: exit %d, %q, want %q", name, code, stdout, test.want)
		}
	}
}

// TestStatusLineOfASession: the line says what was denied in this session, and with which generation it began.
func TestStatusLineOfASession(t *testing.T) {
	p := policy.Policy{StateDir: stateAt(t, "generations/7"), Guards: []policy.Guard{{Kind: "k"}}}
	line := func(id string) string {
		w, stdout := world(t, p, nil, []byte(`{"session_id":"`+id+`"}`), "copilot", "statusLine")
		Run(w)
		return stdout.String()
	}
	for range 2 {
		w, _ := world(t, p, byCommand, []byte(`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"deny"}}`), "copilot", "preToolUse")
		Run(w)
	}
	if err := session.Write(p.StateDir, "s", 6, process.ID{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := session.Write(p.StateDir, "same", 7, process.ID{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"s": "gen 7 (session: 6) · 2 denied\n", "same": "gen 7\n", "other": "gen 7\n", "": "gen 7\n"} {
		if got := line(id); got != want {
			t.Errorf("session %q: %q, want %q", id, got, want)
		}
	}
}

func TestStatusLineWithoutPolicy(t *testing.T) {
	got := run(t, nil, nil, tree(t, nil), "copilot", "statusLine")
	if got.code != exitDone || got.stdout != "agentihooks: policy unreadable, run agentihooks verify\n" {
		t.Errorf("%+v", got)
	}
}

// TestASessionIsOnRecordWhileItRuns: gc keeps what a running session began with.
// See https://github.com/anthropics/claude-code/issues/84656.
func TestASessionIsOnRecordWhileItRuns(t *testing.T) {
	p := policy.Policy{Host: "h", StateDir: stateAt(t, "generations/7")}
	for range 2 { // Copilot sends sessionStart again when a session is resumed
		w, _ := world(t, p, nil, payload(t, "1.0.102/sessionStart.json"), "copilot", "sessionStart")
		if code := Run(w); code != exitDone {
			t.Fatalf("exit %d", code)
		}
	}
	list, err := session.List(p.StateDir)
	if err != nil || len(list) != 1 || list[0].Record.Generation != 7 || list[0].Record.Process.PID != os.Getpid() {
		t.Fatalf("%+v, %v", list, err)
	}
	if !list[0].Live(list[0].Record.Seen) {
		t.Error("our own process counts as ended")
	}
	folder := filepath.Join(p.StateDir, "sessions", list[0].Name)
	for path, mode := range map[string]os.FileMode{filepath.Dir(folder): 0o700, folder: 0o700, filepath.Join(folder, "session.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	w, stdout := world(t, p, nil, payload(t, "1.0.102/sessionEnd.json"), "copilot", "sessionEnd")
	if code := Run(w); code != exitDone || stdout.Len() > 0 {
		t.Errorf("exit %d, %q", code, stdout)
	}
	if _, err := os.Lstat(folder); err == nil {
		t.Error("the record is still there")
	}
}

// TestASessionThatCannotBeRecordedGoesOn: a state folder that is gone, or in the way, costs a note and nothing else.
func TestASessionThatCannotBeRecordedGoesOn(t *testing.T) {
	blocked := stateAt(t, "generations/7")
	writeFile(t, filepath.Join(blocked, "sessions"), nil, 0o600)
	for _, dir := range []string{blocked, filepath.Join(t.TempDir(), "gone")} {
		w, stdout := world(t, policy.Policy{Host: "h", StateDir: dir}, nil, payload(t, "1.0.102/sessionStart.json"), "copilot", "sessionStart")
		if code := Run(w); code != exitDone || !strings.Contains(stdout.String(), "could not be recorded") {
			t.Errorf("exit %d, %s", code, stdout)
		}
		w, stdout = world(t, policy.Policy{Host: "h", StateDir: dir}, nil, payload(t, "1.0.102/sessionEnd.json"), "copilot", "sessionEnd")
		if code := Run(w); code != exitDone || stdout.Len() > 0 {
			t.Errorf("exit %d, %s", code, stdout)
		}
	}
}
