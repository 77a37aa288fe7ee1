package guard

import "testing"

// policy compiles patterns; without any, those that most cases are judged by.
func policy(t testing.TB, patterns ...string) []byte {
	t.Helper()
	if len(patterns) == 0 {
		patterns = []string{"git push --force", "git push -f", "rm -rf /", "rm -rf ~", "find -delete", "mkfs*", "shutdown", "npm publish"}
	}
	data, problems := Compile("commands", Args{"deny": patterns})
	if len(problems) > 0 {
		t.Fatalf("compiling %q: %v", patterns, problems)
	}
	return data
}

// judge gives the verdict on a line.
func judge(t testing.TB, data []byte, command string) Verdict {
	t.Helper()
	v, err := Judge("commands", data, &Call{Tool: "bash", Command: command})
	if err != nil {
		t.Fatalf("judging %q: %v", command, err)
	}
	return v
}

// checkAll wants one verdict on all lines.
func checkAll(t *testing.T, want VerdictKind, cases []string) {
	t.Helper()
	data := policy(t)
	for _, command := range cases {
		if got := judge(t, data, command); got.Kind != want {
			t.Errorf("verdict on\n%s\nis %v (%s), want %v", command, got.Kind, got.Reason, want)
		}
	}
}
