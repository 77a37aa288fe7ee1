package guard

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "kubectl" keeps clusters as they are: what changes one reaches people at once, and stands in no repository.
func kubectlKind() kind {
	return kind{
		spec: Spec{
			Kind: "kubectl",
			Doc:  "Keeps clusters from being changed by kubectl, helm and argocd, and pods from being written into. What only reads, and a dry run, is let through.",
			Args: []Arg{{
				Name: "allow", Type: Strings,
				Doc: "Verbs that may change a cluster, with their command: `kubectl apply`. `kubectl exec` is a command in a pod that writes a file or installs something; " +
					"others need no leave. Default: none.",
				Example: `["kubectl apply", "kubectl rollout", "helm upgrade"]`,
			}},
		},
		check: func(args Args) []Problem {
			var out []Problem
			for i, verb := range args.texts("allow") {
				if all := clusterVerbs(); !slices.Contains(all, verb) {
					out = append(out, Problem{"allow", i, "It is no verb that this guard denies. Use some of " + quotedList(all) + "."})
				}
			}
			return out
		},
		judge: judgeKubectl,
		denied: func(args Args) []string {
			return slices.DeleteFunc(clusterVerbs(), func(verb string) bool { return slices.Contains(args.texts("allow"), verb) })
		},
	}
}

// Verbs that change a cluster, by the manuals of kubectl 1.31, helm 3.16 and argocd 2.13. Those of argocd stand behind what
// they are about: argocd app sync.
const (
	kubectlVerbs = "annotate apply autoscale certificate cordon cp create debug delete drain edit exec expose label patch replace rollout run scale set taint uncordon"
	helmVerbs    = "delete install rollback uninstall upgrade"
	argocdVerbs  = "actions add create delete edit generate-token patch resources rm rollback set sync terminate-op unset"
)

func clusterVerbs() []string {
	var out []string
	for _, c := range []struct{ name, verbs string }{{"argocd", argocdVerbs}, {"helm", helmVerbs}, {"kubectl", kubectlVerbs}} {
		for verb := range strings.FieldsSeq(c.verbs) {
			out = append(out, c.name+" "+verb)
		}
	}
	return out
}

func judgeKubectl(args Args, call *Call) (*finding, error) {
	if call.Command == "" {
		return nil, nil
	}
	script := call.Script()
	for i := range script.Commands {
		c := &script.Commands[i]
		did, verb := clusterChange(c)
		if verb == "" {
			did, verb = podChange(c)
		}
		if f := clusterFinding(args, did, verb, c.Source); f != nil {
			return f, nil
		}
	}
	for _, text := range script.Unparsed {
		if f := clusterPieces(args, crudeSegments(text), text); f != nil {
			return f, nil
		}
	}
	for _, code := range script.Codes {
		if f := clusterPieces(args, codeSegments(code.Text), code.Source); f != nil {
			return f, nil
		}
	}
	return overLimit(script, "what changes a cluster"), nil
}

func clusterFinding(args Args, did, verb, source string) *finding {
	if verb == "" || slices.Contains(args.texts("allow"), verb) {
		return nil
	}
	return &finding{
		text: "`" + shown(source) + "` " + did + ", and people may use it now. Change what it is deployed from, or show the person the command with what it would do.",
		rule: verb,
	}
}

// clusterPieces judges words of which nobody knows which are a command: the first of the three is taken for one.
func clusterPieces(args Args, pieces [][]string, source string) *finding {
	for _, words := range pieces {
		at := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"kubectl", "helm", "argocd"}, w) })
		if at < 0 {
			continue
		}
		did, verb := clusterChange(&shell.Command{Words: knownWords(words[at:])})
		if f := clusterFinding(args, did, verb, source); f != nil {
			return f
		}
	}
	return nil
}

// Options that take a value: the global ones, and of the verbs those that may stand before an operand that counts.
const (
	kubectlShort = "nsvcflokp"
	kubectlLong  = "namespace context cluster kubeconfig server token user as as-group as-uid cache-dir certificate-authority client-certificate client-key request-timeout " +
		"tls-server-name password username profile profile-output v vmodule container filename selector output kustomize patch patch-file type template field-manager field-selector"
	helmShort   = "nfo"
	helmLong    = "namespace kube-context kubeconfig kube-apiserver kube-token kube-as-user registry-config repository-cache repository-config values set set-string set-file version output timeout"
	argocdShort = "lo"
	argocdLong  = "server auth-token config core kube-context grpc-web-root-path header client-crt client-crt-key server-crt project dest-server repo path revision selector output timeout"
)

// clusterChange is the verb by which a command changes a cluster, and what it does; empty if it does not.
func clusterChange(c *shell.Command) (did, verb string) {
	name := c.Name()
	if !name.Known() {
		return "", ""
	}
	switch name.Text {
	case "kubectl", "oc", "k":
		a := readArguments(c.Words[1:], kubectlShort, kubectlLong)
		if verb = clusterVerb(a.operands, kubectlVerbs); verb == "" || dryRun(a) || !kubectlChanges(verb, a) {
			return "", ""
		}
		return "changes the cluster", "kubectl " + verb
	case "helm":
		a := readArguments(c.Words[1:], helmShort, helmLong)
		if verb = clusterVerb(a.operands, helmVerbs); verb == "" || dryRun(a) {
			return "", ""
		}
		return "changes what is released to the cluster", "helm " + verb
	case "argocd":
		a := readArguments(c.Words[1:], argocdShort, argocdLong)
		if len(a.operands) < 2 {
			return "", ""
		}
		verb = clusterVerb(a.operands[1:], argocdVerbs)
		list := verb == "resources" || verb == "actions" && !slices.ContainsFunc(a.operands, func(w shell.Word) bool { return w.Text == "run" })
		if verb == "" || list || dryRun(a) {
			return "", ""
		}
		return "changes what is deployed to the cluster", "argocd " + verb
	}
	return "", ""
}

// clusterVerb is the first operand, if it is one of the verbs.
func clusterVerb(operands []shell.Word, verbs string) string {
	if len(operands) == 0 || !operands[0].Known() || !slices.Contains(strings.Fields(verbs), operands[0].Text) {
		return ""
	}
	return operands[0].Text
}

// dryRun reports whether a command only says what it would do.
func dryRun(a arguments) bool {
	value, given := a.value("--dry-run")
	return given && value.Text != "none" && value.Text != "false" || a.has("--help", "-h")
}

// kubectlChanges reports whether a verb changes the cluster with these arguments.
func kubectlChanges(verb string, a arguments) bool {
	sub := ""
	if len(a.operands) > 1 {
		sub = a.operands[1].Text
	}
	switch verb {
	case "rollout":
		return sub != "status" && sub != "history"
	case "exec": // what it runs is judged on its own
		return false
	case "cp": // into a pod, or out of one
		return len(a.operands) > 2 && (!a.operands[2].Known() || strings.Contains(a.operands[2].Text, ":"))
	case "annotate", "label":
		return !a.has("--list")
	case "set":
		return sub != ""
	}
	return true
}

// podChange is "kubectl exec" for a command in a pod that writes a file or installs something.
func podChange(c *shell.Command) (did, verb string) {
	at := slices.IndexFunc(c.Via, func(by string) bool { return by == "kubectl exec" })
	if at < 0 {
		return "", ""
	}
	const writes = "writes into a pod, and that is gone with it"
	if at+1 < len(c.Via) && slices.ContainsFunc(c.Redirs, func(r shell.Redir) bool {
		return strings.HasPrefix(r.Op, ">") && r.Op != ">&" && r.Target.Text != "/dev/null"
	}) {
		return writes, "kubectl exec" // in a shell there: a redirection of kubectl itself writes here
	}
	inner := *c
	inner.Redirs = nil
	for _, a := range access.Of(&shell.Script{Commands: []shell.Command{inner}}) {
		if a.Mode&(access.Write|access.Delete) != 0 {
			return writes, "kubectl exec"
		}
	}
	if judgePackager(packagers(), false, c) != nil {
		return "installs something into a pod, and that is gone with it", "kubectl exec"
	}
	return "", ""
}
