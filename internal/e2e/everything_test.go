package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentihooks/agentihooks/internal/modelserver"
)

// remote is an MCP server on the network, spoken to in both ways.
type remote struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string][]string // the X-Key headers that came, by path
}

func startRemote() *remote {
	r := &remote{seen: map[string][]string{}}
	server := func(*http.Request) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1.0.0"}, nil)
		mcp.AddTool(s, &mcp.Tool{Name: "ping", Description: "answers"},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "pong"}}}, nil, nil
			})
		return s
	}
	mux := http.NewServeMux()
	mux.Handle("/http", mcp.NewStreamableHTTPHandler(server, nil))
	mux.Handle("/sse", mcp.NewSSEHandler(server, nil))
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.seen[req.URL.Path] = append(r.seen[req.URL.Path], req.Header.Get("X-Key"))
		r.mu.Unlock()
		// Copilot 1.0.83 names another version here than it agreed on with the server, which then refuses.
		req.Header.Del("Mcp-Protocol-Version")
		mux.ServeHTTP(w, req)
	}))
	return r
}

func (r *remote) keys(path string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen[path])
}

// everySort is a setting of every sort that all versions take.
const everySort = `
    beep                  = false
    commandHistoryMaxSize = 40
    proxyUrl              = ""
    planEffortLevel       = "high"
    keepAlive             = "off"
    theme                 = "dim"
    companyAnnouncements  = ["one", "two"]
    enabledPlugins        = { "none@nowhere" = false }
    subagents = {
      agents   = { reviewer = { model = "gpt-4.1" } }
      maxDepth = 3
    }
    statusLine = {
      type            = "command"
      command         = "true"
      padding         = 1
      refreshInterval = 60
    }
    extraKnownMarketplaces = { local = { source = { source = "github", repo = "example/none" } } }
    sandbox = {
      enabled    = false
      userPolicy = { network = { allowOutbound = true }, filesystem = { readonlyPaths = ["/usr"] } }
    }
    footer = { showBranch = true, showQuota = false }
    tabs   = { hide = [] }
    voice  = { selectedDevice = { name = "none", occurrence = 1 } }
`

// newerSorts are those that only 1.0.102 takes.
const newerSorts = `
    worktreePathTemplate = "~/trees/{branch}"
    workflows            = { maxConcurrentRuns = 2, defaultLimits = { timeoutSeconds = 1.5 } }
    telemetry            = { captureContent = false, headersProvider = false }
    ahpEnvironment       = { computeId = "7b0b7f0a-3a0e-4e0c-8a3e-0d8b8f0d8b8f", outgoingConnections = [] }
`

// everythingLoads: settings of every sort and servers of every sort load without a complaint in the log, those that are
// disabled are neither started nor asked, and Copilot itself expands what stands in headers and addresses.
func everythingLoads(h *home) {
	far := startRemote()
	defer far.Close()
	h.env = append(h.env, "FAR_KEY="+secretValue, "FAR_PATH=http")
	settings, members := everySort, ""
	if h.cli.version == "1.0.102" {
		settings += newerSorts
		members = "  excludeTools = [\"whoami\"]\n  slowConnectionThresholdMs = 60000\n"
	}
	exempt := `"full", "least", "stdio", "far", "stream"`
	if h.cli.version != "1.0.80" { // which starts a server that mcp-config.json disables
		exempt += `, "off"`
	}
	started := filepath.Join(h.root, "started")
	h.switchTo(fmt.Sprintf(`
target "copilot" {
  version            = %q
  mcpDefaultDisabled = true
  mcpAlwaysEnabled   = [%[8]s]
  settings = {%[2]s  }
}

secret "FAR" {
  env = "FAR_KEY"
}

mcp "least" {
  command = %[3]q
}

mcp "stdio" {
  type    = "stdio"
  command = %[3]q
  args    = ["two words", "$${FAR_PATH}"]
  tools   = ["echo"]
}

mcp "full" {
  command              = %[3]q
  cwd                  = %[4]q
  env                  = { TOKEN = secret.FAR, PLAIN = "text" }
  timeout              = 30000
  deferTools           = "never"
  displayName          = "Full"
  disableToolCache     = true
  disableSecretMasking = false
  filterMapping        = "markdown"
  safeForTelemetry     = { name = true, inputsNames = false }
  events               = []
  notifications        = []
%[5]s}

mcp "far" {
  url                 = "%[6]s/$${FAR_PATH}"
  headers             = { X-Key = secret.FAR }
  headersRefreshTtlMs = 60000
  oauthPublicClient   = true
}

mcp "stream" {
  type    = "sse"
  url     = "%[6]s/sse"
  headers = { X-Key = "${secret.FAR}" }
}

mcp "idle" {
  command = "/bin/sh"
  args    = ["-c", "touch %[7]s"]
}

mcp "off" {
  command  = "/bin/sh"
  args     = ["-c", "touch %[7]s"]
  disabled = true
}

mcp "away" {
  url = "%[6]s/away"
}
`, h.cli.version, settings, h.tools.mcpserver, h.dir, members, far.URL, started, exempt))
	if r := h.agentihooks("status", "--exit-code"); r.code != 0 {
		h.t.Errorf("status: exit %d: %s", r.code, r.stdout)
	}
	r := h.prompt("go", []modelserver.Turn{{Calls: []modelserver.Call{
		{Tool: "far-ping", Args: map[string]any{}},
		{Tool: "stream-ping", Args: map[string]any{}},
		{Tool: "least-echo", Args: map[string]any{"text": "hello"}},
	}}})
	names := r.last(h.t).ToolNames()
	want := []string{"far-ping", "full-echo", "least-echo", "least-whoami", "stdio-echo", "stream-ping"}
	for _, name := range want {
		if !slices.Contains(names, name) {
			h.t.Errorf("no tool %s among %q", name, names)
		}
	}
	for _, name := range names {
		for _, server := range []string{"idle-", "off-", "away-", "stdio-whoami"} {
			if strings.HasPrefix(name, server) {
				h.t.Errorf("tool %s is offered", name)
			}
		}
	}
	if slices.Contains(names, "full-whoami") != (members == "") {
		h.t.Errorf("excludeTools on %s: %q", h.cli.version, names)
	}
	for i, answer := range []string{"pong", "pong", "echo: hello"} {
		if got := r.toolResult(h.t, 0, i); !strings.Contains(got, answer) {
			h.t.Errorf("call %d: %q, want %q", i, got, answer)
		}
	}
	for _, path := range []string{"/http", "/sse"} {
		if keys := far.keys(path); len(keys) == 0 || keys[0] != secretValue {
			h.t.Errorf("%s was asked with the keys %q", path, keys)
		}
	}
	if keys := far.keys("/away"); len(keys) > 0 {
		h.t.Error("a disabled server was asked")
	}
	if _, err := os.Stat(started); !os.IsNotExist(err) {
		h.t.Errorf("a disabled server was started: %v", err)
	}
}
