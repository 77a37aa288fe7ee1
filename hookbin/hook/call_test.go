package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/policy"
)

func TestSources(t *testing.T) {
	state := t.TempDir()
	if err := os.Mkdir(filepath.Join(state, "current"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		record any
		want   []string
	}{
		{map[string]string{"manifest": "/home/u/.config/agentihooks/machine.hcl"}, []string{"/home/u/.config/agentihooks/machine.hcl", "/home/u/.config/agentihooks"}},
		{map[string]string{"manifest": "/srv/dotfiles/machine.hcl"}, []string{"/srv/dotfiles/machine.hcl", "/srv/dotfiles"}},
		{map[string]string{"manifest": "/home/u/machine.hcl"}, []string{"/home/u/machine.hcl"}}, // or nothing in the home could be written
		{map[string]string{"manifest": "/home/machine.hcl"}, []string{"/home/machine.hcl"}},
		{map[string]string{"manifest": "/machine.hcl"}, []string{"/machine.hcl"}},
		{map[string]string{"manifest": "/home/user/machine.hcl"}, []string{"/home/user/machine.hcl", "/home/user"}},
		{map[string]string{"manifest": "machine.hcl"}, nil},
		{map[string]string{}, nil},
		{[]int{}, nil},
	} {
		data, err := json.Marshal(test.record)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, "current", "generation.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := sources(policy.Policy{StateDir: state}, "/home/u"); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", data, got, test.want)
		}
	}
	if got := sources(policy.Policy{}, "/home/u"); got != nil {
		t.Errorf("without a state folder: %q", got)
	}
}
