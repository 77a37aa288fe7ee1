package archtest

// world lists what a pure package does not import: the machine, the clock, the network, chance, and what differs from
// one system to the next.
var world = []string{
	"C", "crypto/rand", "io/ioutil", "log/...", "math/rand/...", "net", "net/http/...", "net/rpc/...", "net/smtp",
	"os/...", "path/filepath", "plugin", "runtime/...", "syscall/...", "testing/...", "time/...", "unsafe",
}

// dependencies are the modules that we import, each with its reason. One more needs a better reason than saved typing.
var dependencies = map[string]string{
	"github.com/agext/levenshtein":           "the nearest name in a diagnostic; hcl has it already",
	"github.com/bmatcuk/doublestar/v4":       "globs with **, which io/fs has not",
	"github.com/goccy/go-yaml":               "frontmatter, and yamldecode with positions",
	"github.com/gofrs/flock":                 "the one lock of the state folder, and Copilot's own lock files",
	"github.com/hashicorp/hcl/v2":            "the manifest's language",
	"github.com/modelcontextprotocol/go-sdk": "tests: a real MCP server for the real agent",
	"github.com/nix-community/go-nix":        "NAR digests and Nix's base 32, so that nix itself can check a tree",
	"github.com/rogpeppe/go-internal":        "tests: scripts",
	"github.com/sergi/go-diff":               "the line differences behind unified hunks",
	"github.com/spf13/cobra":                 "commands, flags, help",
	"github.com/tailscale/hujson":            "JSON with comments that survive an edit",
	"github.com/zclconf/go-cty":              "the values of the manifest's language",
	"golang.org/x/mod":                       "tests: reading go.mod",
	"golang.org/x/sys":                       "syncfs and renames that do not replace",
	"golang.org/x/text":                      "file names that a file system may take for one: case folds and NFC; names without accents",
	"mvdan.cc/sh/v3":                         "the shell's grammar, for the guards",
	"pgregory.net/rapid":                     "tests: random operations that shrink",
}

// Design is the rules of this module. Data flows one way: sources, manifest, machine, tree, store path, plan, home.
var Design = Rules{
	Module: "github.com/agentihooks/agentihooks",
	Impure: world,
	Deps:   dependencies,
	// The hook starts before every tool call: its tests may not pull in what it must not know either.
	Closed: []string{"hookbin/..."},
	Rules: map[string]Rule{
		// The edge: it calls the stages, and nothing calls it.
		"cmd/agentihooks": {
			Own: []string{
				"compiler/...", "targets/...", "hookbin", "hookbin/channel", "hookbin/guard", "hookbin/ledger", "hookbin/session", "modules", "internal/activate", "internal/diag",
				"internal/doctor", "internal/durable", "internal/facts", "internal/gc", "internal/generation", "internal/homeimport", "internal/nearest",
				"internal/pythonhome", "internal/sessionlog", "internal/sources", "internal/store", "internal/textdiff", "internal/tree", "internal/verify",
			},
			Third: []string{"github.com/spf13/cobra"},
		},

		// Sources to machine. Only compiler knows the manifest's language; of the guards it knows the arguments.
		"compiler": {
			Pure: true,
			Own:  []string{"compiler/model", "hookbin/credential", "hookbin/guard", "internal/diag", "internal/frontmatter", "internal/hookfile", "internal/jsonplace", "internal/mcpfile", "internal/nearest", "modules"},
			Third: []string{
				"github.com/bmatcuk/doublestar/v4", "github.com/goccy/go-yaml/...",
				"github.com/hashicorp/hcl/v2/...", "github.com/zclconf/go-cty/...",
			},
		},
		"compiler/model": {Pure: true, Own: []string{"internal/diag"}},
		"modules":        {Pure: true},

		// Machine to tree. Compiler and targets meet at the model; targets encode the policy that the hook runs.
		"targets": {
			Pure: true,
			Own:  []string{"compiler/model", "targets/...", "hookbin/guard", "hookbin/policy", "internal/diag", "internal/tree"},
		},
		"targets/target": {Pure: true, Own: []string{"compiler/model", "internal/diag", "internal/tree"}},
		"targets/copilot": {
			Pure: true,
			Own: []string{
				"compiler/model", "targets/target", "hookbin/guard", "hookbin/policy", "internal/diag",
				"internal/frontmatter", "internal/tree", "targets/copilot/catalogue",
			},
		},
		"targets/copilot/catalogue": {Pure: true, Own: []string{"internal/nearest"}},

		"internal/hookfile":  {Pure: true, Own: []string{"internal/diag", "internal/jsonplace", "internal/nearest"}},
		"internal/jsonplace": {Pure: true, Own: []string{"internal/diag", "internal/jsonedit"}},
		"internal/mcpfile":   {Pure: true, Own: []string{"internal/diag", "internal/jsonplace"}, Third: []string{"golang.org/x/text/unicode/norm"}},
		"internal/nearest":   {Pure: true, Third: []string{"github.com/agext/levenshtein"}},

		// Tree to home. These know of the stages before them nothing but the tree.
		"internal/tree": {
			Pure:  true,
			Own:   []string{"internal/diag", "internal/strictjson"},
			Third: []string{"github.com/nix-community/go-nix/...", "golang.org/x/text/..."},
		},
		"internal/store": {
			Own:   []string{"internal/durable", "internal/tree"},
			Third: []string{"github.com/nix-community/go-nix/...", "golang.org/x/sys/unix"},
		},
		"internal/generation": {
			Own:   []string{"hookbin/process", "internal/durable", "internal/store", "internal/strictjson", "internal/tree"},
			Third: []string{"github.com/gofrs/flock", "golang.org/x/sys/unix"},
		},
		"internal/activate": {
			Own: []string{
				"internal/durable", "internal/generation", "internal/jsonedit", "internal/restore", "internal/store", "internal/strictjson",
				"internal/tree",
			},
			Third: []string{"github.com/gofrs/flock", "golang.org/x/sys/unix"},
		},
		// Its record of another program's home is what activate takes over.
		"internal/homeimport": {Own: []string{"compiler/model", "hookbin/credential", "internal/diag", "internal/jsonplace", "internal/mcpfile"}},
		"internal/pythonhome": {Own: []string{"internal/activate", "internal/diag", "internal/jsonedit", "internal/jsonplace"}},
		"internal/restore":    {Own: []string{"internal/store", "internal/tree"}},
		"internal/verify": {
			Own: []string{"internal/activate", "internal/durable", "internal/generation", "internal/restore", "internal/store", "internal/tree"},
		},
		"internal/doctor": {
			Own: []string{
				"hookbin/guard", "hookbin/policy", "hookbin/repository", "hookbin/session", "internal/activate", "internal/diag",
				"internal/frontmatter", "internal/generation", "internal/jsonedit", "internal/modelserver", "internal/pythonhome",
				"internal/store", "internal/tree",
			},
		},
		"internal/gc": {
			Own: []string{"hookbin/ledger", "hookbin/session", "internal/activate", "internal/generation", "internal/store", "internal/tree"},
		},

		// What the stages share, and what reads the world for them.
		"internal/diag":    {Pure: true},
		"internal/durable": {Third: []string{"golang.org/x/sys/unix"}},
		"internal/facts": {
			Own:   []string{"compiler/model", "internal/diag", "internal/strictjson"},
			Third: []string{"golang.org/x/sys/unix"},
		},
		"internal/frontmatter": {Pure: true, Own: []string{"internal/diag"}, Third: []string{"github.com/goccy/go-yaml/..."}},
		"internal/jsonedit":    {Pure: true, Third: []string{"github.com/tailscale/hujson"}},
		"internal/modelserver": {},
		"internal/sessionlog":  {},
		"internal/sources":     {Own: []string{"internal/diag"}},
		"internal/strictjson":  {Pure: true},
		"internal/textdiff":    {Pure: true, Third: []string{"github.com/sergi/go-diff/diffmatchpatch"}},

		// The hook: the standard library and the shell's grammar, nothing else of ours.
		"hookbin":                  {},
		"hookbin/agentihooks-hook": {Own: []string{"hookbin/hook"}},
		"hookbin/hook": {
			Own: []string{
				"hookbin/access", "hookbin/channel", "hookbin/event", "hookbin/guard", "hookbin/ledger", "hookbin/memory", "hookbin/policy",
				"hookbin/process", "hookbin/repository", "hookbin/session", "hookbin/shell",
			},
		},
		"hookbin/access":     {Pure: true, Own: []string{"hookbin/shell"}},
		"hookbin/channel":    {},
		"hookbin/credential": {Pure: true},
		"hookbin/event":      {Pure: true},
		"hookbin/guard":      {Pure: true, Own: []string{"hookbin/access", "hookbin/credential", "hookbin/shell"}},
		"hookbin/ledger":     {Own: []string{"hookbin/session"}},
		"hookbin/memory":     {Own: []string{"hookbin/session"}},
		"hookbin/policy":     {Pure: true, Own: []string{"hookbin/guard"}},
		"hookbin/process":    {},
		"hookbin/repository": {},
		"hookbin/session":    {Own: []string{"hookbin/process"}},
		"hookbin/shell":      {Pure: true, Third: []string{"mvdan.cc/sh/v3/syntax"}},

		// How the hook is built, tests and measurements of the whole.
		"internal/archtest":          {},
		"internal/bench/switchbench": {},
		"internal/bench/hookbench": {
			Own: []string{"hookbin/guard", "hookbin/memory", "hookbin/policy", "hookbin/process", "hookbin/session", "internal/hookbuild"},
		},
		"internal/crash":              {},
		"internal/faults":             {Third: []string{"golang.org/x/sys/unix"}},
		"internal/faults/faults":      {Own: []string{"internal/faults"}, Third: []string{"golang.org/x/sys/unix"}},
		"internal/flaketest":          {},
		"internal/hookbuild":          {},
		"internal/hookbuild/generate": {Own: []string{"internal/hookbuild"}},
		"internal/ostest":             {},
		"internal/e2e/...":            {Own: []string{"internal/e2e/...", "internal/modelserver"}, Third: []string{"github.com/modelcontextprotocol/go-sdk/..."}},
	},
}
