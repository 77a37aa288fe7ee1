package nearest

import "testing"

func TestName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"profils", "profiles"}, {"porfiles", "profiles"}, {"theem", "theme"}, {"theme", ""}, {"zz", ""}, {"", ""}, {"x", ""},
	} {
		if got := Name(c.name, []string{"profiles", "theme", "x1"}); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}
