package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "git" keeps what others build on as it is: protected branches, and history that was published. It judges what
// a command would do, not how it is spelled: a push by its refspecs or, where it has none, by the branch that is checked
// out and the settings of the repository, an alias by what it stands for.
func gitKind() kind {
	return kind{
		spec: Spec{
			Kind: "git",
			Doc:  "Keeps protected branches and published history as they are, by what a git command would do.",
			Args: []Arg{
				{
					Name: "protected", Type: Strings,
					Doc:     "The protected branches; `*` stands for any characters. Default: main and master.",
					Example: `["main", "release/*"]`,
				},
				{
					Name: "deny", Type: Strings,
					Doc: "What is denied. `push`: pushes to a protected branch, also by `git push` alone while it is checked out, and merging pull requests with gh. " +
						"`force`: pushes that may overwrite or delete any branch. " +
						"`history`: what rewrites, moves or deletes a protected branch, and filter-branch, filter-repo and reflog expire. " +
						"`commit`: commits, cherry-picks and merges on a protected branch. " +
						"`tags`: making, deleting and pushing tags. `branches`: making branches; `git worktree add` may. " +
						"Default: push, force and history.",
					Example: `["push", "force", "history", "commit"]`,
				},
			},
		},
		check:  checkGit,
		judge:  judgeGit,
		denied: func(args Args) []string { return gitRulesOf(args).all() },
	}
}

// gitActs is what the guard can deny, sorted.
var gitActs = [...]string{"branches", "commit", "force", "history", "push", "tags"}

func checkGit(args Args) []Problem {
	var out []Problem
	for i, name := range args.texts("protected") {
		if name == "" || strings.ContainsAny(name, " ~^:?[\\") || strings.HasPrefix(name, "refs/") {
			out = append(out, Problem{"protected", i, "It is no name of a branch. Write it as `git branch` shows it, as in \"main\" or \"release/*\"."})
		}
	}
	for i, act := range args.texts("deny") {
		if !slices.Contains(gitActs[:], act) {
			out = append(out, Problem{"deny", i, "It has to be one of " + quotedList(gitActs[:]) + "."})
		}
	}
	return out
}

type gitRules struct{ protected, deny []string }

func gitRulesOf(args Args) gitRules {
	r := gitRules{args.texts("protected"), args.texts("deny")}
	if _, given := args["protected"]; !given {
		r.protected = []string{"main", "master"}
	}
	if _, given := args["deny"]; !given {
		r.deny = []string{"force", "history", "push"}
	}
	return r
}

func (r gitRules) all() []string {
	var out []string
	for _, act := range gitActs {
		switch {
		case !slices.Contains(r.deny, act):
		case act == "commit" || act == "history" || act == "push":
			for _, name := range r.protected {
				out = append(out, act+" "+name)
			}
		default:
			out = append(out, act)
		}
	}
	return out
}

// pattern is the protected pattern that a branch, or a pattern of branches in a refspec, may match; or "".
func (r gitRules) pattern(branch string) string {
	for _, p := range r.protected {
		if branch != "" && (globMatch(p, branch) || strings.Contains(branch, "*") && globMatch(branch, p)) {
			return p
		}
	}
	return ""
}

// maxAliases bounds how many aliases of the settings stand for one another.
const maxAliases = 8

// gitJudge judges the commands of one call in the order in which they would run.
type gitJudge struct {
	gitRules
	repositories *gitRepositories
	text         matcher // of the whole line, for words that only the shell knows
}

func judgeGit(args Args, call *Call) (*finding, error) {
	if call.Command == "" {
		return nil, nil
	}
	g := gitJudge{
		gitRulesOf(args),
		&gitRepositories{call: call, known: map[string]*repository{}, made: map[string]bool{}},
		matcher{text: call.Command},
	}
	script := call.Script()
	if f := g.script(script, 0); f != nil {
		return f, nil
	}
	return overLimit(script, "what is denied of git"), nil
}

func (g *gitJudge) script(script *shell.Script, depth int) *finding {
	for i := range script.Commands {
		if f := g.command(&script.Commands[i], depth); f != nil {
			return f
		}
	}
	for _, text := range script.Unparsed {
		if f := g.pieces(crudeSegments(text), text); f != nil {
			return f
		}
	}
	for _, code := range script.Codes {
		if f := g.pieces(codeSegments(code.Text), code.Source); f != nil {
			return f
		}
	}
	return nil
}

// pieces judges words of which nobody knows which are a command: the first git is taken for one.
func (g *gitJudge) pieces(pieces [][]string, source string) *finding {
	for _, words := range pieces {
		at := slices.IndexFunc(words, func(w string) bool { return path.Base(w) == "git" })
		if at < 0 || at+1 == len(words) {
			continue
		}
		cmd := shell.Command{Words: knownWords(words[at:]), Source: source}
		if f := g.command(&cmd, 0); f != nil {
			return f
		}
	}
	return nil
}

func (g *gitJudge) command(cmd *shell.Command, depth int) *finding {
	name := cmd.Name()
	switch {
	case name.Known() && name.Text == "gh":
		return g.gh(cmd)
	case name.Known() && name.Text == "git":
	case name.Known() || !overlaps("git", name) || !g.text.stands("git", nil):
		if sub, ok := strings.CutPrefix(name.Text, "git-"); ok && name.Known() { // git-push stands in git's own folder
			direct := *cmd
			direct.Words = append([]shell.Word{{Text: "git"}, {Text: sub}}, cmd.Words[1:]...)
			return g.command(&direct, depth)
		}
		return nil
	}
	in := g.repositories.place(cmd)
	if in.sub == 0 {
		return nil
	}
	c := gitCommand{cmd: cmd, sub: cmd.Words[in.sub], words: cmd.Words[in.sub+1:], in: in}
	c.repository = g.repositories.of(in)
	c.config = g.repositories.ofUser().with(in.config)
	if c.repository != nil {
		c.config = c.repository.config.with(in.config)
	}
	if !c.sub.Known() {
		if !overlaps("push", c.sub) || !g.text.stands("push", nil) {
			return nil
		}
		c.sub = shell.Word{Text: "push"}
	}
	return g.subcommand(&c, depth)
}

// gitCommand is a command of git with the repository that it is about, which is nil if that is not known.
type gitCommand struct {
	cmd        *shell.Command
	sub        shell.Word
	words      []shell.Word // behind the subcommand
	in         gitPlace
	repository *repository
	config     gitConfig // of the repository, and what the command itself says
}

// branch is the one that is checked out, if that is known.
func (c *gitCommand) branch() string {
	if c.repository == nil {
		return ""
	}
	return c.repository.branch
}

func (g *gitJudge) subcommand(c *gitCommand, depth int) *finding {
	switch c.sub.Text {
	case "push", "send-pack":
		return g.push(c, c.words)
	case "subtree":
		if len(c.words) > 0 && c.words[0].Text == "push" {
			return g.push(c, c.words[1:])
		}
	case "commit", "cherry-pick", "revert", "am", "merge", "pull":
		return g.commit(c)
	case "checkout", "switch":
		return g.checkout(c)
	case "branch":
		return g.branches(c)
	case "tag":
		return g.tag(c)
	case "reset":
		return g.reset(c)
	case "rebase":
		return g.rebase(c)
	case "filter-branch", "filter-repo", "reflog":
		return g.rewrite(c)
	case "update-ref":
		return g.updateRef(c)
	case "fetch":
		return g.fetch(c)
	case "symbolic-ref":
		if a := readArguments(c.words, "m", ""); c.repository != nil && len(a.operands) == 2 && a.operands[0].Text == "HEAD" {
			c.repository.branch, c.repository.unborn = branchName(a.operands[1].Text), false
		}
	case "stash":
		if len(c.words) > 0 && c.words[0].Text == "branch" {
			return g.newBranch(c)
		}
	case "init", "clone":
		g.repositories.makes(c)
	default:
		return g.alias(c, depth)
	}
	return nil
}

// alias judges what an alias of the settings stands for. Those that the line itself defines are followed by the shell
// package.
func (g *gitJudge) alias(c *gitCommand, depth int) *finding {
	text := c.config.last("alias." + strings.ToLower(c.sub.Text))
	if text == "" || depth == maxAliases {
		return nil
	}
	if shellText, is := strings.CutPrefix(text, "!"); is {
		text = shellText
	} else {
		text = "git " + text
	}
	for _, word := range c.words {
		text += " " + word.Quoted()
	}
	script := shell.ReadIn(text, c.in.dir)
	return g.script(&script, depth+1)
}

// makes remembers the folder of a new repository: what is there now, or around it, says nothing about that one.
func (r *gitRepositories) makes(c *gitCommand) {
	a := readArguments(c.words, "bocju", "branch origin config jobs upload-pack depth template separate-git-dir initial-branch object-format reference filter")
	dir := "."
	switch at := len(a.operands) - 1; {
	case c.sub.Text == "init" && at >= 0:
		dir = a.operands[at].Text
	case c.sub.Text == "clone" && at > 0:
		dir = a.operands[at].Text
	case c.sub.Text == "clone" && at == 0:
		dir = strings.TrimSuffix(path.Base(a.operands[0].Text), ".git")
	}
	if dir = r.physical(c.in.dir, dir); c.sub.Text == "clone" || r.open(path.Join(dir, ".git")) == nil {
		r.made[dir] = true
	}
}

// finding is an objection to what a command would do to a protected branch; nil if that is not denied.
func (g *gitJudge) finding(c *gitCommand, act, pattern, did, instead string) *finding {
	if !slices.Contains(g.deny, act) {
		return nil
	}
	rule := act
	if pattern != "" {
		rule += " " + pattern
	}
	return &finding{text: "`" + shown(c.cmd.Source) + "` " + did + " " + instead, rule: rule}
}
