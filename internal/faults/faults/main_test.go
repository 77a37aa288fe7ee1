//go:build linux && amd64

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, test := range []struct {
		name   string
		fault  []string
		code   int
		stderr string
	}{
		{"a listing", nil, 0, "1 mkdir "},
		{"a kill", []string{"-at", "1", "-fault", "kill"}, exitKilled, "1 mkdir "},
		{"an error", []string{"-at", "1", "-fault", "ENOSPC"}, 1, "No space left on device"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			var stdout, stderr bytes.Buffer
			args := append([]string{"-beneath", dir, "-changes"}, test.fault...)
			code, err := run(append(args, "mkdir", filepath.Join(dir, "new")), &stdout, &stderr)
			if err != nil || code != test.code || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("exit code %d, %v\n%s%s", code, err, stdout.String(), stderr.String())
			}
		})
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{{}, {"-fault", "nonsense", "true"}, {"/nonexistent"}, {"-unknown"}} {
		var stderr bytes.Buffer
		code, err := run(args, &stderr, &stderr)
		if code != exitUntraced || err == nil && stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, error %v", args, code, err)
		}
	}
}
