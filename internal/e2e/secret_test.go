package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// secretValue is what must only ever reach the MCP server. It is no word of any credential format, so that nothing
// masks it by its looks.
const secretValue = "wren-8817-tern-4402-plover"

func secretFromFile(h *home) {
	path := h.secretFile()
	checkSecret(h, "TOKEN", fmt.Sprintf("file = %q", path))
}

func secretFromCommand(h *home) {
	path := h.secretFile()
	checkSecret(h, "TOKEN", fmt.Sprintf("command = [\"cat\", %q]", path))
}

// secretFromVariable: the agent's shell inherits the variable itself, but not the name that the server knows it by.
func secretFromVariable(h *home) {
	h.env = append(h.env, "OUTER_NAME="+secretValue)
	checkSecret(h, "VAULT_KEY", `env = "OUTER_NAME"`)
}

// secretFile puts the secret into a file beside the home, which the search for copies leaves out.
func (h *home) secretFile() string {
	h.t.Helper()
	path := filepath.Join(h.root, "secret")
	h.writeFile(path, secretValue+"\n")
	return path
}

// checkSecret switches to a machine with one secret, from the source given, that a server has as TOKEN. It looks for
// its value everywhere else.
func checkSecret(h *home, name, source string) {
	h.t.Helper()
	h.switchTo(fmt.Sprintf(`
target "copilot" {
  settings = { theme = "dim" }
}

secret %q {
  %s
}

mcp "vault" {
  command = %[3]q
  env     = { TOKEN = secret.%[1]s }
}
`, name, source, h.tools.mcpserver))
	r := h.prompt("go", []modelserver.Turn{
		{Calls: []modelserver.Call{{Tool: "vault-whoami", Args: map[string]any{}}}},
		// Into files, because Copilot masks values in what it shows.
		modelserver.Bash(`echo "[$TOKEN]"; env >env.txt; ps -A -ww -o args >args.txt || cat /proc/[0-9]*/cmdline | tr '\0' ' ' >args.txt`),
	})
	sum := sha256.Sum256([]byte(secretValue))
	if got, want := r.toolResult(h.t, 0, 0), "token sha256 "+hex.EncodeToString(sum[:]); !strings.Contains(got, want) {
		h.t.Errorf("the server says %q, want %q", got, want)
	}
	if got := r.toolResult(h.t, 1, 0); !strings.Contains(got, "[]") {
		h.t.Errorf("echo [$TOKEN] in the agent's shell: %q, want []", got)
	}
	args := h.read(filepath.Join(h.work, "args.txt"))
	if !strings.Contains(args, h.tools.mcpserver) {
		h.t.Errorf("the server is not among the processes, so this test shows nothing:\n%s", args)
	}
	env := h.read(filepath.Join(h.work, "env.txt"))
	if !strings.Contains(env, "HOME="+h.dir+"\n") {
		h.t.Errorf("env.txt is not the environment of the agent's shell:\n%s", env)
	}
	for line := range strings.Lines(env) {
		if name, value, _ := strings.Cut(line, "="); strings.Contains(value, secretValue) && name != "OUTER_NAME" {
			h.t.Errorf("the agent's shell has the secret in %s", name)
		}
	}
	if err := os.Remove(filepath.Join(h.work, "env.txt")); err != nil {
		h.t.Fatal(err)
	}
	for _, path := range h.filesWith(secretValue) {
		if path != filepath.Join(h.root, "secret") {
			h.t.Errorf("the secret stands in %s", path)
		}
	}
	for _, req := range r.requests {
		if strings.Contains(req.Text(), secretValue) {
			h.t.Error("the secret reached the model")
		}
	}
	if r := h.agentihooks("diff", "-f", filepath.Join(h.src, "machine.hcl")); strings.Contains(r.stdout+r.stderr, secretValue) {
		h.t.Error("the secret stands in a diff")
	}
}

// filesWith are the files below the root, of the home, the state and everything else, whose content has the text.
func (h *home) filesWith(text string) []string {
	h.t.Helper()
	var found []string
	err := filepath.WalkDir(h.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(data, []byte(text)) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}
