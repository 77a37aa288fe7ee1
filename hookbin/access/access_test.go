package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/hookbin/shell"
)

func TestSorted(t *testing.T) {
	if !slices.IsSortedFunc(programs[:], func(a, b program) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the table is searched by halves, and not sorted")
	}
}

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"cat a -n b < c > d":        "read a, read b, read c, write d",
		"cp a b /x":                 "read a, read b, write /x, write /x/a, write /x/b",
		"cp -t /x/ a":               "write /x/, read a, write /x/, write /x/a",
		"mv -v a b":                 "delete a, write b, write b/a",
		"ln -s a b":                 "write b, write b/a",
		"grep -rn -A 3 needle a b":  "read a, read b",
		"grep -e needle a":          "read a",
		"grep -f list a":            "read list, read a",
		"sed -n 1,2p a":             "read a",
		"sed -i.bak s/a/b/ a":       "write a",
		"sed -e s/a/b/ a":           "read a",
		"sort -oout in":             "write out, read in",
		"curl -sSfLo out https://x": "write out",
		"curl -d @a -F x=@b --json @c -H @d https://x": "read a, read b, read c, read d",
		"curl -d a@b -F x=y --data-raw @c https://x":   "",
		"curl --output=out https://x":                  "write out",
		"wget -qO- https://x":                          "",
		"dd if=a of=b bs=1":                            "read a, write b",
		"rm -rf -- -x":                                 "delete -x",
		"find a b -name x -delete":                     "delete a, delete b",
		"find -delete":                                 "delete .",
		"find a -name x":                               "",
		"openssl rsa -in k -out p":                     "read k, write p",
		"cd /a && tee b <<< x":                         "write b",
		"(cd /a; echo) >> log 2>&1":                    "write log",
		"echo x >&2":                                   "",
		"echo x >& both":                               "write both",
		"unknown a b":                                  "",
		"chmod -R u+x a":                               "write a",
		"chmod -x a":                                   "write a",
		"tar -C /d -xf a.tgz":                          "write /d, read a.tgz",
		"head -n 3 a":                                  "read a",
		"xargs rm < list":                              "read list",
		"find . -name x | xargs cat":                   "",
		"if true; then cat a; fi":                      "read a",
		"bash -c 'cat a > b'":                          "read a, write b",
	} {
		script := shell.ReadIn(text, "/w")
		var got []string
		for _, a := range Of(&script) {
			if a.Path.Known() {
				got = append(got, a.Mode.String()+" "+a.Path.Text)
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s\n got %s\nwant %s", text, s, want)
		}
	}
}

func TestAt(t *testing.T) {
	for _, test := range []struct{ path, dir, home, want string }{
		{"a", "/w", "/h", "/w/a true"},
		{"../a", "/w/x", "/h", "/w/a true"},
		{"~/a", "/w", "/h", "/h/a true"},
		{"~", "/w", "/h", "/h true"},
		{"a", "~/x", "/h", "/h/x/a true"},
		{"a", "", "/h", "a false"},
		{"~/a", "/w", "", "/w/~/a true"},
		{"/a//b/", "", "", "/a/b true"},
	} {
		name, ok := Access{Path: shell.Word{Text: test.path}, Dir: test.dir}.At(test.home)
		if got := fmt.Sprint(name, " ", ok); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
