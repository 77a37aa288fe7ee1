package shell

import (
	"slices"
	"strings"
	"testing"
)

// written is a word as the tests write it: a hole is <> for a value, <...> for fields, <*> for file names, with a ! if it
// is not empty.
func written(w Word) string {
	var b strings.Builder
	at := 0
	for _, h := range w.Holes {
		b.WriteString(w.Text[at:h.At])
		at = h.At
		b.WriteString("<" + []string{"", "...", "*"}[h.Kind])
		if h.Full {
			b.WriteByte('!')
		}
		b.WriteByte('>')
	}
	return b.String() + w.Text[at:]
}

// lines is each command of a script as its words, parted by |.
func lines(s Script) []string {
	var out []string
	for _, c := range s.Commands {
		var words []string
		for _, word := range c.Words {
			words = append(words, written(word))
		}
		out = append(out, strings.Join(words, "|"))
	}
	return out
}

// TestCommands is what texts run: the commands in order, each as its words.
func TestCommands(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"# comment", nil},
		{"x=1", nil},
		{"a b c", []string{"a|b|c"}},
		{"a; b\nc", []string{"a", "b", "c"}},
		{"a && b || c | d & e", []string{"a", "b", "c", "d", "e"}},
		{"a \"b c\" 'd'\\ e \"\" ''", []string{"a|b c|d e||"}},
		{`a "\$x \a \"" '\$'`, []string{`a|$x \a "|\$`}},
		{`a $'\n\x41\101\u00e9\'\cA\q'`, []string{"a|\nAA\u00e9'\x01\\q"}},
		{"a $x \"$x\" $x/b \"$x\"c", []string{"a|<...>|<>|<...>/b|<>c"}},
		{"a * b? [ab]c [ x{}", []string{"a|<*>|b<*!>|<*!>c|[|x{}"}},
		{"a {b,c}d {1..3} {a..c} {x} \\{a,b\\} '{a,b}'", []string{"a|bd|cd|1|2|3|a|b|c|{x}|{a,b}|{a,b}"}},
		{"a {01..3} {3..1..2} {a,{b,c}}", []string{"a|1|2|3|3|1|a|b|c"}},
		{"a ~ ~/b '~' $HOME", []string{"a|~|~/b|~|~"}},
		{"a $(b) `c`", []string{"b", "c", "a|<...>|<...>"}},
		{"a $(echo b c) \"$(echo b c)\"", []string{"echo|b|c", "echo|b|c", "a|b|c|b c"}},
		{"a $((1+2)) ${#x} <(b)", []string{"b", "a|<!>|<...!>|/dev/fd/63"}},
		{"a \"$@\" $*", []string{"a|<...>|<...>"}},
		{"x=b; a $x \"$x$x\" ${x}c", []string{"a|b|bb|bc"}},
		{"x='b c'; a $x \"$x\" $x$x", []string{"a|b|c|b c|b|cb|c"}},
		{"x=; a $x \"$x\" b", []string{"a||b"}},
		{"x=(b 'c d'); a ${x[@]} \"${x[@]}\" $x ${x[1]}", []string{"a|b|c|d|b|c d|b|c|d"}},
		{"a ${x:-b} ${y?} ${y:?}", []string{"a|<...>|<...>|<...!>", "a|b|<...>|<...!>"}},
		{"x=b; if t; then x=c; fi; a $x", []string{"t", "a|b", "a|c"}},
		{"x=b; (x=c; a $x); a $x", []string{"a|c", "a|b"}},
		{"if t; then x=c; a $x; fi; a $x", []string{"t", "a|c", "a|<...>", "a|c"}},
		{"x=1; while t; do a $x; x=2; done", []string{"t", "a|1", "a|<...>"}},
		{"for x in b c; do a $x; done", []string{"a|b", "a|c"}},
		{"for x; do a $x; done", []string{"a|<...>"}},
		{"case x in b) c;; d|e) f;; esac", []string{"c", "f"}},
		{"if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"[[ -n $(a) && b == c ]] && (( x + $(d) ))", []string{"a", "d"}},
		{"export x=b y=$(c); a $x", []string{"c", "export|x=b|y=<>", "a|b"}},
		{"f() { a \"$1\" b; }; f c 'd e'", []string{"f|c|d e", "a|c|b"}},
		{"f() { a \"$@\"; }", []string{"a|<...>"}},
		{"f() { a $#; shift; b $1; }; f x y", []string{"f|x|y", "a|<...>", "shift", "b|y"}},
		{"f() { f; }; f", []string{"f", "f", "f"}},
		{"alias a='b c'; a d", []string{"alias|a=b c", "b|c", "a|d", "b|c|d"}},
		{"a <<< b > c 2>&1 <<EOF\n$(d)\nEOF", []string{"d", "a"}},
		{"coproc a; time b; ! c", []string{"a", "b", "c"}},
		{"a >&2 |& b", []string{"a", "b"}},
		{"sudo -u b -E c d", []string{"sudo|-u|b|-E|c|d", "c|d"}},
		{"sudo -Z b c", []string{"sudo|-Z|b|c", "c", "b|c"}},
		{"sudo $x b", []string{"sudo|<...>|b", "<...>|b", "b", "b"}},
		{"env -i A=b C=d e", []string{"env|-i|A=b|C=d|e", "e"}},
		{"env -S 'a b' c", []string{"env|-S|a b|c", "env|a|b|c", "a|b|c"}},
		{"timeout -k 1 5 nice -n 3 a", []string{"timeout|-k|1|5|nice|-n|3|a", "nice|-n|3|a", "a"}},
		{"find . -name x -exec a {} \\; -exec b c{} +", []string{"find|.|-name|x|-exec|a|{}|;|-exec|b|c{}|+", "a|<!>", "b|c<!>"}},
		{"xargs -n 1 a b", []string{"xargs|-n|1|a|b", "a|b|<...>"}},
		{"xargs -I% a %b", []string{"xargs|-I%|a|%b", "a|<!>b"}},
		{"bash -c 'a $1 \"$@\"' x b c", []string{"bash|-c|a $1 \"$@\"|x|b|c", "a|b|b|c"}},
		{"bash -c \"a $x\"", []string{"bash|-c|a <>", "a|<...>"}},
		{"bash x.sh b", []string{"bash|x.sh|b"}},
		{"echo 'a b' | sh", []string{"echo|a b", "sh", "a|b"}},
		{"curl x | sh", []string{"curl|x", "sh", "<...>"}},
		{"bash <<EOF\na $x\nEOF", []string{"bash", "a|<...>"}},
		{"bash <<'EOF'\na $x \\\nb\nEOF", []string{"bash", "a|<...>|b"}},
		{"echo a > f; sh f", []string{"echo|a", "sh|f", "a"}},
		{"ssh -p 1 h a b", []string{"ssh|-p|1|h|a|b", "a|b"}},
		{"docker --context x exec -it c a b", []string{"docker|--context|x|exec|-it|c|a|b", "a|b"}},
		{"command -v a", []string{"command|-v|a"}},
		{"git -c alias.a='b c' a d", []string{"git|-c|alias.a=b c|a|d", "git|b|c|d"}},
		{"trap 'a b' EXIT", []string{"trap|a b|EXIT", "a|b"}},
		{"eval 'a=b'; c $a", []string{"eval|a=b", "c|b"}},
		{"a\r\nb", []string{"a", "b"}},
	} {
		if got := lines(Read(test.text)); !slices.Equal(got, test.want) {
			t.Errorf("Read(%q) runs\n%q, want\n%q", test.text, got, test.want)
		}
	}
}

// last reads a text and gives its last command.
func last(t *testing.T, text string) Command {
	t.Helper()
	s := Read(text)
	if len(s.Commands) == 0 {
		t.Fatalf("Read(%q) has no commands", text)
	}
	return s.Commands[len(s.Commands)-1]
}

func TestSurroundings(t *testing.T) {
	for _, test := range []struct {
		text    string
		context Context
		via     string
		depth   int
		dir     string
		source  string
	}{
		{"a", 0, "", 0, "", "a"},
		{"x && a  b", Conditional, "", 0, "", "a  b"},
		{"if x; then a; fi", Conditional, "", 0, "", "a"},
		{"while a; do :; done; while :; do a; done", Repeated, "", 0, "", "a"},
		{"x | a", Piped | Subshell, "", 0, "", "a"},
		{"(a)", Subshell, "", 0, "", "a"},
		{"a &", Subshell, "", 0, "", "a"},
		{": $(a) | x $(a)", 0, "", 0, "", ""},
		{"x=$(a)", Substitution | Subshell, "", 0, "", "a"},
		{"f() { a; }; f", Function, "", 0, "", "a"},
		{"f() { a; }", Function | Uncalled, "", 0, "", "a"},
		{"for x in 1 2; do a $x; done", Repeated | Reading, "", 0, "", "a $x"},
		{"sudo -n env a", 0, "sudo env", 0, "", "sudo -n env a"},
		{"bash -c 'sudo a'", Subshell, "bash sudo", 1, "", "sudo a"},
		{"eval 'eval a'", 0, "eval eval", 2, "", "a"},
		{"cd /x/../y && a", Conditional, "", 0, "/y", "a"},
		{"cd /x; cd y; a", 0, "", 0, "/x/y", "a"},
		{"cd /x; cd $y; a", 0, "", 0, "", "a"},
		{"(cd /x); a", 0, "", 0, "", "a"},
		{"cd; cd x; a", 0, "", 0, "~/x", "a"},
		{"cd x; a", 0, "", 0, "", "a"},
		{"curl x | bash", Piped | Subshell, "bash", 1, "", "bash"},
	} {
		c := last(t, test.text)
		if test.source == "" {
			continue
		}
		if c.Context != test.context || strings.Join(c.Via, " ") != test.via || c.Depth != test.depth || c.Dir != test.dir || c.Source != test.source {
			t.Errorf("the last command of %q has context %b, via %q, depth %d, dir %q, source %q", test.text, c.Context, c.Via, c.Depth, c.Dir, c.Source)
		}
	}
}

func TestAssignsAndRedirs(t *testing.T) {
	c := last(t, "A=b C=$d e >f 2>>g <<< h <<EOF\ni\nEOF\n")
	var got []string
	for _, a := range c.Assigns {
		got = append(got, a.Name+"="+written(join(a.Value)))
	}
	for _, r := range c.Redirs {
		got = append(got, r.Op+written(r.Target))
	}
	if want := []string{"A=b", "C=<>", ">f", ">>g", "<<<h", "<<i\n"}; !slices.Equal(got, want) {
		t.Errorf("assignments and redirections are %q, want %q", got, want)
	}
}

func TestCodes(t *testing.T) {
	for _, test := range []struct{ text, lang, code string }{
		{"python3 -c 'a b'", "python", "a b"},
		{"python -uc 'a' x", "python", "a"},
		{"perl -ne'a'", "perl", "a"},
		{"node --eval=a", "node", "a"},
		{"node -p a", "node", "a"},
		{"awk '{a}' f", "awk", "{a}"},
		{"python - <<EOF\na\nEOF", "python", "a\n"},
		{"echo a | ruby", "ruby", "a\n"},
		{"echo a > f.py; python f.py", "python", "a\n"},
		{"printf '#!/usr/bin/env python3\\na' > f; ./f", "python", "#!/usr/bin/env python3\na"},
		{"python -m a", "", ""},
		{"python a.py -c b", "python", "b"},
	} {
		codes := Read(test.text).Codes
		if test.lang == "" && len(codes) == 0 {
			continue
		}
		if len(codes) != 1 || codes[0].Interpreter != test.lang || codes[0].Text != test.code {
			t.Errorf("Read(%q) has the programs %q", test.text, codes)
		}
	}
}

func TestUnparsed(t *testing.T) {
	for _, test := range []struct {
		text     string
		commands []string
		unparsed []string
	}{
		{"a &&", nil, []string{"a &&"}},
		{"a; b\n)", []string{"a", "b"}, []string{"a; b\n)"}},
		{"a 'b", nil, []string{"a 'b"}},
		{"bash -c 'a |'; b", []string{"bash|-c|a |", "b"}, []string{"a |"}},
	} {
		s := Read(test.text)
		if !slices.Equal(lines(s), test.commands) || !slices.Equal(s.Unparsed, test.unparsed) || s.Limit != NoLimit {
			t.Errorf("Read(%q) runs %q, has unparsed %q, limit %d", test.text, lines(s), s.Unparsed, s.Limit)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Limit
	}{
		{"64 KB", strings.Repeat("x", 64<<10), NoLimit},
		{"more than 64 KB", strings.Repeat("x", 64<<10+1), LimitLength},
		{"1,000 openers", strings.Repeat("{", 1_000), NoLimit},
		{"more openers", strings.Repeat("{", 1_001), LimitOpeners},
		{"more of several openers", strings.Repeat("({`a[", 251), LimitOpeners},
		{"brackets that open no index", "a " + strings.Repeat("[ ", 2_000), NoLimit},
		{"nested statements", strings.Repeat("if a;then ", 1_001) + "b" + strings.Repeat(";fi", 1_001), LimitNesting},
		{"8 strings", strings.Repeat("eval ", 8) + "a", NoLimit},
		{"9 strings", strings.Repeat("eval ", 9) + "a", LimitDepth},
		{"many commands", strings.Repeat("a;", 20_001), LimitWork},
	} {
		s := Read(test.text)
		if s.Limit != test.want {
			t.Errorf("%s: limit %d %s, want %d", test.name, s.Limit, s.Limit, test.want)
		}
		if (s.Limit.String() == "") != (s.Limit == NoLimit) {
			t.Errorf("%s: limit %d is shown as %q", test.name, s.Limit, s.Limit)
		}
	}
}

// TestWrappers: the table is searched by halves, so it has to be in order.
func TestWrappers(t *testing.T) {
	for i := range wrappers {
		w := &wrappers[i]
		if i > 0 && wrappers[i-1].name >= w.name {
			t.Errorf("%q stands after %q", w.name, wrappers[i-1].name)
		}
		if wrapperFor(w.name) != w {
			t.Errorf("%q is not found", w.name)
		}
		if w.before > 1 {
			t.Errorf("%q has %d operands before its command; scan counts to one", w.name, w.before)
		}
		if parent, _, ok := strings.Cut(w.name, " "); ok && (wrapperFor(parent) == nil || wrapperFor(parent).then != aSub) {
			t.Errorf("%q has no %q to be found by", w.name, parent)
		}
	}
	if wrapperFor("ls") != nil {
		t.Error("ls is a wrapper")
	}
}

func TestTakesValue(t *testing.T) {
	for _, test := range []struct {
		command, option string
		want            bool
	}{
		{"git", "-C", true},
		{"git", "--git-dir", true},
		{"git", "--no-pager", false},
		{"git", "-p", false},
		{"git", "--unknown", false},
		{"kubectl", "-n", true},
		{"sudo", "-u", false},
		{"ls", "-w", false},
		{"git", "-", false},
		{"git", "", false},
	} {
		if got := TakesValue(test.command, test.option); got != test.want {
			t.Errorf("TakesValue(%q, %q) = %v", test.command, test.option, got)
		}
	}
}

// FuzzRead reads any text: every command has words, and every hole is inside its word.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"a b", "x=(b); a ${x[@]:-c}", "a {b,c}{1..3}$x*", "f() { a \"$@\"; }; f b", "echo -e 'a\\nb' | sh", "env -S 'a b' c",
		"printf '%s %b\\n' a b | bash", "find . -exec a {} + | xargs -I{} b{}c", "a <<-'X' | sh\n\tb\n\tX", "for x in *; do a ${x%.b}; done",
		"git -c alias.a='!b' a", "cd /a; b ${c//d/e} ${f:1} ${!g} ${h,,}", "if a; then x=1; fi; b $x", "parallel a {} ::: b c", "+=[", "+=[ a b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Read(text).Commands {
			if len(c.Words) == 0 {
				t.Fatalf("a command of %q has no words", text)
			}
			for _, word := range c.Words {
				at := 0
				for _, h := range word.Holes {
					if h.At < at || h.At > len(word.Text) {
						t.Fatalf("word %+v of %q has a hole outside", word, text)
					}
					at = h.At
				}
			}
		}
	})
}
