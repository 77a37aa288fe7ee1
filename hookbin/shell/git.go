package shell

import "strings"

// git follows the aliases that a text gives git, and the subcommands that run commands.
func (w *walker) git(c Command, args []Word) {
	spec := wrapperFor("git")
	s := spec.scan(args)
	for _, start := range s.starts {
		sub, rest := args[start], args[start+1:]
		if !sub.Known() {
			continue
		}
		if sub.Text == "config" {
			w.gitConfig(rest)
		}
		alias, ok := w.gitted[sub.Text]
		for _, o := range s.options {
			if value, is := strings.CutPrefix(o.value.Text, "alias."+sub.Text+"="); is && o.name == "-c" {
				alias, ok = o.value.From(len(o.value.Text)-len(value)), true
			}
		}
		if ok {
			w.gitAlias(c, sub.Text, alias, rest)
		}
	}
	w.wrap(c, spec, args)
}

// gitConfig remembers git config alias.name value.
func (w *walker) gitConfig(args []Word) {
	for i, arg := range args[:max(0, len(args)-1)] {
		if name, ok := strings.CutPrefix(arg.Text, "alias."); ok && arg.Known() {
			w.gitted[name] = args[i+1]
		}
	}
}

func (w *walker) gitAlias(c Command, name string, alias Word, rest []Word) {
	before, had := w.gitted[name]
	delete(w.gitted, name) // git does not expand an alias within itself
	text := Word{Text: "git "}.then(alias)
	if strings.HasPrefix(alias.Text, "!") {
		text = alias.From(1)
	}
	w.child(func() { w.open(c, text.then(quoteAll(rest))) })
	if had {
		w.gitted[name] = before
	}
}
