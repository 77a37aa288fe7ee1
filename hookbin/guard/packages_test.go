package guard

import (
	"slices"
	"testing"
)

func TestPackagesCommands(t *testing.T) {
	for name, args := range map[string]Args{"packages": {}, "packages_restore": {"managers": []string{"npm", "pip", "uv", "yarn", "go"}, "restore": true}} {
		t.Run(name, func(t *testing.T) {
			judged(t, name, args, func(line string) *Call {
				return &Call{Tool: "bash", Command: line, Cwd: "/w", Home: "/home/u"}
			})
		})
	}
}

func TestPackagers(t *testing.T) {
	if !slices.IsSorted(packagers()) {
		t.Error("the table is not sorted")
	}
	if _, problems := Compile("packages", Args{"managers": []string{"npm", "npx"}}); len(problems) != 1 || problems[0].Index != 1 {
		t.Error(problems)
	}
	data, _ := Compile("packages", Args{"managers": []string{"pip", "npm"}, "restore": true})
	want := "packages: denies packages of npm, packages of npm that the project names, packages of pip, packages of pip that the project names"
	if got := Describe("packages", data); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
