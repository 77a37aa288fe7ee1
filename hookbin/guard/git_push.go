package guard

import (
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// Findings on pushes.
const (
	pullRequest = "Push a branch of another name, and open a pull request."
	noOverwrite = "Fetch and rebase or merge what is there, and push without force; what is already published stays."
)

// push judges git push by each ref that it would write.
func (g *gitJudge) push(c *gitCommand, words []shell.Word) *finding {
	a := readArguments(words, "o", "push-option repo receive-pack exec prefix")
	if (a.has("--dry-run") || a.has("-n")) && !a.has("--no-dry-run") {
		return nil
	}
	if a.has("--mirror") || c.config.last("remote."+g.remote(c, a)+".mirror") == "true" {
		if f := g.pushes(c, "*", "overwrites and deletes every branch of the remote"); f != nil {
			return f
		}
		return g.finding(c, "force", "", "overwrites and deletes branches of the remote.", noOverwrite)
	}
	force := a.has("--force", "-f", "--force-with-lease", "--force-if-includes")
	if a.has("--tags", "--follow-tags") {
		if f := g.finding(c, "tags", "", "pushes tags.", byPerson); f != nil {
			return f
		}
	}
	var found *finding
	specs := a.operands
	if _, named := a.value("--repo"); len(specs) > 0 && !(named && len(specs) == 1 && strings.Contains(specs[0].Text, ":")) {
		specs = specs[1:]
	}
	for i, spec := range specs {
		if spec.Text == "tag" && spec.Known() && i+1 < len(specs) {
			found = g.finding(c, "tags", "", "pushes a tag.", byPerson)
			break
		}
		if found = g.refspec(c, spec, a.has("--delete", "-d"), force); found != nil {
			break
		}
	}
	switch {
	case found != nil:
		return found
	case a.has("--all", "--branches"):
		found = g.pushes(c, "*", "pushes every branch")
	case len(specs) == 0 && !(a.has("--tags") && c.sub.Text == "push"):
		found = g.barePush(c, g.remote(c, a), force)
	}
	if found == nil && force {
		found = g.finding(c, "force", "", "pushes with force.", noOverwrite)
	}
	return found
}

// remote is the name of the remote that a push goes to.
func (g *gitJudge) remote(c *gitCommand, a arguments) string {
	if len(a.operands) > 0 {
		return a.operands[0].Text
	}
	if repo, ok := a.value("--repo"); ok {
		return repo.Text
	}
	for _, name := range []string{"branch." + c.branch() + ".pushremote", "remote.pushdefault", "branch." + c.branch() + ".remote"} {
		if remote := c.config.last(name); remote != "" {
			return remote
		}
	}
	return "origin"
}

// refspec judges one refspec of a push: [+]source[:target].
func (g *gitJudge) refspec(c *gitCommand, spec shell.Word, deletes, force bool) *finding {
	text := spec.Text
	if strings.HasPrefix(text, "^") {
		return nil
	}
	if strings.HasPrefix(text, "+") && !spec.HoleBefore(1) {
		force, spec = true, spec.From(1)
		text = spec.Text
	}
	source, target, both := strings.Cut(text, ":")
	word := spec
	if both {
		word = spec.From(len(source) + 1)
		deletes = deletes || source == "" && target != "" && !spec.HoleBefore(1)
	} else {
		target = g.sameName(c, source, deletes)
	}
	if both && source == "" && target == "" && spec.Known() {
		return g.pushes(c, "*", "pushes every branch that the remote has too")
	}
	if !word.Known() {
		target = g.guess(c, word)
	}
	if strings.HasPrefix(target, "refs/tags/") {
		return g.finding(c, "tags", "", "pushes a tag.", byPerson)
	}
	branch := branchName(target)
	did := "pushes to"
	if deletes {
		did = "deletes"
	}
	if f := g.pushes(c, branch, did); f != nil {
		return f
	}
	if pattern := g.pattern(branch); pattern != "" && (deletes || force) {
		if f := g.finding(c, "history", pattern, "rewrites or deletes the branch "+shown(branch)+", which is protected.", pullRequest); f != nil {
			return f
		}
	}
	if force || deletes {
		return g.finding(c, "force", "", "may overwrite or delete what was published.", noOverwrite)
	}
	return nil
}

// sameName is the target of a refspec that names none.
func (g *gitJudge) sameName(c *gitCommand, source string, deletes bool) string {
	if source == "HEAD" || source == "@" {
		source = c.branch()
	}
	source = branchName(source)
	if merge := c.config.last("branch." + source + ".merge"); merge != "" && c.config.last("push.default") == "upstream" && !deletes {
		return merge
	}
	return source
}

// guess is a protected branch that a word with a hole may be: the one that is checked out, or one that stands elsewhere in
// the line.
func (g *gitJudge) guess(c *gitCommand, word shell.Word) string {
	for _, name := range append([]string{c.branch()}, g.protected...) {
		if g.pattern(name) == "" {
			continue
		}
		if name != c.branch() && !g.text.stands(name, nil) && !g.text.stands("refs/heads/"+name, nil) {
			continue
		}
		if word.Splits() && word.Text == "" || overlaps(name, word) || overlaps("refs/heads/"+name, word) {
			return name
		}
	}
	return ""
}

// barePush judges a push that names no ref, as push.default and the remote's own refspecs have it.
func (g *gitJudge) barePush(c *gitCommand, remote string, force bool) *finding {
	for _, spec := range c.config["remote."+remote+".push"] {
		if f := g.refspec(c, shell.Word{Text: spec}, false, force); f != nil {
			return f
		}
	}
	branch := c.branch()
	switch c.config.last("push.default") {
	case "matching":
		return g.pushes(c, "*", "pushes every branch that the remote has too")
	case "nothing":
		return nil
	case "upstream", "tracking":
		if merge := c.config.last("branch." + branch + ".merge"); merge != "" {
			branch = branchName(merge)
		}
	}
	if f := g.pushes(c, branch, "pushes the branch that is checked out, to"); f != nil {
		return f
	}
	if pattern := g.pattern(branch); force && pattern != "" {
		return g.finding(c, "history", pattern, "overwrites the branch "+shown(branch)+", which is protected.", noOverwrite)
	}
	return nil
}

// pushes is the finding on a push to a branch, or to all that a pattern stands for.
func (g *gitJudge) pushes(c *gitCommand, branch, did string) *finding {
	pattern := g.pattern(branch)
	switch {
	case pattern == "":
		return nil
	case strings.Contains(branch, "*"):
		return g.finding(c, "push", pattern, did+", and `"+shown(pattern)+"` is protected.", pullRequest)
	}
	return g.finding(c, "push", pattern, did+" "+shown(branch)+", which is protected.", pullRequest)
}

// branchName is a ref without what git adds to a branch's name.
func branchName(ref string) string {
	for _, prefix := range []string{"refs/heads/", "heads/"} {
		if name, ok := strings.CutPrefix(ref, prefix); ok {
			return name
		}
	}
	return ref
}

// gh judges what GitHub's own command does to a branch of the remote.
func (g *gitJudge) gh(cmd *shell.Command) *finding {
	a := readArguments(cmd.Words[1:], "RXfFHBtbq", "repo method field raw-field header hostname input jq template body subject match-head-commit author-email")
	if len(a.operands) < 2 {
		return nil
	}
	c := &gitCommand{cmd: cmd}
	verb := a.operands[0].Text + " " + a.operands[1].Text
	switch {
	case verb == "pr merge":
		if !a.has("--disable-auto", "--help") {
			return g.anyPush(c, "merges a pull request, and nothing here says that its base is not protected.")
		}
	case verb == "release create":
		return g.finding(c, "tags", "", "makes a release, and the tag that it is of.", byPerson)
	case a.operands[0].Text == "api":
		return g.api(c, strings.Trim(a.operands[1].Text, "/"), a)
	}
	return nil
}

func (g *gitJudge) api(c *gitCommand, endpoint string, a arguments) *finding {
	method := "GET"
	if a.has("-f", "-F", "--field", "--raw-field", "--input") {
		method = "POST"
	}
	if given, ok := a.value("-X", "--method"); ok {
		method = strings.ToUpper(given.Text)
	}
	_, ref, isRef := strings.Cut(endpoint, "/git/refs/heads/")
	switch {
	case method == "GET":
	case strings.Contains(endpoint, "/pulls/") && strings.HasSuffix(endpoint, "/merge"):
		return g.anyPush(c, "merges a pull request, and nothing here says that its base is not protected.")
	case isRef:
		return g.pushes(c, ref, "moves or deletes")
	case strings.HasSuffix(endpoint, "/merges"):
		for _, field := range a.values("-f", "-F", "--field", "--raw-field") {
			if base, ok := strings.CutPrefix(field.Text, "base="); ok {
				return g.pushes(c, base, "merges into")
			}
		}
	}
	return nil
}

// anyPush is the finding on what reaches a branch that the line does not name.
func (g *gitJudge) anyPush(c *gitCommand, did string) *finding {
	if len(g.protected) == 0 {
		return nil
	}
	return g.finding(c, "push", g.protected[0], did, "Leave the merge to a person.")
}
