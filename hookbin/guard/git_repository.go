package guard

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/access"
	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// Bounds of what is read of a repository.
const (
	maxAbove   = 64 // folders above the one where a command runs
	maxHead    = 4 << 10
	maxConfig  = 256 << 10
	maxPacked  = 1 << 20
	maxInclude = 3 // files of settings that include others
)

// repository is what a command of git finds: where HEAD is, and what the settings say.
type repository struct {
	dir    string // HEAD is here
	common string // refs and config are here; another than dir in a linked worktree
	branch string // checked out; empty if HEAD is detached or not known
	unborn bool   // the branch has no commit yet
	config gitConfig
}

// git reads repositories, each once: a command line may change a branch before it commits.
type gitRepositories struct {
	call  *Call
	known map[string]*repository // by their dir
	made  map[string]bool        // folders in which the command line makes a repository
	user  gitConfig
	read  bool
}

// of is the repository in which a command runs, or nil.
func (g *gitRepositories) of(in gitPlace) *repository {
	if !path.IsAbs(in.dir) || g.call.Disk.Read == nil {
		return nil
	}
	if in.gitDir != "" {
		return g.open(g.physical(in.dir, in.gitDir))
	}
	for at, n := g.resolve(in.dir), 0; n < maxAbove; at, n = path.Dir(at), n+1 {
		if g.made[at] {
			return nil
		}
		if data, ok := g.call.Disk.Read(path.Join(at, ".git"), maxHead); ok {
			if to, is := strings.CutPrefix(string(data), "gitdir:"); is {
				return g.open(g.physical(at, strings.TrimSpace(to)))
			}
			return nil
		}
		if r := g.open(path.Join(at, ".git")); r != nil || at == "/" {
			return r
		}
	}
	return nil
}

// open reads the repository of a .git folder, or of the folder that is one for a linked worktree.
func (g *gitRepositories) open(dir string) *repository {
	if r, ok := g.known[dir]; ok {
		return r
	}
	head, ok := g.call.Disk.Read(path.Join(dir, "HEAD"), maxHead)
	if !ok {
		return nil
	}
	r := &repository{dir: dir, common: dir}
	if data, ok := g.call.Disk.Read(path.Join(dir, "commondir"), maxHead); ok {
		r.common = g.physical(dir, strings.TrimSpace(string(data)))
	}
	if ref, is := strings.CutPrefix(strings.TrimSpace(string(head)), "ref:"); is {
		r.branch, _ = strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
		r.unborn = r.branch != "" && !g.exists(r, r.branch)
	}
	r.config = g.ofUser().with(g.config(path.Join(r.common, "config"), 0)).with(g.config(path.Join(dir, "config.worktree"), 0))
	g.known[dir] = r
	return r
}

// exists reports whether a branch has a commit, so far as is known.
func (g *gitRepositories) exists(r *repository, branch string) bool {
	if _, ok := g.call.Disk.Read(path.Join(r.common, "refs/heads", branch), maxHead); ok {
		return true
	}
	packed, _ := g.call.Disk.Read(path.Join(r.common, "packed-refs"), maxPacked)
	return len(packed) == maxPacked || strings.Contains(string(packed), " refs/heads/"+branch+"\n")
}

// physical is a path as the system sees it: .. leaves the folder that a link leads to.
func (g *gitRepositories) physical(dir, name string) string {
	if path.IsAbs(name) {
		dir = "/"
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			dir = g.resolve(dir)
		}
		dir = path.Join(dir, part)
	}
	return dir
}

func (g *gitRepositories) resolve(name string) string {
	if g.call.Disk.Resolve == nil {
		return name
	}
	return g.call.Disk.Resolve(name)
}

// gitConfig is settings by name, "branch.dev.merge": section and variable in lower case, each value that is given.
type gitConfig map[string][]string

func (c gitConfig) last(name string) string {
	if v := c[name]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// with is the settings and then others.
func (c gitConfig) with(over gitConfig) gitConfig {
	if len(over) == 0 {
		return c
	}
	out := gitConfig{}
	for _, part := range []gitConfig{c, over} {
		for name, values := range part {
			out[name] = append(out[name][:len(out[name]):len(out[name])], values...)
		}
	}
	return out
}

func (g *gitRepositories) ofUser() gitConfig {
	if !g.read {
		g.read, g.user = true, g.config("/etc/gitconfig", 0)
		for _, name := range []string{".config/git/config", ".gitconfig"} {
			if g.call.Home != "" {
				g.user = g.user.with(g.config(path.Join(g.call.Home, name), 0))
			}
		}
	}
	return g.user
}

// config reads a file of settings with those that it includes, whatever their condition is.
func (g *gitRepositories) config(name string, depth int) gitConfig {
	if depth == maxInclude || g.call.Disk.Read == nil {
		return nil
	}
	data, ok := g.call.Disk.Read(name, maxConfig)
	if !ok {
		return nil
	}
	out := parseGitConfig(string(data))
	for key, files := range out {
		if key == "include.path" || strings.HasPrefix(key, "includeif.") {
			for _, file := range files {
				out = out.with(g.config(access.Absolute(file, path.Dir(name), g.call.Home), depth+1))
			}
		}
	}
	return out
}

// parseGitConfig reads the format of git-config(1). What it does not understand it leaves out.
func parseGitConfig(text string) gitConfig {
	out := gitConfig{}
	section := ""
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", "")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			name, sub, quoted := strings.Cut(head, `"`)
			section = strings.ToLower(strings.TrimSpace(name))
			if quoted {
				section += "." + strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(sub, `"`))
			}
			line = strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, given := strings.Cut(line, "=")
		if !given {
			value = "true"
		}
		key := section + "." + strings.ToLower(strings.TrimSpace(name))
		out[key] = append(out[key], gitValue(strings.TrimSpace(value)))
	}
	return out
}

// gitValue takes quotes, escapes and a comment out of a value.
func gitValue(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(text[i])
			}
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// gitPlace is what the words before a subcommand say.
type gitPlace struct {
	dir, gitDir string
	config      gitConfig
	sub         int // the subcommand's index; 0: there is none
}

// place reads the global options and the assignments of a command of git.
func (g *gitRepositories) place(cmd *shell.Command) gitPlace {
	p := gitPlace{config: gitConfig{}, dir: access.Absolute(cmp.Or(cmd.Dir, g.call.Cwd), g.call.Cwd, g.call.Home)}
	set := func(setting string) {
		name, value, given := strings.Cut(setting, "=")
		if !given {
			value = "true"
		}
		p.config[settingName(name)] = append(p.config[settingName(name)], value)
	}
	for _, a := range cmd.Assigns {
		switch number, isKey := strings.CutPrefix(a.Name, "GIT_CONFIG_KEY_"); {
		case len(a.Value) == 0:
		case a.Name == "GIT_DIR":
			p.gitDir = a.Value[0].Text
		case isKey:
			for _, v := range cmd.Assigns {
				if _, err := strconv.Atoi(number); err == nil && v.Name == "GIT_CONFIG_VALUE_"+number && len(v.Value) > 0 {
					set(a.Value[0].Text + "=" + v.Value[0].Text)
				}
			}
		}
	}
	for i := 1; i < len(cmd.Words); i++ {
		text := cmd.Words[i].Text
		if !strings.HasPrefix(text, "-") || cmd.Words[i].HoleBefore(1) {
			p.sub = i
			return p
		}
		name, value, _ := strings.Cut(text, "=")
		if shell.TakesValue("git", text) && i+1 < len(cmd.Words) {
			i++
			value = cmd.Words[i].Text
		}
		switch name {
		case "-C":
			p.dir = g.physical(p.dir, value)
		case "-c":
			set(value)
		case "--git-dir":
			p.gitDir = value
		}
	}
	return p
}

// settingName is a setting's name with its section and its variable in lower case.
func settingName(name string) string {
	first, last := strings.IndexByte(name, '.'), strings.LastIndexByte(name, '.')
	if first < 0 {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:first]) + name[first:last] + strings.ToLower(name[last:])
}
