package access

import (
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

// program says which words of a command are files, and what is done to them. Options are written as getopt takes them:
// in short, a letter with a colon takes a value; in long, the names of those that do.
type program struct {
	name      string
	mode      Mode   // of the operands
	last      Mode   // of the last operand, where it is the target of the others
	short     string // options that take a value: "ef" is -e VALUE and -f VALUE
	long      string // the same, separated by spaces: "expression file"
	reads     string // options whose value is a file to read: "-f --file"
	sends     string // options whose value names a file to read behind a @: curl -d @FILE, -F NAME=@FILE
	writes    string // options whose value is a file to write
	target    string // options whose value is the folder that every operand gets into
	skip      int    // operands before the files: the pattern of grep
	unless    string // options with which there are none to skip: "-e --regexp"
	inPlace   string // options with which files are written, too
	recursive string // options with which folders are taken with all that is in them
	tree      bool   // it always does
}

// The options are those of GNU coreutils 9, grep 3.8, sed 4.9, curl 8 and wget 1.21, by their manuals. Sorted by name: it is
// searched by halves.
var programs = [...]program{
	{name: ".", mode: Read},
	{name: "age", mode: Read, short: "rRi", reads: "-i --identity", writes: "-o --output"},
	{name: "awk", mode: Read, short: "Fv", long: "field-separator assign", reads: "-f --file", skip: 1, unless: "-f --file"},
	{name: "base32", mode: Read, short: "w", long: "wrap"},
	{name: "base64", mode: Read, short: "w", long: "wrap"},
	{name: "bat", mode: Read},
	{name: "batcat", mode: Read},
	{name: "bzip2", mode: Read | Write | Delete},
	{name: "cat", mode: Read},
	{name: "chgrp", mode: Write, skip: 1, unless: "--reference", recursive: "-R --recursive"},
	{name: "chmod", mode: Write, skip: 1, unless: "--reference -r -w -x -X -s -t", recursive: "-R --recursive"},
	{name: "chown", mode: Write, skip: 1, unless: "--reference", recursive: "-R --recursive"},
	{name: "cksum", mode: Read},
	{name: "cmp", mode: Read, short: "in"},
	{name: "code", mode: Read | Write},
	{name: "comm", mode: Read},
	{name: "cp", mode: Read, last: Write, short: "S", target: "-t --target-directory", recursive: "-r -R -a --recursive --archive"},
	{name: "curl", short: "AbcCdDeEFHKmNPQrTtuUwxXyYz", long: "data data-ascii data-binary data-raw data-urlencode form header json request url user", reads: "-T --upload-file -K --config -b --cookie -E --cert --key --cacert", sends: "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header", writes: "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii"},
	{name: "cut", mode: Read, short: "bcdf"},
	{name: "diff", mode: Read, short: "CUIFxX"},
	{name: "dotenv", reads: "-f --file"},
	{name: "ed", mode: Read | Write},
	{name: "emacs", mode: Read | Write},
	{name: "ex", mode: Read | Write},
	{name: "fold", mode: Read, short: "w"},
	{name: "gpg", mode: Read, short: "ru", writes: "-o --output"},
	{name: "grep", mode: Read, short: "ABCmdDe", long: "after-context before-context context max-count include exclude exclude-dir regexp", reads: "-f --file", skip: 1, unless: "-e --regexp -f --file", recursive: "-r -R --recursive"},
	{name: "gunzip", mode: Read | Write | Delete},
	{name: "gzip", mode: Read | Write | Delete},
	{name: "head", mode: Read, short: "nc", long: "lines bytes"},
	{name: "hexdump", mode: Read, short: "efns"},
	{name: "install", mode: Read, last: Write, short: "mogS", long: "mode owner group suffix", target: "-t --target-directory"},
	{name: "join", mode: Read, short: "12aeojtv"},
	{name: "jq", mode: Read, skip: 1, unless: "-f --from-file", reads: "-f --from-file"},
	{name: "less", mode: Read, writes: "-o -O"},
	{name: "ln", last: Write, short: "S", target: "-t --target-directory"},
	{name: "md5sum", mode: Read},
	{name: "mkdir", mode: Write, short: "m"},
	{name: "mkfifo", mode: Write, short: "m"},
	{name: "mknod", mode: Write, short: "m"},
	{name: "more", mode: Read},
	{name: "mv", mode: Read | Delete, last: Write, short: "S", target: "-t --target-directory", tree: true},
	{name: "nano", mode: Read | Write},
	{name: "nl", mode: Read},
	{name: "nvim", mode: Read | Write},
	{name: "od", mode: Read, short: "AjNtw"},
	{name: "openssl", reads: "-in -inkey -key -keyfile -CAkey", writes: "-out -keyout"},
	{name: "paste", mode: Read, short: "d"},
	{name: "patch", mode: Write, reads: "-i --input", writes: "-o --output", target: "-d --directory"},
	{name: "perl", mode: Read, short: "eEIMmF", inPlace: "-i"},
	{name: "rev", mode: Read},
	{name: "rg", mode: Read, short: "ABCmdeEgjMrtT", long: "after-context before-context context max-count max-depth glob iglob type type-not regexp replace sort encoding", reads: "-f --file", skip: 1, unless: "-e --regexp -f --file --files", tree: true},
	{name: "rm", mode: Delete, recursive: "-r -R --recursive -d --dir"},
	{name: "rmdir", mode: Delete},
	{name: "rsync", mode: Read, last: Write, short: "efBMT", tree: true},
	{name: "scp", mode: Read, last: Write, short: "cDFiJloPSX", tree: true},
	{name: "sed", mode: Read, short: "le", long: "expression line-length", reads: "-f --file", skip: 1, unless: "-e --expression -f --file", inPlace: "-i --in-place"},
	{name: "sha1sum", mode: Read},
	{name: "sha256sum", mode: Read},
	{name: "sha512sum", mode: Read},
	{name: "shred", mode: Write | Delete, short: "ns"},
	{name: "sort", mode: Read, short: "kStT", writes: "-o --output"},
	{name: "source", mode: Read},
	{name: "sponge", mode: Write},
	{name: "strings", mode: Read, short: "nt"},
	{name: "tac", mode: Read},
	{name: "tail", mode: Read, short: "nc", long: "lines bytes pid"},
	{name: "tar", mode: Read | Write, tree: true, short: "CXTbHLNV", writes: "-C --directory", reads: "-f --file -T --files-from"},
	{name: "tee", mode: Write},
	{name: "touch", mode: Write, short: "drt"},
	{name: "trash", mode: Delete, tree: true},
	{name: "truncate", mode: Write, short: "sr"},
	{name: "uniq", mode: Read, last: Write, short: "fsw"},
	{name: "unlink", mode: Delete},
	{name: "unzip", mode: Read, writes: "-d"},
	{name: "vi", mode: Read | Write},
	{name: "view", mode: Read},
	{name: "vim", mode: Read | Write},
	{name: "wc", mode: Read},
	{name: "wget", short: "eaABDIPQRTtUwOoil", writes: "-O --output-document -o --output-file -a --append-output", reads: "-i --input-file --post-file --body-file"},
	{name: "xxd", mode: Read, short: "cglso"},
	{name: "xz", mode: Read | Write | Delete},
	{name: "yq", mode: Read, skip: 1, inPlace: "-i --inplace"},
	{name: "zip", mode: Read | Write, recursive: "-r --recurse-paths"},
}

func programFor(name string) (program, bool) {
	switch name {
	case "egrep", "fgrep", "zgrep", "ack", "ag":
		name = "grep"
	case "gawk", "mawk":
		name = "awk"
	}
	i, ok := slices.BinarySearchFunc(programs[:], name, func(p program, name string) int { return strings.Compare(p.name, name) })
	if !ok {
		return program{}, false
	}
	return programs[i], true
}

// arguments is the words of a command, sorted by what they are.
type arguments struct {
	operands []shell.Word
	options  []option
}

type option struct {
	name  string // with its dashes
	value shell.Word
}

// read sorts the words.
func (p program) read(words []shell.Word) arguments {
	var a arguments
	for i := 0; i < len(words); i++ {
		word := words[i]
		text := word.Text
		switch {
		case text == "--" && word.Known():
			a.operands = append(a.operands, words[i+1:]...)
			return a
		case len(text) < 2 || text[0] != '-' || word.HoleBefore(1):
			a.operands = append(a.operands, word)
		case strings.HasPrefix(text, "--"):
			name, _, valued := strings.Cut(text, "=")
			o := option{name: name}
			if valued {
				o.value = word.From(len(name) + 1)
			} else if p.takes(name) && i+1 < len(words) {
				i++
				o.value = words[i]
			}
			a.options = append(a.options, o)
		case p.takes(text) && i+1 < len(words): // -o FILE, and -out FILE of openssl
			i++
			a.options = append(a.options, option{text, words[i]})
		default:
			i += p.bundle(&a, word, words[i+1:])
		}
	}
	return a
}

// bundle reads a word of short options, and reports how many of the next words belong to it.
func (p program) bundle(a *arguments, word shell.Word, next []shell.Word) int {
	for at := 1; at < len(word.Text); at++ {
		name := "-" + word.Text[at:at+1]
		if !p.takes(name) {
			a.options = append(a.options, option{name: name})
			continue
		}
		if at+1 < len(word.Text) || !word.Known() {
			a.options = append(a.options, option{name, word.From(at + 1)})
			return 0
		}
		if len(next) > 0 {
			a.options = append(a.options, option{name, next[0]})
			return 1
		}
	}
	return 0
}

// takes reports whether an option takes a value.
func (p program) takes(name string) bool {
	if p.optionMode(name) != 0 || listed(p.target, name) {
		return true
	}
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return listed(p.long, long)
	}
	return len(name) == 2 && strings.IndexByte(p.short, name[1]) >= 0
}

// optionMode is what is done to the file that is an option's value.
func (p program) optionMode(name string) Mode {
	switch {
	case listed(p.reads, name):
		return Read
	case listed(p.writes, name), listed(p.target, name):
		return Write
	}
	return 0
}

func (a arguments) has(names string) bool {
	for _, o := range a.options {
		if listed(names, o.name) {
			return true
		}
	}
	return false
}

func (a arguments) value(names string) (shell.Word, bool) {
	for _, o := range a.options {
		if listed(names, o.name) {
			return o.value, true
		}
	}
	return shell.Word{}, false
}

// listed reports whether a name stands in a list that is separated by spaces.
func listed(list, name string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == name {
			return true
		}
	}
	return false
}
