package copilot

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/targets/copilot/catalogue"
)

// serverAttributesSince is the attributes of a server that came with a release: earlier ones ignore them, and drop them
// when they write the file (excludeTools: seen with `copilot mcp add` on 1.0.83; disabled: 1.0.80 was seen to start the
// server; the others: the schema of 1.0.83 lacks them).
var serverAttributesSince = map[string]string{
	"disabled": "1.0.83", "excludeTools": "1.0.102", "oauthScopes": "1.0.102", "slowConnectionThresholdMs": "1.0.102",
}

// checkServerNames refuses two servers whose tools could have one name: a tool is offered as <server>-<tool>.
func (r *renderer) checkServerNames() {
	for _, b := range r.in.Machine.MCP {
		for _, o := range r.in.Machine.MCP {
			if strings.HasPrefix(b.Label, o.Label+"-") {
				r.diags.Errorf(b.Origin, "mcp-name", fmt.Sprintf("the tools of mcp %q and mcp %q cannot be told apart", b.Label, o.Label),
					"Copilot calls a tool <server>-<tool>, so that one of %q could be one of %q. Rename one of the two.", b.Label, o.Label)
				r.diags[len(r.diags)-1].Related = []diag.Related{{Label: "the other server", Range: o.Origin}}
			}
		}
	}
}

// checkServer looks for what Copilot takes and what then does not do what it seems to.
func (r *renderer) checkServer(b model.Block) {
	title := fmt.Sprintf("mcp %q", b.Label)
	tools := b.Attrs.Get("tools")
	for _, tool := range tools.List {
		if strings.Contains(tool.Text, "*") && (tool.Text != "*" || len(tools.List) > 1) {
			r.diags.Errorf(tool.Origin, "mcp-tools", title+": a pattern among the tools offers none",
				"Copilot knows the list [\"*\"] for all tools, and no other pattern (1.0.83 and 1.0.102: no tool is offered, and no error said). Write the names.")
		}
	}
	for _, f := range b.Attrs.Fields {
		since, found := serverAttributesSince[f.Name], r.version()
		if since != "" && found != "" && catalogue.Compare(found, since) < 0 {
			r.diags.Warnf(f.Value.Origin, "no-effect", title+": Copilot "+found+" has no "+f.Name, "It came with %s, and is ignored before.", since)
		}
	}
	if command := b.Attrs.Get("command"); command.Kind == model.KindString {
		r.checkCommandLine(title, command, b.Attrs.Get("args"))
	}
}

// oneLine is an only argument that a shell would have split: it begins with an option or a plain word, and an option
// follows.
var oneLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-[^ ]* +[^ ]|[a-z]+ (.* )?-)`) })

// windowsPath is an absolute path of Windows.
var windowsPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:[\\/]`) })

func (r *renderer) checkCommandLine(title string, command, args model.Value) {
	if program, _, more := strings.Cut(command.Text, " "); more && !strings.Contains(program, "/") {
		r.diags.Warnf(command.Origin, "mcp-command-line", title+": the command holds a whole command line",
			"It is started without a shell, as one program of that name. Put its arguments into args.")
	}
	for _, arg := range args.List {
		switch {
		case len(args.List) == 1 && oneLine().MatchString(arg.Text):
			r.diags.Warnf(arg.Origin, "mcp-command-line", title+": one argument holds several", "There is no shell that splits it. Write a list element for each.")
		case strings.HasSuffix(arg.Text, "@latest"):
			r.diags.Warnf(arg.Origin, "mcp-unpinned", title+": it runs whatever was published last", "Name a version in place of @latest.")
		}
	}
	if wsl := r.in.Machine.Facts.WSL; wsl != nil && *wsl {
		return // Windows programs run there, and take such paths
	}
	for _, v := range append([]model.Value{command}, args.List...) {
		if windowsPath().MatchString(v.Text) {
			r.diags.Warnf(v.Origin, "mcp-windows-path", title+": a path of Windows", "This tree is for %s. Put it into the host block of the machine that has it.", r.in.Machine.Facts.OS)
		}
	}
}
