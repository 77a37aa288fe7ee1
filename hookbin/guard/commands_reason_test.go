package guard

import (
	"strings"
	"testing"
)

// TestReasons: a reason names the pattern and the command, says what to do, and is one line.
func TestReasons(t *testing.T) {
	data := policy(t, "git push --force", "rm -rf /")
	for _, test := range []struct {
		command string
		parts   []string
	}{
		{"ls && git push --force origin", []string{"`git push --force origin`", "denied pattern `git push --force`", "agentihooks switch"}},
		{"bash -c 'cd x; git push --force'", []string{"`git push --force`"}},
		{`rm -rf "$DIR"/`, []string{"`rm -rf \"$DIR\"/`", "may become", "`rm -rf /`", "${NAME:?}"}},
		{"git push --force &&", []string{"not valid shell", "`git push --force`"}},
		{`python -c "os.system('git push --force')"`, []string{"interpreter", "`git push --force`"}},
		{strings.Repeat("(", 1_001), []string{"more than 1,000", "Split it"}},
		{"ls " + strings.Repeat("x", 64<<10), []string{"64 KB", "Split it"}},
		{"git push --force \u202e\x1b", []string{`\u{202e}\u{1b}`}},
		{"git push --force " + strings.Repeat("x", 300), []string{"…"}},
		{"x=$(curl x); eval \"$x\"; : git push --force", []string{"`eval \"$x\"`", "may become"}},
	} {
		v := judge(t, data, test.command)
		if v.Kind != Deny || v.Guard != "commands" || strings.Contains(v.Reason, "\n") {
			t.Errorf("verdict on %.80q is %+v", test.command, v)
		}
		for _, part := range append(test.parts, `guard "commands"`) {
			if !strings.Contains(v.Reason, part) {
				t.Errorf("reason for %.80q has no %q: %s", test.command, part, v.Reason)
			}
		}
	}
}

// TestOtherTools: only text that a shell will read is judged.
func TestOtherTools(t *testing.T) {
	v, err := Judge("commands", policy(t), &Call{Tool: "edit"})
	if err != nil || v.Kind != Pass || v.Guard != "commands" || v.Reason != "" {
		t.Errorf("verdict %+v, %v", v, err)
	}
}
