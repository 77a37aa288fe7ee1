package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// doctorAsksCopilot: the probe passes where Copilot loads every hook of ours, and fails where ours is lost, or another file
// has a fault: none of which Copilot says by itself. See https://github.com/github/copilot-cli/issues/4520.
func doctorAsksCopilot(h *home) {
	if err := os.Symlink(h.cli.path, filepath.Join(h.bin, "copilot")); err != nil {
		h.t.Fatal(err)
	}
	h.switchTo(`target "copilot" {}`)
	text := h.probe(true)
	if h.cli.version == "1.0.80" {
		if !strings.Contains(text, "cannot list its hooks") {
			h.t.Errorf("the probe says %q", text)
		}
		return
	}
	if !strings.Contains(text, "loads all our 12 hooks") {
		h.t.Errorf("the probe says %q", text)
	}

	other := filepath.Join(h.dir, ".copilot", "hooks", "other.json")
	h.writeFile(other, `{"version":1,"hooks":{`)
	if text := h.probe(false); !strings.Contains(text, "other.json") {
		h.t.Errorf("with a broken file beside ours the probe says %q", text)
	}
	if err := os.Remove(other); err != nil {
		h.t.Fatal(err)
	}

	link := filepath.Join(h.dir, ".copilot", "hooks", "agentihooks.json")
	if err := os.Remove(link); err != nil {
		h.t.Fatal(err)
	}
	if text := h.probe(false); !strings.Contains(text, "loads 0 of our 12 hooks") {
		h.t.Errorf("without our file the probe says %q", text)
	}
}

// probe runs doctor --probe and gives what the probe says.
func (h *home) probe(ok bool) string {
	h.t.Helper()
	h.cli.slots <- struct{}{}
	defer func() { <-h.cli.slots }()
	env := append(h.baseEnv(), append([]string{"XDG_CACHE_HOME=" + h.cli.cache}, h.env...)...)
	r := execute(h.t, h.work, env, h.tools.agentihooks, "doctor", "--probe", "--json")
	type check struct {
		ID, Detail string
		OK         bool
	}
	var out struct{ Checks []check }
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		h.t.Fatalf("doctor: %v\n%s%s", err, r.stdout, r.stderr)
	}
	i := slices.IndexFunc(out.Checks, func(c check) bool { return c.ID == "probe" })
	if i < 0 {
		h.t.Fatalf("doctor made no probe: %s", r.stdout)
	}
	// What settings 1.0.80 takes is not known, and doctor says so.
	known := !slices.ContainsFunc(out.Checks, func(c check) bool { return c.ID == "catalogue" && !c.OK })
	if out.Checks[i].OK != ok || (r.code == 0) != (ok && known) || known == (h.cli.version == "1.0.80") {
		h.t.Errorf("doctor: exit %d\n%s", r.code, r.stdout)
	}
	return out.Checks[i].Detail
}
