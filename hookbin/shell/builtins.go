package shell

import (
	"path"
	"strings"
)

// builtin carries out what changes the meaning of later words; it reports whether the command is one of these.
func (w *walker) builtin(name string, args []Word) bool {
	switch name {
	case "cd", "pushd":
		w.changeDir(args)
	case "set":
		w.setArgs(args)
	case "shift":
		switch {
		case w.context&(Conditional|Repeated) != 0 || len(args) > 0:
			w.args = nil
		case len(w.args) > 1:
			w.args = append(w.args[:1:1], w.args[2:]...)
		}
	case "unset":
		for _, arg := range args {
			if arg.Known() && !strings.HasPrefix(arg.Text, "-") {
				delete(w.aliases, arg.Text)
				w.forget(arg.Text)
			}
		}
	case "unalias":
		for _, arg := range args {
			delete(w.aliases, arg.Text)
		}
	case "read", "mapfile", "readarray", "getopts":
		for _, arg := range args {
			w.forget(arg.Text)
		}
	case "printf":
		if len(args) > 1 && args[0].Text == "-v" {
			w.forget(args[1].Text)
		}
	case "tee":
		for _, arg := range args {
			if arg.Known() && !strings.HasPrefix(arg.Text, "-") {
				w.write(arg.Text, false, w.stdin)
			}
		}
	default:
		return false
	}
	return true
}

// changeDir follows cd. A folder that the text does not say is unknown from then on.
func (w *walker) changeDir(args []Word) {
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		w.dir = "~"
	case !args[0].Known() || args[0].Text == "-" || args[0].Text == "":
		w.dir = ""
	case path.IsAbs(args[0].Text), strings.HasPrefix(args[0].Text, "~"):
		w.dir = path.Clean(args[0].Text)
	case w.dir != "":
		w.dir = path.Join(w.dir, args[0].Text)
	}
}

// setArgs follows set -- a b.
func (w *walker) setArgs(args []Word) {
	for i, arg := range args {
		switch {
		case arg.Text == "-a":
			w.exports["*"] = true
		case arg.Text == "--" && arg.Known():
			w.args = append([]Word{{}}, args[i+1:]...)
			return
		case arg.Text == "-o" && i+1 < len(args) && args[i+1].Text == "allexport":
			w.exports["*"] = true
			return
		case arg.Text == "-o" || arg.Text == "+o":
			return
		case arg.Known() && len(arg.Text) > 1 && (arg.Text[0] == '-' || arg.Text[0] == '+'):
			continue
		}
		w.args = append([]Word{{}}, args[i:]...)
		return
	}
}
