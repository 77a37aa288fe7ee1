package guard

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "self" is always in force: an agent that could change what guards it would be guarded by nothing. A change
// of the manifest takes effect only by a person's switch, whose diff shows what it gives, so that is a question.
func selfKind() kind {
	return kind{
		spec: Spec{
			Kind: "self",
			Doc:  "Keeps an agent from changing what guards it; always on, also without a block of its own.",
			Args: []Arg{
				{
					Name: "sources", Type: String, OneOf: []string{"allow", "ask", "block"},
					Doc:     "What a write to the manifest, or to the folder that it is in, does. Default: ask.",
					Example: `"block"`,
				},
				{Name: "files", Type: Strings, Internal: true, Doc: "The links that a switch makes."},
				{Name: "merged", Type: Strings, Internal: true, Doc: "The files in which a switch keeps keys or a block."},
			},
		},
		fixed: true,
		judge: judgeSelf,
		denied: func(args Args) []string {
			out := []string{"writes to what guards the agent"}
			switch args.text("sources") {
			case "allow":
			case "block":
				out = append(out, "writes to the manifest and its folder", "writes to the manifest and its folder that nobody was asked about")
			default:
				out = append(out, "writes to the manifest and its folder that nobody was asked about")
			}
			return out
		},
		describe: func(args Args) string {
			sources := map[string]string{"allow": "", "block": ", and to the manifest and its folder"}
			and, ok := sources[args.text("sources")]
			if !ok {
				and = ", asks before one to the manifest and its folder"
			}
			return "denies writes to what guards the agent" + and
		},
	}
}

// policyFolder is where Copilot reads hooks that no repository can switch off (1.0.83 and 1.0.102, on Linux).
const policyFolder = "/etc/github-copilot/policy.d"

const byPerson = "Tell the person what you would change, so that they can do it in a terminal of their own."

func judgeSelf(args Args, call *Call) (*finding, error) {
	if call.Command == "" && len(call.Files) == 0 {
		return nil, nil
	}
	guarded := append(slices.Clone(args.texts("files")), policyFolder)
	if call.StateDir != "" {
		guarded = append(guarded, call.StateDir)
	}
	script := call.Script()
	for i := range script.Commands {
		if verb := ownVerb(&script.Commands[i]); verb != "" {
			return &finding{kind: Deny, text: "`agentihooks " + verb + "` changes what guards the agents of this machine, and is for a person to run.", instead: byPerson}, nil
		}
	}
	var weaker *finding
	for _, a := range call.Accesses() {
		if a.Mode&(access.Write|access.Delete) == 0 {
			continue
		}
		if name := call.hit(a, guarded); name != "" {
			return &finding{kind: Deny, text: describeAccess(a, name) + ", which is part of what guards the agents of this machine.", instead: byPerson}, nil
		}
		if name := call.hit(a, args.texts("merged")); name != "" {
			weaker = &finding{kind: Ask, text: describeAccess(a, name) + ", in which agentihooks keeps settings of its own."}
		}
		if weaker == nil {
			weaker = selfSources(args, call, a)
		}
	}
	if weaker == nil {
		weaker = selfCode(call, guarded)
	}
	if weaker == nil && script.Limit != shell.NoLimit {
		weaker = overLimit(script, "what an agent must not change")
		weaker.kind = Deny
	}
	return weaker, nil
}

// selfSources is the verdict on a write to the manifest or its folder. An edit elsewhere never asks where they are.
func selfSources(args Args, call *Call, a access.Access) *finding {
	mode := args.text("sources")
	if mode == "allow" || call.Sources == nil {
		return nil
	}
	name := call.hit(a, call.Sources())
	switch {
	case name == "":
		return nil
	case mode == "block":
		return &finding{kind: Deny, text: describeAccess(a, name) + ", which holds the machine's manifest.", instead: byPerson}
	}
	return &finding{kind: Ask, text: describeAccess(a, name) + ", which holds the machine's manifest. It takes effect when a person runs `agentihooks switch`."}
}

// selfCode asks about programs of other languages that name a guarded path: what they do with it cannot be told.
func selfCode(call *Call, guarded []string) *finding {
	for _, code := range call.Script().Codes {
		for _, name := range guarded {
			short, inHome := strings.CutPrefix(name, call.Home+"/")
			if strings.Contains(code.Text, name) || inHome && call.Home != "" && strings.Contains(code.Text, short) {
				return &finding{kind: Ask, text: "the program that is given to " + code.Interpreter + " names " + shown(name) + ", which is part of what guards the agents of this machine."}
			}
		}
	}
	return nil
}

// ownVerb is the verb of a command of ours that changes a machine.
func ownVerb(c *shell.Command) string {
	if name := c.Name(); !name.Known() || name.Text != "agentihooks" {
		return ""
	}
	for i, word := range c.Words[1:] {
		switch word.Text {
		case "switch", "rollback", "uninstall", "adopt", "absorb", "gc", "policy":
			return word.Text
		case "rules":
			if slices.ContainsFunc(c.Words[i+1:], func(w shell.Word) bool { return w.Text == "reset" }) {
				return "rules reset"
			}
			return ""
		}
		if !strings.HasPrefix(word.Text, "-") && word.Known() && (i == 0 || !strings.HasPrefix(c.Words[i].Text, "-")) {
			return "" // another verb stands first
		}
	}
	return ""
}

// hit is the first of the paths that an access reaches, or "".
func (c *Call) hit(a access.Access, paths []string) string {
	places, sure := c.Places(a)
	for _, name := range paths {
		for _, place := range places {
			if below(place, name) || a.Tree && below(name, place) {
				return name
			}
		}
		if tail := knownEnd(a.Path); !sure && telling(tail) && strings.HasSuffix(name, "/"+tail) {
			return name
		}
	}
	return ""
}

// knownEnd is what is known of a path after its last hole, from the next slash on.
func knownEnd(word shell.Word) string {
	if word.Known() {
		return ""
	}
	_, end, _ := strings.Cut(word.Text[word.Holes[len(word.Holes)-1].At:], "/")
	return end
}

// telling reports whether an end of a path alone says that it is one of ours.
func telling(end string) bool {
	return strings.Contains(end, "agentihooks") || strings.Contains(end, ".copilot/") || strings.Contains(end, ".agents/")
}

func describeAccess(a access.Access, name string) string {
	return "`" + shown(a.Source) + "` would " + a.Mode.String() + " " + shown(name)
}
