package hookbuild

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports: every package that the hook links is paid for at each tool call, most of it before main runs.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{if .Standard}}std {{end}}{{.ImportPath}}", hookPackage)
	cmd.Dir = moduleRoot
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	costly := map[string]bool{
		"crypto/tls": true, "html/template": true, "log": true, "net": true, "net/http": true, "os/signal": true, "os/user": true,
		"testing": true, "text/template": true,
	}
	lines := strings.Fields(strings.ReplaceAll(string(text), "std ", "std:"))
	if len(lines) < 20 {
		t.Fatalf("only %d packages: %s", len(lines), text)
	}
	for _, name := range lines {
		if std, ok := strings.CutPrefix(name, "std:"); ok {
			if costly[std] {
				t.Errorf("the hook links %s", std)
			}
			continue
		}
		own := strings.HasPrefix(name, "github.com/agentihooks/agentihooks/hookbin/")
		if !own && name != "mvdan.cc/sh/v3/syntax" && name != "mvdan.cc/sh/v3/fileutil" {
			t.Errorf("the hook links %s", name)
		}
	}
}
