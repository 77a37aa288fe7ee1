package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// What to do instead.
const (
	ownBranch = "Make a branch of your own and work there."
	keepIt    = "What others build on stays as it is: put a new commit on top, such as git revert makes, on a branch of your own."
)

// commit judges what puts commits on the branch that is checked out.
func (g *gitJudge) commit(c *gitCommand) *finding {
	a := readArguments(c.words, "mFCctSsX", "message file author date reuse-message reedit-message template strategy strategy-option mainline fixup squash cleanup into-name")
	branch := c.branch()
	pattern := g.pattern(branch)
	if pattern == "" || c.repository.unborn || a.has("--dry-run", "--abort", "--quit", "--help") {
		return nil
	}
	switch c.sub.Text {
	case "merge":
		if !slices.ContainsFunc(a.operands, func(w shell.Word) bool { return !ofRemote(w.Text, branch) }) {
			return nil
		}
	case "pull":
		if !slices.ContainsFunc(a.operands[min(1, len(a.operands)):], func(w shell.Word) bool { return branchName(strings.TrimPrefix(w.Text, "+")) != branch }) {
			return nil
		}
	case "commit":
		if a.has("--amend") {
			if f := g.finding(c, "history", pattern, "rewrites the last commit of "+shown(branch)+", which is protected.", keepIt); f != nil {
				return f
			}
		}
	}
	return g.finding(c, "commit", pattern, "puts commits on "+shown(branch)+", which is protected.", ownBranch)
}

// ofRemote reports whether a name is what the remote has of a branch: taking that over changes nothing of it.
func ofRemote(name, branch string) bool {
	name = strings.TrimPrefix(name, "refs/remotes/")
	return name == "FETCH_HEAD" || name == "@{u}" || name == "@{upstream}" || strings.HasSuffix(name, "/"+branch) && !strings.HasPrefix(name, "refs/")
}

// checkout follows which branch is checked out, and judges the branches that are made on the way.
func (g *gitJudge) checkout(c *gitCommand) *finding {
	a := readArguments(c.words, "bBcC", "orphan create force-create conflict pathspec-from-file")
	if name, ok := a.value("-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create"); ok {
		if pattern := g.pattern(name.Text); a.has("-B", "-C", "--force-create") && name.Known() && pattern != "" {
			if f := g.finding(c, "history", pattern, "moves the branch "+shown(name.Text)+", which is protected.", keepIt); f != nil {
				return f
			}
		}
		c.checkedOut(name, a.has("--orphan"))
		return g.newBranch(c)
	}
	switch {
	case c.repository == nil || a.ended && c.sub.Text == "checkout" || len(a.operands) != 1:
	case a.has("--detach", "-d"):
		c.checkedOut(shell.Word{}, false)
	case c.sub.Text == "switch" || !g.isFile(c, a.operands[0]):
		c.checkedOut(a.operands[0], false)
	}
	return nil
}

// isFile reports whether git checkout takes a word for a path: the name of a branch comes first.
func (g *gitJudge) isFile(c *gitCommand, word shell.Word) bool {
	if g.pattern(word.Text) != "" || g.repositories.exists(c.repository, word.Text) {
		return false
	}
	name := path.Join(c.in.dir, word.Text)
	disk := g.repositories.call.Disk
	if _, ok := disk.Read(name, 1); ok {
		return true
	}
	return disk.IsFolder != nil && disk.IsFolder(name)
}

// checkedOut remembers the branch for the commands that follow.
func (c *gitCommand) checkedOut(name shell.Word, unborn bool) {
	if c.repository == nil {
		return
	}
	c.repository.branch, c.repository.unborn = "", unborn
	if name.Known() && name.Text != "-" {
		c.repository.branch = branchName(name.Text)
	}
}

func (g *gitJudge) newBranch(c *gitCommand) *finding {
	return g.finding(c, "branches", "", "makes a branch.", "Work on the branch that is checked out, or in a folder of its own that `git worktree add` makes.")
}

// branches judges git branch, which lists, makes, moves and deletes them.
func (g *gitJudge) branches(c *gitCommand) *finding {
	a := readArguments(c.words, "u", "set-upstream-to sort format points-at contains no-contains merged no-merged")
	moves := a.has("-m", "-M", "--move")
	touched := a.operands
	switch {
	case a.has("-d", "-D", "--delete"):
	case moves && len(touched) == 1:
		touched = []shell.Word{{Text: c.branch()}, touched[0]}
	case moves:
	case a.has("-f", "--force", "-C") && len(touched) > 0:
		if touched = touched[:1]; a.has("-c", "-C", "--copy") {
			touched = a.operands[len(a.operands)-1:]
		}
	default:
		touched = nil
	}
	if !a.has("-r", "--remotes") {
		for _, word := range touched {
			if pattern := g.pattern(word.Text); pattern != "" && word.Known() {
				if f := g.finding(c, "history", pattern, "moves or deletes the branch "+shown(word.Text)+", which is protected.", keepIt); f != nil {
					return f
				}
			}
		}
	}
	lists := a.has("-d", "-D", "--delete", "-l", "--list", "-u", "--set-upstream-to", "--unset-upstream", "--edit-description", "-m", "-M", "--move", "-a", "--all",
		"-r", "--remotes", "--show-current", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	if len(a.operands) == 0 || lists {
		return nil
	}
	return g.newBranch(c)
}

// tag judges git tag, which lists them, too.
func (g *gitJudge) tag(c *gitCommand) *finding {
	a := readArguments(c.words, "mFu", "message file local-user cleanup sort format points-at contains no-contains merged no-merged")
	lists := a.has("-l", "--list", "-n", "-v", "--verify", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	if len(a.operands) == 0 || lists && !a.has("-d", "--delete") {
		return nil
	}
	return g.finding(c, "tags", "", "makes or deletes a tag.", byPerson)
}

// reset judges git reset while a protected branch is checked out. Where it names files, the branch stays where it is.
func (g *gitJudge) reset(c *gitCommand) *finding {
	a := readArguments(c.words, "", "pathspec-from-file")
	branch := c.branch()
	pattern := g.pattern(branch)
	if pattern == "" || len(a.operands) != 1 {
		return nil
	}
	to := a.operands[0].Text
	if to == "HEAD" || to == "@" || ofRemote(to, branch) {
		return nil
	}
	if !a.has("--hard", "--soft", "--mixed", "--keep", "--merge") && (a.ended || !namesCommit(to)) {
		return nil
	}
	return g.finding(c, "history", pattern, "moves the branch "+shown(branch)+", which is protected.", keepIt)
}

// namesCommit reports whether a word is a commit rather than a file, by its form.
func namesCommit(word string) bool {
	return strings.HasPrefix(word, "HEAD") || strings.HasPrefix(word, "@") || word == "ORIG_HEAD" || strings.ContainsAny(word, "~^") ||
		len(word) >= 7 && strings.Trim(word, "0123456789abcdef") == ""
}

// rebase judges git rebase of a protected branch. On what the remote has of it, only commits that nobody else has change.
func (g *gitJudge) rebase(c *gitCommand) *finding {
	a := readArguments(c.words, "xsXSC", "onto exec strategy strategy-option empty")
	if a.has("--abort", "--quit", "--continue", "--skip", "--edit-todo", "--show-current-patch") {
		return nil
	}
	branch := c.branch()
	if len(a.operands) > 1 {
		branch = branchName(a.operands[1].Text)
		c.checkedOut(a.operands[1], false)
	}
	pattern := g.pattern(branch)
	if pattern == "" || !a.has("--root", "--onto") && (len(a.operands) == 0 || ofRemote(a.operands[0].Text, branch)) {
		return nil
	}
	return g.finding(c, "history", pattern, "rewrites the branch "+shown(branch)+", which is protected.", keepIt)
}

// rewrite judges what rewrites the history of every branch, or deletes the way back.
func (g *gitJudge) rewrite(c *gitCommand) *finding {
	a := readArguments(c.words, "", "")
	if len(g.protected) == 0 || a.has("--analyze", "--dry-run", "-n", "--help", "-h") {
		return nil
	}
	did := "rewrites the history of whole branches."
	if c.sub.Text == "reflog" {
		if len(a.operands) == 0 || a.operands[0].Text != "expire" && a.operands[0].Text != "delete" {
			return nil
		}
		did = "deletes the record of where branches were, which is the way back after a mistake."
	}
	return g.finding(c, "history", g.protected[0], did, keepIt)
}

// updateRef judges git update-ref by the ref that it writes.
func (g *gitJudge) updateRef(c *gitCommand) *finding {
	a := readArguments(c.words, "m", "")
	ref := ""
	if len(a.operands) > 0 {
		ref = a.operands[0].Text
	}
	if ref == "HEAD" {
		ref = "refs/heads/" + c.branch()
	}
	for _, name := range g.protected {
		if a.has("--stdin") && g.text.stands("refs/heads/"+name, nil) {
			ref = "refs/heads/" + name
		}
	}
	branch, is := strings.CutPrefix(ref, "refs/heads/")
	if pattern := g.pattern(branch); is && pattern != "" {
		return g.finding(c, "history", pattern, "moves or deletes the branch "+shown(branch)+", which is protected.", keepIt)
	}
	return nil
}

// fetch judges git fetch that overwrites a protected branch here.
func (g *gitJudge) fetch(c *gitCommand) *finding {
	a := readArguments(c.words, "jo", "depth deepen shallow-since shallow-exclude jobs refmap server-option upload-pack filter negotiation-tip")
	for _, spec := range a.operands[min(1, len(a.operands)):] {
		_, target, _ := strings.Cut(spec.Text, ":")
		pattern := g.pattern(branchName(target))
		if pattern == "" || !strings.HasPrefix(spec.Text, "+") && !a.has("-f", "--force") {
			continue
		}
		if f := g.finding(c, "history", pattern, "overwrites the branch "+shown(target)+", which is protected.", keepIt); f != nil {
			return f
		}
	}
	return nil
}
