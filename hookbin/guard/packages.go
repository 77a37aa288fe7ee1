package guard

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// The guard "packages" judges installs: what a package's author wrote runs on this machine, and nobody has looked at it.
func packagesKind() kind {
	return kind{
		spec: Spec{
			Kind: "packages",
			Doc:  "Judges commands that add packages, of languages and of the system.",
			Args: []Arg{
				{
					Name: "managers", Type: Strings,
					Doc:     "The package managers that are judged, by the names of their commands. Default: all that are known: " + strings.Join(packagers(), ", ") + ".",
					Example: `["npm", "pip", "apt"]`,
				},
				{
					Name: "restore", Type: Bool,
					Doc:     "Judge also what installs the packages that a file of the project names, as `npm ci` and `pip install -r` do. Default: false.",
					Example: "true",
				},
			},
		},
		check: func(args Args) []Problem {
			var out []Problem
			for i, name := range args.texts("managers") {
				if !slices.Contains(packagers(), name) {
					out = append(out, Problem{"managers", i, "It is no package manager that is known here. Use some of " + quotedList(packagers()) + "."})
				}
			}
			return out
		},
		judge: judgePackages,
		denied: func(args Args) []string {
			var out []string
			for _, name := range judgedPackagers(args) {
				out = append(out, "packages of "+name)
				if restore, _ := args["restore"].(bool); restore {
					out = append(out, "packages of "+name+" that the project names")
				}
			}
			slices.Sort(out)
			return out
		},
	}
}

// packager is how a package manager adds packages.
type packager struct {
	name     string
	adds     string // subcommands that add the packages behind them, parted by commas; "pip install" is two words
	restores string // subcommands that, without a package, install what the project names
	short    string // options that take a value
	long     string
	files    string // options that name a file of packages: "-r --requirement"
	own      bool   // a path is a package of one's own, which nobody downloads
}

// packageTable has the options of pip 24, npm 10, cargo 1.80, apt 2.6 and their like, by their manuals. Sorted by name.
func packageTable() []packager {
	return []packager{
		{name: "apk", adds: "add", short: "tpX", long: "virtual root repository"},
		{name: "apt", adds: "install,reinstall", short: "oct", long: "option config-file target-release"},
		{name: "brew", adds: "install,reinstall", restores: "bundle"},
		{name: "bun", adds: "add,a,install,i", restores: "install,i", long: "cwd", own: true},
		{name: "bundle", adds: "add", restores: "install", short: "gv", long: "group version source git gemfile"},
		{name: "cargo", adds: "add,install", short: "pFZ", long: "package features path registry manifest-path rename color config bin root target version git branch", own: true},
		{name: "composer", adds: "require,global require", restores: "install", short: "d", long: "working-dir", own: true},
		{name: "conda", adds: "install,create", short: "npcf", long: "name prefix channel solver", files: "-f --file"},
		{name: "dnf", adds: "install,reinstall", short: "xcR", long: "enablerepo disablerepo repo exclude setopt installroot"},
		{name: "dotnet", adds: "add package,tool install", restores: "restore"},
		{name: "gem", adds: "install,i", short: "vsig", long: "version source install-dir bindir", files: "-g --file"},
		{name: "go", adds: "get,install", restores: "mod download", long: "C", own: true},
		{name: "nix", adds: "profile install,profile add", own: true},
		{name: "npm", adds: "install,i,add,in,ins,inst,insta,instal,isnt,isnta,isntal,isntall", restores: "install,i,ci,clean-install,install-clean", short: "wC", long: "prefix workspace registry tag omit include loglevel", own: true},
		{name: "pacman", short: "rb", long: "root dbpath config ignore"},
		{name: "pdm", adds: "add", restores: "install,sync", short: "GpL", long: "group project lockfile", own: true},
		{name: "pip", adds: "install,download", short: "cteifr", long: "constraint target editable index-url extra-index-url find-links python-version platform prefix root timeout proxy log cache-dir", files: "-r --requirement", own: true},
		{name: "pipx", adds: "install,inject", long: "python suffix index-url pip-args", own: true},
		{name: "pnpm", adds: "add,install,i", restores: "install,i", short: "CF", long: "dir filter registry", own: true},
		{name: "poetry", adds: "add", restores: "install,sync", short: "GECP", long: "group extras source python directory project", own: true},
		{name: "snap", adds: "install", long: "channel revision"},
		{name: "uv", adds: "add,pip install,tool install", restores: "sync,pip sync", short: "pceirt", long: "python constraint group optional extra index index-url default-index find-links directory project with target prefix editable bounds package branch tag rev", files: "-r --requirement --requirements", own: true},
		{name: "yarn", adds: "add,global add", restores: "install,", long: "cwd", own: true},
		{name: "zypper", adds: "install,in", short: "Rr", long: "root repo from"},
	}
}

// samePackager is the table's name for a command that takes the same words.
func samePackager(name string) string {
	switch name {
	case "apt-get", "aptitude", "nala":
		return "apt"
	case "mamba", "micromamba":
		return "conda"
	case "yum", "microdnf", "tdnf":
		return "dnf"
	case "yay", "paru":
		return "pacman"
	}
	if rest, is := strings.CutPrefix(name, "pip"); is && strings.Trim(rest, "0123456789.") == "" {
		return "pip"
	}
	return name
}

func packagers() []string {
	var out []string
	for _, p := range packageTable() {
		out = append(out, p.name)
	}
	return out
}

func judgedPackagers(args Args) []string {
	if _, given := args["managers"]; !given {
		return packagers()
	}
	return args.texts("managers")
}

func judgePackages(args Args, call *Call) (*finding, error) {
	if call.Command == "" {
		return nil, nil
	}
	script := call.Script()
	judged := judgedPackagers(args)
	restore, _ := args["restore"].(bool)
	for i := range script.Commands {
		if f := judgePackager(judged, restore, &script.Commands[i]); f != nil {
			return f, nil
		}
	}
	for _, text := range script.Unparsed {
		if f := judgePieces(judged, restore, crudeSegments(text), text); f != nil {
			return f, nil
		}
	}
	for _, code := range script.Codes {
		if f := judgePieces(judged, restore, codeSegments(code.Text), code.Source); f != nil {
			return f, nil
		}
	}
	return overLimit(script, "what installs packages"), nil
}

// judgePieces judges words of which nobody knows which are a command: the first package manager is taken for one.
func judgePieces(judged []string, restore bool, pieces [][]string, source string) *finding {
	for _, words := range pieces {
		at := slices.IndexFunc(words, func(w string) bool { return slices.Contains(judged, samePackager(w)) })
		if at < 0 {
			continue
		}
		c := shell.Command{Words: knownWords(words[at:]), Source: source}
		if f := judgePackager(judged, restore, &c); f != nil {
			return f
		}
	}
	return nil
}

func judgePackager(judged []string, restore bool, c *shell.Command) *finding {
	name, words := c.Name(), c.Words[1:]
	if !name.Known() {
		return nil
	}
	if strings.HasPrefix(name.Text, "python") || name.Text == "py" { // python -m pip install
		if at := slices.IndexFunc(words, func(w shell.Word) bool { return w.Text == "-m" }); at >= 0 && at+1 < len(words) {
			name, words = words[at+1], words[at+2:]
		}
	}
	manager := samePackager(name.Text)
	if !slices.Contains(judged, manager) {
		return nil
	}
	table := packageTable()
	p := table[slices.IndexFunc(table, func(p packager) bool { return p.name == manager })]
	added, restores := p.reads(words)
	switch {
	case len(added) > 0:
		return &finding{
			text: "`" + shown(c.Source) + "` installs " + shown(strings.Join(added, ", ")) + ", and with it code that nobody here has looked at. " +
				"Use what is installed already, or tell the person which package is needed and why.",
			rule: manager,
		}
	case restores && restore:
		return &finding{text: "`" + shown(c.Source) + "` installs the packages that the project names. Use what is installed already, or ask the person to run it.", rule: manager + " restore"}
	}
	return nil
}

// reads is the packages that words add, and whether they install what the project names.
func (p packager) reads(words []shell.Word) (added []string, restores bool) {
	a := readArguments(words, p.short, p.long+" "+longNames(p.files))
	if a.has("--dry-run", "--simulate", "--just-print", "--help") || p.name == "apt" && a.has("-s") {
		return nil, false
	}
	if p.name == "pacman" {
		if !a.has("-S", "--sync", "-U", "--upgrade") || a.has("-s", "-i", "-l", "-g", "-p", "--search", "--info", "--list", "--print") {
			return nil, false
		}
		return cleanNames(a.operands), false
	}
	packages, adds := behind(p.adds, a.operands)
	if adds && a.has("--deps-only", "--only-deps") {
		return nil, true
	}
	for _, word := range append(a.values("-e", "--editable"), packages...) {
		if !adds || p.own && isOwn(word.Text) || p.name == "go" && !isModule(word.Text) {
			continue
		}
		added = append(added, cleanName(word))
	}
	rest, is := behind(p.restores, a.operands)
	fromFile := adds && p.files != "" && a.has(strings.Fields(p.files)...)
	return added, len(added) == 0 && (is && len(rest) == 0 || fromFile)
}

// behind is the words after the first of the subcommands that they begin with.
func behind(subcommands string, words []shell.Word) ([]shell.Word, bool) {
	for sub := range strings.SplitSeq(subcommands, ",") {
		names := strings.Fields(sub)
		if subcommands == "" || len(names) > len(words) || len(names) == 0 && len(words) > 0 {
			continue
		}
		if slices.EqualFunc(names, words[:len(names)], func(name string, w shell.Word) bool { return w.Known() && w.Text == name }) {
			return words[len(names):], true
		}
	}
	return nil, false
}

// isOwn reports whether a package is a folder or a file here.
func isOwn(word string) bool {
	return word == "." || strings.HasPrefix(word, ".[") || strings.HasPrefix(word, ".#") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || word == ".." ||
		strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~/") || strings.HasPrefix(word, "file:")
}

// isModule reports whether a package of Go has a host: example.com/m@v1, other than a package of the standard library.
func isModule(word string) bool {
	first, _, _ := strings.Cut(word, "/")
	return strings.Contains(first, ".") || strings.Contains(word, "@") || word == ""
}

func cleanName(word shell.Word) string {
	if word.Text == "" {
		return "a package that only the shell knows"
	}
	return word.Text
}

func cleanNames(words []shell.Word) []string {
	var out []string
	for _, w := range words {
		out = append(out, cleanName(w))
	}
	return out
}

// longNames is the long of these options, without dashes.
func longNames(options string) string {
	var out []string
	for _, o := range strings.Fields(options) {
		if name, is := strings.CutPrefix(o, "--"); is {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}
